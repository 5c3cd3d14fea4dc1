//! Many events of one session at once: as parallel tool calls and subagents make them.

use std::sync::Barrier;
use std::thread;

use anyhow::{Context, Result};
use serde_json::Value;

use super::events;
use super::project::BenchProject;

pub(super) const EVENTS: usize = 20;
const SESSION: &str = "20202020-2020-4020-8020-202020202020";

/// What is left of the events.
pub(super) struct Parallel {
    /// Turns in the session's state.
    pub(super) counted: u64,
    /// Lines in the journal.
    pub(super) journaled: usize,
    /// Lines of the whole journal that are no JSON.
    pub(super) damaged: usize,
}

pub(super) fn measure(project: &BenchProject) -> Result<Parallel> {
    let mut event = events::prompt(project);
    event["session_id"] = SESSION.into();
    let hook = project.hook(&event);
    let start = Barrier::new(EVENTS);
    thread::scope(|scope| {
        let one = || {
            start.wait();
            hook.time()
        };
        let running: Vec<_> = (0..EVENTS).map(|_| scope.spawn(one)).collect();
        running.into_iter().try_for_each(|thread| thread.join().ok().context("a thread panicked")?.map(drop))
    })?;
    let lines: Vec<Option<Value>> =
        project.journal()?.iter().map(|line| serde_json::from_str(line).ok()).collect();
    Ok(Parallel {
        counted: project.turns(SESSION)?,
        journaled: lines.iter().flatten().filter(|line| line["session"] == SESSION).count(),
        damaged: lines.iter().filter(|line| line.is_none()).count(),
    })
}
