//! A check that somebody ran, written into the journal, where it counts as evidence.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;

use engine_core::evidence::ledger;
use engine_core::evidence::{EditScope, known};
use engine_core::journal::Entry;
use engine_core::plan::Observation;
use engine_store::approve::Caller;
use engine_store::project::Project;
use engine_store::{clock, config_file, journal_file, plan_file};
use engine_text::line::shell_line;

use crate::here;
use crate::hook::writes_journal;

/// Outside of a project there is nobody who would ask. An agent's check belongs to the project of its session, wherever its shell has
/// wandered.
pub fn record(words: &[OsString], exit: u8, started: Instant) -> std::io::Result<()> {
    let (session, home) = match here::caller() {
        Caller::Agent { session } => (session, std::env::var_os("ENGINE_PROJECT").map(PathBuf::from)),
        Caller::Person | Caller::Program => (String::new(), None),
    };
    let project = Project::open(home.as_deref(), &std::env::current_dir()?);
    let Some(project) = project.filter(writes_journal) else { return Ok(()) };
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let now = clock::now();
    let mut entry =
        Entry::check(&clock::decision_id(now), now, &session, &shell_line(&words), i32::from(exit));
    entry.us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    journal_file::append(&project.journal_folder(), now, &entry)?;
    let config = config_file::load(&project);
    let root = project.root().to_string_lossy();
    let scope = EditScope::new(&root, &engine_claude::DIALECT);
    let lines = ledger::read_one(&entry, &scope, &config.commands(&known::CHECKS));
    let observations: Vec<Observation> = lines.into_iter().filter_map(Observation::of).collect();
    plan_file::saw(&project, &session, &observations)
}
