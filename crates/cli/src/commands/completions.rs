//! `engine completions`.

use clap::CommandFactory;
use clap_complete::{Shell, generate};
use engine_app::error::Outcome;

use super::Cli;
use crate::ui::Ui;

pub(super) fn run(shell: Shell, ui: &Ui) -> Outcome {
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "engine", &mut script);
    ui.text(&String::from_utf8_lossy(&script));
    Ok(())
}
