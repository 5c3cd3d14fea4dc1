//! What the parser makes of the prompts of recorded sessions.
//!
//! It counts, keeps every chain with its parse, every possible miss and every doubtful prompt with the reason, and judges
//! nothing: that is for the reader, whose verdicts [`super::labels`] keeps.

use std::path::{Path, PathBuf};

use engine_claude::transcript::{self, Prompt};
use engine_core::chain::{Note, Reading, explain, listed};

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

impl ChainPrompt {
    /// Whether an entry may have been missed: two or more known skills that are not a chain, or one skill whose argument
    /// names another. Code, quotations and free text do not count.
    pub fn may_be_missed(&self) -> bool {
        let is_text = |note: &&Note| note.why.is_read_as_text();
        let named = self.reading.notes.iter().filter(is_text).count();
        match &self.reading.chain {
            None => named >= 2,
            Some(typed) => typed.entries.len() == 1 && named >= 1,
        }
    }

    /// The names that somebody might have meant as entries, each with the reason why they are none.
    pub fn doubts(&self) -> impl Iterator<Item = (&str, &'static str)> {
        let is_miss = self.may_be_missed();
        let doubts = move |note: &&Note| note.why.is_doubtful() || (is_miss && note.why.is_read_as_text());
        self.reading.notes.iter().filter(doubts).map(|note| (note.name.as_str(), note.why.text()))
    }

    /// What it was read as.
    pub fn shown(&self) -> String {
        let Some(parsed) = &self.parsed else { return "no chain".to_owned() };
        let (typed, exits) = parsed.entries.split_at(parsed.entries.len() - parsed.exits);
        let exits = if exits.is_empty() { String::new() } else { format!("; exits {}", listed(exits)) };
        format!("{}{exits}", listed(typed))
    }
}

/// What was found in the transcripts.
#[derive(Default)]
pub struct Validated {
    pub transcripts: usize,
    pub prompts: u64,
    pub with_slash: u64,
    pub chains: Vec<ChainPrompt>,
    /// Prompts that are no chain, and may be meant as one.
    pub doubtful: Vec<ChainPrompt>,
    /// Files, with the reason.
    pub unread: Vec<String>,
}

impl Validated {
    /// Chains in which nothing seems to be missed.
    pub fn plain_chains(&self) -> impl Iterator<Item = &ChainPrompt> {
        self.chains.iter().filter(|seen| !seen.may_be_missed())
    }

    pub fn misses(&self) -> impl Iterator<Item = &ChainPrompt> {
        self.chains.iter().chain(&self.doubtful).filter(|seen| seen.may_be_missed())
    }
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
            let parsed = with_exits(&reading, skills);
            let seen = ChainPrompt { file: file.clone(), prompt, reading, parsed };
            if seen.parsed.is_some() {
                found.chains.push(seen);
            } else if seen.may_be_missed() || seen.reading.notes.iter().any(|note| note.why.is_doubtful()) {
                found.doubtful.push(seen);
            }
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
