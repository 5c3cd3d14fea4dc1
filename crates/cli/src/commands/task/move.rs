//! `engine task move`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::task::{self, CommandContext, Destination};

use super::tell;
use crate::ui::Ui;

/// Put a task somewhere else; without a place to the end of its section
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine task move \"Fix login\" --first\n  engine task move \"Fix login\" --after \"Write docs\""
)]
pub(crate) struct TaskMoveArgs {
    /// The name of the task
    pub(crate) name: String,
    /// In front of the others
    #[arg(long, conflicts_with_all = ["before", "after"])]
    pub(crate) first: bool,
    /// In front of this task
    #[arg(long, conflicts_with = "after")]
    pub(crate) before: Option<String>,
    /// Behind this task
    #[arg(long)]
    pub(crate) after: Option<String>,
    /// Into this section
    #[arg(long, value_parser = super::section, conflicts_with_all = ["before", "after"])]
    pub(crate) section: Option<String>,
}

pub(super) fn run(args: &TaskMoveArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let section = args.section.as_deref();
    let to = match (args.before.as_deref(), args.after.as_deref()) {
        (Some(other), _) => Destination::Before(other),
        (None, Some(other)) => Destination::After(other),
        (None, None) if args.first => Destination::First(section),
        (None, None) => Destination::Last(section),
    };
    let moved = task::relocate(context, &args.name, to)?;
    tell(&moved, &format!("moved {}", moved.name), ui)
}
