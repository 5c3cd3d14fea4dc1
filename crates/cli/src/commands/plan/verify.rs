//! `engine plan verify`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::plan::CommandContext;
use engine_app::plan::criteria::{self, Claim};
use engine_app::time;
use engine_core::plan::told;

use super::tell;
use crate::ui::Ui;

/// Say that a criterion is met, with evidence that is looked up, or that it is not
///
/// Evidence is a command that passed after the last edit, or `file:PATH`, `commit:NAME`, `push`.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine plan verify 1 --evidence \"cargo test\"\n  engine plan verify 2 --evidence file:docs/login.md --evidence push\n  engine plan verify 2 --rejected --why \"the page is empty\""
)]
pub(crate) struct PlanVerifyArgs {
    /// The criterion
    pub(crate) number: usize,
    /// What shows it; again for more
    #[arg(long, required_unless_present = "rejected")]
    pub(crate) evidence: Vec<String>,
    /// It is not met
    #[arg(long, requires = "why")]
    pub(crate) rejected: bool,
    /// Why, or what was looked at
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: Option<String>,
}

pub(super) fn run(args: &PlanVerifyArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let claim = Claim {
        number: args.number,
        evidence: &args.evidence,
        rejected: args.rejected,
        why: args.why.as_deref(),
    };
    let kept = criteria::verify(context, &claim)?;
    let criterion = kept.plan.criterion(args.number)?;
    let verdict = criterion.verdict.as_ref().map(|verdict| told(verdict, time::shown)).unwrap_or_default();
    tell(&kept, &format!("{}. {}\n   {verdict}", args.number, criterion.text), ui);
    Ok(())
}
