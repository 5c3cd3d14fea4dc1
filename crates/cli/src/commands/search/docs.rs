//! `engine doc-search`.

use clap::{Args, Subcommand};
use engine_app::error::Outcome;
use engine_app::search::{Branches, Corpus};
use engine_core::search::Kind;

use super::{ask, index, status};
use crate::ui::Ui;

const KINDS: [Kind; 2] = [Kind::Docs, Kind::Decisions];

/// Search documentation: engine search --in docs,decisions, also on other branches
#[derive(Debug, Subcommand)]
pub(crate) enum DocSearchCommand {
    Query(DocQueryArgs),
    Index(index::SearchIndexArgs),
    /// Show what the index holds of documentation
    #[command(after_long_help = "Examples:\n  engine doc-search status\n  engine doc-search status --json")]
    Status,
}

/// Search documentation and decisions, as they are here or on other branches
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine doc-search query index format\n  engine doc-search query index format --branch main,next\n  engine doc-search query rollback --all-branches"
)]
pub(crate) struct DocQueryArgs {
    /// What to search for
    #[arg(required = true, value_name = "WORD")]
    pub(crate) words: Vec<String>,
    /// In these local branches, as git has them, instead of the files as they are
    #[arg(long, value_name = "BRANCH", value_delimiter = ',', conflicts_with_all = ["all_branches", "since", "until"])]
    pub(crate) branch: Vec<String>,
    /// In all local branches, and in the files as they are
    #[arg(long, conflicts_with_all = ["since", "until"])]
    pub(crate) all_branches: bool,
    #[command(flatten)]
    pub(crate) filter: ask::FilterArgs,
}

pub(in crate::commands) fn run(command: &DocSearchCommand, ui: &Ui) -> Outcome {
    let corpus = Corpus::here()?;
    match command {
        DocSearchCommand::Query(args) => {
            let branches = match (args.all_branches, args.branch.is_empty()) {
                (true, _) => Branches::All,
                (false, true) => Branches::Tree,
                (false, false) => Branches::Named(args.branch.clone()),
            };
            let question = args.filter.question(&args.words, KINDS.to_vec(), branches);
            ask::run(&question, args.filter.explain, &corpus, ui)
        }
        DocSearchCommand::Index(args) => index::run(args, &corpus, &KINDS, ui),
        DocSearchCommand::Status => status::run(&corpus, &KINDS, ui),
    }
}
