//! `engine approval show`.

use clap::Args;
use engine_app::approval::answer::find;
use engine_app::error::Outcome;
use engine_app::here::project;
use engine_app::time::local;
use serde_json::json;

use super::{asked_at, kind, object, state};
use crate::ui::Ui;

/// Print one request: what is asked for, by whom, and the answer
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine approval show 7\n  engine approval show 7 --json")]
pub(crate) struct ApprovalShowArgs {
    /// Its number
    #[arg(value_name = "N")]
    pub(crate) number: u32,
}

pub(super) fn run(args: &ApprovalShowArgs, ui: &Ui) -> Outcome {
    let asked = find(&project()?, args.number)?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "approval": object(&asked)}));
        return Ok(());
    }
    let number = args.number;
    match &asked.request.whole {
        Some(whole) => ui.line(format!("approval {number}:\n{whole}")),
        None => ui.line(format!("approval {number}: {}", asked.request.what)),
    }
    if asked.request.kind.is_some() {
        ui.line(format!("kind: {}", kind(&asked)));
    }
    ui.line(format!("asked for by the agent session {}, {}", asked.session, asked_at(&asked)));
    match &asked.request.answer {
        Some(answer) => ui.line(format!("{}: {} ({})", state(&asked), answer.words, local(answer.at))),
        None => ui.line(format!("waiting: engine approval grant {number}, or engine approval deny {number}")),
    }
    Ok(())
}
