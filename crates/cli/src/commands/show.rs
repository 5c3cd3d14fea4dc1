//! `engine show [NAME]`.

use engine_app::error::{CommandError, Outcome};
use engine_core::standard::{STANDARDS, find};
use serde_json::{Value, json};

use crate::table::aligned;
use crate::ui::Ui;

pub(super) fn run(name: Option<&str>, ui: &Ui) -> Outcome {
    let Some(name) = name else {
        list(ui);
        return Ok(());
    };
    let Some(standard) = find(name) else {
        let names: Vec<&str> = STANDARDS.iter().map(|standard| standard.name).collect();
        return Err(CommandError::usage(format!("{name} is no standard; there are {}", names.join(", "))));
    };
    if ui.is_json() {
        ui.object(&json!({"version": 1, "name": standard.name, "text": standard.text}));
    } else {
        ui.text(standard.text);
    }
    Ok(())
}

fn list(ui: &Ui) {
    if ui.is_json() {
        let rows: Vec<Value> = STANDARDS
            .iter()
            .map(|standard| json!({"name": standard.name, "about": standard.about}))
            .collect();
        ui.object(&json!({"version": 1, "standards": rows}));
        return;
    }
    let rows: Vec<Vec<String>> =
        STANDARDS.iter().map(|standard| vec![standard.name.to_owned(), standard.about.to_owned()]).collect();
    ui.text(&aligned(&rows, ""));
    ui.talk("told at session start if listed: engine config set inject.standards COMMANDS,INVARIANTS,SIGILS");
}
