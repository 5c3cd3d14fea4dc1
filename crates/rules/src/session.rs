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
    let change = match &event.kind {
        Kind::SessionStart { source, .. } => Some(Change::SessionStarted {
            source: source.as_str(),
            client: of_session(view).or_else(|| view.sender()),
            wiring: view.wiring(),
        }),
        Kind::Prompt { .. } => {
            let id = event.prompt_id.as_deref().map(str::to_owned);
            event.real_prompt().map(|text| Change::TurnStarted { prompt: kept_words(text), id })
        }
        Kind::PostTool { result, .. } => {
            result.answers.map(|answers| Change::UserAnswered { answer: kept_words(answers) })
        }
        Kind::SessionEnd { .. } if of_session(view).is_some_and(|client| view.sender() != Some(client)) => {
            None
        }
        Kind::SessionEnd { reason } => Some(Change::SessionEnded { reason: reason.as_ref().to_owned() }),
        _ => None,
    };
    Ok(Finding { changes: change.into_iter().collect(), ..Finding::default() })
}
