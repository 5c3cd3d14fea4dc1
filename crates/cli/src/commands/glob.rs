//! `engine glob`: files by a pattern, through links, newest first.

use std::path::{Path, PathBuf};

use clap::Args;
use engine_app::error::Outcome;
use engine_app::glob::{Matched, files};
use engine_app::wording::but_ignored;
use serde_json::json;

use crate::ui::Ui;

/// List files by a pattern, newest first; links are followed
///
/// `*` and `?` within a name, `**` over folders, `{a,b}` for either. Each file once, by its own path where it has one.
/// Files that git ignores and does not track, .git and `node_modules` are left out, unless the pattern or ROOT names them:
/// `engine glob 'target/**'` lists target/, `engine glob '**'` does not. In sessions/ of the project, where it is named,
/// nothing is left out.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine glob '**/*.md' sessions\n  engine glob '{src,tests}/**/*.rs' --limit 20"
)]
pub(crate) struct GlobArgs {
    /// What the paths look like
    pub(crate) pattern: String,
    /// The folder that the pattern is below; nothing: this one
    pub(crate) root: Option<PathBuf>,
    /// At most so many
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

pub(super) fn run(args: &GlobArgs, ui: &Ui) -> Outcome {
    let root = args.root.as_deref().unwrap_or(Path::new(""));
    let Matched { files: found, more, unread, ignored } = files(&args.pattern, root, args.limit)?;
    ui.talk_all(&unread);
    if ui.is_json() {
        let files: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
        ui.object(&json!({"version": 1, "pattern": args.pattern, "files": files, "more": more}));
        return Ok(());
    }
    let mut lines = String::new();
    for path in &found {
        lines.push_str(&format!("{}\n", path.display()));
    }
    ui.text(&lines);
    if found.is_empty() && more == 0 {
        let ignored = but_ignored(&ignored, "that would", "engine glob");
        ui.talk(format!("nothing matches {}{ignored}", args.pattern));
    }
    if more > 0 {
        ui.talk(format!("and {more} more"));
    }
    Ok(())
}
