//! `engine task validate`.

use engine_app::error::{CommandError, Outcome};
use engine_app::task::CommandContext;
use engine_app::task::validate::{flaws, give_tokens};
use serde_json::{Value, json};

use crate::ui::{Tone, Ui, toned};

pub(super) fn run(fix: bool, context: &CommandContext, ui: &Ui) -> Outcome {
    if fix {
        give_tokens(context)?;
    }
    let flaws = flaws(context)?;
    let serious = flaws.iter().filter(|flaw| flaw.serious).count();
    if ui.is_json() {
        let row = |flaw: &engine_core::task::Flaw| json!({"line": flaw.line, "text": flaw.text, "serious": flaw.serious});
        let rows: Vec<Value> = flaws.iter().map(row).collect();
        ui.object(&json!({"version": 1, "file": context.name(), "serious": serious, "flaws": rows}));
    } else {
        for flaw in &flaws {
            let word = if flaw.serious { toned(Tone::Bad, "error") } else { toned(Tone::Careful, "remark") };
            ui.line(format!("{}:{}: {word}: {}", context.name(), flaw.line, flaw.text));
        }
    }
    match (serious, ui.is_json()) {
        (0, _) => Ok(()),
        (_, true) => Err(CommandError::already_told()),
        (_, false) => Err(CommandError::refused(format!("{serious} to mend"))),
    }
}
