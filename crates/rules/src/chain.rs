//! Carries chains of skills: tells the model what comes next, moves on when the next skill really ran, reminds once.
//!
//! A prompt that is a chain is stored for the session, with the default exits of its last skill. A Skill call that
//! succeeded moves it on; what is left is told again then and after a compaction. A call is refused while the skill before it is not done
//! by what it declares, and one that fails ends the chain until somebody says how it goes on. At the end of a turn an entry that was
//! not called is named once, unless an ordinary prompt came in between or the agent has asked something. Silent without a chain.

use crate::{Judge, Mode, Rule, always, looks_at, shortcuts};
use engine_core::chain::{
    Allowed, Began, Condition, Ending, Entry, Exits, Form, Link, Note, Outcome, Reading, State, Stored,
    Typed, Why, brief, is_run, read, same_skill, split, written,
};
use engine_core::change::Change;
use engine_core::event::{Actor, Event, EventName, Kind, Source, Stop, Tool};
use engine_core::shortcut::{self, Act, Command, Shortcut};
use engine_core::skill;
use engine_core::verdict::{Broken, Finding, UserLine};
use engine_core::view::{Outcomes, Project, Session, Skills, Tasks};
use engine_text::line::one_line;
use engine_text::redact::redact;

looks_at!(Outcomes + Project + Session + Skills + Tasks);

