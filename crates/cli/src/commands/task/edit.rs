//! `engine task edit`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::task::{self, CommandContext, Edit};

use super::tell;
use crate::ui::Ui;

/// Change what a task's line says
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine task edit \"Fix login\" --model opus\n  engine task edit \"Fix login\" --rename \"Fix the login page\""
)]
pub(crate) struct TaskEditArgs {
    /// The name of the task
    pub(crate) name: String,
    /// Another name
    #[arg(long)]
    pub(crate) rename: Option<String>,
    /// What starts it; empty: nothing
    #[arg(long)]
    pub(crate) command: Option<String>,
    /// The model it is meant for
    #[arg(long, value_parser = super::model)]
    pub(crate) model: Option<String>,
    /// Whether it wants a new session
    #[arg(long)]
    pub(crate) restart: Option<bool>,
    /// Names of tasks that must be done before, with commas between them; empty: none
    #[arg(long)]
    pub(crate) needs: Option<String>,
}

pub(super) fn run(args: &TaskEditArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let edit = Edit {
        rename: args.rename.as_deref(),
        command: args.command.as_deref(),
        model: args.model.as_deref(),
        restart: args.restart,
        needs: args.needs.as_deref(),
    };
    let changed = task::edit(context, &args.name, &edit)?;
    tell(&changed, &format!("changed {}", changed.name), ui)
}
