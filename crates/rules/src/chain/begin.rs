//! How a chain begins: with a prompt, with `x` and `xc`, and with a flag of the model's own call.

use crate::shortcuts::{self, Executed};
use engine_core::chain::{
    Condition, Entry, Exits, Forbidden, Form, Link, Note, Reading, Stored, Typed, Why, brief, is_run, read,
    same_skill, written,
};
use engine_core::change::Change;
use engine_core::plan::{Armed, DO, DO_QUICK, is_named};
use engine_core::shortcut::{self, Act, Command, Shortcut};
use engine_core::skill;
use engine_core::verdict::{Finding, UserLine};
use engine_text::line::one_line;

use super::{View, began, line, moved_on};

/// The chain that a prompt is.
pub(super) struct Asked {
    pub(super) typed: Typed,
    before: First,
    /// Names that cannot be entries, and why.
    left_out: Vec<(String, &'static str)>,
    /// Skills that are named in an argument and were read as text.
    as_text: Vec<String>,
    /// The task whose command it is, and the last entry of that.
    task: Option<(usize, String)>,
    /// What the words of that task forbid.
    left_exits: Vec<(Entry, String)>,
}

/// What comes before the first entry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    /// The client itself runs it.
    Runs,
    /// The model is to call it.
    Called,
    /// The model is to call it when a task is done.
    BehindTask,
}

pub(super) fn at_prompt(asked: Asked, prompt: &str, view: &(impl View + ?Sized)) -> Option<Finding> {
    // A chain that nobody began with ends with its turn, and that is now.
    let earlier = view.session().chain().filter(|chain| !chain.is_over() && !chain.unbegun);
    if let ([only], Some(chain)) = (asked.typed.entries.as_slice(), earlier)
        && asked.before == First::Runs
        && !asked.typed.closed
    {
        let mut chain = chain.clone();
        // Who types the next one goes on without the entry that failed.
        let is_skip = chain.failure.is_some() && chain.skip().is_some();
        if let Some(args) = typed_next(only, &chain, view) {
            let mut finding =
                moved_on(&chain, &args, prompt, view).because("the user typed the next entry of the chain");
            if is_skip {
                finding.changes.insert(0, Change::ChainSkipped);
            }
            tell_left_out(&asked.left_out, &only.skill, &mut finding);
            return Some(finding);
        }
        // An idea that is written down replaces nothing.
        let known = view.skill(&only.skill).unwrap_or_default();
        if known.free_text && known.exits.of(&only.args).is_empty() {
            return Some(Finding::default());
        }
    }
    let because = match asked.typed.form {
        Form::Leading => "the prompt starts with a skill",
        Form::Lines => "the prompt ends in lines that each start with a skill",
    };
    let forbidden = if earlier.is_some() { view.session().forbidden.clone() } else { Forbidden::default() };
    let mut finding = started(asked, &forbidden, true, view).because(because);
    if let Some(chain) = earlier.filter(|chain| chain.rest().is_empty()) {
        // Only its last entry was at work.
        if !finding.changes.iter().any(|change| matches!(change, Change::ChainStarted { .. }))
            && !chain.is_over()
        {
            finding.changes.push(Change::ChainDropped);
        }
    } else if let Some(chain) = earlier {
        let left = brief(&chain.rest());
        finding.lines.push(line(&format!("the chain before it ends here; {left} was left")));
        let told = format!("It replaces an earlier chain, of which {left} was left.");
        finding.context = Some(match finding.context {
            Some(context) => format!("{context}\n{told}"),
            None => format!("[CONTINUATION-PASSING]\nContinuation: none. {told}"),
        });
        if finding.changes.is_empty() {
            finding.changes.push(Change::ChainDropped);
        }
    }
    (!finding.is_silent() || !finding.changes.is_empty()).then_some(finding)
}

