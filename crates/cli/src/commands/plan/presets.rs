//! `engine plan presets`: what the intent router begins with. A project adds its own, or others by the same name, in
//! `.engine/workflows/`.

use std::collections::BTreeMap;

use engine_app::error::{CommandError, Outcome};
use engine_core::plan::{FORM, PRESETS};
use serde_json::{Value, json};

use super::Desk;
use crate::ui::Ui;

const FOLDER: &str = "workflows";

pub(super) fn run(name: Option<&str>, form: bool, desk: &Desk, ui: &Ui) -> Outcome {
    if form {
        if ui.is_json() {
            ui.object(&json!({"version": 1, "form": FORM}));
        } else {
            ui.text(FORM);
        }
        return Ok(());
    }
    let mut presets = all(desk)?;
    if let Some(name) = name {
        let known: Vec<String> = presets.keys().cloned().collect();
        let Some(text) = presets.remove(name) else {
            return Err(CommandError::refused(format!(
                "there is no preset {name}; there are {}",
                known.join(", ")
            )));
        };
        presets = BTreeMap::from([(name.to_owned(), text)]);
    }
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

/// By name; those of the project count before ours.
fn all(desk: &Desk) -> Result<BTreeMap<String, String>, CommandError> {
    let mut presets: BTreeMap<String, String> =
        PRESETS.iter().map(|preset| (preset.name.to_owned(), preset.text.to_owned())).collect();
    let folder = desk.project.folder().join(FOLDER);
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|end| end != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path)
            .map_err(|error| CommandError::refused(format!("{}: {error}", path.display())))?;
        presets.insert(path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), text);
    }
    Ok(presets)
}
