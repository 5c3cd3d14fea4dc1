//! A person's verdicts on how prompts were read, in a file that they edit: one JSON object per line.
//!
//! `{"prompt": "…", "fingerprint": "…", "verdict": "yes"}`. `yes`: the reading is right; `no`: it is wrong; empty: not judged
//! yet. The fingerprint is that of the whole prompt, so a verdict stays with it wherever it was recorded. A prompt that was
//! not seen before is added with an empty verdict; lines of others stay as they are.

use std::collections::HashMap;
use std::path::Path;

use engine_store::atomic::{self, Durability};
use engine_text::line::{fingerprint, one_line};
use serde::{Deserialize, Serialize};

use super::validate::{ChainPrompt, Validated};
use crate::error::CommandError;

/// How much of a prompt the file shows.
const SHOWN: usize = 200;

#[derive(Serialize, Deserialize)]
struct Label {
    verdict: String,
    read: String,
    prompt: String,
    fingerprint: String,
}

/// Of the judged readings of a kind, how many are wrong.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rate {
    pub wrong: usize,
    pub judged: usize,
}

/// What the verdicts say.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rates {
    /// Prompts that were read as a chain and are not this one.
    pub false_positives: Rate,
    /// Prompts in which a skill was read as text that was meant as an entry.
    pub misses: Rate,
    pub unjudged: usize,
}

/// Reads the verdicts, adds the prompts that are not in the file, and counts.
pub fn label(path: &Path, found: &Validated) -> Result<Rates, CommandError> {
    let at_line = |line: usize, text: &dyn std::fmt::Display| {
        CommandError::refused(format!("{}, line {line}: {text}", path.display()))
    };
    let mut text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(CommandError::at(path.display(), error)),
    };
    let mut verdicts = HashMap::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let label: Label = serde_json::from_str(line).map_err(|error| at_line(index + 1, &error))?;
        let verdict = match label.verdict.trim() {
            "yes" => Some(true),
            "no" => Some(false),
            "" => None,
            other => {
                let text = format!("the verdict is yes, no or empty, not {other:?}");
                return Err(at_line(index + 1, &text));
            }
        };
        verdicts.insert(label.fingerprint, verdict);
    }
    let mut rates = Rates::default();
    let mut added = String::new();
    let kinds = [(found.plain_chains().collect::<Vec<_>>(), false), (found.misses().collect(), true)];
    for (prompts, is_miss) in kinds {
        for seen in prompts {
            let key = fingerprint(&seen.prompt.text);
            let verdict = verdicts.get(&key).copied().unwrap_or_else(|| {
                added.push_str(&line_of(seen, &key));
                verdicts.insert(key, None);
                None
            });
            let rate = if is_miss { &mut rates.misses } else { &mut rates.false_positives };
            match verdict {
                Some(right) => {
                    rate.judged += 1;
                    rate.wrong += usize::from(!right);
                }
                None => rates.unjudged += 1,
            }
        }
    }
    if !added.is_empty() {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        atomic::replace(path, (text + &added).as_bytes(), Durability::Disk)
            .map_err(|error| CommandError::at(path.display(), error))?;
    }
    Ok(rates)
}

fn line_of(seen: &ChainPrompt, key: &str) -> String {
    let label = Label {
        verdict: String::new(),
        read: seen.shown(),
        prompt: one_line(&seen.prompt.text, SHOWN),
        fingerprint: key.to_owned(),
    };
    serde_json::to_string(&label).unwrap_or_default() + "\n"
}
