//! `engine note show`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::note::{CommandContext, one};
use engine_text::line::visible;
use serde_json::json;

use super::object;
use crate::ui::Ui;

/// Print a note as it stands in its file
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine note show locks-per-file")]
pub(crate) struct NoteShowArgs {
    /// The slug, or the beginning of it
    #[arg(value_name = "SLUG")]
    pub(crate) slug: String,
}

/// The file as it is, also of a damaged note, without what nobody would see.
pub(super) fn run(args: &NoteShowArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    context.may_tell()?;
    let notes = context.notes()?;
    let entry = one(&notes, &args.slug)?;
    let text = visible(&context.text(entry)?);
    context.note_shown(&[&entry.id()]);
    if ui.is_json() {
        ui.object(&json!({"version": 1, "note": object(entry, &notes, context), "file_text": text}));
    } else {
        ui.text(&text);
    }
    Ok(())
}
