//! `engine runbook next` and `engine runbook start`.

use std::io::IsTerminal as _;

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::plan::CommandContext;
use engine_app::runbook::drive::{self, Next, NextTurn};
use serde_json::json;

use super::tell_notes;
use crate::ui::Ui;

/// Begin a prepared runbook in this session, and print the first call: the same as next NAME
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine runbook start greet")]
pub(crate) struct RunbookStartArgs {
    /// The runbook: NAME or plans/NAME
    pub(crate) name: String,
}

/// Print what comes next: the exact call that gives a step to its agent, or the command
///
/// With a name it begins the runbook in this session first. A step that a dead client left running is looked at before.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine runbook next plans/greet\n  engine runbook next\n  engine runbook next greet --copy"
)]
pub(crate) struct RunbookNextArgs {
    /// The runbook; none: the one that this session runs
    pub(crate) name: Option<String>,
    /// Copy `/orchestrate plans/NAME` for the next session, where the terminal takes it (OSC 52)
    #[arg(long)]
    pub(crate) copy: bool,
}

pub(super) fn run(name: Option<&str>, copy: bool, context: &mut CommandContext, ui: &Ui) -> Outcome {
    if copy {
        let name = engine_app::runbook::name_of(name.unwrap_or_default())?;
        return self::copy(&format!("/orchestrate plans/{name}"), ui);
    }
    let next = drive::next(context, name)?;
    tell_notes(&next.notes, ui);
    show(&next, ui);
    Ok(())
}

/// Hands a text to the clipboard of the person's terminal, which may be far away.
fn copy(text: &str, ui: &Ui) -> Outcome {
    if !std::io::stderr().is_terminal() {
        return Err(CommandError::refused("there is no terminal whose clipboard could take it").hint(text));
    }
    ui.clipboard(text);
    ui.line(format!("copied: {text}"));
    Ok(())
}

pub(in crate::commands) fn show(next: &Next, ui: &Ui) {
    if ui.is_json() {
        ui.object(&json!({"version": 1, "runbook": next}));
        return;
    }
    let listed = |steps: &[engine_core::plan::StepId]| {
        steps.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    let Next { plan, state, turn, .. } = next;
    match turn {
        NextTurn::Call { calls } => {
            for call in calls {
                ui.line(format!("plan {plan}, {state}. Step {}: make this call exactly", call.step));
                ui.line(&call.shown);
                ui.line(format!("when its result has come: engine runbook done {}", call.step));
            }
        }
        NextTurn::Done { step } => ui.line(format!("plan {plan}, {state}. Next: engine runbook done {step}")),
        NextTurn::Wait { steps } => {
            let steps = listed(steps);
            ui.line(format!(
                "plan {plan}, {state}. Step {steps} runs; its result comes by itself: end the turn"
            ));
        }
        NextTurn::Inline { step, text, files, source } => {
            ui.line(format!("plan {plan}, {state}. Step {step} is done here, by you: {text}"));
            if !files.is_empty() {
                ui.line(format!("files: {}", files.join(", ")));
            }
            ui.line(format!("what to do: {source}/runbook*.md; then: engine runbook done {step}"));
        }
        NextTurn::Halted { reason } => {
            ui.line(format!("plan {plan} is halted: {reason}"));
            ui.line("then: engine runbook resume; engine asks the user");
        }
        NextTurn::Close { open } => {
            ui.line(format!("plan {plan}: every step is done; then: engine plan close"));
            for line in open {
                ui.line(format!("- {line}"));
            }
        }
    }
}
