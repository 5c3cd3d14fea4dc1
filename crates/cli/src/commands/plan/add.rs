//! `engine plan add`.

use clap::{Args, ValueEnum};
use engine_app::error::{CommandError, Outcome};
use engine_app::plan::{self, CommandContext, unless_halted};
use engine_core::plan::{Kind, Moved, Step, StepId, step_line};

use super::proof::ProofArgs;
use super::{tell, tell_notes};
use crate::ui::Ui;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindWord {
    Work,
    Check,
}

/// Add a step; growth by more than 20 % since the lock halts the plan
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine plan add \"Update the docs\" --files docs/login.md\n  engine plan add \"The docs build\" --kind check --proof \"make docs-check\" --after 3"
)]
pub(crate) struct PlanAddArgs {
    /// One that starts with CHECKPOINT: is a check
    pub(crate) text: String,
    /// What to add
    #[arg(long, value_enum)]
    pub(crate) kind: Option<KindWord>,
    /// Behind this step; nothing: at the end
    #[arg(long, value_name = "N")]
    pub(crate) after: Option<StepId>,
    /// The files it is about, with commas between
    #[arg(long, value_delimiter = ',')]
    pub(crate) files: Vec<String>,
    #[command(flatten)]
    pub(crate) proof: ProofArgs,
}

pub(super) fn run(args: &PlanAddArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let kind = args.kind.map(|kind| match kind {
        KindWord::Work => Kind::Work,
        KindWord::Check => Kind::Check,
    });
    let step = Step::added(&args.text, kind, &args.files, args.proof.read()).map_err(CommandError::usage)?;
    let kept = plan::add(context, step, args.after)?;
    let (number, moved) = kept.answer;
    if moved == Moved::Done || !ui.is_json() {
        tell(&kept, &format!("added {}", step_line(kept.plan.step(number)?)), ui);
    } else {
        tell_notes(&kept.notes, ui);
    }
    unless_halted(moved, &kept.plan)
}
