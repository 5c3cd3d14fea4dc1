//! `engine plan new`.

use std::path::PathBuf;

use clap::Args;
use engine_app::error::Outcome;
use engine_app::plan::new::{check_name, given, make_given};
use engine_app::plan::{CommandContext, lock_at_once};
use engine_app::search::related;
use engine_core::plan::Plan;

use super::{counts, lock, tell, tell_notes};
use crate::ui::Ui;

/// Make a plan from the intent router's YAML, also in a yaml fence
///
/// Keys: `task_type`, `workflow`, `skills_to_invoke`, `guardrails` (all seven), `enriched_context`, `todo_items`, `acceptance_criteria`,
/// `warnings`, `original_fragment`; `scope` and `supervise` may be left out. An entry of `acceptance_criteria` is
/// {text, proof: CMD, in: DIR}, or with `fails: CMD`, `file: PATH`, `proof: commit`, `proof: push` or `judge: qa|person` in place of the proof.
/// An entry of `todo_items` is a text or {text, kind: work|check, files}; one that starts with CHECKPOINT: is a check and has a proof, too.
/// Everything that is wrong is told at once, with lines.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine plan new --lock\n  engine plan new --from plan.yaml\n  engine plan new --name fix-login < plan.yaml"
)]
pub(crate) struct PlanNewArgs {
    /// A file with the YAML; -: stdin; nothing: stdin, else the answer of the agent intent-router after /do
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// Small letters, digits and hyphens; nothing: the first words of what was asked
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Lock it at once, where no person and no critic must agree to it
    #[arg(long)]
    pub(crate) lock: bool,
}

pub(super) fn run(args: &PlanNewArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    args.name.as_deref().map_or(Ok(()), check_name)?;
    let given = given(args.from.as_deref(), context)?;
    let mut notes = Vec::new();
    let made = make_given(context, args.name.as_deref(), &given, &mut notes);
    tell_notes(&notes, ui);
    let mut kept = made?;
    if args.lock
        && let Some(locked) = lock_at_once(context, &kept.plan)?
    {
        kept = locked;
    }
    let plan = &kept.plan;
    tell(&kept, &format!("plan {}: {}; {}", plan.name, counts(plan), plan.page), ui);
    if !ui.is_json() {
        let guardrails = plan.guardrails.shown();
        if !guardrails.is_empty() {
            ui.line(format!("guardrails: {}", guardrails.join(", ")));
        }
        tell_related(plan, context, ui);
        if plan.lock.is_some() {
            lock::tell_locked(plan, ui);
            return Ok(());
        }
        ui.line(if plan.guardrails.answer_only {
            "then: answer, and end the turn; nothing is changed in it"
        } else if plan.supervise {
            "then: start the agent critic; after its APPROVE: engine plan lock"
        } else {
            "then: engine plan lock"
        });
    }
    Ok(())
}

/// What there is already on what was asked for. A plan that only answers begins no work.
fn tell_related(plan: &Plan, context: &CommandContext, ui: &Ui) {
    if !plan.guardrails.answer_only {
        let related = related(&context.project, &plan.original_fragment, None);
        for line in related.lines() {
            ui.line(line);
        }
    }
}
