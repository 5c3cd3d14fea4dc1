//! `engine runbook status`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::plan::CommandContext;
use engine_app::runbook::status::{StepStatus, status};
use serde_json::json;

use crate::table::aligned;
use crate::ui::Ui;

/// Show each step of a run: its state, model and tries
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine runbook status\n  engine runbook status greet --json")]
pub(crate) struct RunbookStatusArgs {
    /// The runbook; none: the one that this session runs, or the only open one
    pub(crate) name: Option<String>,
}

pub(super) fn run(args: &RunbookStatusArgs, context: &mut CommandContext, ui: &Ui) -> Outcome {
    let (_, status) = status(context, args.name.as_deref())?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "run": status}));
        return Ok(());
    }
    ui.line(format!("plan {}: {}", status.plan, status.state));
    if let Some(halted) = &status.halted {
        ui.line(format!("halted: {halted}"));
    }
    let row = |step: &StepStatus| {
        let tries = if step.tries > 1 { format!("{} tries", step.tries) } else { String::new() };
        let model = step.used.as_ref().or(step.model.as_ref()).cloned().unwrap_or_default();
        vec![step.step.clone(), step.state.clone(), step.text.clone(), model, tries]
    };
    ui.text(&aligned(&status.steps.iter().map(row).collect::<Vec<_>>(), ""));
    Ok(())
}
