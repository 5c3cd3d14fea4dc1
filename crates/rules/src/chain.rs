//! Carries chains of skills: tells the model what comes next, moves on when the next skill really ran, reminds once.
//!
//! A prompt that is a chain is stored for the session, with the default exits of its last skill. A Skill call that
//! succeeded moves it on; what is left is told again then and after a compaction. At the end of a turn an entry that was
//! not called is named once, unless an ordinary prompt came in between. Silent without a chain.

use crate::{Judge, Mode, Rule, always, looks_at, shortcuts};
use engine_core::chain::{
    Entry, Exits, Form, Link, Note, Reading, Standing, Stored, Typed, Why, brief, is_run, read, same_skill,
    split, written,
};
use engine_core::change::Change;
use engine_core::event::{Actor, Event, EventName, Kind, Source, Stop, Tool};
use engine_core::shortcut::{self, Act, Shortcut};
use engine_core::skill::{self, is_wrapped, standing};
use engine_core::verdict::{Broken, Finding, UserLine};
use engine_core::view::{Project, Session, Skills, Tasks};
use engine_text::line::one_line;

looks_at!(Project + Session + Skills + Tasks);

pub(crate) const RULE: Rule = Rule {
    id: "chain",
    about: "Carries a chain of skills: /design plans/foo, /plan-adhoc and /orchestrate.",
    events: &[EventName::SessionStart, EventName::Prompt, EventName::PostTool, EventName::Stop],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Replays(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let finding = match &event.kind {
        Kind::SessionStart { source: Source::Compact, .. } => restated(view),
        Kind::Prompt { .. } => {
            event.real_prompt().and_then(|prompt| at_prompt(prompt, view).or_else(|| dropped(view)))
        }
        Kind::PostTool { call, result, .. } if event.actor == Actor::Main => {
            match (&call.tool, &result.skill) {
                (Tool::Skill { name, args }, Some(ran)) => {
                    after_skill(name, args, ran, view).or_else(|| dropped(view))
                }
                _ => None,
            }
        }
        Kind::Stop(stop) if event.actor == Actor::Main => at_stop(stop, view),
        _ => None,
    };
    Ok(finding.unwrap_or_default())
}

/// The user dropped the chain; what the model was told of it before no longer holds.
fn dropped(view: &(impl View + ?Sized)) -> Option<Finding> {
    if !view.session().chain_dropped {
        return None;
    }
    let mut finding =
        Finding::note("[CONTINUATION-PASSING]\nContinuation: none; the user dropped the chain.");
    finding.changes.push(Change::ChainDropTold);
    Some(finding.because("engine chain drop ended the chain"))
}

fn restated(view: &(impl View + ?Sized)) -> Option<Finding> {
    let chain = view.session().chain()?;
    Some(
        Finding::note(chain.told(view.dialect()))
            .because("a chain is stored; the compaction took what was told of it"),
    )
}

/// How the skills of this project stand in a chain.
fn stands(view: &(impl View + ?Sized)) -> impl Fn(&str) -> Standing {
    |name: &str| standing(view.skill(name).as_ref(), is_wrapped(view.config(), name))
}

/// The chain that a prompt is.
struct Asked {
    typed: Typed,
    before: First,
    /// Names that cannot be entries, and why.
    left_out: Vec<(String, &'static str)>,
    /// Skills that are named in an argument and were read as text.
    as_text: Vec<String>,
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

fn at_prompt(prompt: &str, view: &(impl View + ?Sized)) -> Option<Finding> {
    let asked = asked(prompt, view)?;
    // A chain that nobody began with ends with its turn, and that is now.
    let earlier = view.session().chain().filter(|chain| !chain.left.is_empty() && !chain.waiting);
    if let ([only], Some(chain)) = (asked.typed.entries.as_slice(), earlier)
        && asked.before == First::Runs
        && !asked.typed.closed
        && let Some(args) = typed_next(only, chain, view)
    {
        let mut finding = moved_on(chain, &args, view).because("the user typed the next entry of the chain");
        tell_left_out(&asked.left_out, &only.skill, &mut finding);
        return Some(finding);
    }
    let because = match asked.typed.form {
        Form::Leading => "the prompt starts with a skill",
        Form::Lines => "the prompt ends in lines that each start with a skill",
    };
    let mut finding = started(asked, view).because(because);
    if let Some(chain) = earlier {
        let left = brief(&chain.entries());
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
    let id = id_of(&only.skill, view);
    if !chain.is_next(&only.skill, id.as_deref()) {
        return None;
    }
    if next.entry.args.is_empty() || next.entry.args == only.args {
        return Some(only.args.clone());
    }
    let has_flag = next.entry.args.split_whitespace().any(|word| word.starts_with('-'));
    (only.args.is_empty() && !has_flag).then(|| next.entry.args.clone())
}

/// The name that always calls a skill.
fn id_of(name: &str, view: &(impl View + ?Sized)) -> Option<String> {
    view.skill(name.trim_start_matches('/')).map(|known| known.name).filter(|name| !name.is_empty())
}

fn asked(prompt: &str, view: &(impl View + ?Sized)) -> Option<Asked> {
    let shortcut = shortcut::find(prompt, view.config());
    let (text, typed) = match &shortcut {
        None => (prompt, true),
        Some(Shortcut::Command(command)) if command.act == Act::Skill => (command.expansion, false),
        Some(Shortcut::Command(command)) if command.act == (Act::Execute { commit: true }) => {
            return behind_task(view);
        }
        Some(Shortcut::Own { expansion, text: None, .. }) => (expansion.as_str(), false),
        Some(_) => return None,
    };
    // Without a slash there is no name to look up.
    if !text.contains('/') {
        return None;
    }
    let Reading { chain, notes } = read(text, &stands(view));
    let chain = chain?;
    let runs = typed && chain.form == Form::Leading && is_run(prompt);
    let left_out = left_out(&chain.unknown, &notes);
    let as_text = read_as_text(&chain, &notes);
    let before = if runs { First::Runs } else { First::Called };
    Some(Asked { typed: chain, before, left_out, as_text })
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
const MOST_NAMES: usize = 5;

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

/// What `xc` asks for: the task's own command, if it is a chain, and the handoff behind it.
fn behind_task(view: &(impl View + ?Sized)) -> Option<Asked> {
    let task = shortcuts::task_to_execute(view)?;
    let stands = stands(view);
    let tail = read(shortcut::TAIL, &stands).chain?;
    let command = task.command.as_deref().and_then(|command| read(command, &stands).chain);
    let typed = match command {
        Some(mut typed) if typed.form == Form::Leading => {
            typed.entries.extend(tail.entries);
            typed
        }
        _ => tail,
    };
    Some(Asked { typed, before: First::BehindTask, left_out: Vec::new(), as_text: Vec::new() })
}

/// A new chain.
fn started(asked: Asked, view: &(impl View + ?Sized)) -> Finding {
    let Asked { typed, before, left_out, as_text } = asked;
    let mut finding = Finding::default();
    let owner = typed.entries.first().map(|entry| entry.skill.clone()).unwrap_or_default();
    let exits = exits_of(&typed, view, &mut finding);
    let mut left = typed.entries;
    left.extend(exits.follow);
    let current = (before == First::Runs).then(|| left.remove(0));
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
    if !left.is_empty() {
        let chain = Stored {
            current,
            left: left.into_iter().map(|entry| link(entry, view)).collect(),
            waiting: typed.form == Form::Lines,
            behind_task: before == First::BehindTask,
            ..Stored::default()
        };
        finding.context = Some(chain.told(view.dialect()));
        finding.changes.push(Change::ChainStarted { chain: Box::new(chain) });
    }
    tell_left_out(&left_out, &owner, &mut finding);
    finding
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
    let (exits, missing) = skill::exits_of(typed, view.config(), &|name| view.skill(name), &stands(view));
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

fn link(entry: Entry, view: &(impl View + ?Sized)) -> Link {
    let known = view.skill(&entry.skill).unwrap_or_default();
    Link { id: Some(known.name).filter(|name| !name.is_empty()), wrapped: !known.cooperative, entry }
}

/// The chain behind its next entry, which was called with these arguments.
fn moved_on(chain: &Stored, args: &str, view: &(impl View + ?Sized)) -> Finding {
    let skill = chain.next().map(|next| next.entry.skill.clone()).unwrap_or_default();
    let mut moved = chain.clone();
    moved.advance(Some(args), view.session().turn);
    let mut finding = Finding::note(moved.told(view.dialect()));
    finding.changes.push(Change::ChainCalled { skill, args: args.to_owned() });
    finding
}

/// A skill ran: as the model called it, and by the name that the client has for it.
fn after_skill(skill: &str, typed: &str, name: &str, view: &(impl View + ?Sized)) -> Option<Finding> {
    let (args, suffix) = match split(typed) {
        Some((args, rest)) => (args, Some(rest)),
        None => (typed.to_owned(), None),
    };
    let Some(chain) = view.session().chain().filter(|chain| !chain.left.is_empty()) else {
        return if suffix.is_none() { by_flag(skill.trim_start_matches('/'), &args, view) } else { None };
    };
    let literally = chain.next().is_some_and(|next| next.entry.skill == skill.trim_start_matches('/'));
    // Only another name needs the registry.
    let is_next = literally || {
        let id = id_of(skill, view);
        chain.is_next(skill, id.as_deref()) || (id.is_none() && chain.is_next(name, None))
    };
    if is_next {
        return Some(moved_on(chain, &args, view).because("the Skill tool ran the next entry of the chain"));
    }
    if chain.waiting {
        return None;
    }
    let call = chain.shown_call(view.dialect())?;
    Some(
        Finding::note(format!(
            "[CONTINUATION-PASSING]\n/{} is not the next entry of the chain, which stays where it is:\n  {call}",
            skill.trim_start_matches('/')
        ))
        .because("another skill than the next entry ran"),
    )
}

/// The model called a skill by itself, with a flag that asks for an exit: `handoff --commit`.
fn by_flag(skill: &str, args: &str, view: &(impl View + ?Sized)) -> Option<Finding> {
    let known = view.skill(skill)?;
    known.exits.by_flag(args)?;
    let entries = vec![Entry { skill: skill.to_owned(), args: args.to_owned() }];
    let above = String::new();
    let typed = Typed { form: Form::Leading, entries, above, closed: false, unknown: Vec::new() };
    let asked = Asked { typed, before: First::Runs, left_out: Vec::new(), as_text: Vec::new() };
    let finding = started(asked, view);
    Some(finding.because("a flag of the call asks for the skill's exit"))
}

fn at_stop(stop: &Stop<'_>, view: &(impl View + ?Sized)) -> Option<Finding> {
    let session = view.session();
    let chain = session.chain()?;
    // A turn that goes on only because of a hook goes on again only if something moved.
    let stuck = stop.active && chain.called == 0;
    if stuck || !chain.is_due(session.turn) {
        return None;
    }
    let (left, call) = (brief(&chain.entries()), chain.shown_call(view.dialect())?);
    let mut finding = Finding::note(format!(
        "The chain has entries left ({left}). The next one is called with the Skill tool:\n  {call}\n\
         If the current skill waits for the user, ending the turn is right. engine chain drop ends the chain."
    ));
    finding.moved = true;
    finding.changes.push(Change::ChainNamed);
    Some(finding.because("the next entry of the chain was not called in this turn"))
}

fn line(text: &str) -> UserLine {
    UserLine { text: format!("engine: {text}"), cause: None }
}
