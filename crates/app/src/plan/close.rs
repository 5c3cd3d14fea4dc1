//! What came of a plan, and its end.

use engine_core::approval::{Deed, Kind};
use engine_core::evidence::ledger::Red;
use engine_core::evidence::proof::Proof;
use engine_core::plan::{Plan, Start};
use engine_store::git;
use engine_store::plan_file::Kept;

use super::drift::Drift;
use super::{CommandContext, proof, review};
use crate::approval;
use crate::error::CommandError;
use crate::task;

/// Commits that a report shows at most.
const MOST_COMMITS: &str = "--max-count=100";

/// What was done.
pub struct Report {
    pub plan: Plan,
    /// What was committed since the lock, the newest first.
    pub commits: Vec<String>,
    pub open: Vec<String>,
    /// Checks that are red, also those that were before the work.
    pub red: Vec<String>,
    pub drift: Drift,
}

/// Reports on the plan that is meant.
pub fn report(context: &CommandContext) -> Result<Report, CommandError> {
    let (_, plan) = context.found()?;
    let (commits, open, drift) = (commits(&plan, context), open(&plan, context), Drift::of(&plan, context)?);
    let red = context.trail(&plan).look()?.reds(&Start::default()).iter().map(Red::shown).collect();
    Ok(Report { plan, commits, open, red, drift })
}

/// What was committed since the lock, the newest first.
fn commits(plan: &Plan, context: &CommandContext) -> Vec<String> {
    let Some(lock) = &plan.lock else { return Vec::new() };
    let until = plan.closed.as_ref().and_then(|closed| closed.head.as_deref()).unwrap_or("HEAD");
    let range = lock.start.head.as_ref().map_or(until.to_owned(), |head| format!("{head}..{until}"));
    let log = git::text(context.project.root(), &["log", "--format=%h %s", MOST_COMMITS, &range]);
    log.unwrap_or_default().lines().map(str::to_owned).collect()
}

/// Everything that is open, and every criterion whose evidence does not hold any more.
fn open(plan: &Plan, context: &CommandContext) -> Vec<String> {
    let mut found = plan.loose_ends();
    if !plan.is_open() {
        return found;
    }
    let Some(lock) = &plan.lock else { return found };
    let trail = context.trail(plan);
    let lookup = match trail.look() {
        Ok(lookup) => lookup,
        Err(error) => {
            found.push(format!("the journal cannot be read: {error}"));
            return found;
        }
    };
    for (criterion, number) in plan.criteria.iter().zip(1..) {
        let is_met = criterion.verdict.as_ref().is_some_and(|verdict| verdict.met);
        match &criterion.proof {
            Some(Proof::Judge(_)) | None => {}
            Some(wanted) if is_met => {
                let lacks = proof::prove(wanted, plan, &lookup).err();
                found.extend(
                    lacks.map(|lacks| format!("criterion {number} is not shown any more: {}", lacks.text())),
                );
            }
            Some(_) => {}
        }
    }
    found.extend(review::changed_since_approval(plan, context));
    let reds = lookup.reds(&lock.start);
    found.extend(reds.iter().map(|red| format!("{} failed, and no run of it has passed since", red.shown())));
    found
}

/// A plan that is closed, and the task that is done with it.
pub struct Closed {
    pub kept: Kept<()>,
    pub task: Option<String>,
}

/// Closes the plan, if nothing is open or a person wants it all the same.
pub fn close(context: &CommandContext, approved: Option<&str>) -> Result<Closed, CommandError> {
    let (_, plan) = context.own()?;
    if !plan.is_open() {
        return Err(CommandError::nothing(format!("plan {} is closed already", plan.name)));
    }
    let open = open(&plan, context);
    let mut waived = None;
    if !open.is_empty() {
        let refused = || {
            let refused =
                CommandError::refused(format!("plan {} stays open\n{}", plan.name, open.join("\n")));
            review::ways_on(&plan)
                .into_iter()
                .fold(refused, CommandError::hint)
                .hint("or engine plan close --user-approved \"why\"; engine asks the user")
        };
        let what = format!("close plan {} with open ends: {}", plan.name, open.join("; "));
        let deed = Deed::new(&what, &[&plan.name, &open.join("\n")]).of(Kind::Close);
        waived = Some(approval::waive(&context.project, &context.caller, &deed, approved, refused)?);
    }
    let head = context.head();
    let kept = context.change_judged(&plan, |plan, now| plan.close(waived, head, now))?;
    // What was left open is not done.
    let task = if open.is_empty() { finished_task(&kept.plan, context) } else { Ok(None) }?;
    Ok(Closed { kept, task })
}

fn finished_task(plan: &Plan, context: &CommandContext) -> Result<Option<String>, CommandError> {
    task::state::finish(
        &task::CommandContext::of(context.project.clone(), &context.caller),
        plan.task.as_deref(),
    )
}

#[cfg(test)]
mod tests;
