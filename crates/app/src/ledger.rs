//! The checks that ran and the edits between them: since a moment, or since the lock of a plan.

use engine_core::evidence::ledger::Line;
use engine_core::plan::Plan;
use engine_text::stamp::Stamp;

use crate::error::CommandError;
use crate::evidence::Trail;
use crate::plan::Desk;
use crate::since::Since;

/// How far back, where no plan is open.
const A_DAY: u64 = 1;

/// From when on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    Since(Since),
    /// The lock of the open plan.
    Plan,
    /// That of the open plan, or a day.
    Usual,
}

/// The ledger, and from when on it is, in RFC 3339.
pub fn read(desk: &Desk, from: From, now: Stamp) -> Result<(String, Vec<Line>), CommandError> {
    match from {
        From::Since(since) => since_then(desk, since.stamp(now)),
        From::Plan => since_lock(desk, &locked(desk)?),
        From::Usual => match locked(desk) {
            Ok(plan) => since_lock(desk, &plan),
            Err(_) => since_then(desk, now.minus_days(A_DAY)),
        },
    }
}

/// The open plan, if it is locked.
fn locked(desk: &Desk) -> Result<Plan, CommandError> {
    let (_, plan) = desk.found()?;
    if plan.lock.is_none() {
        return Err(CommandError::refused(format!("plan {} is not locked yet", plan.name)));
    }
    Ok(plan)
}

/// What the caller's session did, or all of them for a person.
fn since_then(desk: &Desk, since: Stamp) -> Result<(String, Vec<Line>), CommandError> {
    let since = since.rfc3339();
    let sessions = desk.agent().map(|agent| vec![agent]);
    let project = &desk.project;
    let trail = Trail { project, since: &since, what: String::new(), within: "", sessions, folder: None };
    let ledger = trail.ledger()?;
    Ok((since, ledger))
}

fn since_lock(desk: &Desk, plan: &Plan) -> Result<(String, Vec<Line>), CommandError> {
    let trail = desk.trail(plan);
    Ok((trail.since.to_owned(), trail.ledger()?))
}
