//! `engine runbook resume`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::plan::{self, CommandContext};
use engine_app::runbook::drive;

use super::{next, tell_notes};
use crate::ui::Ui;

/// Go on with a run: look at what a dead client left, lift a halt if the user agrees, print what comes next
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine runbook resume greet\n  engine runbook resume --user-approved \"the second format\""
)]
pub(crate) struct RunbookResumeArgs {
    /// The runbook; none: the one that this session runs
    pub(crate) name: Option<String>,
    /// The user's answer, kept beside their approval; it approves nothing
    #[arg(long, value_name = "ANSWER")]
    pub(crate) user_approved: Option<String>,
}

pub(super) fn run(args: &RunbookResumeArgs, context: &mut CommandContext, ui: &Ui) -> Outcome {
    tell_notes(&drive::start(context, args.name.as_deref())?, ui);
    let (_, plan) = context.found()?;
    if plan.halted().is_some() {
        let (kept, reason) = plan::resume(context, args.user_approved.as_deref())?;
        tell_notes(&kept.notes, ui);
        if !ui.is_json() {
            ui.line(format!("plan {} goes on: {reason}", kept.plan.name));
        }
    }
    let following = drive::next(context, None)?;
    tell_notes(&following.notes, ui);
    next::show(&following, ui);
    Ok(())
}
