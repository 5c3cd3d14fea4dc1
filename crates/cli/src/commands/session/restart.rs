//! `engine session restart` and `clear`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::session::CommandContext;
use engine_app::session::overflow::{self, Saved};
use serde_json::json;

use crate::ui::Ui;

/// Save, and print the prompt with which a new client goes on; engine run starts it
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine session restart")]
pub(crate) struct RestartArgs {
    /// The folder of the work session
    pub(crate) path: Option<String>,
}

/// Save, and print the prompt with which to go on after /clear
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine session clear")]
pub(crate) struct ClearArgs {
    /// The folder of the work session
    pub(crate) path: Option<String>,
}

pub(super) fn run(args: &RestartArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let saved = overflow::restart(context, args.path.as_deref())?;
    let how = if saved.restarts {
        "end this session, and engine run starts the client again with"
    } else {
        "start a new client with"
    };
    told(&saved, how, ui);
    Ok(())
}

pub(super) fn clear(args: &ClearArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    told(&overflow::clear(context, args.path.as_deref())?, "after /clear go on with", ui);
    Ok(())
}

fn told(Saved { work, prompt, .. }: &Saved, how: &str, ui: &Ui) {
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown(), "prompt": prompt}));
    } else {
        ui.line(format!("{}: saved; {how}:", work.shown()));
        ui.line(prompt);
    }
}
