//! `engine session update`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::session::{self, CommandContext};

use super::tell_saved;
use crate::ui::Ui;

/// Set a parameter: JSON if it reads as JSON, else text
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine session update sessions/2026_02_07_AUTH scope '\"small\"'")]
pub(crate) struct SessionUpdateArgs {
    /// The folder of the work session
    pub(crate) path: String,
    /// The field to change
    pub(crate) key: String,
    /// Its new value
    pub(crate) value: String,
}

pub(super) fn run(args: &SessionUpdateArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    tell_saved(&session::update(context, &args.path, &args.key, &args.value)?, ui);
    Ok(())
}
