//! `engine plan report` and `engine plan close`.

use clap::Args;
use engine_app::approval;
use engine_app::error::{CommandError, Outcome};
use engine_app::time;
use engine_core::evidence::named;
use engine_core::plan::{Plan, State, step_line, told};
use engine_core::session::kept_words;
use engine_store::{clock, git};
use serde_json::json;

use super::look::Drift;
use super::{Desk, tell_notes};
use crate::commands::task;
use crate::ui::Ui;

#[derive(Debug, Args)]
pub(crate) struct PlanCloseArgs {
    /// Why the person wants it closed with open ends; from an agent it counts after they have spoken
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
}

/// Commits that a report shows at most.
const MOST_COMMITS: &str = "--max-count=100";

pub(super) fn report(desk: &Desk, ui: &Ui) -> Outcome {
    let (_, plan) = desk.found()?;
    let (commits, open, drift) = (commits(&plan, desk), open(&plan, desk), Drift::of(&plan, desk)?);
    if ui.is_json() {
        ui.object(
            &json!({"version": 1, "plan": plan, "commits": commits, "open": open, "drift": drift.object()}),
        );
        return Ok(());
    }
    let done = plan.steps.iter().filter(|step| step.state == State::Done).count();
    ui.line(format!("plan {}: {done} of {} steps done", plan.name, plan.steps.len()));
    for step in &plan.steps {
        ui.line(step_line(step));
    }
    ui.line("\nCriteria:");
    for (index, criterion) in plan.criteria.iter().enumerate() {
        let verdict = criterion
            .verdict
            .as_ref()
            .map_or_else(|| "not verified".to_owned(), |verdict| told(verdict, time::shown));
        ui.line(format!("{}. {}\n   {verdict}", index + 1, criterion.text));
    }
    section("Commits since the lock:", &commits, ui);
    section("Open:", &open, ui);
    section("Drift:", &drift.lines(), ui);
    let approved = plan.approvals.iter().map(|one| format!("{}: {}", one.what, one.reason));
    section("Approved by a person:", &approved.collect::<Vec<_>>(), ui);
    Ok(())
}

pub(super) fn section(title: &str, lines: &[String], ui: &Ui) {
    if !lines.is_empty() {
        ui.line(format!("\n{title}"));
    }
    for line in lines {
        ui.line(format!("- {line}"));
    }
}

/// What was committed since the lock, the newest first.
fn commits(plan: &Plan, desk: &Desk) -> Vec<String> {
    let Some(lock) = &plan.lock else { return Vec::new() };
    let until = plan.closed.as_ref().and_then(|closed| closed.head.as_deref()).unwrap_or("HEAD");
    let range = lock.head.as_ref().map_or(until.to_owned(), |head| format!("{head}..{until}"));
    let log = git::text(desk.project.root(), &["log", "--format=%h %s", MOST_COMMITS, &range]);
    log.unwrap_or_default().lines().map(str::to_owned).collect()
}

/// Everything that is open, and every criterion whose evidence does not hold any more.
fn open(plan: &Plan, desk: &Desk) -> Vec<String> {
    let mut found = plan.loose_ends();
    if !plan.is_open() {
        return found;
    }
    let trail = desk.trail(plan);
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

pub(super) fn run(args: &PlanCloseArgs, desk: &Desk, ui: &Ui) -> Outcome {
    let (file, plan) = desk.own()?;
    if !plan.is_open() {
        return Err(CommandError::nothing(format!("plan {} is closed already", plan.name)));
    }
    let open = open(&plan, desk);
    if !open.is_empty() {
        let refused = || CommandError::refused(format!("plan {} stays open\n{}", plan.name, open.join("\n")));
        let what = format!("engine plan close of {} with open ends", plan.name);
        // Remembered also without a reason, so that a person's word counts from now on.
        let waived = approval::require(&desk.project, &desk.caller, &what, args.user_approved.as_deref());
        match waived {
            _ if args.user_approved.is_none() => {
                return Err(refused()
                    .hint("engine plan verify N --evidence \"cargo test\" shows that a criterion is met")
                    .hint("or ask the user; after their answer: engine plan close --user-approved \"what they said\""));
            }
            Err(why) => {
                return Err(why.hints.into_iter().fold(refused().hint(why.message), CommandError::hint));
            }
            Ok(()) => {}
        }
    }
    let approved = args.user_approved.as_deref().filter(|_| !open.is_empty()).map(kept_words);
    let (head, now) = (desk.head(), clock::now().rfc3339());
    let kept = file.update(|plan| plan.close(approved, head, &now).map_err(CommandError::from))?;
    tell_notes(&kept.notes, ui);
    // What was left open is not done.
    let task = if open.is_empty() { finished_task(&kept.plan)? } else { None };
    if ui.is_json() {
        ui.object(&json!({"version": 1, "plan": kept.plan, "task": task}));
        return Ok(());
    }
    ui.line(format!("plan {} is closed; {}", plan.name, plan.page));
    if let Some(task) = task {
        ui.line(format!("{task}: done"));
    }
    Ok(())
}

fn finished_task(plan: &Plan) -> Result<Option<String>, CommandError> {
    task::state::finish(&task::Desk::open()?, plan.task.as_deref())
}
