//! `engine runbook new`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::plan::CommandContext;
use engine_app::runbook::{name_of, new};
use serde_json::json;

use crate::ui::Ui;

/// Write a template to plans/NAME/runbook.md
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine runbook new greet\n  engine runbook new greet --tdd")]
pub(crate) struct RunbookNewArgs {
    /// Small letters, digits and hyphens
    pub(crate) name: String,
    /// Cycles with a test that fails first, in place of steps
    #[arg(long)]
    pub(crate) tdd: bool,
}

pub(super) fn run(args: &RunbookNewArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let name = name_of(&args.name)?;
    let path = new::new(&context.project, &name, args.tdd)?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": path}));
    } else {
        ui.line(format!("{path} is written; fill it in, then: engine runbook check {name}"));
    }
    Ok(())
}
