//! The copy of an open plan in the agent session that owns it.
//!
//! Written under the plan's lock, by `plan_file`.

use std::io;

use engine_core::plan::{BoundPlan, Plan};

use super::{agent_session, lose};
use crate::project::Project;

/// Brings the copies up to date after a change: the owner's, and that of an owner before it.
pub(crate) fn follow(project: &Project, plan: &Plan, before: Option<&Plan>) -> io::Result<()> {
    let old = before.and_then(|before| before.owner.as_ref());
    if let Some(old) = old.filter(|old| plan.owner.as_ref() != Some(*old)) {
        let to = plan.owner.as_deref().unwrap_or("a person");
        lose(
            project,
            old,
            format!(
                "engine: the agent session {to} has taken up plan {}. This session has no part in it any more.",
                plan.name
            ),
        )?;
        unbind(project, &plan.name, old)?;
    }
    match &plan.owner {
        Some(owner) if plan.is_open() => bind(project, plan, owner),
        Some(owner) => unbind(project, &plan.name, owner),
        None => Ok(()),
    }
}

/// Gives an agent session its copy.
fn bind(project: &Project, plan: &Plan, owner: &str) -> io::Result<()> {
    agent_session(project, owner).update(|state| {
        let copy = BoundPlan::of(plan, state.plan.as_ref());
        if copy.locked {
            state.armed = None;
        }
        state.plan = Some(copy);
    })?;
    Ok(())
}

/// Removes the copy of a plan from an agent session, if it has one.
pub fn unbind(project: &Project, name: &str, agent: &str) -> io::Result<()> {
    let file = agent_session(project, agent);
    if file.peek().plan.is_some_and(|plan| plan.name == name) {
        file.update(|state| {
            state.plan.take_if(|plan| plan.name == name);
        })?;
    }
    Ok(())
}

/// Halts the copy of a plan in an agent session, if it has one.
pub(crate) fn halt(project: &Project, name: &str, agent: &str, reason: &str) -> io::Result<()> {
    let file = agent_session(project, agent);
    if file.peek().plan.is_some_and(|plan| plan.name == name && plan.halted.is_none()) {
        file.update(|state| {
            if let Some(plan) = state.plan.as_mut().filter(|plan| plan.name == name) {
                plan.halted = Some(reason.to_owned());
                plan.halts += 1;
            }
        })?;
    }
    Ok(())
}

/// Whether an agent session's copy is what its plan would give it now.
pub(crate) fn is_current(plan: &Plan, copy: &BoundPlan) -> bool {
    BoundPlan::of(plan, Some(copy)) == *copy
}
