//! `engine task context`.

use engine_app::error::Outcome;
use engine_app::task::CommandContext;
use engine_app::task::context::{Context, context as of_task};
use serde_json::json;

use crate::ui::{Tone, Ui, toned};

pub(super) fn run(wanted: &str, context: &CommandContext, ui: &Ui) -> Outcome {
    let Context { name, commit, file, text } = of_task(context, wanted)?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "task": name, "commit": commit, "file": file, "text": text}));
        return Ok(());
    }
    ui.talk(toned(Tone::Quiet, &format!("{file} at {}", &commit[..12.min(commit.len())])));
    ui.text(&text);
    Ok(())
}
