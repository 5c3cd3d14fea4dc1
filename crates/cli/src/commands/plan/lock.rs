//! `engine plan lock`.

use engine_app::error::Outcome;
use engine_app::plan::{self, CommandContext};

use super::{counts, tell};
use crate::ui::Ui;

pub(super) fn run(context: &CommandContext, ui: &Ui) -> Outcome {
    let kept = plan::lock(context)?;
    let plan = &kept.plan;
    tell(&kept, &format!("plan {} is locked: {}", plan.name, counts(plan)), ui);
    if !ui.is_json() {
        for (criterion, number) in plan.criteria.iter().zip(1..) {
            ui.line(format!("{number}. {}", criterion.shown()));
        }
        let start = plan.lock.as_ref().map(|lock| &lock.start);
        for red in start.into_iter().flat_map(|start| &start.red) {
            ui.line(format!("red before the work: {}", red.shown()));
        }
    }
    if let Some(first) = plan.steps.first().filter(|_| !ui.is_json()) {
        ui.line(format!("then: engine plan step start {}", first.number));
    }
    Ok(())
}
