//! `engine approval list | show | grant | deny`.

use clap::Subcommand;
use engine_app::approval::answer::{self, Asked};
use engine_app::error::Outcome;
use engine_app::here::{self, project};
use engine_app::time::local;
use engine_core::approval::By;
use serde_json::{Value, json};

use crate::ui::Ui;

mod deny;
mod grant;
mod list;
mod show;

/// Answer what an agent may do only with your word
///
/// In the agent's session the whole message answers: ok 7, or no 7. At a terminal: engine approval grant 7.
#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalCommand {
    List(list::ApprovalListArgs),
    Show(show::ApprovalShowArgs),
    Grant(grant::ApprovalGrantArgs),
    Deny(deny::ApprovalDenyArgs),
}

pub(super) fn run(command: &ApprovalCommand, ui: &Ui) -> Outcome {
    match command {
        ApprovalCommand::List(args) => list::run(args, ui),
        ApprovalCommand::Show(args) => show::run(args, ui),
        ApprovalCommand::Grant(args) => grant::run(args, ui),
        ApprovalCommand::Deny(args) => deny::run(args, ui),
    }
}

fn state(asked: &Asked) -> &'static str {
    match &asked.request.answer {
        None => "waiting",
        Some(answer) if answer.yes => "given",
        Some(_) => "refused",
    }
}

/// In a word; nothing for a request that has none.
fn kind(asked: &Asked) -> String {
    json!(asked.request.kind).as_str().unwrap_or_default().to_owned()
}

fn object(asked: &Asked) -> Value {
    let Asked { session, request } = asked;
    let answer = request.answer.as_ref().map(|answer| {
        let by = match answer.by {
            By::Message { .. } => "message",
            By::Dialog => "dialog",
            By::Terminal => "terminal",
        };
        json!({"words": answer.words, "at": answer.at.rfc3339(), "by": by})
    });
    json!({
        "number": request.number,
        "kind": request.kind,
        "session": session,
        "since": request.at.rfc3339(),
        "what": request.whole.as_ref().unwrap_or(&request.what),
        "state": state(asked),
        "answer": answer,
    })
}

/// What `grant` and `deny` share.
fn note(number: u32, yes: bool, done: &str, ui: &Ui) -> Outcome {
    let asked = answer::answer(&project()?, &here::caller(), number, yes)?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "approval": object(&asked)}));
    } else {
        ui.line(format!("approval {number} is {}: {}{done}", state(&asked), asked.request.what));
    }
    Ok(())
}

fn asked_at(asked: &Asked) -> String {
    local(asked.request.at)
}
