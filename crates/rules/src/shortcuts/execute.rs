//! `x`, `xc` and `r`: the task to work on, and what it begins with.

use engine_core::chain::{Form, Stored, Typed, read};
use engine_core::change::Change;
use engine_core::shortcut::{Act, Command};
use engine_core::status::{Holder, NOTHING};
use engine_core::task::{DEFAULT_MODEL, Meta, State, Task, TaskFile, conflict};
use engine_core::verdict::{Finding, UserLine};
use engine_text::line::operand;

use super::{View, answer, chain, in_conflict, instant, is_attended, skills, stands, tasks, untold};

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
    let after =
        missing.as_ref().map_or_else(|| after(commit).to_owned(), |missing| skills::after_task(missing));
    let end = format!("{} {after}", ending(&task.meta, commit && missing.is_none(), view));
    let mut finding = work(mark, command, &file, task, &end);
    finding.lines.extend(unsuited(&task.meta, view));
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
        return Ok(taken_up(mark, command, &file, task, view));
    }
    if let Some(chain) = chain(view).filter(|chain| !chain.is_over()) {
        return Ok(resumed(mark, chain, view));
    }
    let why = format!("Nothing in progress{}.", elsewhere(&file, view));
    Ok(answer(
        instant(view),
        format!("engine: {why} x starts the next task."),
        format!("{mark} {why} The user typed r, which resumes a task in progress and starts no other."),
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

/// A task in progress, and the chain that carries it out.
fn taken_up(
    mark: &str,
    command: &Command,
    file: &TaskFile<'_>,
    task: &Task,
    view: &(impl View + ?Sized),
) -> Finding {
    let name = Some(&task.meta.name);
    let is_its = |chain: &&Stored| {
        let links = chain.failure.iter().map(|failure| &failure.failed).chain(&chain.left);
        !chain.is_over()
            && links.map(|link| link.task.as_ref()).chain([chain.task.as_ref()]).any(|task| task == name)
    };
    let Some(chain) = chain(view).filter(is_its) else {
        let end = format!("{} {}", ending(&task.meta, false, view), after(false));
        return work(mark, command, file, task, &end);
    };
    let mut resumed = chain.clone();
    resumed.resume(view.session().turn);
    let end = format!("Its chain goes on: {}\n\n{}", chain.line(), resumed.told(view.dialect()));
    let mut finding = work(mark, command, file, task, &end);
    finding.changes.push(Change::ChainResumed);
    finding
}

/// What a shortcut that executes goes on with, or starts.
pub(crate) fn task_to_execute(command: &Command, view: &(impl View + ?Sized)) -> Option<Meta> {
    let text = tasks(view).ok().filter(|text| view.is_trusted() && conflict::ranges(text).is_empty())?;
    let is_refused = command.act == Act::Execute { commit: true }
        && is_attended(view)
        && skills::missing(command.key, view).is_some();
    let file = TaskFile::parse(&text);
    let task = running(&file, view).or_else(|| next(&file, view)).filter(|_| !is_refused);
    task.map(|task| task.meta.clone())
}

/// The command of a task, if it is a chain of skills.
pub(crate) fn chain_of(task: &Meta, view: &(impl View + ?Sized)) -> Option<Typed> {
    let chain = read(task.command.as_deref()?, &stands(view)).chain;
    chain.filter(|typed| typed.form == Form::Leading)
}

/// How a task ends that is carried out now: by the agent's word, or with the skills of its command.
fn ending(task: &Meta, commit: bool, view: &(impl View + ?Sized)) -> String {
    let by_word = format!("When it is done: engine task done {}.", operand(&task.name));
    let Some(last) = chain_of(task, view).and_then(|mut typed| {
        let is_chain = commit || typed.entries.len() > 1;
        typed.entries.pop().filter(|_| is_chain)
    }) else {
        return by_word;
    };
    let is_shown = || view.skill(&last.skill).is_some_and(|known| !known.ending.done_when.is_empty());
    match (commit, is_shown()) {
        (true, _) => {
            format!(
                "Its command is the task: engine marks it as done when /handoff is called after /{}.",
                last.skill
            )
        }
        (false, true) => format!("Its command is the task: engine marks it as done when /{} is.", last.skill),
        (false, false) => by_word,
    }
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

fn work(mark: &str, command: &Command, file: &TaskFile<'_>, task: &Task, end: &str) -> Finding {
    let Meta { name, command: starts, restart, .. } = &task.meta;
    let how = if task.state == State::InProgress {
        "in progress, resumed"
    } else {
        "pending, now marked as in progress"
    };
    let mut text = format!("{mark} The user typed {}. Task: {name} ({how})\n", command.key);
    if let Some(starts) = starts {
        text.push_str(&format!("Command: `{starts}`\n"));
    }
    let restart = if *restart { "yes" } else { "no" };
    text.push_str(&format!("Model: {} | Restart: {restart}\n", task.meta.model_or_default()));
    for line in file.lines_of(task).iter().skip(1) {
        text.push_str(&format!("{line}\n"));
    }
    text.push_str(end);
    let mut finding = Finding::note(text);
    finding.changes.push(Change::StartTask { name: name.clone(), from: task.state });
    finding
}

fn after(commit: bool) -> &'static str {
    if commit {
        "Then the user expects /handoff --commit, which ends in a commit and STATUS."
    } else {
        "The user expects this one task to be carried to its end, and no other to be started."
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
