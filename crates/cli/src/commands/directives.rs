//! `engine directives status | new | review | add | mention`, and `engine discover-directives`.

use std::path::PathBuf;

use clap::Subcommand;
use engine_app::error::{CommandError, Outcome};
use engine_app::stdin;
use engine_core::directive::{TYPES, Type};

use crate::ui::Ui;

mod add;
pub(super) mod look;
mod new;
mod review;

#[derive(Debug, Subcommand)]
pub(crate) enum DirectivesCommand {
    /// Show the directives that count in a folder, and which of them an agent session was told
    #[command(
        after_long_help = "Examples:\n  engine directives status\n  engine directives status packages/api --json"
    )]
    Status(look::DirectivesStatusArgs),
    /// Make a directive file from its template; one that is there stays
    #[command(
        after_long_help = "Examples:\n  engine directives new AGENTS\n  engine directives new PITFALLS packages/api\n  engine directives new TESTING packages/api --text '- **Run all**: npm test'"
    )]
    New(new::DirectivesNewArgs),
    /// Propose what a work session leaves for the next agents: mentions, invariants, pitfalls
    ///
    /// Directive files that the AGENTS.md beside them does not mention; and what the session's logs mark: entries, and lines in them, that
    /// begin with `INV:` or `PTF:`. Each for the folder that the entry names, else for the root; at most five of each. Nothing is
    /// written: the user decides, then `engine directives add` and `mention` do it.
    #[command(
        after_long_help = "Examples:\n  engine directives review\n  engine directives review sessions/2026_02_07_AUTH --json"
    )]
    Review {
        /// The work session; nothing: the one that this agent session is bound to
        session: Option<String>,
    },
    /// Add one entry to the end of a directive file, which is made if need be; exit 3 if it is there
    #[command(
        after_long_help = "Examples:\n  engine directives add INVARIANTS --text 'Every write holds the lock. *Why*: two lost an entry.'\n  engine directives add PITFALLS packages/api --text -"
    )]
    Add(add::DirectivesAddArgs),
    /// Name the directives of a folder in the AGENTS.md beside them, where they are not; exit 3 if they are
    #[command(
        after_long_help = "Examples:\n  engine directives mention\n  engine directives mention packages/api"
    )]
    Mention {
        /// The folder; nothing: the project's root
        dir: Option<PathBuf>,
    },
}

fn kind(word: &str) -> Result<&'static Type, String> {
    Type::find(word).ok_or_else(|| format!("there are {}", names(|_| true)))
}

fn names(wanted: impl Fn(&Type) -> bool) -> String {
    let names: Vec<&str> = TYPES.iter().filter(|kind| wanted(kind)).map(|kind| kind.name).collect();
    names.join(", ")
}

pub(super) fn run(command: &DirectivesCommand, ui: &Ui) -> Outcome {
    match command {
        DirectivesCommand::Status(args) => look::status(args, ui),
        DirectivesCommand::New(args) => new::run(args, ui),
        DirectivesCommand::Review { session } => review::run(session.as_deref(), ui),
        DirectivesCommand::Add(args) => add::entry(args, ui),
        DirectivesCommand::Mention { dir } => add::mention(dir.as_deref(), ui),
    }
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
