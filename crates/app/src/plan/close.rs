//! What came of a plan, and its end.

use engine_core::approval::{Deed, Kind};
use engine_core::evidence::ledger::{self, Line, Red};
use engine_core::evidence::proof::Proof;
use engine_core::plan::{Criterion, Plan, Start};
use engine_store::git;
use engine_store::plan_file::Kept;

use super::criteria::{self, Verify};
use super::drift::{Drift, named};
use super::{CommandContext, advance, proof, quick, review};
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
    report_of(plan, context)
}

fn report_of(plan: Plan, context: &CommandContext) -> Result<Report, CommandError> {
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
    found.extend(nothing_changed(plan, context));
    found.extend(changed_elsewhere(plan, context));
    found.extend(review::changed_since_approval(plan, context));
    let reds = lookup.reds(&lock.start);
    found.extend(reds.iter().map(|red| format!("{} failed, and no run of it has passed since", red.shown())));
    found
}

/// A check that passes before the work shows nothing. Other plans say in their criteria what is to change.
fn nothing_changed(plan: &Plan, context: &CommandContext) -> Option<String> {
    let is_nothing = plan.quick && quick::extent(plan, context).is_ok_and(|extent| extent.is_nothing());
    is_nothing.then(|| "nothing has changed since the lock".to_owned())
}

/// A check in a folder shows nothing of what is outside of it, and nobody has read the proof of a quick plan.
fn changed_elsewhere(plan: &Plan, context: &CommandContext) -> Option<String> {
    let files = if plan.quick { quick::outside(plan, context).unwrap_or_default() } else { Vec::new() };
    let text = || format!("changed outside of the folder in which the check runs: {}", named(&files));
    (!files.is_empty()).then(text)
}

/// A plan that is closed, and the task that is done with it.
pub struct Closed {
    pub kept: Kept<()>,
    pub task: Option<String>,
}

/// Closes the plan, and reports what was done.
pub fn close_and_report(
    context: &CommandContext,
    approved: Option<&str>,
) -> Result<(Closed, Report), CommandError> {
    // The agent's own list goes with its copy of the plan.
    let drift = context.found().and_then(|(_, plan)| Ok(Drift::of(&plan, context)?));
    let closed = close(context, approved)?;
    crate::enrich::follow(&context.project);
    let mut report = report_of(closed.kept.plan.clone(), context)?;
    if let Ok(drift) = drift {
        report.drift = Drift { uncalled: closed.kept.plan.uncalled(), ..drift };
    }
    Ok((closed, report))
}

/// Closes the plan, if nothing is open or a person wants it all the same. Steps and criteria whose proofs hold are done with it. The one
/// way in which a plan is closed because its work is done.
pub fn close(context: &CommandContext, approved: Option<&str>) -> Result<Closed, CommandError> {
    let (_, plan) = context.own()?;
    if !plan.is_open() {
        return Err(CommandError::nothing(format!("plan {} is closed already", plan.name)));
    }
    if plan.quick && plan.works().is_ok() && approved.is_none() {
        quick::halt_if_outgrown(&plan, &quick::extent(&plan, context)?, context)?;
    }
    let lacking = look_up(context)?;
    let (_, plan) = context.own()?;
    let mut open = open(&plan, context);
    for lacks in lacking {
        // In place of the line that only says so.
        let number = lacks.split(':').next().unwrap_or_default();
        match open.iter_mut().find(|line| line.starts_with(&format!("{number} is not verified"))) {
            Some(line) => *line = lacks,
            None => open.push(lacks),
        }
    }
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
    let uncalled = uncalled(&plan, context);
    let kept = context.change_judged(&plan, |plan, now| {
        plan.close(waived, head, now)?;
        if let Some(closed) = &mut plan.closed {
            closed.uncalled = uncalled;
        }
        Ok(())
    })?;
    // What was left open is not done.
    let task = if open.is_empty() { finished_task(&kept.plan, context) } else { Ok(None) }?;
    Ok(Closed { kept, task })
}

/// Ends the steps and meets the criteria that what has run shows. Why a criterion lacks its proof comes back.
fn look_up(context: &CommandContext) -> Result<Vec<String>, CommandError> {
    let (_, plan) = context.own()?;
    if plan.works().is_err() {
        return Ok(Vec::new());
    }
    advance::advance(context)?;
    let is_open = |criterion: &Criterion| {
        criterion.verdict.is_none() && !matches!(criterion.proof, None | Some(Proof::Judge(_)))
    };
    // Those of a supervised plan are verified by qa.
    if plan.supervise || !plan.criteria.iter().any(is_open) {
        return Ok(Vec::new());
    }
    match criteria::verify(context, &Verify { only_open: true, ..Verify::default() }) {
        Ok(verified) => Ok(verified.lacking),
        // Another close was quicker with the last of them.
        Err(_) if !context.own()?.1.criteria.iter().any(is_open) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// The skills that the plan names and nobody has called.
pub(super) fn uncalled(plan: &Plan, context: &CommandContext) -> Vec<String> {
    let bound = plan.owner.as_ref().and_then(|owner| context.session(owner).peek().plan);
    bound.filter(|bound| bound.name == plan.name).map(|bound| bound.uncalled()).unwrap_or_default()
}

/// The checks that are red though the plan is done: they were before it.
pub fn still_red(plan: &Plan, context: &CommandContext) -> Vec<String> {
    let mut red = plan.lock.as_ref().map(|lock| lock.start.red.clone()).unwrap_or_default();
    for line in context.trail(plan).ledger().unwrap_or_default() {
        if let Line::Check(check) = line {
            ledger::note(&mut red, &check);
        }
    }
    red.iter().map(Red::shown).collect()
}

/// Marks the task of a plan as done that a hook closed before it was killed.
pub fn finish_task_of(plan: &Plan, context: &CommandContext) -> Result<Option<String>, CommandError> {
    // One without a name would be whichever is in progress by now.
    let is_done = plan.closed.as_ref().is_some_and(|closed| closed.approved.is_none());
    if plan.task.is_some() && is_done { finished_task(plan, context) } else { Ok(None) }
}

fn finished_task(plan: &Plan, context: &CommandContext) -> Result<Option<String>, CommandError> {
    task::state::finish(
        &task::CommandContext::of(context.project.clone(), &context.caller),
        plan.task.as_deref(),
    )
}

#[cfg(test)]
mod tests;
