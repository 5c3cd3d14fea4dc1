//! `engine session check`.

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::session::CommandContext;
use engine_app::session::check::check;
use engine_app::stdin;
use engine_app::wording::counted;
use engine_core::work::debrief::Loose;
use serde_json::{Value, json};

use crate::ui::Ui;

/// Hand in checklists and look for bare tags
///
/// Checklists come as a JSON object on stdin: the absolute path of each, and its whole text with only boxes ticked. Those that pass
/// are recorded. Then every tag in the text of the session's files that nobody has decided is named.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine session check sessions/2026_02_07_AUTH < sessions/2026_02_07_AUTH/checklists.json\n  engine session check sessions/2026_02_07_AUTH < /dev/null"
)]
pub(crate) struct SessionCheckArgs {
    /// The folder of the work session
    pub(crate) path: String,
}

pub(super) fn run(args: &SessionCheckArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let checked = check(context, &args.path, &stdin::piped)?;
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
