//! Under `engine run`: tells it at the end of a turn that nothing of the agent is at work any more, so that it may start the client again
//! if the agent asked for that. Silent where a person does not sit at the client, and while something runs in the background: its end
//! begins another turn.

use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::change::Change;
use engine_core::config::Choice;
use engine_core::event::{Actor, Event, EventName, Kind};
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{Project, Skills};

looks_at!(Project + Skills);

pub(crate) const RULE: Rule = Rule {
    id: "restart",
    about: "Under engine run: at the end of a turn, lets it start the client again if the agent asked for that.",
    events: &[EventName::Stop],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

/// The variable in which a run tells its name to the client, and through it to the agent's shell.
pub const RUN: &str = "ENGINE_RUN";

/// Whether the client is ended for a restart, or a person does that.
pub const RESTART: Choice = Choice {
    name: "run.restart",
    default: AUTO,
    of: &[AUTO, "ask"],
    about: "What engine run does when the agent asked for a new client: auto ends it after the turn and starts it again, ask waits until you end it.",
};

const AUTO: &str = "auto";

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let Kind::Stop(stop) = &event.kind else { return Ok(Finding::default()) };
    let is_run = view.variable(RUN).is_some_and(|run| !run.is_empty());
    if !is_run || event.actor != Actor::Main || stop.background_running || stop.subagent_running {
        return Ok(Finding::default());
    }
    let dialect = view.dialect();
    let is_attended =
        view.variable(dialect.entrypoint_variable).is_some_and(|value| value == dialect.interactive);
    if !is_attended || view.config().choice(&RESTART) != AUTO {
        return Ok(Finding::default());
    }
    let transcript = event.transcript.as_deref().map(str::to_owned);
    Ok(Finding { changes: vec![Change::RestartReady { transcript }], ..Finding::default() })
}
