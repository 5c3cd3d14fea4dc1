//! What follows an event for the open plan: steps that a run ends, a quick plan that grew too large, one that is done.
//!
//! Rules ask for it and cannot do it: it looks evidence up, by the use cases of the commands. It costs nothing where no plan asks.

use std::error::Error as _;

use engine_core::change::Change;
use engine_core::event::{Event, Kind};
use engine_core::journal::Entry;
use engine_core::plan::{Plan, ways_out};
use engine_store::project::Project;
use engine_store::session_file::SessionFile;
use engine_text::line::{one_line, visible};
use engine_text::redact::redact;

use crate::error::{CommandError, Failure};
use crate::evidence::learn;
use crate::plan::advance::advance;
use crate::plan::close::{self, Closed};
use crate::plan::quick;
use crate::plan::{CommandContext, MEANWHILE};

/// Of a line for the person, in characters.
const LONGEST: usize = 240;
/// How often a plan is looked at again because another event was quicker.
const MOST_RIVALS: usize = 10;
/// Checks of the project that are proposed at most.
const MOST_CHECKS: usize = 5;

/// What is said besides what the rules say.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Followed {
    /// To the model.
    pub context: Option<String>,
    /// To the person.
    pub line: Option<String>,
    pub trouble: Option<String>,
}

/// Does what follows the changes of an event. `entry`: the event, as the journal is about to get it.
pub(super) fn follow(event: &Event<'_>, project: &Project, entry: &Entry, changes: &[Change]) -> Followed {
    let mut followed = Followed::default();
    for change in changes {
        match change {
            Change::PlanMoves { name, ran } => {
                match moves(&CommandContext::of_hook(project, entry, name), name, *ran) {
                    Ok(told) => followed.context = told,
                    // What is refused here, a command refuses again to who asks.
                    Err(error) if error.failure == Failure::Refused && error.source().is_none() => {}
                    Err(error) => {
                        followed.trouble = Some(format!("the plan was not looked at: {}", error.message));
                    }
                }
            }
            Change::PlanCloses { name, reminds } => {
                let is_again = matches!(&event.kind, Kind::Stop(stop) if !stop.active);
                let ended = closes(&CommandContext::of_hook(project, entry, name), name);
                let is_told = forget(project, &event.session, name);
                followed.line = ended.line.filter(|_| is_told);
                followed.context = ended.context.filter(|_| is_told && *reminds && is_again);
            }
            Change::Armed(armed) if armed.quick => followed.context = checks(project),
            _ => {}
        }
    }
    followed
}

/// Halts a quick plan that grew, else ends the steps that a run shows.
fn moves(context: &CommandContext, name: &str, ran: bool) -> Result<Option<String>, CommandError> {
    let (_, plan) = context.existing(name)?;
    if plan.quick && plan.works().is_ok() {
        let extent = quick::extent(&plan, context)?;
        if let Some(reason) = quick::halt_if_outgrown(&plan, &extent, context)? {
            let ways = ways_out(true).join("; ");
            return Ok(Some(format!(
                "engine: plan {name} is halted: {reason}. Nothing is changed now. Ways out: {ways}"
            )));
        }
    }
    if !ran {
        return Ok(None);
    }
    let advanced = advance(context)?;
    let (_, plan) = context.existing(name)?;
    Ok(advanced.told(&plan))
}

/// Closes a quick plan, or says what is missing. What another event changed meanwhile is looked at again.
fn closes(context: &CommandContext, name: &str) -> Followed {
    let was_late = |error: &CommandError| error.message.ends_with(MEANWHILE);
    let mut closed = close::close(context, None);
    for _ in 1..MOST_RIVALS {
        if !closed.as_ref().is_err_and(was_late) {
            break;
        }
        closed = close::close(context, None);
    }
    match closed {
        Ok(Closed { kept, task }) => {
            let extent = quick::extent(&kept.plan, context).map(|extent| format!("; {}", extent.shown()));
            let red = close::still_red(&kept.plan, context);
            line(&done(&kept.plan, &extent.unwrap_or_default(), &red, task))
        }
        Err(error) => match context.existing(name) {
            // Another event was quicker, or a hook was killed before it could say so.
            Ok((_, plan)) if !plan.is_open() => closed_before(&plan, context),
            _ => missing(name, &error.message),
        },
    }
}

/// One that was closed already. A person who ended it with something open knows.
fn closed_before(plan: &Plan, context: &CommandContext) -> Followed {
    if plan.closed.as_ref().is_none_or(|closed| closed.approved.is_some()) {
        return Followed::default();
    }
    let task = close::finish_task_of(plan, context).unwrap_or_default();
    line(&done(plan, "", &[], task))
}

/// `plan fix-add is done: pytest -q passed after the last edit; 2 files, +3 −1; Login: done`.
fn done(plan: &Plan, extent: &str, red: &[String], task: Option<String>) -> String {
    let command = plan.criteria.first().and_then(|one| one.proof.as_ref()?.command());
    let command = command.map(|command| command.shown().replace('`', "")).unwrap_or_default();
    let verdict = plan.criteria.first().and_then(|one| one.verdict.as_ref());
    let before =
        if verdict.is_some_and(|verdict| verdict.before) { "; it passed before the work too" } else { "" };
    let red = if red.is_empty() {
        String::new()
    } else {
        format!("; red, as before: {}", red.join(", ").replace('`', ""))
    };
    let task = task.map(|task| format!("; {task}: done")).unwrap_or_default();
    format!("plan {} is done: {command} passed after the last edit{extent}{before}{red}{task}", plan.name)
}

/// What a refusal of the close says, without what follows from it.
fn missing(name: &str, message: &str) -> Followed {
    let halt = message.lines().find_map(|line| line.strip_prefix("it is halted: "));
    if let Some(halt) = halt {
        return line(&format!("plan {name} is halted: {halt}"));
    }
    let reasons: Vec<&str> = message.lines().skip(1).filter(|line| !line.starts_with("step 1 is ")).collect();
    let reasons = if reasons.is_empty() { message.to_owned() } else { reasons.join("; ") };
    let reasons = reasons.strip_prefix("criterion 1: ").unwrap_or(&reasons);
    let context =
        format!("engine: plan {name} is open: {reasons}\nEnding the turn is right if it waits for the user.");
    let told = format!("plan {name} is not done: {}", reasons.replace('`', ""));
    Followed { context: Some(context), ..line(&told) }
}

fn line(text: &str) -> Followed {
    Followed { line: Some(one_line(&visible(&redact(text)), LONGEST)), ..Followed::default() }
}

/// Takes the mark of a plan that is being closed. Of two events that end at once, one tells the person.
fn forget(project: &Project, session: &str, name: &str) -> bool {
    let file = SessionFile::new(&project.sessions_folder(), session);
    let taken = file.update(|state| state.closing.take_if(|closing| closing == name).is_some());
    // Better twice than never.
    taken.is_ok_and(|(taken, _)| taken) || file.peek().closing.is_some()
}

/// The checks of the project that count without a person's word.
fn checks(project: &Project) -> Option<String> {
    let found = learn::found(project).into_iter().filter(|learned| learned.counts);
    let found: Vec<String> =
        found.take(MOST_CHECKS).map(|learned| format!("`{}`", learned.command)).collect();
    let list = "engine evidence learn";
    Some(match found.as_slice() {
        [] => format!("{list} lists checks of this project."),
        _ => format!("Checks of this project: {}.", found.join(", ")),
    })
}
