//! `engine plan lock`.

use engine_app::error::Outcome;
use engine_app::plan::{self, CommandContext};

use super::{counts, tell};
use crate::ui::Ui;

pub(super) fn run(context: &CommandContext, ui: &Ui) -> Outcome {
    let kept = plan::lock(context)?;
    let plan = &kept.plan;
    tell(&kept, &format!("plan {} is locked: {}", plan.name, counts(plan)), ui);
    if let Some(first) = plan.steps.first().filter(|_| !ui.is_json()) {
        ui.line(format!("then: engine plan step start {}", first.number));
    }
    Ok(())
}
