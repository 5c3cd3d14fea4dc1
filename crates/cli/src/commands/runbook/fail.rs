//! `engine runbook fail` and `engine runbook escalate`.

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::plan::{CommandContext, unless_halted};
use engine_app::runbook::drive;
use engine_core::plan::{Came, StepId};
use serde_json::json;

use super::{named, next, tell_notes};
use crate::ui::Ui;

/// End a try badly, and print what comes next: the same tier of models once more, then the next tier, then the user
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine runbook fail 1.2 --why \"the test still fails\"")]
pub(crate) struct RunbookFailArgs {
    /// The step
    pub(crate) step: StepId,
    /// What failed, in a sentence
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: Option<String>,
    /// The runbook, where several run
    #[arg(long, value_name = "NAME")]
    pub(crate) plan: Option<String>,
}

/// Give a step to the next tier of models, or halt with a question for the user
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine runbook escalate 1.2 --why \"it needs judgement\"\n  engine runbook escalate 1.2 --to user --question \"Which format?\""
)]
pub(crate) struct RunbookEscalateArgs {
    /// The step
    pub(crate) step: StepId,
    /// `model`: the next tier; `user`: the plan halts until the user has answered
    #[arg(long, value_name = "WHOM", default_value = "model", value_parser = ["model", "user"])]
    pub(crate) to: String,
    /// What the user is asked
    #[arg(long, value_name = "TEXT", required_if_eq("to", "user"))]
    pub(crate) question: Option<String>,
    /// What failed, in a sentence
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: Option<String>,
    /// The runbook, where several run
    #[arg(long, value_name = "NAME")]
    pub(crate) plan: Option<String>,
}

pub(super) fn run(args: &RunbookFailArgs, context: &mut CommandContext, ui: &Ui) -> Outcome {
    named(context, args.plan.as_deref())?;
    failed(args.step, Came::Failed, args.why.as_deref(), context, ui)
}

pub(super) fn escalate(args: &RunbookEscalateArgs, context: &mut CommandContext, ui: &Ui) -> Outcome {
    named(context, args.plan.as_deref())?;
    if args.to != "user" {
        return failed(args.step, Came::Escalated, args.why.as_deref(), context, ui);
    }
    let question = args.question.as_deref().ok_or_else(|| CommandError::usage("a question is needed"))?;
    let kept = drive::ask(context, args.step, question)?;
    tell_notes(&kept.notes, ui);
    if ui.is_json() {
        ui.object(&json!({"version": 1, "plan": kept.plan}));
    } else {
        ui.line(format!("plan {} is halted: {question}", kept.plan.name));
        ui.line("then: ask the user, end the turn; after the answer: engine runbook resume");
    }
    Ok(())
}

pub(in crate::commands) fn failed(
    step: StepId,
    came: Came,
    why: Option<&str>,
    context: &mut CommandContext,
    ui: &Ui,
) -> Outcome {
    let kept = drive::fail(context, step, came, why)?;
    tell_notes(&kept.notes, ui);
    unless_halted(kept.answer, &kept.plan)?;
    next::show(&drive::next(context, None)?, ui);
    Ok(())
}
