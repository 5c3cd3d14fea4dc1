//! `engine plan halt`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::plan::{self, CommandContext};
use engine_core::plan::ways_out;

use super::tell;
use crate::ui::Ui;

/// Stop the work until the user has spoken
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine plan halt \"the tests need a key that I do not have\"")]
pub(crate) struct PlanHaltArgs {
    /// Why, in a sentence
    pub(crate) reason: String,
}

pub(super) fn run(args: &PlanHaltArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let kept = plan::halt(context, &args.reason)?;
    let why = kept.plan.halted().map(|halt| halt.reason.clone()).unwrap_or_default();
    tell(&kept, &format!("plan {} is halted: {why}", kept.plan.name), ui);
    for way in ways_out(false).iter().filter(|_| !ui.is_json()) {
        ui.line(format!("  {way}"));
    }
    Ok(())
}
