//! The checks that ran and the edits between them: since a moment, or since the lock of a plan.

use engine_core::evidence::ledger::Line;
use engine_core::plan::Plan;
use engine_text::stamp::Stamp;

use crate::error::CommandError;
use crate::evidence::EvidenceQuery;
use crate::plan::CommandContext;
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
pub fn read(context: &CommandContext, from: From, now: Stamp) -> Result<(String, Vec<Line>), CommandError> {
    match from {
        From::Since(since) => since_then(context, since.stamp(now)),
        From::Plan => since_lock(context, &locked(context)?),
        From::Usual => match locked(context) {
            Ok(plan) => since_lock(context, &plan),
            Err(_) => since_then(context, now.minus_days(A_DAY)),
        },
    }
}

/// The open plan, if it is locked.
fn locked(context: &CommandContext) -> Result<Plan, CommandError> {
    let (_, plan) = context.found()?;
    if plan.lock.is_none() {
        return Err(CommandError::refused(format!("plan {} is not locked yet", plan.name)));
    }
    Ok(plan)
}

/// What the caller's session did, or all of them for a person.
fn since_then(context: &CommandContext, since: Stamp) -> Result<(String, Vec<Line>), CommandError> {
    let since = since.rfc3339();
    let sessions = context.agent().map(|agent| vec![agent]);
    let ledger = EvidenceQuery::new(&context.project, &since, sessions).ledger()?;
    Ok((since, ledger))
}

fn since_lock(context: &CommandContext, plan: &Plan) -> Result<(String, Vec<Line>), CommandError> {
    let trail = context.trail(plan);
    Ok((trail.since.to_owned(), trail.ledger()?))
}
