//! `engine runbook check`.

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::plan::CommandContext;
use engine_app::runbook::{find, is_here, name_of, problems};
use engine_app::wording::counted;
use engine_core::runbook::{Problem, Severity};
use serde_json::json;

use crate::ui::{Tone, Ui, toned};

/// Name everything that is wrong with a runbook, with file and line
///
/// Writes nothing. An error keeps it from being prepared; a warning does not.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine runbook check greet\n  engine runbook check plans/greet --json"
)]
pub(crate) struct RunbookCheckArgs {
    /// The runbook: NAME, plans/NAME or the path of its file
    pub(crate) name: String,
}

pub(super) fn run(args: &RunbookCheckArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let name = name_of(&args.name)?;
    is_here(&context.project)?;
    let found = find(&context.project, &name)?;
    let problems = problems(&found, context)?;
    let steps = found.reading.runbook.steps.len();
    let is_sound = !problems.iter().any(|problem| problem.severity == Severity::Error);
    if ui.is_json() {
        ui.object(&json!({"version": 1, "name": name, "steps": steps, "problems": problems}));
    } else {
        for Problem { path, line, severity, text } in &problems {
            let (word, tone) = match severity {
                Severity::Error => ("error", Tone::Bad),
                Severity::Warning => ("warning", Tone::Careful),
            };
            ui.line(format!("{path}:{line}: {}: {text}", toned(tone, word)));
        }
        if is_sound {
            ui.line(format!(
                "plans/{name}: {}; then: engine runbook prepare {name}",
                counted(steps as u64, "step")
            ));
        }
    }
    if is_sound { Ok(()) } else { Err(CommandError::already_told()) }
}
