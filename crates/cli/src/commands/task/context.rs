//! `engine task context`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::task::CommandContext;
use engine_app::task::context::{Context, context as of_task};
use serde_json::json;

use crate::ui::{Tone, Ui, toned};

/// Print the file as it was in the commit that brought a task
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine task context \"Fix login\"")]
pub(crate) struct TaskContextArgs {
    /// The name of the task
    pub(crate) name: String,
}

pub(super) fn run(args: &TaskContextArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let Context { name, commit, file, text } = of_task(context, &args.name)?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "task": name, "commit": commit, "file": file, "text": text}));
        return Ok(());
    }
    ui.talk(toned(Tone::Quiet, &format!("{file} at {}", &commit[..12.min(commit.len())])));
    ui.text(&text);
    Ok(())
}
