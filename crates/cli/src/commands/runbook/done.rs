//! `engine runbook done`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::plan::CommandContext;
use engine_app::runbook::drive::{self, Ended};
use engine_core::plan::{State, StepId, step_line};
use serde_json::json;

use super::{named, next, tell_notes};
use crate::ui::Ui;

/// End a step whose agent has ended, and print what comes next; the last one closes the plan
///
/// Refused, with all reasons at once, until the right agent with the right model has worked, changed only the files of the step, written
/// its report, and the check passed after the last change. In a cycle the test failed before the code was written.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine runbook done\n  engine runbook done 1.2")]
pub(crate) struct RunbookDoneArgs {
    /// The step; none: the one that waits
    pub(crate) step: Option<StepId>,
    /// The runbook, where several run
    #[arg(long, value_name = "NAME")]
    pub(crate) plan: Option<String>,
    /// Why it is done all the same; an agent's call asks the user
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
}

pub(super) fn run(args: &RunbookDoneArgs, context: &mut CommandContext, ui: &Ui) -> Outcome {
    named(context, args.plan.as_deref())?;
    end(args.step, args.user_approved.as_deref(), context, ui)
}

/// Ends a step, and shows what comes next.
pub(in crate::commands) fn end(
    step: Option<StepId>,
    approved: Option<&str>,
    context: &mut CommandContext,
    ui: &Ui,
) -> Outcome {
    let Ended { kept, number, closed, open } = drive::done(context, step, approved)?;
    tell_notes(&kept.notes, ui);
    if ui.is_json() {
        let is_closed = closed.is_some();
        let open = open.map(|error| error.message);
        ui.object(
            &json!({"version": 1, "step": number, "plan": kept.plan, "closed": is_closed, "open": open}),
        );
        return Ok(());
    }
    let step = kept.plan.step(number)?;
    ui.line(match step.state {
        State::Done => step_line(step),
        _ => format!("step {number} was looked at; what it found comes first"),
    });
    if let Some(closed) = closed {
        ui.line(format!("plan {} is done and closed: every step, every criterion", closed.kept.plan.name));
        if let Some(task) = closed.task {
            ui.line(format!("{task}: done"));
        }
        return Ok(());
    }
    if let Some(open) = open {
        return Err(open);
    }
    let following = drive::next(context, None)?;
    tell_notes(&following.notes, ui);
    next::show(&following, ui);
    Ok(())
}
