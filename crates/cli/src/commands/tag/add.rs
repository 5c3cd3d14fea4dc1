//! `engine tag add`.

use std::path::PathBuf;

use clap::Args;
use engine_app::approval::Consent;
use engine_app::error::Outcome;

use super::{context, tell};
use crate::ui::Ui;

/// Add a tag to the Tags line of a file, which is made below the title if need be
///
/// From an agent, #delegated-… and #next-… need a person's word.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Example:\n  engine tag add sessions/2026_11_15_AUTH/IMPLEMENT.md '#needs-review'"
)]
pub(crate) struct TagAddArgs {
    /// The file with the tag
    pub(crate) file: PathBuf,
    /// The tag, as in #needs-review
    #[arg(value_parser = super::tag)]
    pub(crate) tag: String,
    /// For an agent: its reason, kept beside the person's answer; it approves nothing
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
    /// For a script, which has no terminal: it means it
    #[arg(long)]
    pub(crate) yes: bool,
}

pub(super) fn run(args: &TagAddArgs, ui: &Ui) -> Outcome {
    let (file, tag) = (&args.file, args.tag.as_str());
    let consent = Consent { reading: args.user_approved.as_deref(), yes: args.yes };
    let is_new = context(file)?.add(tag, consent)?;
    let done = if is_new { "added" } else { "was there already:" };
    tell(ui, file, is_new, &format!("{done} {tag}"))
}
