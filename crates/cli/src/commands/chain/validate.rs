//! `engine chain validate`: what the parser makes of the prompts of recorded sessions.
//!
//! It counts, shows every chain with its parse and every doubtful prompt with the reason, and judges nothing: that is for
//! the reader.

use std::path::{Path, PathBuf};

use engine_app::error::{CommandError, Outcome};
use engine_app::registry::Skills;
use engine_app::wording::counted;
use engine_claude::transcript::{self, Prompt};
use engine_core::chain::{Reading, explain, listed};
use engine_text::line::one_line;
use serde_json::{Value, json};

use super::{Parsed, entry_json, with_exits};
use crate::ui::{Tone, Ui, toned};

/// How much of a prompt a line shows.
const SHOWN: usize = 100;

struct Seen {
    file: PathBuf,
    prompt: Prompt,
    reading: Reading,
    parsed: Option<Parsed>,
}

pub(super) fn run(asked: Option<&Path>, ui: &Ui) -> Outcome {
    let folder = match asked {
        Some(folder) => folder.to_owned(),
        None => {
            transcript::folder().ok_or_else(|| CommandError::refused("no home folder: HOME is not set"))?
        }
    };
    let mut files = Vec::new();
    if asked.is_none() && !folder.exists() {
        ui.line(format!("no transcripts: {} is not there", folder.display()));
        return Ok(());
    }
    transcripts(&folder, &mut files)
        .map_err(|error| CommandError::refused(format!("{}: {error}", folder.display())))?;
    files.sort();
    let skills = Skills::here()?;
    let stands = |name: &str| skills.standing(name);
    let mut prompts = 0u64;
    let mut with_slash = 0u64;
    let mut unread = Vec::new();
    let mut seen = Vec::new();
    for file in &files {
        let found = match transcript::prompts(file) {
            Ok(found) => found,
            Err(error) => {
                unread.push(format!("{}: {error}", file.display()));
                continue;
            }
        };
        for prompt in found {
            prompts += 1;
            if !prompt.text.contains('/') {
                continue;
            }
            with_slash += 1;
            let reading = explain(&prompt.text, &stands);
            let doubtful = reading.notes.iter().any(|note| note.why.is_doubtful());
            let parsed = with_exits(&reading, &skills);
            if parsed.is_some() || doubtful {
                seen.push(Seen { file: file.clone(), prompt, reading, parsed });
            }
        }
    }
    let (chains, doubtful): (Vec<Seen>, Vec<Seen>) = seen.into_iter().partition(|seen| seen.parsed.is_some());
    if ui.is_json() {
        let rows = |seen: &[Seen]| seen.iter().map(row).collect::<Vec<Value>>();
        ui.object(
            &json!({"version": 1, "transcripts": files.len(), "prompts": prompts, "withSlash": with_slash,
            "chains": rows(&chains), "doubtful": rows(&doubtful), "unread": unread}),
        );
        return Ok(());
    }
    ui.line(format!(
        "{} in {}, {with_slash} with a slash: {}, {} doubtful",
        counted(prompts, "prompt"),
        counted(files.len() as u64, "transcript"),
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

fn show(seen: &Seen, folder: &Path, ui: &Ui) {
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

fn row(seen: &Seen) -> Value {
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

fn transcripts(folder: &Path, out: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if folder.is_file() {
        out.push(folder.to_owned());
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            // A folder that may not be entered costs its own transcripts, not the others.
            let _ = transcripts(&entry.path(), out);
        } else if kind.is_file() && entry.path().extension().is_some_and(|end| end == "jsonl") {
            out.push(entry.path());
        }
    }
    Ok(())
}
