//! `engine session target`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::session::{self, CommandContext};

use super::tell_saved;
use crate::ui::Ui;

/// Name the file that the work is about
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine session target sessions/2026_02_07_AUTH src/auth.rs")]
pub(crate) struct SessionTargetArgs {
    /// The folder of the work session
    pub(crate) path: String,
    /// The file that the work is about
    pub(crate) file: String,
}

pub(super) fn run(args: &SessionTargetArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    tell_saved(&session::target(context, &args.path, &args.file)?, ui);
    Ok(())
}
