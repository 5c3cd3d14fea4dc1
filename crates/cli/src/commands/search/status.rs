//! `engine search status`.

use engine_app::error::Outcome;
use engine_app::search::model::MODEL;
use engine_app::search::{Corpus, Skipped, Status, status};
use engine_core::search::Kind;
use serde_json::{Map, Value, json};

use super::standing::{behind, megabytes, mode, unembedded};
use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

/// Files that are named.
const NAMED: usize = 20;

pub(in crate::commands) fn run(corpus: &Corpus, kinds: &[Kind], ui: &Ui) -> Outcome {
    let status = status(corpus, kinds)?;
    if ui.is_json() {
        ui.object(&object(&status));
        return Ok(());
    }
    if let Some(note) = &status.note {
        ui.talk(note);
    }
    let row = |(kind, part): (&Kind, &engine_app::search::Part)| {
        [kind.as_str().to_owned(), part.files.to_string(), part.chunks.to_string()].to_vec()
    };
    let head = ["KIND", "FILES", "CHUNKS"].map(str::to_owned).to_vec();
    let rows: Vec<Vec<String>> = [head].into_iter().chain(status.kinds.iter().map(row)).collect();
    ui.text(&aligned(&rows, ""));
    let others = match status.others {
        0 => String::new(),
        others => format!(", {others} chunks of other branches and worktrees"),
    };
    ui.line(format!("{}{others}", size(status.bytes)));
    ui.line(mode(status.mode));
    if let Some(line) = unembedded(status.unembedded) {
        ui.line(line);
    }
    ui.line(behind(&status.behind).unwrap_or_else(|| "up to date".to_owned()));
    for Skipped { path, why, .. } in status.skipped.iter().take(NAMED) {
        ui.line(format!("{} {path}: {why}", toned(Tone::Careful, "left out:")));
    }
    if let more @ 1.. = status.skipped.len().saturating_sub(NAMED) {
        ui.line(format!("and {more} more: engine search status --json"));
    }
    Ok(())
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        _ => megabytes(bytes),
    }
}

fn object(status: &Status) -> Value {
    let kinds: Map<String, Value> = status
        .kinds
        .iter()
        .map(|(kind, part)| (kind.as_str().to_owned(), json!({"files": part.files, "chunks": part.chunks})))
        .collect();
    let skipped =
        |skipped: &Skipped| json!({"kind": skipped.kind.as_str(), "path": skipped.path, "why": skipped.why});
    let uncompared: Vec<&str> = status.behind.uncompared.iter().map(|kind| kind.as_str()).collect();
    let mut object = json!({"version": 1, "mode": status.mode.as_str(), "behind": status.behind.files, "uncompared": uncompared, "kinds": kinds,
        "others": status.others, "bytes": status.bytes, "model": status.unembedded.map(|_| MODEL),
        "skipped": status.skipped.iter().map(skipped).collect::<Vec<_>>()});
    if let Some(count) = status.unembedded {
        object["unembedded"] = json!(count);
    }
    object
}
