//! Changes that only one event may make: they are made before anything is told, and if another event was quicker, the rules judge again.
//!
//! Calls of tools run side by side and their events with them: a directive must come into the context by one of them only, and each call
//! has a count of its own. Sessions that ask for a task at once must not get the same one.

use std::io;

use engine_core::change::Change;
use engine_core::config::Config;
use engine_core::plan::AgentNews;
use engine_core::session::{ContextDirectives, SessionState};
use engine_core::task::{State, TaskFile};
use engine_text::stamp::Stamp;

use crate::project::Project;
use crate::session_file::SessionFile;
use crate::step_agent;
use crate::task_file;

/// Who claims.
pub struct Claimant<'a> {
    pub session: &'a str,
    pub file: &'a SessionFile,
    pub project: &'a Project,
    pub config: &'a Config,
    pub now: Stamp,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claimed {
    /// What was to be claimed is.
    All,
    /// Another event was quicker.
    Lost,
    /// The state of the session cannot be written: what is claimed there is not remembered.
    Unsaved(String),
    /// A task was not started: what is true instead of what the rule says.
    NotStarted(String),
}

/// Whether the world is still what the rules saw of it, and if so makes the changes that depend on that.
pub fn claim(claimant: &Claimant<'_>, changes: &[Change]) -> Claimed {
    // Most events change nothing.
    if changes.is_empty() {
        return Claimed::All;
    }
    for change in changes {
        if let Change::StepAgent { name, news: AgentNews::Claimed(claim) } = change {
            match step_agent::claim(claimant.project, name, claim, claimant.now) {
                Ok(true) => {}
                Ok(false) => return Claimed::Lost,
                Err(error) => {
                    return Claimed::Unsaved(format!("the claim of the step was not saved: {error}"));
                }
            }
        }
        let Change::StartTask { name, from } = change else { continue };
        match seen_alive(claimant, changes).and_then(|()| start_task(claimant, name, *from)) {
            Ok(true) => {}
            Ok(false) => return Claimed::Lost,
            Err(error) => return Claimed::NotStarted(not_started(name, &error.to_string())),
        }
    }
    match claim_state(claimant, changes) {
        Ok(true) => Claimed::All,
        Ok(false) => Claimed::Lost,
        Err(error) => Claimed::Unsaved(format!("the session's state was not saved: {error}")),
    }
}

/// What is true of a task that was not started.
pub fn not_started(name: &str, why: &str) -> String {
    format!("{name} was not marked as in progress: {why}")
}

fn claim_state(claimant: &Claimant<'_>, changes: &[Change]) -> io::Result<bool> {
    let claims: Vec<&Change> = changes.iter().filter(|change| is_claimed(change)).collect();
    if claims.is_empty() {
        return Ok(true);
    }
    let (is_news, _) = claimant.file.update(|state| {
        let is_news = claims.iter().all(|change| is_as_seen(state, change));
        if is_news {
            for change in &claims {
                state.apply(change, claimant.now);
            }
        }
        is_news
    })?;
    Ok(is_news)
}

/// Whether a change of the session's state is made by [`claim`].
pub(crate) fn is_claimed(change: &Change) -> bool {
    matches!(
        change,
        Change::DirectivesTold { .. } | Change::DirectiveAwaited { .. } | Change::CallCounted { .. }
    )
}

/// Whether the state is as the rule saw it that wants this change.
fn is_as_seen(state: &SessionState, change: &Change) -> bool {
    match change {
        Change::DirectivesTold { agent, seen, .. } => {
            state.directives.get(agent).map_or(0, ContextDirectives::seen) == *seen
        }
        Change::DirectiveAwaited { agent, seen } => {
            state.directives.get(agent).map_or(0, |told| told.waited) == *seen
        }
        Change::CallCounted { agent, seen, .. } => {
            let calls = state.work.as_ref().and_then(|work| work.calls.get(agent));
            calls.map_or(0, |calls| calls.count) == *seen
        }
        _ => true,
    }
}

/// A session that holds a task is seen to be alive: it may have ended before this prompt, or this may be the first that is heard of it.
fn seen_alive(claimant: &Claimant<'_>, changes: &[Change]) -> io::Result<()> {
    let update = |state: &mut SessionState| {
        state.ended = None;
        let client = changes.iter().filter(|change| matches!(change, Change::ClientChanged { .. }));
        client.for_each(|change| state.apply(change, claimant.now));
    };
    claimant.file.update(update).map(|_| ())
}

/// Starts a task if it is still as the rule saw it, and nobody else's.
fn start_task(claimant: &Claimant<'_>, name: &str, from: State) -> io::Result<bool> {
    let path = task_file::path(claimant.project, claimant.config);
    task_file::edit(claimant.project, &path, |text, owners| {
        let file = TaskFile::parse(text);
        let is_it = |task: &&engine_core::task::Task| task.meta.name == name && task.state == from;
        let free =
            file.tasks().find(is_it).filter(|task| owners.holder(task, Some(claimant.session)).is_free());
        let Some(task) = free else { return Ok((None, false)) };
        owners.take(name, Some(claimant.session));
        Ok((Some(file.with_state(task, State::InProgress, None)), true))
    })
}
