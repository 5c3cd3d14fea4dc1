//! `engine tag swap`.

use std::path::PathBuf;

use clap::Args;
use engine_app::approval::Consent;
use engine_app::error::Outcome;
use engine_app::tag::Swap;

use super::{context, tell};
use crate::ui::Ui;

/// Put one tag in the place of another; of several who try at once, one wins
///
/// In the Tags line; else where it stands bare in the text, if only once. Which tag may follow which: engine show SIGILS,
/// and tags.transitions of the configuration. From an agent, #delegated-… and #next-… need a person's word.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine tag swap REQUEST.md '#needs-fix' '#done-fix'\n  engine tag swap IMPLEMENT_LOG.md '#needs-fix' '#done-fix' --line 12"
)]
pub(crate) struct TagSwapArgs {
    /// The file with the tag
    pub(crate) file: PathBuf,
    /// The tag that is there
    #[arg(value_parser = super::tag)]
    pub(crate) old: String,
    /// The tag in its place
    #[arg(value_parser = super::tag)]
    pub(crate) new: String,
    /// The bare tag in this line of the text
    #[arg(long, value_name = "N")]
    pub(crate) line: Option<usize>,
    /// Also if the new tag may not follow the old one; written into the journal
    #[arg(long)]
    pub(crate) force: bool,
    /// For an agent: its reason, kept beside the person's answer; it approves nothing
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
    /// For a script, which has no terminal: it means it
    #[arg(long)]
    pub(crate) yes: bool,
}

pub(super) fn run(args: &TagSwapArgs, ui: &Ui) -> Outcome {
    let consent = Consent { reading: args.user_approved.as_deref(), yes: args.yes };
    let wanted = Swap { old: &args.old, new: &args.new, line: args.line, force: args.force, consent };
    context(&args.file)?.swap(&wanted)?;
    tell(ui, &args.file, true, &format!("{} → {}", args.old, args.new))
}
