//! `engine task add`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::task::{self, CommandContext};
use engine_core::task::{Meta, Place};

use super::tell;
use crate::ui::Ui;

/// Add a task
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine task add \"Fix login bug\"\n  engine task add \"Port the lexer\" --command \"/plan-adhoc plans/lexer.md\" --model opus"
)]
pub(crate) struct TaskAddArgs {
    /// The name of the task
    pub(crate) name: String,
    /// What starts it
    #[arg(long)]
    pub(crate) command: Option<String>,
    /// The model it is meant for
    #[arg(long, value_parser = super::model)]
    pub(crate) model: Option<String>,
    /// It wants a new session
    #[arg(long)]
    pub(crate) restart: bool,
    /// Names of tasks that must be done before, with commas between them
    #[arg(long, value_delimiter = ',')]
    pub(crate) needs: Vec<String>,
    /// Pending Tasks, In-tree Tasks or Worktree Tasks
    #[arg(long, value_parser = super::section)]
    pub(crate) section: Option<String>,
    /// In front of the others
    #[arg(long)]
    pub(crate) first: bool,
}

pub(super) fn run(args: &TaskAddArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let meta = Meta {
        name: args.name.clone(),
        command: args.command.clone(),
        model: args.model.as_deref().map(str::to_lowercase),
        restart: args.restart,
        needs: args.needs.clone(),
        ..Meta::default()
    };
    let place = if args.first { Place::First } else { Place::Last };
    let added = task::add(context, meta, args.section.as_deref(), place)?;
    tell(&added, &format!("added {} in {}", added.name, context.name()), ui)
}