/// The arguments with which a typed skill is the next entry of the chain; nothing if it is not. Typed alone, it has those of
/// the entry, but a flag is never added to what a person typed: `/handoff` is not `/handoff --commit`.
fn typed_next(only: &Entry, chain: &Stored, view: &(impl View + ?Sized)) -> Option<String> {
    let next = chain.next()?;
    // A flag that asks for an exit which does not follow begins a chain of its own: the newer words count.
    let known = view.skill(&only.skill).unwrap_or_default();
    let follows = |exit: &Entry| chain.left.iter().any(|link| same_skill(&link.entry.skill, &exit.skill));
    if known.exits.by_flag(&only.args).is_some_and(|exits| !exits.iter().all(follows)) {
        return None;
    }
    let id = id_of(&only.skill, view);
    if !chain.is_next(&only.skill, id.as_deref()) {
        return None;
    }
    if next.entry.args.is_empty() || next.entry.args == only.args {
        return Some(only.args.clone());
    }
    let has_flag = next.entry.args.split_whitespace().any(|word| word.starts_with('-'));
    if next.given && !only.args.is_empty() {
        return Some(only.args.clone());
    }
    (only.args.is_empty() && !has_flag).then(|| next.entry.args.clone())
}

/// The name that always calls a skill.
pub(super) fn id_of(name: &str, view: &(impl View + ?Sized)) -> Option<String> {
    view.skill(name.trim_start_matches('/')).map(|known| known.name).filter(|name| !name.is_empty())
}

/// `/do!` stands alone: the plan that it asks for closes itself at the end of the turn, so nothing can follow in it.
pub(super) fn quick_within(prompt: &str, view: &(impl View + ?Sized)) -> Option<Finding> {
    if !names_quick(prompt) {
        return None;
    }
    let sign = format!("/{DO_QUICK}");
    let plain = prompt.replace(&sign, &format!("/{DO}"));
    let Reading { chain, notes } = read(&plain, &shortcuts::stands(view));
    let chain = chain?;
    if chain.entries.len() == 1 {
        // As with `/do`, which takes all that follows.
        let others =
            notes.iter().filter(|note| !is_named(&note.name, DO) && view.skill(&note.name).is_some());
        let names: Vec<String> = others.map(|note| note.name.clone()).collect();
        let mut finding = Finding::default();
        tell_read_as_text(&names, &[], &mut finding);
        return (!names.is_empty()).then(|| finding.because(format!("{sign} takes all that follows")));
    }
    let is_in_it = chain.entries.iter().any(|entry| is_named(&entry.skill, DO));
    is_in_it.then(|| {
        let line = line(&format!(
            "{sign} is not part of a chain. Type {sign} REQUEST alone, or /{DO} REQUEST in the chain"
        ));
        Finding { stop: Some(line.text), ..Finding::default() }
            .because(format!("{sign} was typed in a chain"))
    })
}

/// Whether the prompt is `/do!` with its request, which takes all that follows.
pub(super) fn is_quick(prompt: &str) -> bool {
    Armed::typed(prompt).is_some_and(|armed| armed.quick)
}

/// Whether the person typed `/do!` as a command of its own, with spaces around it.
fn names_quick(prompt: &str) -> bool {
    let names = |word: &str| word.strip_prefix('/').is_some_and(|name| is_named(name, DO_QUICK));
    prompt.contains(DO_QUICK) && prompt.split_whitespace().any(names)
}

pub(super) fn asked(prompt: &str, view: &(impl View + ?Sized)) -> Option<Asked> {
    let shortcut = shortcut::find(prompt, view.config());
    let (text, typed) = match &shortcut {
        None => (prompt, true),
        Some(Shortcut::Command(command)) if command.act == Act::Skill => (command.expansion, false),
        Some(Shortcut::Command(command @ Command { act: Act::Execute { commit }, .. })) => {
            return of_task(command, *commit, view);
        }
        Some(Shortcut::Own { expansion, text: None, .. }) => (expansion.as_str(), false),
        Some(_) => return None,
    };
    // Without a slash there is no name to look up.
    if !text.contains('/') {
        return None;
    }
    let Reading { chain, notes } = read(text, &shortcuts::stands(view));
    let chain = chain?;
    let runs = typed && chain.form == Form::Leading && is_run(prompt);
    let left_out = left_out(&chain.unknown, &notes);
    let as_text = read_as_text(&chain, &notes);
    let before = if runs { First::Runs } else { First::Called };
    Some(Asked { typed: chain, before, left_out, as_text, task: None, left_exits: Vec::new() })
}

