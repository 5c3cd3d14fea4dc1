//! The rows of the corpora.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// What its project wants of a command, strictest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Label {
    Block,
    Ask,
    Warn,
    Allow,
}

impl Label {
    pub(super) const ALL: [Self; 4] = [Self::Block, Self::Ask, Self::Warn, Self::Allow];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Ask => "ask",
            Self::Warn => "warn",
            Self::Allow => "allow",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// The name of the file, without its ending.
    pub(super) corpus: String,
    pub(super) label: Label,
    pub(super) command: String,
    pub(super) source: String,
}

/// All rows of all corpora of a folder. The error names each bad row.
pub(super) fn read(folder: &Path) -> Result<Vec<Row>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "jsonl"));
    files.sort();
    ensure!(!files.is_empty(), "there is no *.jsonl in {}", folder.display());
    let (mut rows, mut bad) = (Vec::new(), Vec::new());
    for file in &files {
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let corpus = file.file_stem().unwrap_or_default().to_string_lossy();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match row(&corpus, line) {
                Ok(row) => rows.push(row),
                Err(error) => bad.push(format!("{}:{}: {error:#}", file.display(), at + 1)),
            }
        }
    }
    if !bad.is_empty() {
        bail!("{}", bad.join("\n"));
    }
    Ok(rows)
}

fn row(corpus: &str, line: &str) -> Result<Row> {
    let object: Value = serde_json::from_str(line).context("not JSON")?;
    let text = |name: &str| object[name].as_str();
    let label = text("label").context("there is no label")?;
    let known = Label::ALL.into_iter().find(|known| known.as_str() == label);
    let label = known.with_context(|| format!("the label {label:?} is none of block, ask, warn, allow"))?;
    let command = text("command").context("there is no command")?;
    // No program can be given it.
    ensure!(!command.contains('\0'), "there is a NUL in the command");
    Ok(Row {
        corpus: corpus.to_owned(),
        label,
        command: command.to_owned(),
        source: text("source").unwrap_or_default().to_owned(),
    })
}
