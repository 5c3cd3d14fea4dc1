//! `engine tag list`.

use std::path::PathBuf;

use clap::Args;
use engine_app::error::Outcome;
use engine_app::tag::find::{Count, list};
use engine_app::wording::counted;
use serde_json::json;

use crate::table::aligned;
use crate::ui::Ui;

/// List all tags with how often they stand, and in how many files
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
        ui.talk(format!("no tags in {} files", looked.files));
    }
    Ok(())
}
