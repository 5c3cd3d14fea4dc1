//! `x`, `xc` and `r`: the task to work on, and what it begins with.

use engine_core::chain::{Entry, Forbidden, Form, Stored, Typed, listed, read};
use engine_core::change::Change;
use engine_core::shortcut::{Act, Command, TAIL};
use engine_core::stage::{Guide, Stage};
use engine_core::status::{Holder, NOTHING};
use engine_core::task::{DEFAULT_MODEL, Meta, State, Task, TaskFile, conflict};
use engine_core::verdict::{Finding, UserLine};
use engine_text::line::operand;

use super::{View, answer, chain, in_conflict, instant, is_attended, left, skills, stands, tasks, untold};

/// `x` and `xc`: the task in progress, else the next one.
pub(super) fn execute(
    mark: &str,
    command: &Command,
    commit: bool,
    view: &(impl View + ?Sized),
) -> Result<Finding, String> {
    let text = tasks(view)?;
    if let Some(end) = untold(&text, view).or_else(|| in_conflict(command, &text, view)) {
        return Ok(end);
    }
    let file = TaskFile::parse(&text);
    let Some(task) = running(&file, view).or_else(|| next(&file, view)) else {
        let why = why_none(&file, view);
        return Ok(answer(instant(view), format!("engine: {why}"), format!("{mark} {why}")));
    };
    let missing = commit.then(|| skills::missing(command.key, view)).flatten();
    if let Some(missing) = missing.as_ref().filter(|_| is_attended(view)) {
        return Ok(skills::refused(command, missing));
    }
    let is_carried = is_carried(&task.meta.name, view);
    // A chain that is under way knows where it is.
    let guide = if is_carried { None } else { Guide::of(&task.meta, view) };
    let meta = applied(&task.meta, guide.as_ref());
    let after = match &missing {
        Some(missing) => skills::after_task(missing),
        None => after(commit, &tail_words(&carried(task, guide.as_ref()), commit, view)),
    };
    if is_carried {
        return Ok(taken_up(mark, command, &file, task, &after, view));
    }
    let ends = ending(task, guide.as_ref(), commit && missing.is_none(), view);
    let end = format!("{ends} {after}");
    let mut finding = work(mark, command, &file, task, guide.as_ref(), &end);
    finding.lines.extend(unsuited(&meta, view));
    Ok(finding)
}

/// `r`: the task in progress, and only that; else the chain.
pub(super) fn resume(mark: &str, command: &Command, view: &(impl View + ?Sized)) -> Result<Finding, String> {
    let text = tasks(view)?;
    if let Some(end) = untold(&text, view).or_else(|| in_conflict(command, &text, view)) {
        return Ok(end);
    }
    let file = TaskFile::parse(&text);
    if let Some(task) = running(&file, view) {
        return Ok(taken_up(mark, command, &file, task, &after(false, ""), view));
    }
    if let Some(chain) = chain(view).filter(|chain| !chain.is_over()) {
        return Ok(resumed(mark, chain, view));
    }
    let why = format!("Nothing in progress{}.", elsewhere(&file, view));
    let lines: Vec<String> = std::iter::once(String::new()).chain(left(view)).collect();
    let left = lines.join("\n");
    Ok(answer(
        instant(view),
        format!("engine: {why} x starts the next task.{left}"),
        format!("{mark} {why} The user typed r, which resumes a task in progress and starts no other.{left}"),
    ))
}

/// Going on with a chain: what failed is tried again, what was offered is wanted.
fn resumed(mark: &str, chain: &Stored, view: &(impl View + ?Sized)) -> Finding {
    let mut resumed = chain.clone();
    resumed.resume(view.session().turn);
    let line = chain.line();
    let told = resumed.told(view.dialect());
    let mut finding =
        Finding::note(format!("{mark} The user typed r, which goes on with the chain: {line}\n\n{told}"));
    finding.changes.push(Change::ChainResumed);
    finding
}

