//! `engine task note`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::task::{self, CommandContext};

use super::tell;
use crate::ui::Ui;

/// Add a line below a task
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine task note \"Fix login\" \"seen on mobile only\"")]
pub(crate) struct TaskNoteArgs {
    /// The name of the task
    pub(crate) name: String,
    /// The text of the note
    pub(crate) text: String,
}

pub(super) fn run(args: &TaskNoteArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let changed = task::note(context, &args.name, &args.text)?;
    tell(&changed, &format!("noted at {}", changed.name), ui)
}
