//! `engine session check`.

use engine_app::error::{CommandError, Outcome};
use engine_app::session::CommandContext;
use engine_app::session::check::check;
use engine_app::stdin;
use engine_app::wording::counted;
use engine_core::work::debrief::Loose;
use serde_json::{Value, json};

use crate::ui::Ui;

pub(super) fn run(path: &str, context: &CommandContext, ui: &Ui) -> Outcome {
    let checked = check(context, path, &stdin::piped)?;
    let shown = checked.work.shown();
    if ui.is_json() {
        let row = |(file, Loose { line, text, .. }): &(String, Loose)| json!({"file": format!("{shown}/{file}"), "line": line, "tag": text});
        let rows: Vec<Value> = checked.tags.iter().map(row).collect();
        ui.object(&json!({"version": 1, "path": shown, "passed": checked.passed, "wrong": checked.wrong, "bareTags": rows}));
        return if checked.is_open() { Err(CommandError::already_told()) } else { Ok(()) };
    }
    if checked.passed > 0 {
        ui.line(format!("{shown}: {} passed", counted(checked.passed as u64, "checklist")));
    }
    if let Some(refusal) = checked.refusal() {
        return Err(refusal);
    }
    if checked.passed == 0 {
        ui.line(format!("{shown}: no checklist is open and no tag is bare"));
    }
    Ok(())
}
