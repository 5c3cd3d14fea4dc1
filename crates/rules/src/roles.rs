//! Keeps agents that route, plan and judge from changing anything: `intent-router`, `planner`, `critic`, `qa`, `prompt-writer`.
//!
//! With or without a plan. The engine's own commands stay free, and so does what is no work on the project: temporary files, `target/`.
//! The main agent and other subagents are not looked at.

use crate::evidence::in_scope;
use crate::touch::touch_of;
use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::event::{Actor, Event, EventName, Kind};
use engine_core::evidence::Touch;
use engine_core::plan::role;
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{Files, Project, Shell, Skills, Work};

looks_at!(Files + Project + Shell + Skills + Work);

pub(crate) const RULE: Rule = Rule {
    id: "roles",
    about: "Denies changes by the subagents intent-router, planner, critic, qa and prompt-writer.",
    events: &[EventName::PreTool],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Replays(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let (Kind::PreTool(call), Actor::Subagent { agent_type, .. }) = (&event.kind, &event.actor) else {
        return Ok(Finding::default());
    };
    let Some(role) = role(agent_type) else { return Ok(Finding::default()) };
    if in_scope(&[], view, |scope| touch_of(call, &event.cwd, scope, view)) == Touch::Nothing {
        return Ok(Finding::default());
    }
    let text = format!(
        "the agent {role} changes nothing: it reads, runs checks and answers. What is to be changed belongs in its answer."
    );
    Ok(Finding::deny(text).because(format!("the call changes something; role {role}")))
}
