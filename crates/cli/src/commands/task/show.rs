//! `engine task show`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::task::{CommandContext, one};
use engine_core::task::{State, TaskFile};
use engine_store::task_owners::Owners;
use serde_json::json;

use super::object;
use crate::ui::{Tone, Ui, toned};

/// Show a task as it stands in the file
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine task show \"Fix login\"")]
pub(crate) struct TaskShowArgs {
    /// The name of the task
    pub(crate) name: String,
}

pub(super) fn run(args: &TaskShowArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let text = context.text()?;
    let file = TaskFile::parse(&text);
    let task = one(&file, &args.name)?;
    let owners = Owners::load(&context.project, &context.path);
    let owner = owners.owner(&task.meta.name).filter(|_| task.state == State::InProgress);
    if ui.is_json() {
        let mut object = object(task);
        object["owner"] = owner.into();
        ui.object(&json!({"version": 1, "task": object}));
        return Ok(());
    }
    ui.line(toned(Tone::Quiet, &format!("{}:{}", context.name(), task.line)));
    for line in file.lines_of(task) {
        ui.line(line);
    }
    if let Some(owner) = owner {
        ui.line(format!("in progress in session {owner}"));
    }
    Ok(())
}
