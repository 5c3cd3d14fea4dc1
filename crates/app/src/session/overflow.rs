//! What the next agent session must know, saved before the context runs out.

use engine_claude::DIALECT;
use engine_claude::skills::Claude;
use engine_core::log;
use engine_core::plan::Heir;
use engine_core::restored::GOES_ON;
use engine_core::view::{Plans, Work};
use engine_core::work::payload::SHAPE;
use engine_core::work::{BoundWork, Overflow, Payload, WorkState, file_of};
use engine_rules::restart::RESTART;
use engine_rules::{Whose, assemble};
use engine_store::binding::work as binding;
use engine_store::live_view::LiveView;
use engine_store::read::read_string;
use engine_store::work_file::WorkFile;
use engine_store::{clock, config_file, restart_file};
use serde_json::{Map, Value};

use super::{CommandContext, may_change, piped_object};
use crate::error::{CommandError, Outcome};
use crate::stdin::Piped;
use crate::time;

/// Saves a payload; `given` by options, else what is piped in. How many of its files were left out comes back.
pub fn dehydrate(
    context: &CommandContext,
    path: &str,
    given: Map<String, Value>,
    piped: Piped<'_>,
) -> Result<(WorkFile, usize), CommandError> {
    let work = context.changeable(path)?;
    let object = if given.is_empty() { piped_object(piped)?.unwrap_or_default() } else { given };
    let (payload, dropped) = Payload::read(&object)
        .map_err(|wrong| CommandError::refused(format!("payload: {}", wrong.join("; "))).hint(SHAPE))?;
    save(&work, payload, context)?;
    Ok((work, dropped))
}

fn save(work: &WorkFile, payload: Payload, context: &CommandContext) -> Outcome {
    let now = clock::now();
    work.update(|state| {
        may_change(work, state, context)?;
        let run = state.run();
        let entries = run.map(|run| entries(work, &run.skill)).unwrap_or_default();
        let phase = run.and_then(|run| run.current_phase.as_ref().map(ToString::to_string));
        let (saved_at, saved_local) = (Some(now.rfc3339()), Some(time::local(now)));
        let payload = Some(payload);
        state.overflow = Overflow { payload, saved_at, saved_local, phase, entries, told_at: None };
        Ok::<(), CommandError>(())
    })?;
    if let Some(agent) = context.agent() {
        binding::note_saved(&context.project, &work.name, agent)?;
    }
    Ok(())
}

/// How many entries the log of a skill has; none where it cannot be read.
fn entries(work: &WorkFile, skill: &str) -> usize {
    let log = work.folder().join(file_of(skill, "LOG"));
    read_string(&log).map(|text| log::parse(&text).len()).unwrap_or_default()
}

/// A new context is told of what is saved.
pub(super) fn note_told(state: &mut WorkState, now: &str) {
    if state.overflow.payload.is_some() {
        state.overflow.told_at = Some(now.to_owned());
    }
}

/// What a new context is told of a work session, as it is now. `overflow`: what was saved and told before.
pub(super) fn restored(
    context: &CommandContext,
    work: &WorkFile,
    state: &WorkState,
    overflow: Overflow,
) -> String {
    let state = &WorkState { overflow, ..state.clone() };
    let Some(run) = state.run() else { return String::new() };
    let bound = BoundWork::of(&work.name, run);
    let client = Box::new(Claude::around(context.project.root()));
    let session = context.agent().unwrap_or_default();
    let view = LiveView::new(&context.project, config_file::load(&context.project), session, client);
    let plan = view.plan().and_then(|plan| view.open_plan(&plan.name));
    let whose = Whose {
        session,
        before: None,
        transcript: None,
        work: Some(&bound),
        state: Some(state),
        damaged: None,
        plan: plan.as_ref().map(|plan| (plan, Heir::Owner)),
        plan_unread: None,
    };
    assemble(&view, &whose)
}

fn prompt(work: &WorkFile) -> String {
    format!("{GOES_ON}{}: run engine session continue {} first.", work.shown(), work.shown())
}

/// How the work goes on in a new context.
pub struct Saved {
    pub work: WorkFile,
    /// The prompt for the next agent session.
    pub prompt: String,
    pub next: Next,
}

/// Who begins it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// `engine run` ends the client after the turn and starts it again.
    ByItself,
    /// `engine run` starts the client again when a person has ended it.
    WhenEnded,
    /// A person alone.
    ByHand,
}

/// Asks `engine run` to start a new client, which goes on with the named or bound work session.
pub fn restart(context: &CommandContext, path: Option<&str>) -> Result<Saved, CommandError> {
    let work = context.named_or_bound(path)?;
    may_change(&work, &work.peek().unwrap_or_default(), context)?;
    let prompt = prompt(&work);
    let agent = context.agent().unwrap_or_default();
    let next = match restart_file::write(&context.project, agent, &prompt)? {
        false => Next::ByHand,
        true if ends_by_itself(context) => Next::ByItself,
        true => Next::WhenEnded,
    };
    Ok(Saved { work, prompt, next })
}

/// As the rule at the end of the turn decides it.
fn ends_by_itself(context: &CommandContext) -> bool {
    let config = config_file::load(&context.project);
    let is_attended =
        std::env::var(DIALECT.entrypoint_variable).is_ok_and(|value| value == DIALECT.interactive);
    is_attended && context.agent().is_some() && config.choice(&RESTART) == RESTART.default
}

#[cfg(test)]
mod tests;
