//! Agents that judge: `critic` and `qa` get the engine's brief, nobody else talks to them, and what they say is noted.

use engine_core::change::Change;
use engine_core::event::{Actor, Event, Kind, Stop, Tool, ToolCall, ToolResult};
use engine_core::plan::{BoundPlan, Reviewer, Reviewing, brief};
use engine_core::verdict::Finding;

use super::View;
use crate::approval::is_foreign;

/// Before a call: the brief of an agent that judges, or a message to one.
pub(super) fn before(call: &ToolCall<'_>, plan: &BoundPlan, view: &(impl View + ?Sized)) -> Option<Finding> {
    match &call.tool {
        Tool::Agent { agent_type, name, prompt } => {
            let by = Reviewer::of(agent_type)?;
            Some(briefed(by, name.as_deref(), prompt, &call.input, plan, view))
        }
        Tool::Message { to, .. } if plan.is_reviewer(to) => Some(
            Finding::deny(format!(
                "{to} judges plan {}, and the agent whose work is judged gives it no more words. Start a new one: engine writes its prompt, with yours quoted.",
                plan.name
            ))
            .because("the message would reach an agent that judges"),
        ),
        _ => None,
    }
}

fn briefed(
    by: Reviewer,
    name: Option<&str>,
    words: &str,
    input: &str,
    plan: &BoundPlan,
    view: &(impl View + ?Sized),
) -> Finding {
    let Some(whole) = view.open_plan(&plan.name) else {
        let text = format!(
            "the prompt of the agent {} is made from plan {}, which cannot be read: engine plan show",
            by.as_str(),
            plan.name
        );
        return Finding::deny(text).because("the plan's file is not there or is damaged");
    };
    let start = whole.lock.as_ref().and_then(|lock| lock.start.content.as_deref());
    let changed = start.filter(|_| by == Reviewer::Qa).and_then(|start| view.changed_since(start));
    let prompt = brief(&whole, by, changed.as_deref(), words);
    Finding {
        updated_input: view.with_prompt(input, &prompt),
        changes: vec![Change::ReviewBriefed { by, name: name.map(str::to_owned) }],
        because: Some(format!("the agent {} judges, and gets the engine's brief", by.as_str())),
        ..Finding::default()
    }
}

/// The first call of an agent that judges begins.
pub(super) fn begins(event: &Event<'_>, plan: &BoundPlan, view: &(impl View + ?Sized)) -> Option<Change> {
    let (agent, by) = reviewer(event)?;
    if plan.reviewing.contains_key(agent) || is_foreign(view) {
        return None;
    }
    Some(Change::ReviewBegan { agent: agent.to_owned(), by })
}

/// A call has ended: one of an agent that judges, or the one that started it in the background.
pub(super) fn noted(event: &Event<'_>, plan: &BoundPlan) -> Option<Change> {
    if let Kind::PostTool { call, result: ToolResult { agent: Some(agent), .. }, .. } = &event.kind
        && let Tool::Agent { agent_type, .. } = &call.tool
        && Reviewer::of(agent_type).is_some()
    {
        return Some(Change::ReviewerKnown { agent: agent.clone().into_owned() });
    }
    let agent = event.actor.id();
    let is_news = plan.reviewing.get(agent).is_some_and(|agent| !agent.looked);
    is_news.then(|| Change::ReviewerLooked { agent: agent.to_owned() })
}

/// An agent that judges has answered. One that was made to go on answers again; one that was woken later does not.
pub(super) fn at_end(
    stop: &Stop<'_>,
    event: &Event<'_>,
    plan: &BoundPlan,
    view: &(impl View + ?Sized),
) -> Finding {
    let Some((agent, by)) = reviewer(event) else { return Finding::default() };
    let unseen = Reviewing {
        by,
        plan: plan.briefed.get(&by).cloned().unwrap_or_default(),
        content: None,
        looked: false,
        ended: false,
    };
    let reviewing = plan.reviewing.get(agent).unwrap_or(&unseen);
    if (reviewing.ended && !stop.active) || is_foreign(view) {
        return Finding::default();
    }
    let review = Box::new(reviewing.review(&stop.last_message));
    let change = Change::Reviewed { name: plan.name.clone(), agent: agent.to_owned(), review };
    Finding { changes: vec![change], ..Finding::default() }
}

/// The agent that acts, if it judges.
fn reviewer<'e>(event: &'e Event<'_>) -> Option<(&'e str, Reviewer)> {
    match &event.actor {
        Actor::Subagent { id, agent_type } => Some((id.as_ref(), Reviewer::of(agent_type)?)),
        Actor::Main => None,
    }
}
