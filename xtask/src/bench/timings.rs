//! The interleaved run: the ten events in two projects, beside programs to compare with.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::budgets;
use super::events::{self, Class, EVENTS, HookEvent};
use super::process::{self, Process};
use super::project::BenchProject;
use super::samples::{Samples, interleave};

/// Python runs in one of so many rounds: it is slow, and its median is steady.
const PYTHON_EVERY: usize = 6;

pub(super) struct Timings {
    pub(super) empty: Samples,
    /// Programs that hooks are often written in.
    pub(super) references: Vec<(&'static str, Samples)>,
    pub(super) events: Vec<EventTimings>,
    /// What was left out and why, and what a figure depends on.
    pub(super) notes: Vec<String>,
}

pub(super) struct EventTimings {
    pub(super) event: &'static HookEvent,
    pub(super) in_small: Samples,
    /// Measured a second time, because the first was unsteady.
    pub(super) again: Option<Samples>,
    pub(super) in_big: Samples,
}

pub(super) fn measure(
    empty: &Path,
    small: &BenchProject,
    big: &BenchProject,
    rounds: usize,
) -> Result<Timings> {
    let mut notes = Vec::new();
    let references = references(small, &mut notes);
    let names: Vec<&'static str> = references.iter().map(|(name, _)| *name).collect();

    let mut processes = vec![fed(Process::new(empty, &[], small), small)];
    processes.extend(references.into_iter().map(|(_, process)| process));
    processes.extend(hooks(small));
    processes.extend(hooks(big));
    for process in &processes {
        process.prove()?;
    }
    let lines_before = (small.journal()?.len(), big.journal()?.len());
    let mut samples = interleave(&processes, rounds)?.into_iter();
    for (project, before) in [(small, lines_before.0), (big, lines_before.1)] {
        ensure_work_was_done(project, before, rounds)?;
    }
    let empty = samples.next().context("the empty process was not measured")?;
    let references = names.into_iter().zip(samples.by_ref()).collect();
    let in_small: Vec<Samples> = samples.by_ref().take(EVENTS.len()).collect();

    let mut events = Vec::new();
    for ((event, in_small), in_big) in EVENTS.iter().zip(in_small).zip(samples) {
        let again = second_chance(event.class, &in_small, small.hook(&event.in_project(small)), rounds)?;
        events.push(EventTimings { event, in_small, again, in_big });
    }
    Ok(Timings { empty, references, events, notes })
}

fn references(project: &BenchProject, notes: &mut Vec<String>) -> Vec<(&'static str, Process)> {
    let mut references = Vec::new();
    match process::on_path("bash") {
        Some(bash) => references.push(("bash -c true", Process::new(&bash, &["-c", "true"], project))),
        None => notes.push("bash is not installed: left out".to_owned()),
    }
    match process::python() {
        Some(python) => {
            notes.push(format!("python3 is {}", python.display()));
            let import = Process::new(&python, &["-c", "import json,re,sys"], project);
            references.push(("python3 -c 'import json,re,sys'", import.every(PYTHON_EVERY)));
        }
        None => notes.push("python3 is not installed: left out".to_owned()),
    }
    references.into_iter().map(|(name, process)| (name, fed(process, project))).collect()
}

/// Gives a program that is no hook the input of one, so that writing it costs the same.
fn fed(process: Process, project: &BenchProject) -> Process {
    process.fed(events::bash_call(project).to_string().into_bytes())
}

fn hooks(project: &BenchProject) -> impl Iterator<Item = Process> {
    EVENTS.iter().map(|event| project.hook(&event.in_project(project)))
}

/// A hook never fails visibly, and one that does nothing would look fast: each must have left its traces.
fn ensure_work_was_done(project: &BenchProject, lines_before: usize, rounds: usize) -> Result<()> {
    let journal = project.journal()?;
    let written = journal.len() - lines_before;
    ensure!(written == rounds * EVENTS.len(), "{written} journal lines for {rounds} rounds of hooks");
    let troubled = journal.iter().find(|line| line.contains("\"trouble\":"));
    ensure!(troubled.is_none(), "a hook was in trouble: {}", troubled.map_or("", String::as_str));
    let turns = project.turns(events::prompt(project)["session_id"].as_str().unwrap_or_default())?;
    // One more when it was proved to run.
    ensure!(turns == rounds as u64 + 1, "{turns} turns counted for {rounds} prompts");
    Ok(())
}

/// One hiccup of the machine decides the 99th percentile of a few hundred runs.
pub(super) fn second_chance(
    class: Class,
    first: &Samples,
    process: Process,
    rounds: usize,
) -> Result<Option<Samples>> {
    if budgets::is_steady(class, first) {
        return Ok(None);
    }
    Ok(interleave(&[process], rounds)?.pop())
}
