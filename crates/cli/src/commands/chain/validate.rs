//! `engine chain validate`: what the parser makes of the prompts of recorded sessions.
//!
//! It counts, shows every chain with its parse and every doubtful prompt with the reason, and judges nothing: that is for
//! the reader.

use std::path::{Path, PathBuf};

use clap::Args;
use engine_app::chain::validate::{ChainPrompt, Validated, usual_folder, validate};
use engine_app::error::Outcome;
use engine_app::registry::Skills;
use engine_app::wording::counted;
use engine_core::chain::listed;
use engine_text::line::one_line;
use serde_json::{Value, json};

use super::entry_json;
use crate::ui::{Tone, Ui, toned};

/// How much of a prompt a line shows.
const SHOWN: usize = 100;

/// Run the parser over the prompts of recorded sessions
///
/// Reads the transcripts (*.jsonl) in a folder and below it; without one, all that the client keeps.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine chain validate\n  engine chain validate transcripts/ --json"
)]
pub(crate) struct ChainValidateArgs {
    pub(crate) folder: Option<PathBuf>,
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
    let Validated { transcripts, prompts, with_slash, chains, doubtful, unread } =
        validate(&folder, &Skills::here()?)?;
    if ui.is_json() {
        let rows = |seen: &[ChainPrompt]| seen.iter().map(row).collect::<Vec<Value>>();
        ui.object(
            &json!({"version": 1, "transcripts": transcripts, "prompts": prompts, "withSlash": with_slash,
            "chains": rows(&chains), "doubtful": rows(&doubtful), "unread": unread}),
        );
        return Ok(());
    }
    ui.line(format!(
        "{} in {}, {with_slash} with a slash: {}, {} doubtful",
        counted(prompts, "prompt"),
        counted(transcripts as u64, "transcript"),
        counted(chains.len() as u64, "chain"),
        doubtful.len()
    ));
    for seen in chains.iter().chain(&doubtful) {
        show(seen, &folder, ui);
    }
    for problem in unread {
        ui.talk(format!("{} {problem}", toned(Tone::Careful, "not read:")));
    }
    Ok(())
}

fn show(seen: &ChainPrompt, folder: &Path, ui: &Ui) {
    let below = seen.file.strip_prefix(folder).ok().filter(|path| !path.as_os_str().is_empty());
    let place = below.unwrap_or(&seen.file).display();
    let mark =
        if seen.parsed.is_some() { toned(Tone::Good, "chain") } else { toned(Tone::Careful, "doubtful") };
    ui.line(format!("{mark} {place}:{} {}", seen.prompt.line, one_line(&seen.prompt.text, SHOWN)));
    if let Some(parsed) = &seen.parsed {
        let typed = parsed.entries.len() - parsed.exits;
        let exits = if parsed.exits == 0 {
            String::new()
        } else {
            format!("; exits {}", listed(&parsed.entries[typed..]))
        };
        ui.line(format!("    {}{exits}", one_line(&listed(&parsed.entries[..typed]), 2 * SHOWN)));
    }
    for note in seen.reading.notes.iter().filter(|note| note.why.is_doubtful()) {
        ui.line(format!("    /{}: {}", note.name, note.why.text()));
    }
}

fn row(seen: &ChainPrompt) -> Value {
    let entries =
        seen.parsed.as_ref().map(|parsed| parsed.entries.iter().map(entry_json).collect::<Vec<_>>());
    let exits = seen.parsed.as_ref().map(|parsed| parsed.exits);
    let unknown = seen.parsed.as_ref().map(|parsed| parsed.unknown.clone()).unwrap_or_default();
    let doubts: Vec<Value> = seen
        .reading
        .notes
        .iter()
        .filter(|note| note.why.is_doubtful())
        .map(|note| json!({"name": note.name, "why": note.why.text()}))
        .collect();
    json!({"file": seen.file, "line": seen.prompt.line, "prompt": seen.prompt.text, "entries": entries, "exits": exits,
        "unknown": unknown, "doubts": doubts})
}
