//! `engine recall`.

use clap::Args;
use engine_app::error::{CommandError, Failure, Outcome};
use engine_app::search::{Corpus, recall, untold};
use engine_store::clock;
use serde_json::json;

use crate::ui::Ui;

/// Tell what is known about a request: notes, learnings, decisions, closed plans
///
/// One line each, with its place and age, 1,200 bytes at most: facts for a model. What has too few of the words is left out. engine
/// search searches everything. Exit codes: 0 something is known, 3 nothing is, 1 the search failed.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine recall add dark mode to the settings page\n  engine recall why no sqlite --limit 3 --json"
)]
pub(crate) struct RecallArgs {
    /// What it is about, in words
    #[arg(required = true, value_name = "WORD")]
    pub(crate) words: Vec<String>,
    /// How many facts
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=20))]
    pub(crate) limit: u8,
}

pub(super) fn run(args: &RecallArgs, ui: &Ui) -> Outcome {
    let corpus = Corpus::here()?;
    if let Some(why) = untold(&corpus) {
        ui.talk(why);
    }
    let facts = recall(&corpus, &args.words.join(" "), args.limit.into())?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "facts": facts}));
    }
    if facts.is_empty() {
        let nothing = "nothing is known about this; engine search looks through everything";
        let error = if ui.is_json() { CommandError::already_told() } else { CommandError::nothing(nothing) };
        return Err(error.of(Failure::Nothing));
    }
    if !ui.is_json() {
        for fact in &facts {
            ui.line(fact.shown(clock::now()));
        }
    }
    Ok(())
}
