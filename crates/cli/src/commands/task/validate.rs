//! `engine task validate`.

use engine_app::error::{CommandError, Outcome};
use engine_app::task::Desk;
use engine_app::task::validate::{flaws, give_tokens};
use serde_json::{Value, json};

use crate::ui::{Tone, Ui, toned};

pub(super) fn run(fix: bool, desk: &Desk, ui: &Ui) -> Outcome {
    if fix {
        give_tokens(desk)?;
    }
    let flaws = flaws(desk)?;
    let serious = flaws.iter().filter(|flaw| flaw.serious).count();
    if ui.is_json() {
        let row = |flaw: &engine_core::task::Flaw| json!({"line": flaw.line, "text": flaw.text, "serious": flaw.serious});
        let rows: Vec<Value> = flaws.iter().map(row).collect();
        ui.object(&json!({"version": 1, "file": desk.name(), "serious": serious, "flaws": rows}));
    } else {
        for flaw in &flaws {
            let word = if flaw.serious { toned(Tone::Bad, "error") } else { toned(Tone::Careful, "remark") };
            ui.line(format!("{}:{}: {word}: {}", desk.name(), flaw.line, flaw.text));
        }
    }
    match (serious, ui.is_json()) {
        (0, _) => Ok(()),
        (_, true) => Err(CommandError::already_told()),
        (_, false) => Err(CommandError::refused(format!("{serious} to mend"))),
    }
}
