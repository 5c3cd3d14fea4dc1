//! `engine approval grant`.

use clap::Args;
use engine_app::error::Outcome;

use super::note;
use crate::ui::Ui;

/// Say yes to a request, at a terminal of your own
///
/// It counts once, for this very thing, until the agent's turn ends. An agent cannot run it.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine approval grant 7")]
pub(crate) struct ApprovalGrantArgs {
    /// Its number
    #[arg(value_name = "N")]
    pub(crate) number: u32,
}

pub(super) fn run(args: &ApprovalGrantArgs, ui: &Ui) -> Outcome {
    note(args.number, true, "; it counts once, until the agent's turn ends", ui)
}
