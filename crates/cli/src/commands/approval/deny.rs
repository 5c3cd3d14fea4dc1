//! `engine approval deny`.

use clap::Args;
use engine_app::error::Outcome;

use super::note;
use crate::ui::Ui;

/// Say no to a request, at a terminal of your own
///
/// The agent gets your answer when it tries again in the same turn. An agent cannot run it.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine approval deny 7")]
pub(crate) struct ApprovalDenyArgs {
    /// Its number
    #[arg(value_name = "N")]
    pub(crate) number: u32,
}

pub(super) fn run(args: &ApprovalDenyArgs, ui: &Ui) -> Outcome {
    note(args.number, false, "", ui)
}
