//! `engine session restart` and `clear`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::session::CommandContext;
use engine_app::session::overflow::{self, Next, Saved};
use serde_json::json;

use crate::ui::Ui;

/// Go on in a new client: engine run starts it after the turn, else the prompt for it is printed
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine session restart")]
pub(crate) struct RestartArgs {
    /// The folder of the work session
    pub(crate) path: Option<String>,
}

/// Go on with an empty context: by a new client under engine run, else by the prompt after /clear
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine session clear")]
pub(crate) struct ClearArgs {
    /// The folder of the work session
    pub(crate) path: Option<String>,
}

pub(super) fn run(args: &RestartArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    told(&overflow::restart(context, args.path.as_deref())?, "start a new client with", ui);
    Ok(())
}

pub(super) fn clear(args: &ClearArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    told(&overflow::restart(context, args.path.as_deref())?, "after /clear go on with", ui);
    Ok(())
}

fn told(Saved { work, prompt, next }: &Saved, by_hand: &str, ui: &Ui) {
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown(), "prompt": prompt, "byItself": *next == Next::ByItself}));
        return;
    }
    let how = match next {
        Next::ByItself => "end the turn: then engine run ends this client and starts a new one with",
        Next::WhenEnded => "end this session, and engine run starts the client again with",
        Next::ByHand => by_hand,
    };
    ui.line(format!("{}: {how}:", work.shown()));
    ui.line(prompt);
}
