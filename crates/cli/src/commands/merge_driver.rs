//! `engine merge-driver`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use engine_app::merge::{MergeOutcome, Versions, merge_files};
use engine_core::task::merge::Markers;

use crate::ui::Ui;

/// Merge three versions of a task file, as git asks for it
///
/// Git runs it where `engine init --with merge` has put it into the configuration. Tasks are merged by what they are and how they stand,
/// Status, Done and Notes by their entries, everything else line by line. What both sides changed in different ways stays twice, between
/// conflict markers. A file that cannot be taken apart is merged as git merges texts.
///
/// Exit codes: 0 merged, 1 merged with conflicts, 129 nothing was written.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine merge-driver base.md session.md theirs.md\n  git config merge.engine.driver 'engine merge-driver %O %A %B %L %P %X %Y'"
)]
pub(crate) struct MergeDriverArgs {
    /// The version that both sides come from (%O)
    pub(crate) base: PathBuf,
    /// Our version, which the result replaces (%A)
    pub(crate) ours: PathBuf,
    /// Their version (%B)
    pub(crate) theirs: PathBuf,
    /// How long conflict markers are (%L)
    #[arg(default_value = "7")]
    pub(crate) size: String,
    /// The name of the file, for messages (%P)
    #[arg(allow_hyphen_values = true)]
    pub(crate) path: Option<String>,
    /// What our side is called in conflict markers (%X)
    #[arg(allow_hyphen_values = true)]
    pub(crate) our_label: Option<String>,
    /// What their side is called in conflict markers (%Y)
    #[arg(allow_hyphen_values = true)]
    pub(crate) their_label: Option<String>,
}

/// Git takes more than 128 for a merge that failed altogether, and keeps both sides.
const FAILED: u8 = 129;
/// Longer markers are nobody's wish.
const LONGEST: usize = 200;

pub(super) fn run(args: &MergeDriverArgs, ui: &Ui) -> ExitCode {
    let defaults = Markers::default();
    // Versions of git that do not know a sign leave it as it is.
    let label =
        |given: &Option<String>| given.clone().filter(|label| !label.is_empty() && !label.starts_with('%'));
    let (ours, theirs) = (label(&args.our_label), label(&args.their_label));
    let markers = Markers {
        size: args.size.parse().ok().filter(|size| (1..=LONGEST).contains(size)).unwrap_or(defaults.size),
        ours: ours.as_deref().unwrap_or(defaults.ours),
        theirs: theirs.as_deref().unwrap_or(defaults.theirs),
    };
    let versions = Versions { base: &args.base, ours: &args.ours, theirs: &args.theirs };
    let name = args.path.clone().unwrap_or_else(|| args.ours.display().to_string());
    match merge_files(&versions, markers) {
        Ok(MergeOutcome::Clean) => ExitCode::SUCCESS,
        Ok(MergeOutcome::Conflict) => ExitCode::from(1),
        Ok(MergeOutcome::Unmerged(why)) => {
            ui.talk(format!("engine: {name} was not merged: {why}; it holds your version"));
            ExitCode::from(1)
        }
        Err(error) => {
            ui.talk(format!("engine: {name} was not merged: {}", error.message));
            ExitCode::from(FAILED)
        }
    }
}
