//! `engine runbook list`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::plan::CommandContext;
use engine_app::runbook::list::{Listed, list};
use engine_app::wording::counted;
use serde_json::json;

use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

/// List the runbooks of the project and how far each has come
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine runbook list\n  engine runbook list --json")]
pub(crate) struct RunbookListArgs {}

pub(super) fn run(_: &RunbookListArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let listed = list(&context.project);
    if ui.is_json() {
        ui.object(&json!({"version": 1, "runbooks": listed}));
    } else if listed.is_empty() {
        ui.talk("there is no runbook; engine runbook new NAME writes one");
    } else {
        let row = |Listed { name, steps, errors, state }: &Listed| {
            let some =
                |count: usize, what| if count > 0 { counted(count as u64, what) } else { String::new() };
            vec![toned(Tone::Strong, name), state.clone(), some(*steps, "step"), some(*errors, "error")]
        };
        ui.text(&aligned(&listed.iter().map(row).collect::<Vec<_>>(), ""));
    }
    Ok(())
}
