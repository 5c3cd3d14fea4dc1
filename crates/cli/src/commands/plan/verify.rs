//! `engine plan verify`.

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::plan::CommandContext;
use engine_app::plan::criteria::{self, Verify};
use engine_app::time;
use engine_core::plan::told;

use super::tell;
use crate::ui::Ui;

/// Look up whether a criterion is met, by the proof that was locked with it
///
/// Without a number: every criterion that a look-up can decide. Nobody names evidence here: a command must have passed on the content as
/// it is, a file must have changed. What is judged by qa is verified by that agent, with --why; what is judged by a person asks them.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine plan verify\n  engine plan verify 1\n  engine plan verify 2 --rejected --why \"the page is empty\""
)]
pub(crate) struct PlanVerifyArgs {
    /// The criterion
    #[arg(required_if_eq("rejected", "true"))]
    pub(crate) number: Option<usize>,
    /// It is not met
    #[arg(long, requires = "why")]
    pub(crate) rejected: bool,
    /// Why, or what was looked at
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: Option<String>,
    /// What the check does was changed since the lock: the reason, kept beside the person's answer; it approves nothing
    #[arg(long, value_name = "REASON", requires = "number")]
    pub(crate) user_approved: Option<String>,
}

pub(super) fn run(args: &PlanVerifyArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let asked = Verify {
        number: args.number,
        rejected: args.rejected,
        why: args.why.as_deref(),
        approved: args.user_approved.as_deref(),
        only_open: false,
    };
    let verified = criteria::verify(context, &asked)?;
    let mut lines = Vec::new();
    for number in verified.verdicts {
        let criterion = verified.kept.plan.criterion(number)?;
        let verdict =
            criterion.verdict.as_ref().map(|verdict| told(verdict, time::shown)).unwrap_or_default();
        lines.push(format!("{number}. {}\n   {verdict}", criterion.text));
    }
    if !lines.is_empty() || verified.lacking.is_empty() {
        tell(&verified.kept, &lines.join("\n"), ui);
    }
    if verified.lacking.is_empty() {
        return Ok(());
    }
    Err(CommandError::refused(verified.lacking.join("\n")).hint("engine evidence lists what ran"))
}
