//! `engine session init`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::session::{self, CommandContext};
use serde_json::json;

use crate::ui::Ui;

/// Make the folder of a work session
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine session init sessions/2026_02_07_AUTH")]
pub(crate) struct SessionInitArgs {
    /// The folder of the work session
    pub(crate) path: String,
}

pub(super) fn run(args: &SessionInitArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let work = session::init(context, &args.path)?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown()}));
    } else {
        ui.line(format!("made {}", work.shown()));
    }
    Ok(())
}
