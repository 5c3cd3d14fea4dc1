//! `engine session-search`.

use clap::{Args, Subcommand};
use engine_app::error::Outcome;
use engine_app::search::{Branches, Corpus};
use engine_core::search::Kind;

use super::{ask, index, status};
use crate::ui::Ui;

const KINDS: [Kind; 1] = [Kind::Sessions];

/// Search work sessions: engine search --in sessions
#[derive(Debug, Subcommand)]
pub(crate) enum SessionSearchCommand {
    Query(SessionQueryArgs),
    Index(index::SearchIndexArgs),
    /// Show what the index holds of work sessions
    #[command(
        after_long_help = "Examples:\n  engine session-search status\n  engine session-search status --json"
    )]
    Status,
}

/// Search logs, plans, debriefs, dialogues and requests of work sessions
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine session-search query token refresh --since 2w\n  engine session-search query lock --type decision,pitfall --json"
)]
pub(crate) struct SessionQueryArgs {
    /// What to search for
    #[arg(required = true, value_name = "WORD")]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) filter: ask::FilterArgs,
}

pub(in crate::commands) fn run(command: &SessionSearchCommand, ui: &Ui) -> Outcome {
    let corpus = Corpus::here()?;
    match command {
        SessionSearchCommand::Query(args) => {
            let question = args.filter.question(&args.words, KINDS.to_vec(), Branches::Tree);
            ask::run(&question, args.filter.explain, &corpus, ui)
        }
        SessionSearchCommand::Index(args) => index::run(args, &corpus, &KINDS, ui),
        SessionSearchCommand::Status => status::run(&corpus, &KINDS, ui),
    }
}
