//! `engine plan show | list`.

use engine_app::error::Outcome;
use engine_app::plan::CommandContext;
use engine_app::plan::drift::{Drift, standing};
use engine_app::time;
use engine_core::plan::shown;
use engine_store::plan_file;
use serde_json::{Value, json};

use super::close::section;
use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

pub(super) fn drift_object(drift: &Drift) -> Value {
    let growth = drift.growth.map(|(from, to)| json!({"from": from, "to": to}));
    json!({"growth": growth, "outsideScope": drift.outside, "failedChecks": drift.failed_checks, "todos": drift.todos, "notInPlan": drift.strange})
}

pub(super) fn show(name: Option<&str>, context: &CommandContext, ui: &Ui) -> Outcome {
    let (_, plan) = match name {
        Some(name) => context.existing(name)?,
        None => context.found()?,
    };
    let drift = Drift::of(&plan, context)?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "plan": plan, "drift": drift_object(&drift)}));
        return Ok(());
    }
    ui.line(shown(&plan, time::shown).trim_end());
    section("Drift:", &drift.lines(), ui);
    Ok(())
}

pub(super) fn list(all: bool, context: &CommandContext, ui: &Ui) -> Outcome {
    let mut rows = Vec::new();
    let mut objects = Vec::new();
    for name in plan_file::names(&context.project) {
        let (state, plan) = match plan_file::PlanFile::new(&context.project, &name).peek() {
            Some(Ok(plan)) if plan.is_open() || all => (standing(&plan).to_owned(), Some(plan)),
            Some(Err(fault)) => (fault.to_string(), None),
            _ => continue,
        };
        let (done, count, page) = plan.as_ref().map_or((0, 0, String::new()), |plan| {
            let is_done = |step: &&engine_core::plan::Step| step.state == engine_core::plan::State::Done;
            (plan.steps.iter().filter(is_done).count(), plan.steps.len(), plan.page.clone())
        });
        objects.push(json!({"name": name, "state": state, "done": done, "steps": count, "page": page,
            "owner": plan.as_ref().and_then(|plan| plan.owner.clone())}));
        rows.push(vec![toned(Tone::Strong, &name), state, format!("{done} of {count} steps"), page]);
    }
    if ui.is_json() {
        ui.object(&json!({"version": 1, "plans": objects}));
    } else if rows.is_empty() {
        ui.talk("no plan is open");
    } else {
        ui.text(&aligned(&rows, ""));
    }
    Ok(())
}
