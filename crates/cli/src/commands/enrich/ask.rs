//! `engine enrich try`.

use clap::Args;
use engine_app::enrich::{self, Tried};
use engine_app::error::{CommandError, Outcome};
use engine_core::enrich::{Hit, MOST_TOLD};
use engine_store::project::Project;
use serde_json::{Value, json};

use super::tell_mode;
use crate::table::aligned;
use crate::ui::Ui;

/// Show what a prompt would find, with scores; nobody is told
///
/// A score of 1.00 is the threshold that the index learnt; from there on an item is told, at most three of them.
#[derive(Debug, Args)]
#[command(
    name = "try",
    after_long_help = "Example:\n  engine enrich try \"why does the queue hold two locks\""
)]
pub(crate) struct EnrichTryArgs {
    /// The prompt, as a person would type it
    #[arg(required = true)]
    prompt: Vec<String>,
}

pub(super) fn run(args: &EnrichTryArgs, project: &Project, ui: &Ui) -> Outcome {
    let Tried { words, found, mode } = enrich::ask(project, &args.prompt.join(" "))?;
    let fits = |hit: &&Hit| hit.score >= 1.0 && !hit.is_retired;
    let told: Vec<_> = found.hits.iter().filter(fits).take(MOST_TOLD).map(|hit| hit.key).collect();
    if ui.is_json() {
        let passed = words.as_ref().err().map(|passed| passed.as_str());
        let hits: Vec<Value> = found
            .hits
            .iter()
            .map(|hit| {
                json!({"path": hit.path, "line": hit.line, "kind": hit.kind.as_str(), "text": hit.shown,
                    "score": hit.score, "matches": hit.matches, "told": told.contains(&hit.key), "retired": hit.is_retired})
            })
            .collect();
        ui.object(
            &json!({"version": 1, "words": words.unwrap_or_default(), "passed": passed, "items": found.items,
            "hits": hits, "mode": mode.as_str()}),
        );
        return Ok(());
    }
    let words = words.map_err(|passed| {
        CommandError::nothing(format!("nothing is looked up for this prompt: {}", passed.as_str()))
    })?;
    ui.line(format!("{} words in {} items: {}", words.len(), found.items, words.join(" ")));
    let row = |hit: &Hit| {
        let word = match (told.contains(&hit.key), hit.is_retired) {
            (true, _) => "told",
            (false, true) => "retired",
            (false, false) => "not told",
        };
        vec![
            format!("{:.2}", hit.score),
            word.to_owned(),
            format!("{}:{} – {}", hit.path, hit.line, hit.shown),
        ]
    };
    ui.text(&aligned(&found.hits.iter().map(row).collect::<Vec<_>>(), ""));
    if told.is_empty() {
        ui.line("nothing would be told: no score reaches 1.00");
    }
    tell_mode(mode, ui);
    Ok(())
}
