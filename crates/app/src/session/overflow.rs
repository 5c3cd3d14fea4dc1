//! What the next agent session must know, saved before the context runs out.

use engine_claude::skills::Claude;
use engine_core::work::payload::SHAPE;
use engine_core::work::{BoundWork, Overflow, Payload};
use engine_rules::assemble;
use engine_store::binding::work as binding;
use engine_store::live_view::LiveView;
use engine_store::work_file::WorkFile;
use engine_store::{config_file, restart_file};
use serde_json::{Map, Value};

use super::{CommandContext, may_change, now, piped_object};
use crate::error::{CommandError, Outcome};
use crate::stdin::Piped;

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
    work.update(|state| {
        may_change(work, state, context)?;
        state.overflow = Overflow { payload: Some(payload), saved_at: Some(now()) };
        Ok::<(), CommandError>(())
    })?;
    if let Some(agent) = context.agent() {
        binding::note_saved(&context.project, &work.name, agent)?;
    }
    Ok(())
}

/// What is saved already, or what can be put together.
fn ensure_saved(work: &WorkFile, context: &CommandContext) -> Outcome {
    if work.peek().is_some_and(|state| state.overflow.payload.is_some()) {
        return Ok(());
    }
    let state = work.peek().unwrap_or_default();
    let bound = state.run().map(|run| BoundWork::of(&work.name, run)).unwrap_or_default();
    let client = Box::new(Claude::around(context.project.root()));
    let agent = context.agent().unwrap_or_default();
    let view = LiveView::new(&context.project, config_file::load(&context.project), agent, client);
    save(work, assemble(&view, &bound), context)
}

fn prompt(work: &WorkFile) -> String {
    format!(
        "Go on with the work session {}: run engine session continue {} first.",
        work.shown(),
        work.shown()
    )
}

/// A payload that is saved, and how the work goes on.
pub struct Saved {
    pub work: WorkFile,
    /// The prompt for the next agent session.
    pub prompt: String,
    /// Whether `engine run` starts the client again with it.
    pub restarts: bool,
}

/// Saves the named or bound work session and asks `engine run` to start a new client.
pub fn restart(context: &CommandContext, path: Option<&str>) -> Result<Saved, CommandError> {
    let work = context.named_or_bound(path)?;
    ensure_saved(&work, context)?;
    let prompt = prompt(&work);
    let agent = context.agent().unwrap_or_default();
    let restarts = restart_file::write(&context.project, agent, &prompt)?;
    Ok(Saved { work, prompt, restarts })
}

/// Saves the named or bound work session; the same client goes on after its context is cleared.
pub fn clear(context: &CommandContext, path: Option<&str>) -> Result<Saved, CommandError> {
    let work = context.named_or_bound(path)?;
    ensure_saved(&work, context)?;
    let prompt = prompt(&work);
    Ok(Saved { work, prompt, restarts: false })
}

#[cfg(test)]
mod tests;
