//! `engine plan presets`: what the intent router begins with.

use engine_app::error::Outcome;
use engine_app::plan::CommandContext;
use engine_app::plan::presets::presets;
use engine_core::plan::FORM;
use serde_json::{Value, json};

use crate::ui::Ui;

pub(super) fn run(name: Option<&str>, form: bool, context: &CommandContext, ui: &Ui) -> Outcome {
    if form {
        if ui.is_json() {
            ui.object(&json!({"version": 1, "form": FORM}));
        } else {
            ui.text(FORM);
        }
        return Ok(());
    }
    let presets = presets(&context.project, name)?;
    if ui.is_json() {
        let rows: Vec<Value> =
            presets.iter().map(|(name, text)| json!({"name": name, "toml": text})).collect();
        ui.object(&json!({"version": 1, "presets": rows}));
        return Ok(());
    }
    let texts: Vec<&str> = presets.values().map(|text| text.trim_end()).collect();
    ui.text(&format!("{}\n", texts.join("\n\n")));
    Ok(())
}
