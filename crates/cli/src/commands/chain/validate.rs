//! `engine chain validate`: what the parser makes of the prompts of recorded sessions.
//!
//! It counts, shows every chain with its parse, every possible miss and every doubtful prompt with the reason, and judges
//! nothing: that is for the reader.

use std::path::{Path, PathBuf};

use clap::Args;
use engine_app::chain::labels::{Rate, label};
use engine_app::chain::validate::{ChainPrompt, usual_folder, validate};
use engine_app::error::Outcome;
use engine_app::registry::Skills;
use engine_app::wording::counted;
use engine_text::line::one_line;
use serde_json::{Value, json};

use super::entry_json;
use crate::ui::{Tone, Ui, toned};

/// How much of a prompt a line shows.
const SHOWN: usize = 100;

/// Run the parser over the prompts of recorded sessions
///
/// Reads the transcripts (*.jsonl) in a folder and below it; without one, all that the client keeps. A miss is a prompt in which a known skill was read as text and may have been meant as an entry.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine chain validate\n  engine chain validate transcripts/ --json\n  engine chain validate --label verdicts.jsonl"
)]
pub(crate) struct ChainValidateArgs {
    /// The folder with transcripts
    pub(crate) folder: Option<PathBuf>,
    /// Add the prompts to this file (one JSON object per line), where you write yes (read right) or no as their verdict, and print the rates
    #[arg(long, value_name = "FILE")]
    pub(crate) label: Option<PathBuf>,
}

pub(super) fn run(args: &ChainValidateArgs, ui: &Ui) -> Outcome {
    let folder = match &args.folder {
        Some(folder) => folder.clone(),
        None => usual_folder()?,
    };
    if args.folder.is_none() && !folder.exists() {
        ui.line(format!("no transcripts: {} is not there", folder.display()));
        return Ok(());
    }
    let found = validate(&folder, &Skills::here()?)?;
    let rates = args.label.as_ref().map(|file| label(file, &found)).transpose()?;
    if ui.is_json() {
        let rate = |rate: &Rate| json!({"wrong": rate.wrong, "judged": rate.judged});
        let rates = rates.map(|rates| {
            json!({"falsePositives": rate(&rates.false_positives), "misses": rate(&rates.misses), "unjudged": rates.unjudged})
        });
        ui.object(&json!({"version": 1, "transcripts": found.transcripts, "prompts": found.prompts,
            "withSlash": found.with_slash, "chains": found.chains.iter().map(row).collect::<Vec<Value>>(),
            "doubtful": found.doubtful.iter().map(row).collect::<Vec<Value>>(), "unread": found.unread, "rates": rates}));
        return Ok(());
    }
    let misses = found.misses().count();
    ui.line(format!(
        "{} in {}, {} with a slash: {}, {misses} possible {}, {} doubtful",
        counted(found.prompts, "prompt"),
        counted(found.transcripts as u64, "transcript"),
        found.with_slash,
        counted(found.chains.len() as u64, "chain"),
        if misses == 1 { "miss" } else { "misses" },
        found.doubtful.iter().filter(|seen| !seen.may_be_missed()).count()
    ));
    let doubtful = found.doubtful.iter().filter(|seen| !seen.may_be_missed());
    for seen in found.plain_chains().chain(found.misses()).chain(doubtful) {
        show(seen, &folder, ui);
    }
    if let Some(rates) = rates {
        for (what, rate) in [("false positives", &rates.false_positives), ("misses", &rates.misses)] {
            ui.line(format!("{what}: {} of {} judged", rate.wrong, rate.judged));
        }
        ui.line(format!("not judged: {}", rates.unjudged));
    }
    for problem in found.unread {
        ui.talk(format!("{} {problem}", toned(Tone::Careful, "not read:")));
    }
    Ok(())
}

fn show(seen: &ChainPrompt, folder: &Path, ui: &Ui) {
    let below = seen.file.strip_prefix(folder).ok().filter(|path| !path.as_os_str().is_empty());
    let place = below.unwrap_or(&seen.file).display();
    let mark = match (&seen.parsed, seen.may_be_missed()) {
        (_, true) => toned(Tone::Careful, "miss?"),
        (Some(_), false) => toned(Tone::Good, "chain"),
        (None, false) => toned(Tone::Careful, "doubtful"),
    };
    ui.line(format!("{mark} {place}:{} {}", seen.prompt.line, one_line(&seen.prompt.text, SHOWN)));
    if seen.parsed.is_some() {
        ui.line(format!("    {}", one_line(&seen.shown(), 3 * SHOWN)));
    }
    for (name, why) in seen.doubts() {
        ui.line(format!("    /{name}: {why}"));
    }
}

fn row(seen: &ChainPrompt) -> Value {
    let parsed = seen.parsed.as_ref();
    let entries = parsed.map(|parsed| parsed.entries.iter().map(entry_json).collect::<Vec<_>>());
    let doubts: Vec<Value> = seen.doubts().map(|(name, why)| json!({"name": name, "why": why})).collect();
    json!({"file": seen.file, "line": seen.prompt.line, "prompt": seen.prompt.text, "entries": entries,
        "exits": parsed.map(|parsed| parsed.exits), "mayBeMissed": seen.may_be_missed(), "doubts": doubts,
        "unknown": parsed.map(|parsed| parsed.unknown.clone()).unwrap_or_default()})
}
