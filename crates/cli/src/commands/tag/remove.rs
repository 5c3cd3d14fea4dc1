//! `engine tag remove`.

use std::path::PathBuf;

use clap::Args;
use engine_app::error::Outcome;

use super::{context, tell};
use crate::ui::Ui;

/// Remove a tag from the Tags line of a file; one that is not there is no error
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine tag remove REQUEST.md '#P1'\n  engine tag remove IMPLEMENT_LOG.md '#needs-fix' --line 12"
)]
pub(crate) struct TagRemoveArgs {
    /// The file with the tag
    pub(crate) file: PathBuf,
    /// The tag, as in #needs-review
    #[arg(value_parser = super::tag)]
    pub(crate) tag: String,
    /// The bare tag in this line of the text instead
    #[arg(long, value_name = "N")]
    pub(crate) line: Option<usize>,
}

pub(super) fn run(args: &TagRemoveArgs, ui: &Ui) -> Outcome {
    let TagRemoveArgs { file, tag, line } = args;
    let was_there = context(file)?.remove(tag, *line)?;
    let done = if was_there { "removed" } else { "was not there:" };
    tell(ui, file, was_there, &format!("{done} {tag}"))
}
