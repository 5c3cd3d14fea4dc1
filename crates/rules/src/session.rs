//! Keeps the turn, the start and the end of an agent session. It never speaks; other rules rest on it.
//!
//! A turn lasts from one real prompt to the next. What a person typed or answered last is kept, because some
//! refusals can be lifted by a person only.

use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::change::Change;
use engine_core::client::ClientProcess;
use engine_core::event::{Event, EventName, Kind};
use engine_core::session::kept_words;
use engine_core::verdict::{Broken, Finding};
use engine_core::view::Session;

looks_at!(Session);

pub(crate) const RULE: Rule = Rule {
    id: "session",
    about: "Keeps the turn, the start and the end of each agent session.",
    events: &[EventName::SessionStart, EventName::Prompt, EventName::PostTool, EventName::SessionEnd],
    default: Mode::On,
    fixed: true,
    wanted: always,
    judge: Judge::Replays(|event, view| judge(event, view)),
};

/// The client of the session, which it keeps while that runs: another one may resume the session meanwhile, and end.
fn of_session(view: &(impl View + ?Sized)) -> Option<ClientProcess> {
    let state = view.session();
    state.client.filter(|client| state.ended.is_none() && view.runs(*client))
}

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let changes = match &event.kind {
        Kind::SessionStart { source, model } => vec![Change::SessionStarted {
            source: source.as_str(),
            model: model.as_deref().map(str::to_owned),
            client: of_session(view).or_else(|| view.sender()),
            wiring: view.wiring(),
        }],
        Kind::Prompt { .. } => {
            let Some(text) = event.real_prompt() else { return Ok(Finding::default()) };
            let id = event.prompt_id.as_deref().map(str::to_owned);
            let turn = Change::TurnStarted { prompt: kept_words(text), id };
            successor(view).map(|client| Change::ClientChanged { client }).into_iter().chain([turn]).collect()
        }
        Kind::PostTool { result, .. } => {
            let answered = |answers| Change::UserAnswered { answer: kept_words(answers) };
            result.answers.map(answered).into_iter().collect()
        }
        Kind::SessionEnd { .. } if of_session(view).is_some_and(|client| view.sender() != Some(client)) => {
            Vec::new()
        }
        Kind::SessionEnd { reason } => vec![Change::SessionEnded { reason: reason.as_ref().to_owned() }],
        _ => Vec::new(),
    };
    Ok(Finding { changes, ..Finding::default() })
}

/// The client that sends a prompt where the session's own runs no more: one of two in which the person had the session open is left.
fn successor(view: &(impl View + ?Sized)) -> Option<ClientProcess> {
    let client = view.session().client?;
    view.sender().filter(|sender| *sender != client && !view.runs(client))
}
