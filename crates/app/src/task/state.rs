//! From one state to another.

use engine_core::status::Holder;
use engine_core::task::{State, Task, TaskFile};
use engine_store::approve::Caller;
use engine_store::chain_end;
use engine_store::plan_file::PlanFile;
use engine_store::session_file::SessionFile;
use engine_store::task_owners::Owners;
use engine_text::line::operand;

use super::{Changed, CommandContext, one};
use crate::error::{CommandError, Outcome};

/// Marks a task as in progress; without a name the next one.
pub fn start(context: &CommandContext, name: Option<&str>, parallel: bool) -> Result<Changed, CommandError> {
    change(context, State::InProgress, None, |file, owners| {
        let session = context.session.as_deref();
        let task = match name {
            Some(name) => one(file, name)?,
            None => file
                .next(|task| owners.holder(task, session).is_free())
                .ok_or_else(|| CommandError::nothing("no task is pending and free to start"))?,
        };
        is_there(context, owners, task)?;
        is_the_one(context, task)?;
        let unmet = file.unmet(task);
        if task.state != State::InProgress && !unmet.is_empty() {
            let refused = CommandError::refused(format!("{} waits for {}", task.meta.name, unmet.join(", ")));
            return Err(refused.hint(format!(
                "to start it all the same: engine task edit --needs '' {}",
                operand(&task.meta.name)
            )));
        }
        let mine = |other: &&Task| {
            other.state == State::InProgress
                && other.meta.name != task.meta.name
                && owners.owner(&other.meta.name) == session
        };
        match file.tasks().find(mine) {
            Some(other) if !parallel => {
                Err(CommandError::refused(format!("{} is in progress already", other.meta.name)).hint(
                    format!(
                        "end it first: engine task done {}; or: engine task start … --parallel",
                        operand(&other.meta.name)
                    ),
                ))
            }
            _ => Ok(task),
        }
    })
}

/// Refuses a task that is in progress elsewhere, or over in another worktree.
fn is_there(context: &CommandContext, owners: &Owners<'_>, task: &Task) -> Outcome {
    if !matches!(task.state, State::Pending | State::InProgress) {
        return Ok(());
    }
    let name = &task.meta.name;
    match owners.holder(task, context.session.as_deref()) {
        Holder::Over(place) => Err(CommandError::refused(format!("{name} is over in {place}"))
            .hint("merge that branch to have it over here, too")
            .hint(format!("to do it again, there: engine task reopen {}", operand(name)))),
        Holder::Free | Holder::Elsewhere(_) => is_not_theirs(context, owners, task),
    }
}

/// Refuses a task that is in progress elsewhere.
pub(super) fn is_not_theirs(context: &CommandContext, owners: &Owners<'_>, task: &Task) -> Outcome {
    let name = &task.meta.name;
    match owners.holder(task, context.session.as_deref()) {
        Holder::Elsewhere(by) => Err(CommandError::refused(format!("{name} is in progress elsewhere: {by}"))
            .hint(format!(
                "it is free when that ends; a person frees it at once, there: engine task reopen {}",
                operand(name)
            ))),
        Holder::Free | Holder::Over(_) => Ok(()),
    }
}

/// Refuses another task in a turn in which the user asked for one.
fn is_the_one(context: &CommandContext, task: &Task) -> Outcome {
    let Some(session) = &context.session else { return Ok(()) };
    let state = SessionFile::new(&context.project.sessions_folder(), session).peek();
    match state.asked_for().filter(|asked| *asked != task.meta.name) {
        None => Ok(()),
        Some(asked) => {
            let refused = format!(
                "{} is not started: the user asked for one task in this turn, {asked}",
                task.meta.name
            );
            Err(CommandError::refused(refused).hint("end the turn; the user starts the next one with x"))
        }
    }
}

/// Marks a task as done; without a name the one in progress. One that a chain carries out is done with that chain.
pub fn done(context: &CommandContext, name: Option<&str>) -> Result<Changed, CommandError> {
    is_not_run(context, name)?;
    change(context, State::Done, None, |file, owners| {
        let task = pick_done(context, file, owners, name)?;
        chained(context, &task.meta.name).map_or(Ok(task), Err)
    })
}

/// Why an agent does not end a task by its word: its session has a chain that carries the task out.
fn chained(context: &CommandContext, task: &str) -> Option<CommandError> {
    let Caller::Agent { session } = &context.caller else { return None };
    let chain = chain_end::chain_of(&context.project, session)?;
    let last = &chain.carries(task)?.skill;
    let why = format!("{task} is carried out by a chain that is not done: {}", chain.line());
    Some(
        CommandError::refused(why).hint(format!(
            "engine marks it as done with /{last}; if that cannot be done: engine chain fail WHY"
        )),
    )
}

fn pick_done<'f>(
    context: &CommandContext,
    file: &'f TaskFile<'_>,
    owners: &Owners,
    name: Option<&str>,
) -> Result<&'f Task, CommandError> {
    match name {
        Some(name) => one(file, name),
        None => {
            let session = context.session.as_deref();
            let free =
                |task: &&Task| task.state == State::InProgress && owners.holder(task, session).is_free();
            let mut running = file.tasks().filter(free);
            match (running.next(), running.next()) {
                (Some(task), None) => Ok(task),
                (None, _) => Err(CommandError::nothing("nothing is in progress")),
                (Some(_), Some(_)) => Err(CommandError::usage("several tasks are in progress: name one")),
            }
        }
    }
}

