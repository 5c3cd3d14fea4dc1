//! What is open in a project: its plans, and the work sessions that are active, with those whose agent session is not alive any more.

use engine_core::plan::{Plan, State};
use engine_core::work::{Lifecycle, WorkState};
use engine_store::plan_file::{self, PlanFile};
use engine_store::project::Project;
use engine_store::session_file::{Presence, SessionFile};
use engine_store::work_file::{self, WorkFile};
use engine_text::line::one_line;
use engine_text::stamp::span;
use serde::Serialize;

/// Work sessions that are looked at, the newest: there may be thousands.
const MOST_WORKS: usize = 200;
/// How many of a kind are named.
const MOST_NAMED: usize = 3;
/// In milliseconds.
const A_MINUTE: u64 = 60_000;
/// How much of the reason of a halt is shown.
const REASON: usize = 100;

/// An open plan.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct OpenPlan {
    pub name: String,
    pub done: usize,
    pub steps: usize,
    pub halted: Option<String>,
    /// The agent session that works on it is not alive.
    pub orphaned: bool,
    /// The command by which another takes it up.
    #[serde(skip)]
    take: String,
}

impl OpenPlan {
    fn of(plan: Plan, project: &Project) -> Self {
        Self {
            done: plan.steps.iter().filter(|step| step.state == State::Done).count(),
            steps: plan.steps.len(),
            halted: plan.halted().map(|halt| one_line(&halt.reason, REASON)),
            orphaned: plan_file::is_orphaned(project, &plan),
            take: plan.take_command(),
            name: plan.name,
        }
    }

    /// `login, 1 of 3 steps, halted: a key is missing; its session has ended: engine plan take login`.
    fn shown(&self) -> String {
        let Self { name, done, steps, take, .. } = self;
        let halted = self.halted.as_ref().map(|reason| format!(", halted: {reason}")).unwrap_or_default();
        let orphaned = if self.orphaned { format!("; its session has ended: {take}") } else { String::new() };
        format!("{name}, {done} of {steps} steps{halted}{orphaned}")
    }
}

/// The open plans that can be read; those that somebody works on first.
pub fn plans(project: &Project) -> Vec<OpenPlan> {
    let plan = |name: &String| PlanFile::new(project, name).peek_open();
    let open = plan_file::names(project).into_iter();
    let mut open: Vec<OpenPlan> =
        open.filter_map(|name| plan(&name)).map(|plan| OpenPlan::of(plan, project)).collect();
    open.sort_by_key(|plan| plan.orphaned);
    open
}

/// A line for each of the first, and how many more there are.
fn named<T>(all: &[T], shown: impl Fn(&T) -> String, command: &str) -> Vec<String> {
    let mut lines: Vec<String> = all.iter().take(MOST_NAMED).map(shown).collect();
    let more = all.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        lines.push(format!("and {more} more: {command}"));
    }
    lines
}

/// The lines for open plans.
pub fn plan_lines(plans: &[OpenPlan]) -> Vec<String> {
    named(plans, OpenPlan::shown, "engine plan list")
}

/// The lines for work sessions.
pub fn work_lines(works: &[OpenWork]) -> Vec<String> {
    named(works, OpenWork::shown, "engine session list --active")
}

/// A work session that is active.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct OpenWork {
    pub path: String,
    pub skill: Option<String>,
    pub phase: Option<String>,
    /// Its agent session is not alive.
    #[serde(skip)]
    pub orphaned: bool,
    /// For how long nothing was heard of it, in milliseconds, if it is known.
    #[serde(skip)]
    silent: Option<u64>,
}

impl OpenWork {
    /// `sessions/2026_02_07_AUTH, implement in 3: Build; its agent session has ended, silent for 7 min: engine session continue sessions/2026_02_07_AUTH`.
    fn shown(&self) -> String {
        let path = &self.path;
        let skill = self.skill.as_ref().map(|skill| format!(", {skill}")).unwrap_or_default();
        let phase = self.phase.as_ref().map(|phase| format!(" in {phase}")).unwrap_or_default();
        let place = format!("{path}{skill}{phase}");
        if !self.orphaned {
            return place;
        }
        let silent = self.silent.filter(|silent| *silent >= A_MINUTE);
        let silent = silent.map(|silent| format!(", silent for {}", span(silent))).unwrap_or_default();
        format!("{place}; its agent session has ended{silent}: engine session continue {path}")
    }
}

/// Whether a work session is active and the agent session that holds it is not alive.
pub fn is_orphaned(project: &Project, state: &WorkState) -> bool {
    let is_alive = |id: &str| SessionFile::new(&project.sessions_folder(), id).is_alive();
    let holder = state.agent_session.as_ref();
    state.lifecycle == Lifecycle::Active && holder.is_some_and(|holder| !is_alive(&holder.id))
}

/// The active ones of the newest work sessions, those that somebody works on first.
pub fn works(project: &Project) -> Vec<OpenWork> {
    let works = work_file::names(project).into_iter().take(MOST_WORKS);
    let open = |name: String| {
        let work = WorkFile::new(project, &name);
        let state = work.peek().filter(|state| state.lifecycle == Lifecycle::Active)?;
        let holder = state.agent_session.as_ref()?;
        let presence = SessionFile::new(&project.sessions_folder(), &holder.id).presence();
        let run = state.run();
        Some(OpenWork {
            path: work.shown(),
            skill: run.map(|run| run.skill.clone()),
            phase: run.and_then(|run| run.current_phase.as_ref()).map(ToString::to_string),
            orphaned: !presence.as_ref().is_some_and(Presence::is_alive),
            silent: presence.and_then(|known| u64::try_from(known.silent.as_millis()).ok()),
        })
    };
    let mut open: Vec<OpenWork> = works.filter_map(open).collect();
    open.sort_by_key(|work| work.orphaned);
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_named_and_the_rest_counted() {
        let shown = |number: &u32| number.to_string();
        assert_eq!(named(&[1, 2, 3], shown, "all"), ["1", "2", "3"]);
        assert_eq!(
            named(&[1, 2, 3, 4, 5], shown, "engine plan list"),
            ["1", "2", "3", "and 2 more: engine plan list"]
        );
    }
}
