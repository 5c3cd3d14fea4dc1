//! What the parser makes of the prompts of recorded sessions.
//!
//! It counts, keeps every chain with its parse and every doubtful prompt with the reason, and judges nothing: that is for the
//! reader.

use std::path::{Path, PathBuf};

use engine_claude::transcript::{self, Prompt};
use engine_core::chain::{Reading, explain};

use super::{Parsed, with_exits};
use crate::error::CommandError;
use crate::registry::Skills;
use engine_store::reason::reason;

/// A prompt that is a chain, or may be meant as one.
pub struct ChainPrompt {
    pub file: PathBuf,
    pub prompt: Prompt,
    pub reading: Reading,
    pub parsed: Option<Parsed>,
}

/// What was found in the transcripts.
#[derive(Default)]
pub struct Validated {
    pub transcripts: usize,
    pub prompts: u64,
    pub with_slash: u64,
    pub chains: Vec<ChainPrompt>,
    pub doubtful: Vec<ChainPrompt>,
    /// Files, with the reason.
    pub unread: Vec<String>,
}

/// The folder in which the client keeps its transcripts.
pub fn usual_folder() -> Result<PathBuf, CommandError> {
    transcript::folder().ok_or_else(|| CommandError::refused("no home folder: HOME is not set"))
}

/// Reads the prompts of all transcripts in a folder and below it.
pub fn validate(folder: &Path, skills: &Skills) -> Result<Validated, CommandError> {
    let mut files = Vec::new();
    transcripts(folder, &mut files).map_err(|error| CommandError::at(folder.display(), error))?;
    files.sort();
    let stands = |name: &str| skills.standing(name);
    let mut found = Validated { transcripts: files.len(), ..Validated::default() };
    for file in &files {
        let prompts = match transcript::prompts(file) {
            Ok(prompts) => prompts,
            Err(error) => {
                found.unread.push(format!("{}: {}", file.display(), reason(&error)));
                continue;
            }
        };
        for prompt in prompts {
            found.prompts += 1;
            if !prompt.text.contains('/') {
                continue;
            }
            found.with_slash += 1;
            let reading = explain(&prompt.text, &stands);
            let doubtful = reading.notes.iter().any(|note| note.why.is_doubtful());
            let parsed = with_exits(&reading, skills);
            let kept = match (&parsed, doubtful) {
                (Some(_), _) => &mut found.chains,
                (None, true) => &mut found.doubtful,
                (None, false) => continue,
            };
            kept.push(ChainPrompt { file: file.clone(), prompt, reading, parsed });
        }
    }
    Ok(found)
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

#[cfg(test)]
mod tests;