/// A task in progress, and the chain that carries it out: of this session, or of one whose client is gone.
fn taken_up(
    mark: &str,
    command: &Command,
    file: &TaskFile<'_>,
    task: &Task,
    after: &str,
    view: &(impl View + ?Sized),
) -> Finding {
    let name = &task.meta.name;
    let (mut chain, change) = match (own_chain(name, view), left_chain(name, view)) {
        (Some(chain), _) => (chain.clone(), Change::ChainResumed),
        (None, Some((from, chain))) => (chain.clone(), Change::ChainTaken { from, chain: Box::new(chain) }),
        (None, None) => {
            let guide = Guide::of(&task.meta, view);
            let end = format!("{} {after}", ending(task, guide.as_ref(), false, view));
            return work(mark, command, file, task, guide.as_ref(), &end);
        }
    };
    let line = chain.line();
    chain.resume(view.session().turn);
    let mut end = format!("Its chain goes on: {line}\n\n{}", chain.told(view.dialect()));
    if !chain.is_task_shown() {
        end.push_str(&format!("\n\n{} {after}", by_word(&task.meta)));
    }
    let mut finding = work(mark, command, file, task, None, &end);
    finding.changes.push(change);
    finding
}

/// Whether a chain that is under way carries this task out.
pub(crate) fn is_carried(task: &str, view: &(impl View + ?Sized)) -> bool {
    own_chain(task, view).is_some() || left_chain(task, view).is_some()
}

fn own_chain<'v>(task: &str, view: &'v (impl View + ?Sized)) -> Option<&'v Stored> {
    chain(view).filter(|chain| !chain.is_over() && chain.carried_task() == Some(task))
}

/// The chain of a session whose client is gone, with that session.
fn left_chain(task: &str, view: &(impl View + ?Sized)) -> Option<(String, Stored)> {
    let chains = if view.is_trusted() { view.left_chains() } else { Vec::new() };
    chains.into_iter().find(|(_, chain)| chain.carried_task() == Some(task))
}

/// What follows the command of a task with `xc`, as far as its words do not forbid it. With it comes what they forbid.
pub(crate) fn tail_of(
    command: Option<&Typed>,
    tail: Option<Typed>,
    view: &(impl View + ?Sized),
) -> (Option<Typed>, Vec<(Entry, String)>) {
    let (Some(command), Some(typed)) = (command, tail.as_ref()) else { return (tail, Vec::new()) };
    let exits = |entry: &Entry| {
        let known = view.skill(&entry.skill).unwrap_or_default();
        known.exits.by_flag(&entry.args).unwrap_or_default().to_vec()
    };
    let exits: Vec<Entry> = typed.entries.iter().flat_map(exits).collect();
    let names: Vec<&str> = typed.entries.iter().chain(&exits).map(|entry| entry.skill.as_str()).collect();
    let forbidden = Forbidden::by_words(&command.words(), &names);
    let (entries, mut out) = forbidden.leaves(typed.entries.clone());
    out.extend(forbidden.leaves(exits.clone()).1);
    let tail = (!entries.is_empty()).then(|| Typed { entries, ..typed.clone() });
    (tail, out)
}

/// What follows a task with `xc`, in words.
fn tail_words(task: &Meta, commit: bool, view: &(impl View + ?Sized)) -> String {
    let Some(tail) = commit.then(|| read(TAIL, &stands(view)).chain).flatten() else {
        return TAIL.to_owned();
    };
    let chain = chain_of(task, view);
    if chain.as_ref().is_some_and(|chain| hands_over(chain, &tail)) {
        return String::new();
    }
    let (tail, _) = tail_of(chain.as_ref(), Some(tail), view);
    tail.map(|tail| listed(&tail.entries)).unwrap_or_default()
}

/// Whether a command does itself what follows a task with `xc`.
pub(crate) fn hands_over(command: &Typed, tail: &Typed) -> bool {
    tail.entries.first().is_some_and(|first| command.entries.contains(first))
}

/// The task with the command that goes on with its plan.
fn applied(task: &Meta, guide: Option<&Guide>) -> Meta {
    guide.map_or_else(|| task.clone(), |guide| guide.applied(task))
}

/// The same with what skills are called for: a command of the engine that comes before them is carried out by itself.
fn carried(task: &Task, guide: Option<&Guide>) -> Meta {
    let meta = applied(&task.meta, guide);
    match guide.and_then(Guide::then_alone) {
        Some(then) => Meta { command: Some(then.to_owned()), ..meta },
        None => meta,
    }
}

/// A task with the command that is carried out now.
pub(crate) struct Executed {
    pub(crate) task: Meta,
    /// The task is done with the command: the one that was written does not follow.
    pub(crate) is_whole: bool,
}

