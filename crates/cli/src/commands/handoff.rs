//! `engine handoff`.

use engine_core::handoff::{self, Handoff};
use engine_store::task_file;
use serde_json::{Value, json};

use super::task::Desk;
use crate::error::{CommandError, Outcome};
use crate::stdin;
use crate::ui::Ui;

const SHAPE: &str = r#"it reads: {"status": "...", "done": ["..."], "notes": ["..."]}"#;

pub(super) fn run(ui: &Ui) -> Outcome {
    let desk = Desk::open()?;
    let text = stdin::read(stdin::FOR_A_COMMAND)
        .map_err(|error| CommandError::usage(error.to_string()).hint(SHAPE))?;
    let handoff = read(&text)?;
    task_file::edit(&desk.project, &desk.path, |text, _| match handoff::with(text, &handoff) {
        Some(new) => Ok((Some(new), ())),
        None => Err(CommandError::refused(format!(
            "{}: a task stands inside Status, Done or Notes and would be lost",
            desk.name()
        ))
        .hint("move it into the section Pending Tasks first")),
    })?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "file": desk.name()}));
    } else {
        ui.line(format!("wrote the handoff into {}", desk.name()));
    }
    Ok(())
}

/// All that is wrong with the input, at once.
fn read(text: &str) -> Result<Handoff, CommandError> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| CommandError::usage(format!("not JSON: {error}")).hint(SHAPE))?;
    let Some(object) = value.as_object() else {
        return Err(CommandError::usage("not a JSON object").hint(SHAPE));
    };
    let texts = |value: &Value| value.as_array().is_some_and(|items| items.iter().all(Value::is_string));
    let mut wrong: Vec<String> = object
        .iter()
        .filter_map(|(key, value)| match key.as_str() {
            "status" if value.as_str().is_some_and(|status| !status.trim().is_empty()) => None,
            "status" => Some("status takes a text that is not empty".to_owned()),
            "done" | "notes" if texts(value) => None,
            "done" | "notes" => Some(format!("{key} takes a list of texts")),
            _ => Some(format!("unknown key {key}")),
        })
        .collect();
    if !object.contains_key("status") {
        wrong.push("status is missing".to_owned());
    }
    if !wrong.is_empty() {
        return Err(CommandError::usage(wrong.join("; ")).hint(SHAPE));
    }
    serde_json::from_value(value).map_err(|error| CommandError::usage(error.to_string()).hint(SHAPE))
}
