//! `engine tag find`.

use std::path::PathBuf;

use clap::Args;
use engine_app::error::Outcome;
use engine_app::tag::find::{Place, find};
use engine_app::wording::but_ignored;
use engine_core::tag::is_pattern;
use serde_json::{Value, json};

use super::{WAY, hashed};
use crate::ui::Ui;

/// List where tags stand: in Tags lines and bare in the text, not in code
///
/// In Markdown files (*.md) below the paths, and in files that are named. Links are followed. Files that git ignores and
/// does not track, .git and `node_modules` are left out, unless a path names them. sessions/ of the project, the default
/// place, is searched whether git ignores it or not.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine tag find '#needs-*'\n  engine tag find '#needs-review' sessions docs/notes.md --json"
)]
pub(crate) struct TagFindArgs {
    /// A tag; stars stand for any letters
    #[arg(value_parser = pattern)]
    pub(crate) pattern: String,
    /// Folders and files; nothing: sessions/ of the project
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
}

fn pattern(word: &str) -> Result<String, String> {
    let word = hashed(word);
    if is_pattern(&word) { Ok(word) } else { Err(format!("a tag, with stars for any letters: {WAY}")) }
}

pub(super) fn run(args: &TagFindArgs, ui: &Ui) -> Outcome {
    let TagFindArgs { pattern, paths } = args;
    let (found, looked) = find(pattern, paths)?;
    ui.talk_all(&looked.unread);
    if ui.is_json() {
        let row = |place: &Place| json!({"file": place.file.display().to_string(), "line": place.line, "tag": place.tag, "inTagsLine": place.of_file});
        let rows: Vec<Value> = found.iter().map(row).collect();
        ui.object(&json!({"version": 1, "pattern": pattern, "found": rows}));
        return Ok(());
    }
    let mut lines = String::new();
    for Place { file, tag, line, .. } in &found {
        lines.push_str(&format!("{}:{line} {tag}\n", file.display()));
    }
    ui.text(&lines);
    if found.is_empty() {
        let ignored = but_ignored(&looked.ignored, "with it", &format!("engine tag find '{pattern}'"));
        ui.talk(format!("no {pattern} in {} files{ignored}", looked.files));
    }
    Ok(())
}
