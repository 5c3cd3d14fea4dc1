//! `engine plan resume`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::plan::{self, CommandContext};
use engine_core::plan::HaltKind;

use super::tell;
use crate::ui::Ui;

/// Go on after a halt
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine plan resume\n  engine plan resume --user-approved \"the other parser reads it\""
)]
pub(crate) struct PlanResumeArgs {
    /// For an agent: its reason, kept beside the person's answer; it approves nothing
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
}

pub(super) fn run(args: &PlanResumeArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let (kept, reason) = plan::resume(context, args.user_approved.as_deref())?;
    tell(&kept, &format!("plan {} goes on: {reason}", kept.plan.name), ui);
    if kept.plan.is_delegated() && !ui.is_json() {
        ui.line("then: engine runbook next");
    }
    if kept.plan.halts.last().is_some_and(|halt| halt.kind == HaltKind::Size) && !ui.is_json() {
        ui.line("it is an ordinary plan now: engine plan close ends it");
    }
    Ok(())
}
