//! `engine session debrief`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::session::CommandContext;
use engine_app::session::debrief::debrief;
use engine_app::session::draft::{self, Drafted};
use engine_app::wording::counted;
use serde_json::json;

use crate::ui::Ui;

/// List what a debrief must not forget: open tags, blocks, unticked plan items, debt, side discoveries
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine session debrief sessions/2026_02_07_AUTH\n  engine session debrief sessions/2026_02_07_AUTH --write"
)]
pub(crate) struct DebriefArgs {
    /// The folder of the work session
    pub(crate) path: String,
    /// Draft the debrief from log, plan, checks and changes; one that you wrote stays
    #[arg(long)]
    pub(crate) write: bool,
}

pub(super) fn run(args: &DebriefArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    if args.write {
        return write(&args.path, context, ui);
    }
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

fn write(path: &str, context: &CommandContext, ui: &Ui) -> Outcome {
    let Drafted { work, file, undecided } = draft::write(context, path)?;
    if ui.is_json() {
        let rows: Vec<_> = undecided.iter().map(|(line, text)| json!({"line": line, "text": text})).collect();
        ui.object(&json!({"version": 1, "path": work.shown(), "file": file, "undecided": rows}));
        return Ok(());
    }
    ui.line(format!("{file}: drafted, {} left to decide", counted(undecided.len() as u64, "line")));
    for (line, text) in &undecided {
        ui.line(format!("  {line}: {text}"));
    }
    Ok(())
}
