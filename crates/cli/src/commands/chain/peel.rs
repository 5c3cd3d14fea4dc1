//! `engine chain peel`.

use clap::Args;
use engine_app::chain::{Peeled, peel};
use engine_app::error::{CommandError, Outcome};
use engine_core::chain::written;
use serde_json::json;

use super::{entry_json, input};
use crate::ui::Ui;

/// Take the first entry off the [CONTINUATION: …] suffix of arguments
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine chain peel 'x [CONTINUATION: /a y, /b]'\n  echo 'x [CONTINUATION: /a y, /b]' | engine chain peel"
)]
pub(crate) struct ChainPeelArgs {
    /// The arguments; without them, stdin
    #[arg(allow_hyphen_values = true)]
    pub(crate) text: Option<String>,
}

pub(super) fn run(given: &ChainPeelArgs, ui: &Ui) -> Outcome {
    let Peeled { args, next, rest } = peel(&input(given.text.as_deref())?);
    if ui.is_json() {
        ui.object(&json!({"version": 1, "args": args, "next": next.as_ref().map(entry_json), "rest": rest}));
        return Ok(());
    }
    match next {
        None => return Err(CommandError::nothing("no continuation: the end of the chain")),
        Some(next) => ui.line(written(&next)),
    }
    if let Some(rest) = rest {
        ui.line(rest);
    }
    Ok(())
}