/// What a shortcut that executes goes on with, or starts.
pub(crate) fn task_to_execute(command: &Command, view: &(impl View + ?Sized)) -> Option<Executed> {
    let text = tasks(view).ok().filter(|text| view.is_trusted() && conflict::ranges(text).is_empty())?;
    let is_refused = command.act == Act::Execute { commit: true }
        && is_attended(view)
        && skills::missing(command.key, view).is_some();
    let file = TaskFile::parse(&text);
    let task = running(&file, view).or_else(|| next(&file, view)).filter(|_| !is_refused);
    task.map(|task| {
        let guide = Guide::of(&task.meta, view);
        let is_part = |guide: &Guide| guide.is_after_work() || is_followed(guide);
        Executed { task: carried(task, guide.as_ref()), is_whole: !guide.as_ref().is_some_and(is_part) }
    })
}

/// The command of a task, if it is a chain of skills.
pub(crate) fn chain_of(task: &Meta, view: &(impl View + ?Sized)) -> Option<Typed> {
    let chain = read(task.command.as_deref()?, &stands(view)).chain;
    chain.filter(|typed| typed.form == Form::Leading)
}

/// Whether something of the written command follows that no chain calls.
fn is_followed(guide: &Guide) -> bool {
    guide.then().is_some() && guide.then_alone().is_none()
}

fn by_word(task: &Meta) -> String {
    format!("When it is done: engine task done {}.", operand(&task.name))
}

/// How a task ends that is carried out now: by the agent's word, or with the skills of its command.
fn ending(task: &Task, guide: Option<&Guide>, commit: bool, view: &(impl View + ?Sized)) -> String {
    let name = operand(&task.meta.name);
    if guide.is_some_and(Guide::is_after_work) {
        return format!("Its steps are done, so engine task done {name} comes first, then the command.");
    }
    let then = guide.and_then(Guide::then);
    let by_word = match then {
        Some(then) if task.meta.command.as_deref() == Some(then) => {
            format!("When the written command is done, too: engine task done {name}.")
        }
        Some(_) => format!("When what follows it is done, too: engine task done {name}."),
        None => by_word(&task.meta),
    };
    if guide.is_some_and(is_followed) {
        return by_word;
    }
    let typed = chain_of(&carried(task, guide), view);
    let Some(typed) = typed.filter(|typed| commit || typed.entries.len() > 1) else { return by_word };
    let Some(last) = typed.entries.last().map(|last| &last.skill) else { return by_word };
    let is_shown = || view.skill(last).is_some_and(|known| !known.ending.done_when.is_empty());
    let tail = read(TAIL, &stands(view)).chain.filter(|tail| commit && !hands_over(&typed, tail));
    let end = match (tail, is_shown()) {
        (Some(_), _) => {
            format!("Its command is the task: engine marks it as done when /handoff is called after /{last}.")
        }
        (None, true) => format!("Its command is the task: engine marks it as done when /{last} is."),
        (None, false) => by_word,
    };
    let first = guide.filter(|guide| guide.then_alone().is_some());
    let first = first.and_then(|guide| guide.applied(&task.meta).command);
    let first = first.map(|first| format!("The chain is called after `{first}`. ")).unwrap_or_default();
    format!("{first}{end}")
}

/// The task in progress that is ours to go on with.
fn running<'t>(file: &'t TaskFile<'_>, view: &(impl View + ?Sized)) -> Option<&'t Task> {
    file.tasks().find(|task| task.state == State::InProgress && view.holder(task).is_free())
}

/// The first pending task that nobody else works on.
fn next<'t>(file: &'t TaskFile<'_>, view: &(impl View + ?Sized)) -> Option<&'t Task> {
    file.next(|task| view.holder(task).is_free())
}

/// Tasks that are in progress and not ours to go on with, each with who holds it.
fn held(file: &TaskFile<'_>, view: &(impl View + ?Sized)) -> Vec<String> {
    let is_open = |task: &&Task| matches!(task.state, State::Pending | State::InProgress);
    let by = |task: &Task| match view.holder(task) {
        Holder::Elsewhere(by) => Some(format!("{} ({by})", task.meta.name)),
        Holder::Free | Holder::Over(_) => None,
    };
    file.tasks().filter(is_open).filter_map(by).collect()
}

fn elsewhere(file: &TaskFile<'_>, view: &(impl View + ?Sized)) -> String {
    let held = held(file, view);
    if held.is_empty() { String::new() } else { format!(" here; elsewhere: {}", held.join(", ")) }
}