pub(crate) const RULE: Rule = Rule {
    id: "chain",
    about: "Carries a chain of skills: /design plans/foo, /plan-adhoc and /orchestrate.",
    events: &[
        EventName::SessionStart,
        EventName::Prompt,
        EventName::PreTool,
        EventName::PostTool,
        EventName::PostToolFailure,
        EventName::Stop,
    ],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Replays(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let finding = match &event.kind {
        Kind::SessionStart { source: Source::Compact, .. } => restated(view),
        Kind::SessionStart { source: Source::Startup, .. } => orphaned(view),
        Kind::Prompt { .. } => event.real_prompt().and_then(|prompt| {
            at_prompt(prompt, view).or_else(|| dropped(view)).or_else(|| answered(prompt, view))
        }),
        // A subagent's call is held as the agent's own: the entry before it is not done for either.
        Kind::PreTool(call) => match &call.tool {
            Tool::Skill { name, .. } => before_skill(name, view),
            _ => None,
        },
        // What the person interrupts has not failed.
        Kind::PostToolFailure { call, error, interrupted: false, .. } if event.actor == Actor::Main => {
            match &call.tool {
                Tool::Skill { name, .. } => failed_call(name, error, view),
                _ => None,
            }
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

/// Somebody dropped the chain; what the model was told of it before no longer holds.
fn dropped(view: &(impl View + ?Sized)) -> Option<Finding> {
    if !view.session().chain_dropped {
        return None;
    }
    let mut finding = Finding::note("[CONTINUATION-PASSING]\nContinuation: none; the chain was dropped.");
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

/// Chains of clients that are gone, for a session that begins.
fn orphaned(view: &(impl View + ?Sized)) -> Option<Finding> {
    // The words of a chain come from a person who worked here; a project that is not trusted has none of theirs.
    let chains = if view.is_trusted() { view.orphaned_chains() } else { Vec::new() };
    let told = |(session, chain): &(String, Stored)| {
        let short: String = session.chars().take(SHORT_ID).collect();
        format!(
            "engine: a chain was left by a client that is gone: {}; engine chain take {short}",
            chain.line()
        )
    };
    let lines: Vec<String> = chains.iter().take(MOST_NAMES).map(told).collect();
    if lines.is_empty() {
        return None;
    }
    let mut finding = Finding::note(lines.join("\n"));
    finding.lines = lines.into_iter().map(|text| UserLine { text, cause: None }).collect();
    let sessions = chains.into_iter().map(|(session, _)| session).collect();
    finding.changes.push(Change::OrphansTold { sessions });
    Some(finding.because("a chain is stored for a session whose client is gone"))
}

/// How much of a session's id names it.
const SHORT_ID: usize = 8;

/// An ordinary prompt answers what the agent asked: the end of this turn may name the next entry again.
fn answered(prompt: &str, view: &(impl View + ?Sized)) -> Option<Finding> {
    let chain = view.session().chain()?;
    if shortcut::find(prompt, view.config()).is_some() {
        return None;
    }
    let mut finding = Finding::default();
    if chain.state() == State::Waits {
        finding.changes.push(Change::ChainArmed);
    }
    let (after, text) = forbidden(prompt, chain);
    if after != *chain {
        finding.changes.push(Change::ChainForbidden { words: prompt.to_owned() });
        finding.lines.extend(text.as_deref().map(line));
        finding.context = text.map(|_| after.told(view.dialect()));
    }
    (!finding.changes.is_empty()).then_some(finding)
}

/// The chain without what the person's words forbid, and the line that names the exits among it.
fn forbidden(words: &str, chain: &Stored) -> (Stored, Option<String>) {
    let text = chain.without_forbidden(words).map(|Allowed { left_out, .. }| {
        let out = left_out.iter().map(|(exit, words)| format!("{} (you wrote \"{words}\")", written(exit)));
        format!("chain: left out: {}", out.collect::<Vec<_>>().join(", "))
    });
    let mut after = chain.clone();
    after.forbid(words);
    (after, text)
}

/// The next entry is not called before the current one is done, by what its skill declares.
fn before_skill(name: &str, view: &(impl View + ?Sized)) -> Option<Finding> {
    let chain = view.session().chain()?;
    if !is_next(chain, name, None, view) {
        return out_of_turn(name, chain, view);
    }
    let (current, missing) = unmet(chain, view)?;
    let skill = &current.skill;
    let reason = format!(
        "/{} is not called yet, because /{skill} is not done: {missing}. If that cannot be done: engine chain fail WHY, which ends the \
         chain there and keeps the rest.",
        name.trim_start_matches('/')
    );
    Some(Finding::deny(reason).because("the current entry of the chain is not done by its done-when"))
}

/// A later entry of the chain, called before its turn: refused where something before it declares when it is done, or has failed.
fn out_of_turn(name: &str, chain: &Stored, view: &(impl View + ?Sized)) -> Option<Finding> {
    let name = name.trim_start_matches('/');
    let is_it = |link: &&Link| same_skill(&link.entry.skill, name);
    if let Some(failure) = &chain.failure {
        failure.left.iter().find(is_it)?;
        let (skill, why) = (&failure.failed.entry.skill, &failure.why);
        let reason = format!(
            "/{name} is not called, because the chain stopped at /{skill}: {why}. engine chain retry calls /{skill} again; going on without \
             it is the user's word: engine chain skip."
        );
        return Some(Finding::deny(reason).because("the chain has failed before this entry"));
    }
    let at = chain.left.iter().position(|link| is_it(&link))?;
    let declares = |link: &Link| !link.ending.done_when.is_empty();
    if !chain.left[..at].iter().any(declares) && unmet(chain, view).is_none() {
        return None;
    }
    let next = &chain.next()?.entry.skill;
    let reason = format!(
        "/{name} is not called yet: /{next} comes before it in the chain. engine chain show prints the chain."
    );
    Some(Finding::deny(reason).because("a later entry of the chain was called before its turn"))
}

/// The current entry and what is missing of it, if something is.
fn unmet<'c>(chain: &'c Stored, view: &(impl View + ?Sized)) -> Option<(&'c Entry, String)> {
    let (current, began) = (chain.current.as_ref()?, chain.began.as_ref()?);
    let missing: Vec<String> = view.unmet(began).iter().map(Condition::missing).collect();
    (!missing.is_empty()).then(|| (current, missing.join("; ")))
}

/// The call of the next entry failed. Nothing after it is pressed for.
fn failed_call(name: &str, error: &str, view: &(impl View + ?Sized)) -> Option<Finding> {
    let chain = view.session().chain()?;
    // A call that was refused, because the entry before it is not done, has not failed.
    if chain.unbegun || !is_next(chain, name, None, view) || unmet(chain, view).is_some() {
        return None;
    }
    let next = chain.next()?;
    let why = one_line(&redact(error), WHY);
    let began = began(&next.ending, &next.entry.args, view);
    let mut after = chain.clone();
    after.advance(None, view.session().turn, began.clone(), Outcome::Done);
    after.fail(&why);
    let mut finding = Finding::note(after.told(view.dialect()));
    finding.lines.push(line(&stopped(&next.entry.skill, &why)));
    let skill = next.entry.skill.clone();
    finding.changes.push(Change::ChainFailed { skill, why, began });
    Some(finding.because("the Skill call of the next entry failed"))
}

/// How much of an error is told.
const WHY: usize = 200;

/// The person's line for a chain that stopped.
fn stopped(skill: &str, why: &str) -> String {
    format!("chain stopped at /{skill}: {why}; engine chain retry, skip or drop")
}

/// How an entry that is called with these arguments is to end.
fn began(ending: &Ending, args: &str, view: &(impl View + ?Sized)) -> Option<Began> {
    let has_commit = ending.done_when.contains(&Condition::Commit);
    let is_declared = !ending.done_when.is_empty() || !ending.on_failure.is_empty();
    is_declared.then(|| Began::new(ending, args, has_commit.then(|| view.head()).flatten()))
}

/// Whether a skill is the next entry: as it was called, and by the name that the client has for it. Only another name needs the registry.
fn is_next(chain: &Stored, skill: &str, name: Option<&str>, view: &(impl View + ?Sized)) -> bool {
    let literally = chain.next().is_some_and(|next| next.entry.skill == skill.trim_start_matches('/'));
    literally || {
        let id = id_of(skill, view);
        chain.is_next(skill, id.as_deref())
            || (id.is_none() && name.is_some_and(|name| chain.is_next(name, None)))
    }
}

/// The chain that a prompt is.
struct Asked {
    typed: Typed,
    before: First,
    /// Names that cannot be entries, and why.
    left_out: Vec<(String, &'static str)>,
    /// Skills that are named in an argument and were read as text.
    as_text: Vec<String>,
    /// The task whose command it is, and the last entry of that.
    task: Option<(usize, String)>,
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
    let earlier = view.session().chain().filter(|chain| !chain.is_over() && !chain.unbegun);
    if let ([only], Some(chain)) = (asked.typed.entries.as_slice(), earlier)
        && asked.before == First::Runs
        && !asked.typed.closed
        && let Some(args) = typed_next(only, chain, view)
    {
        let (after, text) = forbidden(prompt, chain);
        let mut finding = moved_on(&after, &args, view).because("the user typed the next entry of the chain");
        if after != *chain {
            finding.changes.insert(0, Change::ChainForbidden { words: prompt.to_owned() });
            finding.lines.extend(text.as_deref().map(line));
        }
        tell_left_out(&asked.left_out, &only.skill, &mut finding);
        return Some(finding);
    }
    let because = match asked.typed.form {
        Form::Leading => "the prompt starts with a skill",
        Form::Lines => "the prompt ends in lines that each start with a skill",
    };
    let mut finding = started(asked, view).because(because);
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
    Some(Asked { typed: chain, before, left_out, as_text, task: None })
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

/// What `x` and `xc` ask for: the task's own command, if that is a chain, and with `xc` the handoff behind it.
fn of_task(shortcut: &Command, commit: bool, view: &(impl View + ?Sized)) -> Option<Asked> {
    let task = shortcuts::task_to_execute(shortcut, view)?;
    let command = shortcuts::chain_of(&task, view);
    let tail = if commit { read(shortcut::TAIL, &shortcuts::stands(view)).chain } else { None };
    let own = command.as_ref().map(|typed| typed.entries.len() - 1);
    let (typed, before) = match (command, tail) {
        // The command is the task: its first entry does not wait for anything.
        (Some(mut typed), Some(tail)) => {
            typed.entries.extend(tail.entries);
            (typed, First::Called)
        }
        (None, Some(tail)) => (tail, First::BehindTask),
        // One skill is called as the task names it. Of a chain the exits are not asked for.
        (Some(typed), None) if typed.entries.len() > 1 => (Typed { closed: true, ..typed }, First::Called),
        _ => return None,
    };
    let task = own.map(|last| (last, task.name));
    Some(Asked { typed, before, left_out: Vec::new(), as_text: Vec::new(), task })
}

/// A new chain.
fn started(asked: Asked, view: &(impl View + ?Sized)) -> Finding {
    let Asked { typed, before, left_out, as_text, task } = asked;
    let mut finding = Finding::default();
    let words = typed.words();
    let owner = typed.entries.first().map(|entry| entry.skill.clone()).unwrap_or_default();
    let exits = exits_of(&typed, view, &mut finding);
    let mut left = typed.entries;
    let mut skills: Vec<String> = left.iter().chain(&exits.follow).map(|entry| entry.skill.clone()).collect();
    skills.dedup();
    let follow = exits.follow.len();
    left.extend(exits.follow);
    let current = (before == First::Runs).then(|| left.remove(0));
    let began = current.as_ref().and_then(|entry| {
        let ending = view.skill(&entry.skill)?.ending;
        began(&ending, &entry.args, view)
    });
    let holds = began.is_some();
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
    let offered: Vec<Link> = exits.offered.into_iter().map(|entry| link(entry, view)).collect();
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
                    ..link(entry, view)
                };
                left.into_iter().enumerate().map(exit).collect()
            },
            offered,
            unbegun: typed.form == Form::Lines,
            behind_task: before == First::BehindTask,
            ..Stored::default()
        };
        chain.forbid(&words);
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

fn link(entry: Entry, view: &(impl View + ?Sized)) -> Link {
    let known = view.skill(&entry.skill).unwrap_or_default();
    let id = Some(known.name).filter(|name| !name.is_empty());
    Link { id, wrapped: !known.cooperative, exit: false, task: None, ending: known.ending, entry }
}

/// The chain behind its next entry, which was called with these arguments.
fn moved_on(chain: &Stored, args: &str, view: &(impl View + ?Sized)) -> Finding {
    let Some(next) = chain.next() else { return Finding::default() };
    let entry = Entry { skill: next.entry.skill.clone(), args: args.to_owned() };
    // A person may call it before its time.
    let outcome = if unmet(chain, view).is_some() { Outcome::Skipped } else { Outcome::Done };
    // What the person typed for an entry counts, not what the agent called it with.
    let of_entry = if next.entry.args.is_empty() { args } else { &next.entry.args };
    let began = began(&next.ending, of_entry, view);
    let mut moved = chain.clone();
    moved.advance(Some(args), view.session().turn, began.clone(), outcome.clone());
    let mut finding = Finding::note(moved.told(view.dialect()));
    let Entry { skill, args } = entry;
    finding.changes.extend(task_done(chain).filter(|_| outcome == Outcome::Done));
    finding.changes.push(Change::ChainCalled { skill, args, began, outcome });
    finding
}

/// The task that is done with the current entry of a chain.
fn task_done(chain: &Stored) -> Option<Change> {
    chain.task.clone().map(|name| Change::TaskDone { name })
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
    if is_next(chain, skill, Some(name), view) {
        let mut finding =
            moved_on(chain, &args, view).because("the Skill tool ran the next entry of the chain");
        if let Some((current, missing)) = unmet(chain, view) {
            finding.lines.push(line(&format!("/{} was left before it was done: {missing}", current.skill)));
        }
        return Some(finding);
    }
    if chain.unbegun {
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
    let asked = Asked { typed, before: First::Runs, left_out: Vec::new(), as_text: Vec::new(), task: None };
    let finding = started(asked, view);
    Some(finding.because("a flag of the call asks for the skill's exit"))
}

fn at_stop(stop: &Stop<'_>, view: &(impl View + ?Sized)) -> Option<Finding> {
    let session = view.session();
    let chain = session.chain()?;
    let quiet = |changes: Vec<Change>| Some(Finding { changes, ..Finding::default() });
    if chain.left.is_empty() {
        return at_last(stop, chain, view);
    }
    if chain.unbegun {
        return None;
    }
    let waits = if chain.asked { Vec::new() } else { vec![Change::ChainWaits] };
    // A turn that goes on only because of a hook goes on again only if something moved.
    let stuck = stop.active && chain.called == 0;
    if stuck || asks(&stop.last_message) || !chain.is_due(session.turn) {
        return quiet(waits);
    }
    let (left, next) = (brief(&chain.entries()), chain.next()?);
    if view.skill(&next.entry.skill).is_none() {
        let gone = format!(
            "the next entry of the chain, /{}, is no skill any more; engine chain skip or drop",
            next.entry.skill
        );
        let mut finding = Finding { lines: vec![line(&gone)], ..Finding::default() };
        finding.changes.extend([Change::ChainNamed, Change::ChainWaits]);
        return Some(finding.because("the skill of the next entry is gone"));
    }
    let text = match unmet(chain, view) {
        Some((current, missing)) => format!(
            "The chain has entries left ({left}), and /{} is not done: {missing}.\n\
             If the skill waits for the user, or the user does not want it, ending the turn is right. If it cannot be done: engine chain \
             fail WHY. engine chain drop ends the chain.",
            current.skill
        ),
        None => format!(
            "The chain has entries left ({left}). The next one is called with the Skill tool:\n  {}\n\
             If the current skill waits for the user, or the user does not want it, ending the turn is right. If it failed: engine chain \
             fail WHY. engine chain drop ends the chain.",
            chain.shown_call(view.dialect())?
        ),
    };
    let mut finding = Finding::note(text);
    finding.moved = true;
    finding.changes.push(Change::ChainNamed);
    Some(finding.because("the next entry of the chain was not called in this turn"))
}

/// The end of a turn in which the last entry is at work: the chain ends when that is done.
fn at_last(stop: &Stop<'_>, chain: &Stored, view: &(impl View + ?Sized)) -> Option<Finding> {
    if chain.failure.is_some() {
        return None;
    }
    let missing = unmet(chain, view);
    let is_told = chain.named == Some(chain.called);
    match missing {
        Some(_) if asks(&stop.last_message) || is_told || (stop.active && chain.called == 0) => None,
        Some((current, missing)) => {
            let mut finding = Finding::note(format!(
                "/{} is the last entry of the chain and is not done: {missing}.\nIf it waits for the user, ending the turn is right. If it \
                 cannot be done: engine chain fail WHY. engine chain drop ends the chain.",
                current.skill
            ));
            finding.moved = true;
            finding.changes.push(Change::ChainNamed);
            Some(finding.because("the last entry of the chain is not done by its done-when"))
        }
        None if chain.offered.is_empty() => {
            // Without a declaration the end of a turn shows nothing.
            let is_shown = chain.began.as_ref().is_some_and(|began| !began.ending.done_when.is_empty());
            let done = task_done(chain).filter(|_| is_shown);
            let changes = done.into_iter().chain([Change::ChainDropped]).collect();
            Some(Finding { changes, ..Finding::default() })
        }
        None if is_told || asks(&stop.last_message) => None,
        None => {
            let exits: Vec<Entry> = chain.offered.iter().map(|link| link.entry.clone()).collect();
            let offer =
                format!("the chain is done; r calls {}, engine chain drop forgets them", brief(&exits));
            let changes = vec![Change::ChainNamed];
            let finding = Finding { lines: vec![line(&offer)], changes, ..Finding::default() };
            Some(finding.because("the exits of the chain are offered"))
        }
    }
}

/// Whether a message ends with a question.
fn asks(message: &str) -> bool {
    let last = message.trim_end().trim_end_matches(['*', '_', '`', '"', ')', '”', '’']);
    last.ends_with(['?', '？', '؟'])
}

fn line(text: &str) -> UserLine {
    UserLine { text: format!("engine: {text}"), cause: None }
}
