//! Keeps agents that route, plan and judge from changing anything: `intent-router`, `planner`, `critic`, `qa`, `prompt-writer`.
//!
//! With or without a plan. Of the engine's own commands those stay free that read, check or are the role's own; so does what is no work
//! on the project: temporary files, `target/`.
//! The main agent and other subagents are not looked at.

use crate::engine_commands::refused;
use crate::evidence::in_scope;
use crate::touch::touch_of;
use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::event::{Actor, Event, EventName, Kind, ToolCall};
use engine_core::evidence::Touch;
use engine_core::evidence::proof::QA;
use engine_core::plan::{PROMPT_WRITER, role};
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
    if let Some(command) = engine_command(call, &event.cwd, role, view) {
        let also = match role {
            QA => ", engine plan verify",
            PROMPT_WRITER => ", engine q",
            _ => "",
        };
        let text = format!(
            "the agent {role} does not run engine {command}: of the engine's commands it runs engine check{also} and those that read. What is to be changed belongs in its answer."
        );
        return Ok(Finding::deny(text).because(format!("the call runs engine {command}; role {role}")));
    }
    if in_scope(&[], view, |scope| touch_of(call, &event.cwd, scope, view)) == Touch::Nothing {
        return Ok(Finding::default());
    }
    let text = format!(
        "the agent {role} changes nothing: it reads, runs checks and answers. What is to be changed belongs in its answer."
    );
    Ok(Finding::deny(text).because(format!("the call changes something; role {role}")))
}

/// The engine's command in a call that an agent with this role does not run.
fn engine_command(call: &ToolCall<'_>, cwd: &str, role: &str, view: &(impl View + ?Sized)) -> Option<String> {
    let mut commands = call.commands().filter(|command| command.contains("engine"));
    commands.find_map(|command| view.analysis(command, cwd).runs.iter().find_map(|run| refused(run, role)))
}