/// The known skills that stayed in an argument, each once, without the skill that was typed.
fn read_as_text(chain: &Typed, notes: &[Note]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for note in notes.iter().filter(|note| note.why.is_read_as_text()) {
        let is_own = chain.entries.first().is_some_and(|first| same_skill(&first.skill, &note.name));
        if !is_own && !names.contains(&note.name) {
            names.push(note.name.clone());
        }
    }
    names
}

/// Tells the person which skills were read as text; exits that are left out are reported by themselves.
fn tell_read_as_text(names: &[String], left_out: &[(Entry, String)], finding: &mut Finding) {
    let is_told = |name: &str| left_out.iter().any(|(exit, _)| same_skill(&exit.skill, name));
    let names: Vec<&String> = names.iter().filter(|name| !is_told(name)).collect();
    if names.is_empty() {
        return;
    }
    let mut shown: Vec<String> =
        names.iter().take(MOST_NAMES).map(|name| format!("/{}", one_line(name, 60))).collect();
    if names.len() > MOST_NAMES {
        shown.push(format!("{} more", names.len() - MOST_NAMES));
    }
    finding.lines.push(line(&format!("read as text: {}; engine chain parse --explain", shown.join(", "))));
}

fn left_out(unknown: &[String], notes: &[Note]) -> Vec<(String, &'static str)> {
    let unknown = unknown.iter().filter(|name| !ROOT_FOLDERS.contains(&name.as_str()));
    let refused = notes.iter().filter(|note| matches!(note.why, Why::NotCooperative | Why::OnlyTyped));
    let unknown = unknown.map(|name| (name.clone(), "is no skill that is known here"));
    unknown.chain(refused.map(|note| (note.name.clone(), "takes no part in chains"))).collect()
}

/// Folders at the root of a file system, which people name like skills.
const ROOT_FOLDERS: &[&str] = &[
    "bin", "boot", "dev", "etc", "home", "lib", "mnt", "opt", "proc", "root", "run", "sbin", "srv", "sys",
    "tmp", "usr", "var",
];

/// So many names are told one by one.
pub(super) const MOST_NAMES: usize = 5;

