//! `engine completions`.

use clap::CommandFactory;
use clap_complete::{Shell, generate};

use crate::args::Cli;
use crate::error::Outcome;
use crate::ui::Ui;

pub(super) fn run(shell: Shell, ui: &Ui) -> Outcome {
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "engine", &mut script);
    ui.text(&String::from_utf8_lossy(&script));
    Ok(())
}
