//! `engine log show`.

use std::path::{Path, PathBuf};

use clap::Args;
use engine_app::error::Outcome;
use engine_app::log::{Filter, logs_of, read};
use engine_app::since::Since;
use engine_app::time;
use engine_core::log::{self, Entry, Kind};
use engine_store::clock;
use serde_json::{Value, json};

use crate::ui::{Tone, Ui, toned};

#[derive(Debug, Args)]
pub(crate) struct LogShowArgs {
    /// Logs
    #[arg(value_name = "FILE", required_unless_present = "session")]
    pub(crate) files: Vec<PathBuf>,
    /// All logs (*_LOG.md) of this work session: its folder, or its name below sessions/
    #[arg(long, value_name = "PATH", conflicts_with = "files")]
    pub(crate) session: Option<PathBuf>,
    /// Only this type: start, block, stuck, debug, debt, observation, concern, revert, success, parked, decision, invariant,
    /// pitfall
    #[arg(long = "type", value_name = "TYPE", value_parser = kind)]
    pub(crate) kind: Option<Kind>,
    /// Only this phase: its label, its name, or LABEL: NAME
    #[arg(long)]
    pub(crate) phase: Option<String>,
    /// From when on: 45s, 30m, 2h, 3d, 1w, a day or a moment
    #[arg(long)]
    pub(crate) since: Option<Since>,
}

fn kind(word: &str) -> Result<Kind, String> {
    let all: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    Kind::named(word).ok_or_else(|| format!("use {}", all.join(", ")))
}

pub(super) fn run(args: &LogShowArgs, ui: &Ui) -> Outcome {
    let files = match &args.session {
        Some(session) => logs_of(session)?,
        None => args.files.clone(),
    };
    // Stamps are local time, and as texts they sort.
    let since = args.since.map(|since| time::local(since.stamp(clock::now())));
    let filter = Filter { kind: args.kind, phase: args.phase.as_deref(), since: since.as_deref() };
    let mut rows: Vec<Value> = Vec::new();
    let mut shown = 0;
    for file in &files {
        let text = read(file)?;
        for entry in log::parse(&text).iter().filter(|entry| filter.fits(entry)) {
            if ui.is_json() {
                rows.push(row(file, entry));
                continue;
            }
            let gap = if shown == 0 { "" } else { "\n" };
            let place = toned(Tone::Quiet, &format!("{}:{}", file.display(), entry.line));
            ui.line(format!("{gap}{place}\n{}", entry.text));
            shown += 1;
        }
    }
    if ui.is_json() {
        ui.object(&json!({"version": 1, "entries": rows}));
    } else if shown == 0 {
        ui.talk("no entry fits");
    }
    Ok(())
}

fn row(file: &Path, entry: &Entry<'_>) -> Value {
    json!({"file": file, "line": entry.line, "at": entry.at, "type": entry.kind.map(log::Kind::as_str),
        "title": entry.title, "phase": entry.phase, "body": entry.body})
}
