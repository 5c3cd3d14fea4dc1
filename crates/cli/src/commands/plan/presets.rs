//! `engine plan presets`: what the intent router begins with.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::plan::CommandContext;
use engine_app::plan::presets::presets;
use engine_core::plan::FORM;
use serde_json::{Value, json};

use crate::ui::Ui;

/// Print the kinds of tasks that the intent router begins with, or the form of its answer
///
/// TOML: `task_type`, workflow, guardrails and steps. Files in .engine/workflows/ add kinds, or replace those of the same name.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine plan presets\n  engine plan presets debug\n  engine plan presets --form"
)]
pub(crate) struct PlanPresetsArgs {
    /// The name of the plan
    pub(crate) name: Option<String>,
    /// An example of the YAML that engine plan new reads
    #[arg(long, conflicts_with = "name")]
    pub(crate) form: bool,
}

pub(super) fn run(args: &PlanPresetsArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    if args.form {
        if ui.is_json() {
            ui.object(&json!({"version": 1, "form": FORM}));
        } else {
            ui.text(FORM);
        }
        return Ok(());
    }
    let presets = presets(&context.project, args.name.as_deref())?;
    if ui.is_json() {
        let rows: Vec<Value> =
            presets.iter().map(|(name, text)| json!({"name": name, "toml": text})).collect();
        ui.object(&json!({"version": 1, "presets": rows}));
        return Ok(());
    }
    let texts: Vec<&str> = presets.values().map(|text| text.trim_end()).collect();
    ui.text(&format!("{}\n", texts.join("\n\n")));
    Ok(())
}