fn why_none(file: &TaskFile<'_>, view: &(impl View + ?Sized)) -> String {
    let why = |task: &Task| match view.holder(task) {
        Holder::Elsewhere(by) => format!("{} is in progress elsewhere ({by})", task.meta.name),
        Holder::Over(place) => format!("{} is done in {place}, not merged here", task.meta.name),
        Holder::Free => format!("{} waits for {}", task.meta.name, file.unmet(task).join(", ")),
    };
    let open = |task: &&Task| matches!(task.state, State::Pending | State::InProgress);
    let mut reasons: Vec<String> = file.tasks().filter(open).take(MOST_REASONS + 1).map(why).collect();
    if reasons.len() > MOST_REASONS {
        reasons.truncate(MOST_REASONS);
        reasons.push("more of the kind: engine status".to_owned());
    }
    if reasons.is_empty() {
        NOTHING.to_owned()
    } else {
        format!("No task is free to start: {}.", reasons.join("; "))
    }
}

/// So many tasks are told one by one.
const MOST_REASONS: usize = 5;

fn work(
    mark: &str,
    command: &Command,
    file: &TaskFile<'_>,
    task: &Task,
    guide: Option<&Guide>,
    end: &str,
) -> Finding {
    let Meta { name, command: starts, .. } = &task.meta;
    let meta = applied(&task.meta, guide);
    let how = if task.state == State::InProgress {
        "in progress, resumed"
    } else {
        "pending, now marked as in progress"
    };
    let mut text = format!("{mark} The user typed {}. Task: {name} ({how})\n", command.key);
    if let Some(starts) = starts {
        let shown = guide.map_or_else(|| format!("`{starts}`"), |guide| guide.command(starts));
        text.push_str(&format!("Command: {shown}\n"));
        text.push_str(&guide.map(|guide| of_plan(guide, task)).unwrap_or_default());
    }
    let restart = if meta.restart { "yes" } else { "no" };
    text.push_str(&format!("Model: {} | Restart: {restart}\n", meta.model_or_default()));
    for line in file.lines_of(task).iter().skip(1) {
        text.push_str(&format!("{line}\n"));
    }
    text.push_str(end);
    let mut finding = Finding::note(text);
    finding.changes.push(Change::StartTask { name: name.clone(), from: task.state });
    finding
}

/// The stage of the task's plan, and what follows from it.
fn of_plan(guide: &Guide, task: &Task) -> String {
    let mut line = format!("Plan: {}", guide.standing.shown());
    if let Stage::Halted(_) = guide.standing.stage {
        line.push_str(&format!("; it goes on when the user has answered: {}", guide.standing.resume()));
    }
    if guide.then().is_some_and(|then| task.meta.command.as_deref() == Some(then)) {
        line.push_str("; the written command follows");
    }
    line.push('\n');
    line
}

fn after(commit: bool, tail: &str) -> String {
    match (commit, tail) {
        (true, TAIL) => format!("Then the user expects {TAIL}, which ends in a commit and STATUS."),
        (true, tail) if !tail.is_empty() => format!("Then the user expects {tail}, and no commit."),
        _ => {
            "The user expects this one task to be carried to its end, and no other to be started.".to_owned()
        }
    }
}

/// Tells the person that a task is meant for another model, or for a new session. The default model is nobody's wish.
fn unsuited(task: &Meta, view: &(impl View + ?Sized)) -> Option<UserLine> {
    let session = view.session();
    let wanted = task.model.as_deref().filter(|model| *model != DEFAULT_MODEL);
    let model =
        wanted.zip(session.model.as_deref()).filter(|(wanted, has)| !has.to_lowercase().contains(*wanted));
    let model =
        model.map(|(wanted, has)| format!("is meant for {wanted}, and this session began with {has}"));
    let restart = (task.restart && session.turn > 0).then(|| {
        let prompts = if session.turn == 1 { "prompt" } else { "prompts" };
        format!("wants a new session, and this one has had {} {prompts}", session.turn)
    });
    let reasons: Vec<String> = model.into_iter().chain(restart).collect();
    let text = format!("engine: {} {}", task.name, reasons.join("; it "));
    (!reasons.is_empty()).then(|| UserLine::once(format!("unsuited:{}", task.name), text))
}
