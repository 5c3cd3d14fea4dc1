//! `engine tag escape`: tags that are only talked about become mentions.

use std::path::Path;

use engine_app::error::Outcome;
use engine_app::wording::counted;
use engine_core::tag::EscapedLine;
use serde_json::{Value, json};

use super::context;
use crate::ui::{Tone, Ui, toned};

pub(super) fn run(file: &Path, write: bool, ui: &Ui) -> Outcome {
    let lines = context(file)?.escape(write)?;
    if ui.is_json() {
        let row = |line: &EscapedLine| json!({"line": line.line, "before": line.before, "after": line.after});
        let rows: Vec<Value> = lines.iter().map(row).collect();
        ui.object(&json!({"version": 1, "file": file, "written": write && !rows.is_empty(), "lines": rows}));
        return Ok(());
    }
    if lines.is_empty() {
        ui.talk(format!("{}: no bare stages of work in the text", file.display()));
        return Ok(());
    }
    let changed = counted(lines.len() as u64, "line");
    if write {
        ui.line(format!("{}: escaped tags in {changed}", file.display()));
        return Ok(());
    }
    ui.text(&diff(file, &lines));
    ui.talk(format!("{changed} would change; to change: engine tag escape {} --write", file.display()));
    Ok(())
}

/// As `diff -U0` shows it.
fn diff(file: &Path, lines: &[EscapedLine]) -> String {
    let mut out = format!("--- {0}\n+++ {0}\n", file.display());
    for EscapedLine { line, before, after } in lines {
        out.push_str(&format!("@@ -{line} +{line} @@\n"));
        out.push_str(&format!("{}\n", toned(Tone::Bad, &format!("-{before}"))));
        out.push_str(&format!("{}\n", toned(Tone::Good, &format!("+{after}"))));
    }
    out
}
