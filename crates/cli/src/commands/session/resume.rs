//! `engine session continue`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::session::CommandContext;
use engine_app::session::activate::resume;

use super::begun;
use crate::ui::Ui;

/// Go on with a work session after a restart, clear or compaction
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine session continue sessions/2026_02_07_AUTH")]
pub(crate) struct ContinueArgs {
    /// Nothing: the one that this agent session is bound to
    pub(crate) path: Option<String>,
    /// For an agent: asks the person to take it from another agent session, with this reason
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
}

pub(super) fn run(args: &ContinueArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let mut notes = Vec::new();
    let begun = resume(context, args.path.as_deref(), args.user_approved.as_deref(), &mut notes);
    begun::show(begun, &notes, ui)
}
