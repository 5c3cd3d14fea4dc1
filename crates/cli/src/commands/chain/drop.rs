//! `engine chain drop`.

use engine_app::error::Outcome;
use engine_app::here::{caller, project};
use engine_core::chain::listed;
use serde_json::{Value, json};

use super::{ChainSession, entry_json};
use crate::ui::Ui;

pub(super) fn run(whose: &ChainSession, ui: &Ui) -> Outcome {
    let caller = caller();
    let running = whose.find()?.of(&caller)?;
    let left = running.end(&project()?, &caller)?;
    if ui.is_json() {
        let left: Vec<Value> = left.iter().map(entry_json).collect();
        ui.object(&json!({"version": 1, "session": running.session, "dropped": left}));
    } else {
        ui.line(format!("dropped: {}", listed(&left)));
    }
    Ok(())
}
