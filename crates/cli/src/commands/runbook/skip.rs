//! `engine runbook skip`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::plan::CommandContext;
use engine_app::runbook::drive;
use engine_core::plan::{StepId, step_line};
use serde_json::json;

use super::{named, tell_notes};
use crate::ui::Ui;

/// Leave a step out; an agent's call asks the user
///
/// What only this step would have shown is not met, so the plan is closed by the user.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine runbook skip 2.1 --why \"the docs come later\"")]
pub(crate) struct RunbookSkipArgs {
    /// The step
    pub(crate) step: StepId,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: String,
    /// The runbook, where several run
    #[arg(long, value_name = "NAME")]
    pub(crate) plan: Option<String>,
}

pub(super) fn run(args: &RunbookSkipArgs, context: &mut CommandContext, ui: &Ui) -> Outcome {
    named(context, args.plan.as_deref())?;
    let kept = drive::skip(context, args.step, &args.why)?;
    tell_notes(&kept.notes, ui);
    if ui.is_json() {
        ui.object(&json!({"version": 1, "plan": kept.plan}));
    } else {
        ui.line(step_line(kept.plan.step(args.step)?));
    }
    Ok(())
}
