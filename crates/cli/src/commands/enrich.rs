//! `engine enrich index | try | report`.

use clap::Subcommand;
use engine_app::error::Outcome;
use engine_app::here::project;
use engine_rules::Mode;

use crate::ui::Ui;

mod ask;
mod index;
mod report;

/// What of the project's notes is named to the agent with a prompt: the index, a trial, and whether it is of use
///
/// The rule enrich is off until you switch it on: engine config set rules.enrich shadow
#[derive(Debug, Subcommand)]
pub(crate) enum EnrichCommand {
    /// Make the index anew, from notes, learnings, decisions and closed plans
    ///
    /// It follows by itself when a session begins or ends and when a note, a learning or a plan is kept. Items that were told five times and
    /// never read are retired; an edit of the item brings it back.
    #[command(after_long_help = "Example:\n  engine enrich index")]
    Index,
    Try(ask::EnrichTryArgs),
    /// Show what became of what was told: was the file read within the turn?
    ///
    /// From the journal, so as far back as `journal.keep_days`. What a rule in shadow would have told is counted apart.
    #[command(after_long_help = "Examples:\n  engine enrich report\n  engine enrich report --json")]
    Report,
}

pub(super) fn run(command: &EnrichCommand, ui: &Ui) -> Outcome {
    let project = project()?;
    match command {
        EnrichCommand::Index => index::run(&project, ui),
        EnrichCommand::Try(args) => ask::run(args, &project, ui),
        EnrichCommand::Report => report::run(&project, ui),
    }
}

/// Says that nobody is told anything, and how to change that.
fn tell_mode(mode: Mode, ui: &Ui) {
    match mode {
        Mode::On => {}
        Mode::Shadow => ui.talk("rules.enrich is in shadow: the model is told nothing, the journal has what it would be"),
        Mode::Off => ui.talk("rules.enrich is off: the model is told nothing. To try it: engine config set rules.enrich shadow"),
    }
}