pub fn block(context: &CommandContext, name: &str, reason: &str) -> Result<Changed, CommandError> {
    change(context, State::Blocked, Some(reason), |file, _| one(file, name))
}

pub fn fail(context: &CommandContext, name: &str, reason: &str) -> Result<Changed, CommandError> {
    change(context, State::Failed, Some(reason), |file, _| one(file, name))
}

pub fn cancel(context: &CommandContext, name: &str) -> Result<Changed, CommandError> {
    change(context, State::Cancelled, None, |file, _| one(file, name))
}

pub fn reopen(context: &CommandContext, name: &str) -> Result<Changed, CommandError> {
    change(context, State::Pending, None, |file, _| one(file, name))
}

/// The task of a runbook is done with its last step, not by an agent's word.
fn is_not_run(context: &CommandContext, name: Option<&str>) -> Outcome {
    let Some(session) = &context.session else { return Ok(()) };
    let bound = SessionFile::new(&context.project.sessions_folder(), session).peek().plan;
    let plan = bound.and_then(|bound| PlanFile::new(&context.project, &bound.name).peek_open());
    let Some(plan) = plan.filter(|plan| plan.is_delegated() && !plan.is_built()) else { return Ok(()) };
    match &plan.task {
        Some(task) if name.is_none_or(|name| name == task) => {
            let text = format!("{task} is done when every step of plan {} is", plan.name);
            Err(CommandError::refused(text).hint("engine runbook next"))
        }
        _ => Ok(()),
    }
}

/// Takes the task in progress for a plan, and notes that the session works on it. Nothing if there is none, or more than one.
pub fn take(context: &CommandContext) -> Result<Option<String>, CommandError> {
    if context.may_tell().is_err() {
        return Ok(None);
    }
    context.edit(|file, owners| {
        let name = in_progress(context, file, owners).map(|task| task.meta.name.clone());
        if let (Some(name), Some(session)) = (&name, &context.session) {
            owners.take(name, Some(session));
        }
        Ok((None, name))
    })
}

/// Marks the task of a plan as done: the one of this name, or the one in progress. Nothing if there is none.
pub fn finish(context: &CommandContext, name: Option<&str>) -> Result<Option<String>, CommandError> {
    if context.may_tell().is_err() {
        return Ok(None);
    }
    context.edit(|file, owners| {
        let task = match name {
            Some(name) => file.tasks().find(|task| task.meta.name == name && task.state == State::InProgress),
            None => in_progress(context, file, owners),
        };
        let Some(task) = task else { return Ok((None, None)) };
        let name = task.meta.name.clone();
        owners.end(&name);
        Ok((Some(file.with_state(task, State::Done, None)), Some(name)))
    })
}

/// The only task in progress of a session, however it was started. Where it has none: the only one in the file that no session holds
/// which is alive, such as a line that somebody marked by hand.
fn in_progress<'f>(
    context: &CommandContext,
    file: &'f TaskFile<'_>,
    owners: &Owners<'_>,
) -> Option<&'f Task> {
    let started = || file.tasks().filter(|task| task.state == State::InProgress);
    let owner = |task: &Task| owners.owner(&task.meta.name).map(str::to_owned);
    let is_mine = |task: &&Task| context.session.is_some() && owner(task) == context.session;
    let mut mine = started().filter(is_mine).peekable();
    if mine.peek().is_some() {
        return mine.next().filter(|_| mine.next().is_none());
    }
    let is_alive =
        |session: String| SessionFile::new(&context.project.sessions_folder(), &session).is_alive();
    let mut free = started().filter(|task| !owner(task).is_some_and(is_alive));
    free.next().filter(|_| free.next().is_none())
}

/// Whether a task may go from one state to another by these commands. What is over must be reopened first.
fn may(from: State, to: State) -> bool {
    match to {
        State::Pending => true,
        State::InProgress | State::Done | State::Blocked | State::Failed | State::Cancelled => {
            !matches!(from, State::Done | State::Cancelled)
        }
    }
}

fn change(
    context: &CommandContext,
    to: State,
    reason: Option<&str>,
    pick: impl for<'f> FnOnce(&'f TaskFile<'_>, &Owners<'_>) -> Result<&'f Task, CommandError>,
) -> Result<Changed, CommandError> {
    if reason.is_some_and(|reason| reason.trim().is_empty()) {
        return Err(CommandError::usage("a reason is needed"));
    }
    context.edit(|file, owners| {
        let task = pick(file, owners)?;
        let name = task.meta.name.clone();
        let same_reason = reason.is_none_or(|reason| task.reason.as_deref() == Some(reason));
        if task.state == to && same_reason {
            return Err(CommandError::nothing(format!("{name} is {} already", to.as_str())));
        }
        if !may(task.state, to) {
            return Err(CommandError::refused(format!("{name} is {}", task.state.as_str()))
                .hint(format!("first: engine task reopen {}", operand(&name))));
        }
        if task.state == State::InProgress && context.session.is_some() {
            is_not_theirs(context, owners, task)?;
        }
        match to {
            State::InProgress => owners.take(&name, context.session.as_deref()),
            State::Done | State::Cancelled => owners.end(&name),
            State::Pending | State::Blocked | State::Failed => owners.release(&name),
        }
        let text = file.with_state(task, to, reason);
        let changed = Changed::of(&text, name);
        Ok((Some(text), changed))
    })
}
