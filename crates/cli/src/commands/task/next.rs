//! `engine task next`.

use engine_app::error::{CommandError, Outcome};
use engine_app::task::CommandContext;
use engine_core::task::TaskFile;
use serde_json::json;

use super::object;
use crate::ui::Ui;

pub(super) fn run(context: &CommandContext, ui: &Ui) -> Outcome {
    let text = context.text()?;
    let file = TaskFile::parse(&text);
    let owners = context.owners();
    let task = file
        .next(|task| context.holder(&owners, task).is_free())
        .ok_or_else(|| CommandError::nothing("no task is pending and free to start"))?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "task": object(task)}));
    } else {
        ui.line(&task.meta.name);
    }
    Ok(())
}
