//! Agents that judge: `critic` and `qa` get the engine's brief, nobody else talks to them, and what they say is noted.

use engine_core::change::Change;
use engine_core::event::{Actor, Event, Kind, Stop, Tool, ToolCall};
use engine_core::plan::{BoundPlan, Reviewer, Reviewing, brief};
use engine_core::verdict::Finding;

use super::View;
use crate::approval::is_foreign;

/// Names and ids by which messages reach agents that judge, also of those that are older than the plan.
pub(super) fn known(event: &Event<'_>, view: &(impl View + ?Sized)) -> Vec<Change> {
    let started = |call: &ToolCall<'_>| match &call.tool {
        Tool::Agent { agent_type, name, .. } => {
            Reviewer::of(agent_type).map(|_| name.as_deref().map(str::to_owned))
        }
        _ => None,
    };
    let name = match &event.kind {
        Kind::PreTool(call) => started(call).flatten(),
        Kind::PostTool { call, result, .. } => started(call).and(result.agent.as_deref().map(str::to_owned)),
        _ => None,
    };
    let names: Vec<String> = name.into_iter().chain(reviewer(event).map(|(id, _)| id.to_owned())).collect();
    let is_new = |name: &String| !view.session().reviewers.contains(name);
    names.into_iter().filter(is_new).map(|name| Change::ReviewerKnown { name }).collect()
}

/// Before a call: the brief of an agent that judges, or a message to one.
pub(super) fn before(call: &ToolCall<'_>, plan: &BoundPlan, view: &(impl View + ?Sized)) -> Option<Finding> {
    match &call.tool {
        Tool::Agent { agent_type, prompt, .. } => {
            Some(briefed(Reviewer::of(agent_type)?, prompt, call, plan, view))
        }
        Tool::Message { to, .. } if view.session().reviewers.contains(to.as_ref()) => Some(
            Finding::deny(format!(
                "{to} judges plan {}: the agent whose work is judged cannot send it messages. Start a new one ({}); engine writes its prompt and quotes yours.",
                plan.name,
                view.dialect().agent_words
            ))
            .because("the message would reach an agent that judges"),
        ),
        _ => None,
    }
}

fn briefed(
    by: Reviewer,
    words: &str,
    call: &ToolCall<'_>,
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
        updated_input: view.with_prompt(&call.input, &prompt),
        changes: vec![Change::ReviewBriefed { by, call: call.id.to_string() }],
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

/// A call has ended: one of an agent that judges, or the one that was to start it.
pub(super) fn noted(event: &Event<'_>, plan: &BoundPlan) -> Option<Change> {
    let started = match &event.kind {
        Kind::PostTool { call, result, .. } => result.agent.as_deref().map(|agent| (call, Some(agent))),
        Kind::PostToolFailure { call, .. } => Some((call, None)),
        _ => None,
    };
    let has_brief = |call: &ToolCall<'_>| plan.briefs.iter().any(|brief| brief.call == call.id);
    if let Some((call, agent)) = started.filter(|(call, _)| has_brief(call)) {
        return Some(Change::ReviewerStarted { call: call.id.to_string(), agent: agent.map(str::to_owned) });
    }
    let agent = event.actor.id();
    let is_news = plan.reviewing.get(agent).is_some_and(|agent| !agent.looked);
    is_news.then(|| Change::ReviewerLooked { agent: agent.to_owned() })
}

/// At the end of a turn no call waits any more for its agent to begin.
pub(super) fn forgotten(plan: &BoundPlan) -> Option<Change> {
    plan.briefs.iter().any(|brief| brief.agent.is_none()).then_some(Change::BriefsForgotten)
}

/// An agent that judges has answered. One that was made to go on answers again; one that was woken later does not.
pub(super) fn at_end(
    stop: &Stop<'_>,
    event: &Event<'_>,
    plan: &BoundPlan,
    view: &(impl View + ?Sized),
) -> Finding {
    let Some((agent, by)) = reviewer(event) else { return Finding::default() };
    let unseen = Reviewing { by, plan: plan.briefed(agent, by), content: None, looked: false, ended: false };
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
