//! `engine task start | done | block | fail | cancel | reopen`.

use clap::Subcommand;
use engine_app::error::Outcome;
use engine_app::task::{CommandContext, state};

use super::tell;
use crate::ui::Ui;

#[derive(Debug, Subcommand)]
pub(crate) enum TaskStateCommand {
    /// Mark a task as in progress; without a name the next one
    #[command(after_long_help = "Examples:\n  engine task start\n  engine task start \"Fix login\"")]
    Start {
        /// The name of the task
        name: Option<String>,
        /// Also if another task of yours is in progress
        #[arg(long)]
        parallel: bool,
    },
    /// Mark a task as done; without a name the one in progress
    #[command(after_long_help = "Examples:\n  engine task done\n  engine task done \"Fix login\"")]
    Done {
        /// The name of the task
        name: Option<String>,
    },
    /// Mark a task as blocked, with the reason
    #[command(after_long_help = "Example:\n  engine task block \"Publish crate\" \"waiting for the key\"")]
    Block {
        /// The name of the task
        name: String,
        /// Why, in a sentence
        reason: String,
    },
    /// Mark a task as failed, with the reason
    #[command(after_long_help = "Example:\n  engine task fail \"Port it\" \"the API is gone\"")]
    Fail {
        /// The name of the task
        name: String,
        /// Why, in a sentence
        reason: String,
    },
    /// Mark a task as cancelled
    #[command(after_long_help = "Example:\n  engine task cancel \"Old idea\"")]
    Cancel {
        /// The name of the task
        name: String,
    },
    /// Make a task pending again
    #[command(after_long_help = "Example:\n  engine task reopen \"Fix login\"")]
    Reopen {
        /// The name of the task
        name: String,
    },
}

pub(super) fn run(command: &TaskStateCommand, context: &CommandContext, ui: &Ui) -> Outcome {
    let changed = match command {
        TaskStateCommand::Start { name, parallel } => state::start(context, name.as_deref(), *parallel)?,
        TaskStateCommand::Done { name } => state::done(context, name.as_deref())?,
        TaskStateCommand::Block { name, reason } => state::block(context, name, reason)?,
        TaskStateCommand::Fail { name, reason } => state::fail(context, name, reason)?,
        TaskStateCommand::Cancel { name } => state::cancel(context, name)?,
        TaskStateCommand::Reopen { name } => state::reopen(context, name)?,
    };
    let state = changed.task.as_ref().map(|task| task.state.as_str()).unwrap_or_default();
    tell(&changed, &format!("{}: {state}", changed.name), ui)
}
