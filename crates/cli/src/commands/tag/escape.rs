//! `engine tag escape`: tags that are only talked about become mentions.

use std::path::{Path, PathBuf};

use clap::Args;
use engine_app::error::Outcome;
use engine_app::wording::counted;
use engine_core::tag::EscapedLine;
use serde_json::{Value, json};

use super::context;
use crate::ui::{Tone, Ui, toned};

/// Put the stages of work in the text of a file into code spans, so that they are mentions
///
/// Shows what would change. The Tags line stays as it is.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine tag escape IMPLEMENT.md\n  engine tag escape IMPLEMENT.md --write"
)]
pub(crate) struct TagEscapeArgs {
    /// The file with the tag
    pub(crate) file: PathBuf,
    /// Change the file
    #[arg(long)]
    pub(crate) write: bool,
}

pub(super) fn run(args: &TagEscapeArgs, ui: &Ui) -> Outcome {
    let TagEscapeArgs { file, write } = args;
    let lines = context(file)?.escape(*write)?;
    if ui.is_json() {
        let row = |line: &EscapedLine| json!({"line": line.line, "before": line.before, "after": line.after});
        let rows: Vec<Value> = lines.iter().map(row).collect();
        ui.object(&json!({"version": 1, "file": file, "written": *write && !rows.is_empty(), "lines": rows}));
        return Ok(());
    }
    if lines.is_empty() {
        ui.talk(format!("{}: no bare stages of work in the text", file.display()));
        return Ok(());
    }
    let changed = counted(lines.len() as u64, "line");
    if *write {
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
