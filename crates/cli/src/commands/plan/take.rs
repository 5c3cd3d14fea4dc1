//! `engine plan take`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::plan::{self, CommandContext};

use super::tell;
use crate::ui::Ui;

/// Take up a plan that no living agent session works on
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine plan take fix-login")]
pub(crate) struct PlanTakeArgs {
    /// The name of the plan
    pub(crate) name: String,
}

pub(super) fn run(args: &PlanTakeArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let name = &args.name;
    let kept = plan::take(context, name)?;
    tell(&kept, &format!("plan {name} is this session's; engine plan show"), ui);
    Ok(())
}
