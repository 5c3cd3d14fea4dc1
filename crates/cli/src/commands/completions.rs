//! `engine completions`.

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};
use engine_app::error::Outcome;

use super::Cli;
use crate::ui::Ui;

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(
    after_long_help = "Example:\n  engine completions bash > ~/.local/share/bash-completion/completions/engine"
)]
pub(crate) struct CompletionsArgs {
    /// The shell to complete in
    pub(crate) shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs, ui: &Ui) -> Outcome {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "engine", &mut script);
    ui.text(&String::from_utf8_lossy(&script));
    Ok(())
}
