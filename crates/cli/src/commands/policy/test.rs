//! `engine policy test`.

use engine_app::error::{CommandError, Outcome};
use engine_app::policy::{PolicyContext, Tested};
use engine_app::wording::counted;
use serde_json::json;

use crate::ui::Ui;

pub(super) fn run(ui: &Ui) -> Outcome {
    let Tested { tests, failures } = PolicyContext::here()?.test()?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "tests": tests, "failures": failures}));
    } else {
        for failure in &failures {
            ui.line(failure);
        }
        ui.talk(format!("{}, {}", counted(tests as u64, "test"), counted(failures.len() as u64, "failure")));
    }
    if failures.is_empty() { Ok(()) } else { Err(CommandError::already_told()) }
}
