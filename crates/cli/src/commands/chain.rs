//! `engine chain parse | peel | show | next | return | drop | fail | retry | skip | resume | take | validate`.

use clap::{Args, Subcommand};
use engine_app::chain::Running;
use engine_app::error::{CommandError, Outcome};
use engine_app::here::project;
use engine_app::stdin;
use engine_core::chain::Entry;
use serde_json::{Value, json};

use crate::ui::Ui;

mod drop;
mod fail;
mod go_on;
mod next;
mod parse;
mod peel;
mod returned;
mod show;
mod take;
mod validate;

/// Read, show and end chains of skills
#[derive(Debug, Subcommand)]
pub(crate) enum ChainCommand {
    Parse(parse::ChainParseArgs),
    Peel(peel::ChainPeelArgs),
    /// Show the chain of the session
    #[command(after_long_help = "Examples:\n  engine chain show\n  engine chain show --session 3f2a")]
    Show(ChainSession),
    /// Print the Skill call for the next entry
    #[command(after_long_help = "Example:\n  engine chain next")]
    Next(ChainSession),
    Return(returned::ChainReturnArgs),
    /// End the chain of the session
    #[command(after_long_help = "Example:\n  engine chain drop")]
    Drop(ChainSession),
    Fail(fail::ChainFailArgs),
    /// Call the entry that failed again
    #[command(after_long_help = "Example:\n  engine chain retry")]
    Retry(ChainSession),
    /// Go on without the entry that failed, else without the next one; an agent needs your approval
    #[command(after_long_help = "Example:\n  engine chain skip")]
    Skip(ChainSession),
    /// Go on with a chain that waits for an answer, has failed, or offers its exits
    #[command(after_long_help = "Example:\n  engine chain resume")]
    Resume(ChainSession),
    Take(take::ChainTakeArgs),
    Validate(validate::ChainValidateArgs),
}

/// Whose chain.
#[derive(Debug, Args)]
pub(crate) struct ChainSession {
    /// The agent session (the beginning of its id is enough); nothing: this one, or the only one with a chain
    #[arg(long)]
    pub(crate) session: Option<String>,
}

impl ChainSession {
    fn find(&self) -> Result<Running, CommandError> {
        Running::find(&project()?, self.session.as_deref())
    }
}

pub(super) fn run(command: &ChainCommand, ui: &Ui) -> Outcome {
    match command {
        ChainCommand::Parse(args) => parse::run(args, ui),
        ChainCommand::Peel(args) => peel::run(args, ui),
        ChainCommand::Show(whose) => show::run(whose, ui),
        ChainCommand::Next(whose) => next::run(whose, ui),
        ChainCommand::Return(args) => returned::run(args, ui),
        ChainCommand::Drop(whose) => drop::run(whose, ui),
        ChainCommand::Fail(args) => fail::run(args, ui),
        ChainCommand::Retry(whose) => go_on::retry(whose, ui),
        ChainCommand::Skip(whose) => go_on::skip(whose, ui),
        ChainCommand::Resume(whose) => go_on::resume(whose, ui),
        ChainCommand::Take(args) => take::run(args, ui),
        ChainCommand::Validate(args) => validate::run(args, ui),
    }
}

/// The text of a command: its argument, else stdin, without the line end that a shell puts there.
fn input(text: Option<&str>) -> Result<String, CommandError> {
    if let Some(text) = text {
        return Ok(text.to_owned());
    }
    let mut text =
        stdin::read(stdin::FOR_A_COMMAND).map_err(|error| CommandError::usage(error.to_string()))?;
    if text.ends_with('\n') {
        text.pop();
    }
    Ok(text)
}

fn entry_json(entry: &Entry) -> Value {
    json!({"skill": entry.skill, "args": entry.args})
}
