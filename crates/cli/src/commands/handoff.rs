//! `engine handoff`.

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::handoff::{SHAPE, read, write};
use engine_app::stdin;
use engine_app::task::CommandContext;
use engine_core::handoff::Handoff;
use serde_json::json;

use crate::ui::Ui;

/// Write the handoff for the next session: status, done and notes of session.md
///
/// From options, or from JSON on stdin. Done is rewritten each time; task lines stay as they are.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine handoff --status 'The lexer works.' --done lexer --note 'ask Ada'\n  echo '{\"status\": \"The lexer works.\", \"done\": [\"lexer\"], \"notes\": [\"ask Ada\"]}' | engine handoff"
)]
pub(crate) struct HandoffArgs {
    /// Where the work stands, in one or two sentences; without it the JSON on stdin is read
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) status: Option<String>,
    /// What was finished (may be given several times)
    #[arg(long, requires = "status", allow_hyphen_values = true)]
    pub(crate) done: Vec<String>,
    /// What the next session should know (may be given several times); without any, the notes stay
    #[arg(long, requires = "status", allow_hyphen_values = true)]
    pub(crate) note: Vec<String>,
}

pub(super) fn run(args: &HandoffArgs, ui: &Ui) -> Outcome {
    let context = CommandContext::open()?;
    let handoff = match &args.status {
        Some(status) => Handoff {
            status: status.clone(),
            done: args.done.clone(),
            notes: (!args.note.is_empty()).then(|| args.note.clone()),
        },
        None => {
            let text = stdin::read(stdin::FOR_A_COMMAND)
                .map_err(|error| CommandError::usage(error.to_string()).hint(SHAPE))?;
            read(&text)?
        }
    };
    write(&context, &handoff)?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "file": context.name()}));
    } else {
        ui.line(format!("wrote the handoff into {}", context.name()));
    }
    Ok(())
}
