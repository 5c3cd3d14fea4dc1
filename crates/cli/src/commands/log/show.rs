//! `engine log show`.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::since::Since;
use engine_app::time;
use engine_core::log::Kind;
use engine_core::log::{self, Entry};
use engine_store::project::Project;
use engine_store::{clock, log_file};
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
    let mut rows: Vec<Value> = Vec::new();
    let mut shown = 0;
    for file in &files {
        let text = fs::read_to_string(file)
            .map_err(|error| CommandError::refused(format!("{}: {error}", file.display())))?;
        for entry in log::parse(&text).iter().filter(|entry| fits(entry, args, since.as_deref())) {
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

fn fits(entry: &Entry<'_>, args: &LogShowArgs, since: Option<&str>) -> bool {
    args.kind.is_none_or(|kind| entry.kind == Some(kind))
        && args.phase.as_ref().is_none_or(|phase| entry.is_of_phase(phase))
        && since.is_none_or(|since| entry.at.is_some_and(|at| at >= since))
}

fn row(file: &Path, entry: &Entry<'_>) -> Value {
    json!({"file": file, "line": entry.line, "at": entry.at, "type": entry.kind.map(log::Kind::as_str),
        "title": entry.title, "phase": entry.phase, "body": entry.body})
}

/// The logs of a work session, by name. `sessions/X`, `X` and an absolute path are the same.
fn logs_of(session: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let cwd = std::env::current_dir()?;
    let root = Project::open(None, &cwd).map_or_else(|| cwd.clone(), |project| project.root().to_owned());
    let places = [session.to_owned(), root.join(session), root.join("sessions").join(session)];
    let Some(folder) = places.iter().find(|place| place.is_dir()) else {
        return Err(CommandError::refused(format!("there is no session {}", session.display())));
    };
    let mut logs = log_file::all(folder)?;
    // As a reader here would name them.
    for log in &mut logs {
        *log = log.strip_prefix(&cwd).unwrap_or(log).to_owned();
    }
    Ok(logs)
}