/// Tells the model and the person of names that are no entries.
fn tell_left_out(names: &[(String, &'static str)], owner: &str, finding: &mut Finding) {
    let told = |(name, why): &(String, &'static str)| {
        format!("/{} {why}; it stays in the arguments", one_line(name, 60))
    };
    let mut texts: Vec<String> = names.iter().take(MOST_NAMES).map(told).collect();
    if names.len() > MOST_NAMES {
        texts.push(format!("{} more names are no entries either", names.len() - MOST_NAMES));
    }
    for text in texts {
        let context = finding.context.get_or_insert_default();
        if !context.is_empty() {
            context.push('\n');
        }
        context.push_str(&format!("In the chain of /{owner}: {text}."));
        finding.lines.push(line(&text));
    }
}

/// What `x` and `xc` ask for: the task's own command, if that is a chain, and with `xc` the handoff behind it.
fn of_task(shortcut: &Command, commit: bool, view: &(impl View + ?Sized)) -> Option<Asked> {
    // A chain that is under way goes on.
    let Executed { task, is_whole } = shortcuts::task_to_execute(shortcut, view)
        .filter(|executed| !shortcuts::is_carried(&executed.task.name, view))?;
    let command = shortcuts::chain_of(&task, view);
    let tail = if commit { read(shortcut::TAIL, &shortcuts::stands(view)).chain } else { None };
    let (tail, left_exits) = shortcuts::tail_of(command.as_ref(), tail, view);
    let own = command.as_ref().map(|typed| typed.entries.len() - 1);
    let (typed, before) = match (command, tail) {
        // The command is the task: its first entry does not wait for anything.
        (Some(mut typed), Some(tail)) => {
            // A command that hands over does not do it twice, nor does one of a plan whose steps are done.
            if !shortcuts::hands_over(&typed, &tail) {
                typed.entries.extend(tail.entries);
            }
            (typed, First::Called)
        }
        (None, Some(tail)) => (tail, First::BehindTask),
        // One skill is called as the task names it. Of a chain the exits are not asked for.
        (Some(typed), None) if typed.entries.len() > 1 => (Typed { closed: true, ..typed }, First::Called),
        _ => return None,
    };
    let task = own.filter(|_| is_whole).map(|last| (last, task.name));
    Some(Asked { typed, before, left_out: Vec::new(), as_text: Vec::new(), task, left_exits })
}

/// A new chain.
fn started(asked: Asked, earlier: &Forbidden, by_person: bool, view: &(impl View + ?Sized)) -> Finding {
    let Asked { typed, before, left_out, as_text, task, left_exits } = asked;
    let mut finding = Finding::default();
    let words = typed.words();
    // What the person forbade before counts for what replaces a chain, unless they type it now.
    let earlier = if by_person { earlier.clone().lifted("", Some(&typed)) } else { earlier.clone() };
    let owner = typed.entries.first().map(|entry| entry.skill.clone()).unwrap_or_default();
    let mut exits = exits_of(&typed, view, &mut finding).without(&earlier);
    exits.left_out.extend(left_exits);
    let mut left = typed.entries;
    let mut skills: Vec<String> = left.iter().chain(&exits.follow).map(|entry| entry.skill.clone()).collect();
    skills.dedup();
    let follow = exits.follow.len();
    let tails = tails(&left, view);
    left.extend(exits.follow);
    let current = (before == First::Runs).then(|| left.remove(0));
    let began = current.as_ref().and_then(|entry| {
        let ending = view.skill(&entry.skill)?.ending;
        began(&ending, &entry.args, view)
    });
    let holds = began.as_ref().is_some_and(|began| began.ending.holds());
    let unnamed = left.iter().chain(&current).filter(|entry| entry.args.is_empty());
    for entry in unnamed.collect::<Vec<_>>() {
        let ending = view.skill(&entry.skill).unwrap_or_default().ending;
        if ending.done_when.iter().any(Condition::wants_argument) {
            let text = format!(
                "/{} is done by its argument, and none was typed: what the agent calls it with counts",
                entry.skill
            );
            finding.lines.push(line(&text));
        }
    }
    // One skill that was asked for by its shortcut is no news.
    let is_news = left.len() > usize::from(before == First::Called);
    if let Some(text) = chain_line(if is_news { &left } else { &[] }, &exits.left_out) {
        finding.lines.push(line(&text));
    }
    if !exits.offered.is_empty() {
        let offered = brief(&exits.offered);
        finding.lines.push(line(&format!("exits offered when the chain is done: {offered}")));
    }
    tell_read_as_text(&as_text, &exits.left_out, &mut finding);
    let offered = exits.offered.into_iter().map(|entry| Link { exit: true, ..link(entry, view) });
    let offered: Vec<Link> = offered.collect();
    if !left.is_empty() || !offered.is_empty() || holds {
        let mut chain = Stored {
            current,
            began,
            left: {
                let typed = left.len() - follow.min(left.len());
                let of_task =
                    |at: usize| task.iter().find(|(last, _)| *last == at).map(|(_, name)| name.clone());
                let exit = |(at, entry): (usize, Entry)| Link {
                    exit: at >= typed,
                    task: of_task(at),
                    tail: tails.iter().any(|tail| same_skill(tail, &entry.skill)),
                    ..link(entry, view)
                };
                left.into_iter().enumerate().map(exit).collect()
            },
            offered,
            unbegun: typed.form == Form::Lines,
            behind_task: before == First::BehindTask,
            ..Stored::default()
        };
        let forbidden = Forbidden::by_words(&words, &chain.names());
        chain.forbid_handlers(&earlier.and(forbidden));
        finding.context = Some(chain.told(view.dialect()));
        finding.changes.push(Change::ChainStarted { chain: Box::new(chain) });
    }
    tell_left_out(&left_out, &owner, &mut finding);
    finding.lines.extend(skills.iter().flat_map(|skill| flaws(skill, view)));
    finding
}

/// What of a skill's declaration cannot be used, for the person.
fn flaws(skill: &str, view: &(impl View + ?Sized)) -> Vec<UserLine> {
    let Some(known) = view.skill(skill) else { return Vec::new() };
    let is_entry = |name: &str| view.skill(name).is_some_and(|known| known.callable);
    let missing = known.ending.on_failure.iter().find(|entry| !is_entry(&entry.skill));
    let missing = missing.map(|entry| format!("on-failure names {}, which is no skill here", written(entry)));
    let told = |flaw: String| {
        let text = format!("engine: /{skill}: {flaw}; it is not used. See: engine skill check");
        UserLine::once(text.clone(), text)
    };
    known.problem.into_iter().chain(missing).map(told).collect()
}

/// The chain as the person is shown it, with the exits that their own words leave out.
fn chain_line(left: &[Entry], left_out: &[(Entry, String)]) -> Option<String> {
    let quoted = |(exit, words): &(Entry, String)| {
        format!("{} (you wrote \"{}\")", written(exit), one_line(words, 60))
    };
    let left_out: Vec<String> = left_out.iter().map(quoted).collect();
    let left_out = (!left_out.is_empty()).then(|| format!("left out: {}", left_out.join(", ")));
    if left.is_empty() {
        return left_out;
    }
    let left_out = left_out.map(|text| format!("; {text}")).unwrap_or_default();
    Some(format!("chain: {}{left_out}; engine chain drop cancels", brief(left)))
}

/// What follows the chain; exits that are not there are reported.
fn exits_of(typed: &Typed, view: &(impl View + ?Sized), finding: &mut Finding) -> Exits {
    let (exits, missing) =
        skill::exits_of(typed, view.config(), &|name| view.skill(name), &shortcuts::stands(view));
    let owner = typed.entries.last().map(|last| last.skill.as_str()).unwrap_or_default();
    for exit in missing {
        let text = format!(
            "engine: /{owner} declares the exit {}, which is no entry here. See: engine skill check",
            written(&exit)
        );
        finding.lines.push(UserLine::once(text.clone(), text));
    }
    exits
}

/// The skills that skills of a chain declare as their exits.
fn tails(entries: &[Entry], view: &(impl View + ?Sized)) -> Vec<String> {
    let known = entries.iter().filter_map(|entry| view.skill(&entry.skill));
    known.flat_map(|known| known.exits.entries().map(|exit| exit.skill.clone()).collect::<Vec<_>>()).collect()
}

fn link(entry: Entry, view: &(impl View + ?Sized)) -> Link {
    let known = view.skill(&entry.skill).unwrap_or_default();
    let id = Some(known.name).filter(|name| !name.is_empty());
    Link { id, wrapped: !known.cooperative, ending: known.ending, ..Link::from(entry) }
}

/// What the person forbade, for the exits of a skill that the model calls.
fn session_forbidden(skill: &str, view: &(impl View + ?Sized)) -> Forbidden {
    let mut forbidden = view.session().forbidden.clone();
    // It is called already.
    forbidden.exits.retain(|name, _| !same_skill(name, skill));
    forbidden
}

/// The model called a skill by itself, with a flag that asks for an exit: `handoff --commit`.
pub(super) fn by_flag(skill: &str, args: &str, view: &(impl View + ?Sized)) -> Option<Finding> {
    let known = view.skill(skill)?;
    known.exits.by_flag(args)?;
    let entries = vec![Entry { skill: skill.to_owned(), args: args.to_owned() }];
    // What the person forbade is not asked for by the model's flag.
    let above = view.session().user_input.as_ref().map(|input| input.text.clone()).unwrap_or_default();
    let typed = Typed { form: Form::Leading, entries, above, closed: false, unknown: Vec::new() };
    let asked = Asked {
        typed,
        before: First::Runs,
        left_out: Vec::new(),
        as_text: Vec::new(),
        task: None,
        left_exits: Vec::new(),
    };
    // Also what was forbidden before: the flag is the model's, not the person's.
    let finding = started(asked, &session_forbidden(skill, view), false, view);
    Some(finding.because("a flag of the call asks for the skill's exit"))
}
