//! `engine task recover`.

use engine_app::error::Outcome;
use engine_app::task::{self, CommandContext};
use serde_json::json;

use crate::ui::Ui;

pub(super) fn run(context: &CommandContext, ui: &Ui) -> Outcome {
    let names = task::recover(context)?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "recovered": names}));
    } else {
        ui.line(format!("recovered in {}: {}", context.name(), names.join(", ")));
    }
    Ok(())
}
