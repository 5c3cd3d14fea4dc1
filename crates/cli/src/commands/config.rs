//! `engine config show | get | set | diff | accept`.

use clap::Subcommand;
use engine_app::error::Outcome;
use engine_app::here::project;
use engine_rules::Rule;

use crate::ui::Ui;

mod accept;
mod diff;
mod get;
mod set;
mod show;

/// Show and set the configuration
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    Show(show::ConfigShowArgs),
    Get(get::ConfigGetArgs),
    Set(set::ConfigSetArgs),
    Diff(diff::ConfigDiffArgs),
    Accept(accept::ConfigAcceptArgs),
}

pub(super) fn run(command: &ConfigCommand, rules: &[Rule], ui: &Ui) -> Outcome {
    let project = project()?;
    match command {
        ConfigCommand::Show(args) => show::run(args, &project, ui),
        ConfigCommand::Get(args) => get::run(args, &project, ui),
        ConfigCommand::Set(args) => set::run(args, &project, rules, ui),
        ConfigCommand::Diff(_) => diff::run(&project, ui),
        ConfigCommand::Accept(args) => accept::run(args, &project, ui),
    }
}
