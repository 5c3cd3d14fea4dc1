//! `engine directives status | new | review | add | mention`, and `engine discover-directives`.

use clap::Subcommand;
use engine_app::error::{CommandError, Outcome};
use engine_app::stdin;
use engine_core::directive::{TYPES, Type};

use crate::ui::Ui;

mod add;
pub(super) mod discover;
mod mention;
mod new;
mod review;
mod status;

/// Directives: what agents are told about the folders they work in
///
/// Files in .directives/ at any level: AGENTS.md, INVARIANTS.md and ARCHITECTURE.md for everybody; TESTING.md, PITFALLS.md,
/// CONTRIBUTING.md, TEMPLATE.md and CHECKLIST.md for skills that declare them, with the first change to a folder.
#[derive(Debug, Subcommand)]
pub(crate) enum DirectivesCommand {
    Status(status::DirectivesStatusArgs),
    New(new::DirectivesNewArgs),
    Review(review::DirectivesReviewArgs),
    Add(add::DirectivesAddArgs),
    Mention(mention::DirectivesMentionArgs),
}

pub(super) fn run(command: &DirectivesCommand, ui: &Ui) -> Outcome {
    match command {
        DirectivesCommand::Status(args) => status::run(args, ui),
        DirectivesCommand::New(args) => new::run(args, ui),
        DirectivesCommand::Review(args) => review::run(args, ui),
        DirectivesCommand::Add(args) => add::run(args, ui),
        DirectivesCommand::Mention(args) => mention::run(args, ui),
    }
}

fn kind(word: &str) -> Result<&'static Type, String> {
    Type::find(word).ok_or_else(|| format!("there are {}", names(|_| true)))
}

fn names(wanted: impl Fn(&Type) -> bool) -> String {
    let names: Vec<&str> = TYPES.iter().filter(|kind| wanted(kind)).map(|kind| kind.name).collect();
    names.join(", ")
}

/// What an option says, or stdin for `-`.
fn given(text: &str) -> Result<String, CommandError> {
    let text = match text {
        "-" => stdin::read(stdin::FOR_A_CLIENT).map_err(CommandError::from_error)?,
        text => text.to_owned(),
    };
    if text.trim().is_empty() {
        return Err(CommandError::usage("the text is empty"));
    }
    Ok(text)
}
