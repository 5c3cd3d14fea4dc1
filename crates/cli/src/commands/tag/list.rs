//! `engine tag list`.

use std::path::PathBuf;

use clap::Args;
use engine_app::error::Outcome;
use engine_app::tag::find::{Count, list};
use engine_app::wording::{but_ignored, counted};
use serde_json::json;

use crate::table::aligned;
use crate::ui::Ui;

/// List all tags with how often they stand, and in how many files
///
/// In Markdown files (*.md) below the paths, and in files that are named. Links are followed. Files that git ignores and
/// does not track, .git and `node_modules` are left out, unless a path names them. sessions/ of the project, the default
/// place, is searched whether git ignores it or not.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine tag list\n  engine tag list sessions/2026_11_15_AUTH")]
pub(crate) struct TagListArgs {
    /// Folders and files; nothing: sessions/ of the project
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
}

pub(super) fn run(args: &TagListArgs, ui: &Ui) -> Outcome {
    let (rows, looked) = list(&args.paths)?;
    ui.talk_all(&looked.unread);
    if ui.is_json() {
        let row = |Count { tag, count, files }: &Count| json!({"tag": tag, "count": count, "files": files});
        ui.object(&json!({"version": 1, "tags": rows.iter().map(row).collect::<Vec<_>>()}));
        return Ok(());
    }
    let row = |Count { tag, count, files }: &Count| {
        vec![tag.clone(), count.to_string(), format!("in {}", counted(*files as u64, "file"))]
    };
    ui.text(&aligned(&rows.iter().map(row).collect::<Vec<_>>(), ""));
    if rows.is_empty() {
        let ignored = but_ignored(&looked.ignored, "with some", "engine tag list");
        ui.talk(format!("no tags in {} files{ignored}", looked.files));
    }
    Ok(())
}
