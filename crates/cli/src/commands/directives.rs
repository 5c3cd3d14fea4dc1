//! `engine directives status | new | review | add | mention`, and `engine discover-directives`.

use engine_app::error::{CommandError, Outcome};
use engine_app::stdin;
use engine_core::directive::Type;

use crate::args::DirectivesCommand;
use crate::ui::Ui;

mod add;
mod look;
mod new;
mod place;
mod review;

pub(super) use look::discover;
use place::Place;

/// The type that names the others.
const AGENTS: &str = "AGENTS";

pub(super) fn run(command: &DirectivesCommand, ui: &Ui) -> Outcome {
    match command {
        DirectivesCommand::Status(args) => look::status(args, ui),
        DirectivesCommand::New(args) => new::run(args, ui),
        DirectivesCommand::Review { session } => review::run(session.as_deref(), ui),
        DirectivesCommand::Add(args) => add::entry(args, ui),
        DirectivesCommand::Mention { dir } => add::mention(dir.as_deref(), ui),
    }
}

/// Names of files, with commas between.
fn files(kinds: &[&Type]) -> String {
    kinds.iter().map(|kind| kind.file()).collect::<Vec<_>>().join(", ")
}

/// What an option says, or stdin for `-`.
fn given(text: &str) -> Result<String, CommandError> {
    let text = match text {
        "-" => stdin::read(stdin::FOR_A_CLIENT).map_err(|error| CommandError::refused(error.to_string()))?,
        text => text.to_owned(),
    };
    if text.trim().is_empty() {
        return Err(CommandError::usage("the text is empty"));
    }
    Ok(text)
}
