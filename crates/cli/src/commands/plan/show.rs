//! `engine plan show`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::plan::CommandContext;
use engine_app::plan::drift::Drift;
use engine_app::time;
use engine_core::plan::shown;
use serde_json::{Value, json};

use crate::ui::Ui;

/// Show a plan: criteria, steps, growth, edits outside of its scope, failed checks
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine plan show\n  engine plan show fix-login --json")]
pub(crate) struct PlanShowArgs {
    /// The name of the plan
    pub(crate) name: Option<String>,
}

pub(super) fn run(args: &PlanShowArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let (_, plan) = match args.name.as_deref() {
        Some(name) => context.existing(name)?,
        None => context.found()?,
    };
    let drift = Drift::of(&plan, context)?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "plan": plan, "drift": drift_object(&drift)}));
        return Ok(());
    }
    ui.line(shown(&plan, time::shown).trim_end());
    section("Drift:", &drift.lines(), ui);
    Ok(())
}

pub(super) fn drift_object(drift: &Drift) -> Value {
    let growth = drift.growth.map(|(from, to)| json!({"from": from, "to": to}));
    let besides = drift.besides.iter().map(|(step, files)| json!({"step": step, "files": files}));
    json!({"growth": growth, "outsideScope": drift.outside, "besidesFiles": besides.collect::<Vec<_>>(), "failedChecks": drift.failed_checks, "todos": drift.todos, "notInPlan": drift.strange, "skillsNeverCalled": drift.uncalled})
}

/// Lines below a title; nothing without lines.
pub(super) fn section(title: &str, lines: &[String], ui: &Ui) {
    if !lines.is_empty() {
        ui.line(format!("\n{title}"));
    }
    for line in lines {
        ui.line(format!("- {line}"));
    }
}
