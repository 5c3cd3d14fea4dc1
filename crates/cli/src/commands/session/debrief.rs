//! `engine session debrief`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::session::CommandContext;
use engine_app::session::debrief::debrief;
use engine_app::wording::counted;
use serde_json::json;

use crate::ui::Ui;

/// List what a debrief must not forget: open tags, blocks, unticked plan items, debt, side discoveries
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine session debrief sessions/2026_02_07_AUTH")]
pub(crate) struct DebriefArgs {
    /// The folder of the work session
    pub(crate) path: String,
}

pub(super) fn run(args: &DebriefArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let (work, found) = debrief(context, &args.path)?;
    if ui.is_json() {
        let rows: Vec<_> = found
            .iter()
            .map(|(file, loose)| json!({"file": file, "line": loose.line, "kind": loose.kind, "text": loose.text}))
            .collect();
        ui.object(&json!({"version": 1, "path": work.shown(), "found": rows}));
        return Ok(());
    }
    if found.is_empty() {
        ui.line(format!("{}: no loose ends", work.shown()));
        return Ok(());
    }
    ui.line(format!("{}: {}", work.shown(), counted(found.len() as u64, "loose end")));
    for (file, loose) in &found {
        ui.line(format!("  {} {}/{file}:{} {}", loose.kind, work.shown(), loose.line, loose.text));
    }
    Ok(())
}
