//! `engine plan step start | done | fail`.

use clap::Subcommand;
use engine_app::error::Outcome;
use engine_app::plan::drift::named;
use engine_app::plan::{CommandContext, step, unless_halted};
use engine_core::plan::{Came, State, StepId, step_line};

use super::following::tell_next;
use super::{tell, tell_notes};
use crate::commands::runbook;
use crate::ui::Ui;

#[derive(Debug, Subcommand)]
pub(crate) enum StepCommand {
    /// Begin a step, or begin it again; the fourth attempt halts the plan. A change begins the next work step by itself
    #[command(after_long_help = "Example:\n  engine plan step start 2")]
    Start {
        /// The number that engine plan show gives it
        number: StepId,
    },
    /// End a step well, also one that is open; the proof of a check is looked up
    #[command(after_long_help = "Examples:\n  engine plan step done 2\n  engine plan step done 2 --next")]
    Done {
        /// The number that engine plan show gives it
        number: StepId,
        /// Begin the next step that is not done, too
        #[arg(long)]
        next: bool,
        /// What the check does was changed since the lock: the reason, kept beside the person's answer; it approves nothing
        #[arg(long, value_name = "REASON")]
        user_approved: Option<String>,
    },
    /// End a step badly
    #[command(after_long_help = "Example:\n  engine plan step fail 2 --why \"the API is gone\"")]
    Fail {
        /// The number that engine plan show gives it
        number: StepId,
        /// What failed, in a sentence
        #[arg(long, value_name = "TEXT")]
        why: Option<String>,
    },
}

pub(super) fn run(command: &StepCommand, context: &mut CommandContext, ui: &Ui) -> Outcome {
    let is_delegated = context.found().is_ok_and(|(_, plan)| plan.is_delegated());
    match command {
        StepCommand::Start { number } => start(*number, context, ui),
        // One object, one answer.
        StepCommand::Done { number, user_approved, .. } if is_delegated => {
            runbook::done::end(Some(*number), user_approved.as_deref(), context, ui)
        }
        StepCommand::Fail { number, why } if is_delegated => {
            runbook::fail::failed(*number, Came::Failed, why.as_deref(), context, ui)
        }
        StepCommand::Done { number, next, user_approved } => {
            done(*number, *next, user_approved.as_deref(), context, ui)
        }
        StepCommand::Fail { number, why } => {
            let kept = step::fail(context, *number, why.as_deref())?;
            tell(&kept, &step_line(kept.plan.step(*number)?), ui);
            Ok(())
        }
    }
}

fn start(number: StepId, context: &CommandContext, ui: &Ui) -> Outcome {
    let kept = step::start(context, number)?;
    if let Err(halted) = unless_halted(kept.answer, &kept.plan) {
        tell_notes(&kept.notes, ui);
        return Err(halted);
    }
    let step = kept.plan.step(number)?;
    tell(&kept, &step_line(step), ui);
    if !ui.is_json() {
        let proof = step.proof.as_ref().map(|proof| format!("; its proof: {}", proof.shown()));
        ui.line(format!("then: engine plan step done {number}{}", proof.unwrap_or_default()));
    }
    Ok(())
}

fn done(number: StepId, next: bool, approved: Option<&str>, context: &CommandContext, ui: &Ui) -> Outcome {
    let kept = step::finish(context, number, approved)?;
    let follows = kept.plan.steps.iter().find(|step| step.state != State::Done).filter(|_| next);
    if let Some(follows) = follows {
        if !ui.is_json() {
            ui.line(step_line(kept.plan.step(number)?));
            tell_besides(&kept.answer, ui);
        }
        tell_notes(&kept.notes, ui);
        return start(follows.number, context, ui);
    }
    tell(&kept, &step_line(kept.plan.step(number)?), ui);
    if !ui.is_json() {
        tell_besides(&kept.answer, ui);
    }
    tell_next(&kept.plan, ui);
    Ok(())
}

fn tell_besides(files: &[String], ui: &Ui) {
    if !files.is_empty() {
        ui.line(format!("changed besides its files: {}", named(files)));
    }
}
