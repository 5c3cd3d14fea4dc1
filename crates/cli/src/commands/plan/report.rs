//! `engine plan report`.

use engine_app::error::Outcome;
use engine_app::plan::CommandContext;
use engine_app::plan::close::{self, Report};
use engine_app::time;
use engine_core::plan::{State, step_line, told};
use serde_json::json;

use super::show::{drift_object, section};
use crate::ui::Ui;

pub(super) fn run(context: &CommandContext, ui: &Ui) -> Outcome {
    let report = close::report(context)?;
    if ui.is_json() {
        let Report { plan, commits, open, red, drift } = report;
        ui.object(
            &json!({"version": 1, "plan": plan, "commits": commits, "open": open, "red": red, "drift": drift_object(&drift)}),
        );
        return Ok(());
    }
    tell(&report, ui);
    Ok(())
}

/// The report as text.
pub(super) fn tell(report: &Report, ui: &Ui) {
    let Report { plan, commits, open, red, drift } = report;
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
        ui.line(format!("{}. {}\n   {verdict}", index + 1, criterion.shown()));
    }
    section("Commits since the lock:", commits, ui);
    section("Open:", open, ui);
    section("Red:", red, ui);
    section("Drift:", &drift.lines(), ui);
    let approved = plan.approvals.iter().map(|one| format!("{}: {}", one.what, one.reason));
    section("Approved by a person:", &approved.collect::<Vec<_>>(), ui);
}
