//! `engine handoff`.

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::handoff::{SHAPE, read, write};
use engine_app::stdin;
use engine_app::task::CommandContext;
use engine_app::wording::counted;
use engine_core::handoff::{Handoff, KEPT_DAYS};
use serde_json::json;

use crate::ui::Ui;

/// Write the handoff for the next session: status, done and notes of session.md
///
/// From options, or from JSON on stdin. A handoff with a status rewrites status and done, except what other sessions wrote since this one
/// began. Notes replace the notes of this session. What is not given stays, and so do task lines and notes that you wrote by hand.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine handoff --status 'The lexer works.' --done lexer --note 'ask Ada'\n  engine handoff --note 'ask Ada'\n  echo '{\"status\": \"The lexer works.\", \"done\": [\"lexer\"], \"notes\": [\"ask Ada\"]}' | engine handoff"
)]
pub(crate) struct HandoffArgs {
    /// Where the work stands, in one or two sentences
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) status: Option<String>,
    /// What was finished (may be given several times)
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) done: Vec<String>,
    /// What the next session should know (may be given several times); without any, the notes stay
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) note: Vec<String>,
}

pub(super) fn run(args: &HandoffArgs, ui: &Ui) -> Outcome {
    let context = CommandContext::open()?;
    let is_piped = args.status.is_none() && args.done.is_empty() && args.note.is_empty();
    let handoff = if is_piped {
        let text = stdin::read(stdin::FOR_A_COMMAND)
            .map_err(|error| CommandError::usage(error.to_string()).hint(SHAPE))?;
        read(&text)?
    } else {
        let notes = (!args.note.is_empty()).then(|| args.note.clone());
        Handoff { status: args.status.clone(), done: args.done.clone(), notes }
    };
    let written = write(&context, &handoff)?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "file": context.name(), "kept": written.kept, "old": written.old}));
        return Ok(());
    }
    ui.line(format!("wrote the handoff into {}", context.name()));
    if !written.kept.is_empty() {
        ui.line(format!("kept: what {} wrote since this session began", written.kept.join(", ")));
    }
    if written.old > 0 {
        ui.line(format!("removed: {} older than {KEPT_DAYS} days", counted(written.old as u64, "note")));
    }
    Ok(())
}
