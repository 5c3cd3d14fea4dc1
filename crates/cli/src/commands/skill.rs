//! `engine skill list | check | new`.

use clap::Subcommand;
use engine_app::error::Outcome;

use crate::ui::Ui;

mod check;
mod list;
mod matrix;
mod new;

/// List, check and make skills
#[derive(Debug, Subcommand)]
pub(crate) enum SkillCommand {
    /// List the skills that the client has here: where they come from, whether chains can hold them
    #[command(after_long_help = "Examples:\n  engine skill list\n  engine skill list --json")]
    List,
    Check(check::SkillCheckArgs),
    New(new::SkillNewArgs),
}

pub(super) fn run(command: &SkillCommand, ui: &Ui) -> Outcome {
    match command {
        SkillCommand::List => list::run(ui),
        SkillCommand::Check(args) => check::run(args, ui),
        SkillCommand::New(args) => new::run(args, ui),
    }
}
