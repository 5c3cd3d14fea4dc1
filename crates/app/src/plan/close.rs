//! What came of a plan, and its end.

use engine_core::approval::Deed;
use engine_core::evidence::named;
use engine_core::plan::Plan;
use engine_store::git;
use engine_store::plan_file::Kept;

use super::CommandContext;
use super::drift::Drift;
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
    pub drift: Drift,
}

/// Reports on the plan that is meant.
pub fn report(context: &CommandContext) -> Result<Report, CommandError> {
    let (_, plan) = context.found()?;
    let (commits, open, drift) = (commits(&plan, context), open(&plan, context), Drift::of(&plan, context)?);
    Ok(Report { plan, commits, open, drift })
}

/// What was committed since the lock, the newest first.
fn commits(plan: &Plan, context: &CommandContext) -> Vec<String> {
    let Some(lock) = &plan.lock else { return Vec::new() };
    let until = plan.closed.as_ref().and_then(|closed| closed.head.as_deref()).unwrap_or("HEAD");
    let range = lock.head.as_ref().map_or(until.to_owned(), |head| format!("{head}..{until}"));
    let log = git::text(context.project.root(), &["log", "--format=%h %s", MOST_COMMITS, &range]);
    log.unwrap_or_default().lines().map(str::to_owned).collect()
}

/// Everything that is open, and every criterion whose evidence does not hold any more.
fn open(plan: &Plan, context: &CommandContext) -> Vec<String> {
    let mut found = plan.loose_ends();
    if !plan.is_open() {
        return found;
    }
    let trail = context.trail(plan);
    for (index, criterion) in plan.criteria.iter().enumerate() {
        let Some(verdict) = criterion.verdict.as_ref().filter(|verdict| verdict.met) else { continue };
        let wrong = verdict.evidence.iter().filter_map(|text| {
            let (kind, value) = named(text);
            trail.wrong(kind, value)
        });
        found.extend(wrong.map(|why| format!("criterion {} is not shown any more: {why}", index + 1)));
    }
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
            CommandError::refused(format!("plan {} stays open\n{}", plan.name, open.join("\n")))
                .hint("engine plan verify N --evidence \"cargo test\" shows that a criterion is met")
                .hint("or engine plan close --user-approved \"why\"; engine asks the user")
        };
        let what = format!("close plan {} with open ends: {}", plan.name, open.join("; "));
        let deed = Deed::new(&what, &[&plan.name, &open.join("\n")]);
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
