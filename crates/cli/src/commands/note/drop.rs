//! `engine note drop`.

use clap::Args;
use engine_app::approval::Consent;
use engine_app::error::Outcome;
use engine_app::note::{CommandContext, edit};
use serde_json::json;

use crate::ui::Ui;

/// Put a note away: it is not told or found any more, and its file goes to .engine/memory/dropped/
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine note drop locks-per-file --why 'the locks are gone'")]
pub(crate) struct NoteDropArgs {
    /// The slug, or the beginning of it
    #[arg(value_name = "SLUG")]
    pub(crate) slug: String,
    /// The reason, kept in the file
    #[arg(long, default_value = "")]
    pub(crate) why: String,
    /// For an agent, and a note of --mine or of a person: its reason, kept beside the person's answer; it approves nothing
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
}

pub(super) fn run(args: &NoteDropArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let consent = Consent { reading: args.user_approved.as_deref(), yes: false };
    let (id, file) = edit::put_away(context, &args.slug, &args.why, consent)?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "id": id, "file": file}));
    } else {
        ui.line(format!("dropped {id}; its file is {file}"));
    }
    Ok(())
}
