//! `engine directives mention`.

use std::path::PathBuf;

use clap::Args;
use engine_app::directives::{self, files};
use engine_app::error::Outcome;
use engine_app::here::project;
use serde_json::json;

use crate::ui::Ui;

/// Name the directives of a folder in the AGENTS.md beside them, where they are not; exit 3 if they are
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine directives mention\n  engine directives mention packages/api"
)]
pub(crate) struct DirectivesMentionArgs {
    /// The folder; nothing: the project's root
    pub(crate) dir: Option<PathBuf>,
}

pub(super) fn run(args: &DirectivesMentionArgs, ui: &Ui) -> Outcome {
    let (shown, missing) = directives::mention(project()?, args.dir.as_deref())?;
    if ui.is_json() {
        let names: Vec<String> = missing.iter().map(|kind| kind.file()).collect();
        ui.object(&json!({"version": 1, "file": shown, "mentioned": names}));
    } else {
        ui.line(format!("{shown}: mentions {} now", files(&missing)));
    }
    Ok(())
}
