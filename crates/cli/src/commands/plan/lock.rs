//! `engine plan lock`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::plan::{self, CommandContext};
use engine_core::plan::Plan;

use super::{counts, tell};
use crate::ui::Ui;

/// Lock criteria and proofs: from now on only a person changes them, and steps can start
///
/// A proof that is not a known check, criteria most of which are only judged, and `plan_mode` need the user's approval. A supervised plan
/// needs that of the agent critic, who has judged this very plan.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine plan lock\n  engine plan lock --user-approved \"the user has read the plan\""
)]
pub(crate) struct PlanLockArgs {
    /// Why it is locked without a critic's approval; from an agent it asks the person, and approves nothing
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
}

pub(super) fn run(args: &PlanLockArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let kept = plan::lock(context, args.user_approved.as_deref())?;
    let plan = &kept.plan;
    tell(&kept, &format!("plan {} is locked: {}", plan.name, counts(plan)), ui);
    if !ui.is_json() {
        tell_locked(plan, ui);
    }
    Ok(())
}

/// What was locked, and what is red before the work.
pub(super) fn tell_locked(plan: &Plan, ui: &Ui) {
    for (criterion, number) in plan.criteria.iter().zip(1..) {
        ui.line(format!("{number}. {}", criterion.shown()));
    }
    let start = plan.lock.as_ref().map(|lock| &lock.start);
    for red in start.into_iter().flat_map(|start| &start.red) {
        ui.line(format!("red before the work: {}", red.shown()));
    }
    if let Some(first) = plan.steps.first() {
        ui.line(format!("then: {}", first.begins()));
    }
}
