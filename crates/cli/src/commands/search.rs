//! `engine search`, and its parts that `engine session-search` and `engine doc-search` share.

use clap::{Args, Subcommand};
use engine_app::error::Outcome;
use engine_app::search::{Branches, Corpus};
use engine_core::search::Kind;

use crate::ui::Ui;

pub(super) mod ask;
pub(super) mod docs;
mod filter;
mod hits;
pub(super) mod index;
mod index_progress;
mod model;
mod object;
pub(super) mod sessions;
mod standing;
pub(super) mod status;

/// Search work sessions, documentation, notes, learnings, decisions, the queue and plans
///
/// Words are words: quotes and operators mean nothing, and every word counts. Each hit is one section, log entry or learning, with its
/// place. The index is brought up to date first, within 50 ms. A query that begins with the name of a subcommand follows --.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine search lock waits\n  engine search token refresh --in sessions,decisions --since 2w\n  engine search why sqlite --type decision --json\n  engine search -- index size"
)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct SearchArgs {
    #[command(subcommand)]
    pub(crate) command: Option<SearchCommand>,
    /// What to search for
    #[arg(required = true, value_name = "WORD")]
    pub(crate) words: Vec<String>,
    /// Only these kinds: sessions, docs, notes, learnings, decisions, queue, plans
    #[arg(long = "in", value_name = "KIND", value_delimiter = ',', value_parser = kind)]
    pub(crate) kinds: Vec<Kind>,
    #[command(flatten)]
    pub(crate) filter: ask::FilterArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SearchCommand {
    Index(index::SearchIndexArgs),
    /// Show what the index holds, how far behind it is, and what was left out
    #[command(after_long_help = "Examples:\n  engine search status\n  engine search status --json")]
    Status,
    #[command(subcommand)]
    Model(model::ModelCommand),
}

pub(super) fn run(args: &SearchArgs, ui: &Ui) -> Outcome {
    match &args.command {
        // The model is for all projects, and may be installed outside of one.
        Some(SearchCommand::Model(command)) => model::run(command, ui),
        Some(SearchCommand::Index(args)) => index::run(args, &Corpus::here()?, &Kind::ALL, ui),
        Some(SearchCommand::Status) => status::run(&Corpus::here()?, &Kind::ALL, ui),
        None => {
            let question = args.filter.question(&args.words, args.kinds.clone(), Branches::Tree);
            ask::run(&question, args.filter.explain, &Corpus::here()?, ui)
        }
    }
}

fn kind(word: &str) -> Result<Kind, String> {
    Kind::named(word).ok_or_else(|| format!("the kinds are {}", Kind::choices()))
}
