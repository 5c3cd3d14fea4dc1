//! `engine plan report` and `engine plan close`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::plan::CommandContext;
use engine_app::plan::close::{self, Closed, Report};
use engine_app::time;
use engine_core::plan::{State, step_line, told};
use serde_json::json;

use super::look::drift_object;
use super::tell_notes;
use crate::ui::Ui;

#[derive(Debug, Args)]
pub(crate) struct PlanCloseArgs {
    /// Why the person wants it closed with open ends; from an agent it counts after they have spoken
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
}

pub(super) fn report(context: &CommandContext, ui: &Ui) -> Outcome {
    let Report { plan, commits, open, drift } = close::report(context)?;
    if ui.is_json() {
        ui.object(
            &json!({"version": 1, "plan": plan, "commits": commits, "open": open, "drift": drift_object(&drift)}),
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

pub(super) fn run(args: &PlanCloseArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let Closed { kept, task } = close::close(context, args.user_approved.as_deref())?;
    tell_notes(&kept.notes, ui);
    if ui.is_json() {
        ui.object(&json!({"version": 1, "plan": kept.plan, "task": task}));
        return Ok(());
    }
    ui.line(format!("plan {} is closed; {}", kept.plan.name, kept.plan.page));
    if let Some(task) = task {
        ui.line(format!("{task}: done"));
    }
    Ok(())
}
