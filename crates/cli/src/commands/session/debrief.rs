//! `engine session debrief`: the loose ends of a work session.

use std::fs;

use engine_app::error::Outcome;
use engine_app::wording::counted;
use engine_core::work::debrief::{Loose, loose_ends};
use engine_store::work_file::WorkFile;
use serde_json::json;

use super::Desk;
use crate::ui::Ui;

/// Files of other endings hold no tags.
const MARKDOWN: &str = ".md";

pub(super) fn run(path: &str, desk: &Desk, ui: &Ui) -> Outcome {
    let work = desk.existing(path)?;
    let found = all(&work);
    if ui.is_json() {
        let rows: Vec<_> = found
            .iter()
            .map(|(file, loose)| json!({"file": file, "line": loose.line, "kind": loose.kind, "text": loose.text}))
            .collect();
        ui.object(&json!({"version": 1, "path": work.shown(), "found": rows}));
        return Ok(());
    }
    if found.is_empty() {
        ui.line(format!("{}: no loose ends", work.shown()));
        return Ok(());
    }
    ui.line(format!("{}: {}", work.shown(), counted(found.len() as u64, "loose end")));
    for (file, loose) in &found {
        ui.line(format!("  {} {}/{file}:{} {}", loose.kind, work.shown(), loose.line, loose.text));
    }
    Ok(())
}

/// The loose ends of every Markdown file in the folder, by file.
pub(super) fn all(work: &WorkFile) -> Vec<(String, Loose)> {
    let entries = fs::read_dir(work.folder()).into_iter().flatten().flatten();
    let mut files: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        // What people said is a record, not work.
        .filter(|name| name.ends_with(MARKDOWN) && name != "DIALOGUE.md")
        .collect();
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(work.folder().join(&file)).unwrap_or_default();
        let ends = loose_ends(&text, file.ends_with("_LOG.md"), file.ends_with("_PLAN.md"));
        found.extend(ends.into_iter().map(|loose| (file.clone(), loose)));
    }
    found
}

/// Tags in the text that nobody has decided, by file.
pub(super) fn bare_tags(work: &WorkFile) -> Vec<(String, Loose)> {
    all(work).into_iter().filter(|(_, loose)| loose.kind == "tag").collect()
}
