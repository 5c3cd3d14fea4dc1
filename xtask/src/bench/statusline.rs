//! `engine statusline` as the client calls it after each message, with a session at work: bound to a work session, with a
//! task in progress. Nothing is written, as in most calls.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use engine_text::stamp::Stamp;
use serde_json::{Value, json};

use super::events;
use super::process::Process;
use super::project::BenchProject;
use super::samples::{Samples, interleave};

/// One of those that the big project is full of.
const WORK: &str = "2026_01_01_TOPIC_05000";
/// What the line holds when everything was found.
const SHOWN: &str = "[2 of 3: Build] \u{b7} Port the lexer \u{b7} ";
const FIRING: &str = "\u{25cf} hooks";

pub(super) struct StatuslineTimes {
    pub(super) empty: Samples,
    pub(super) in_small: Samples,
    pub(super) in_big: Samples,
}

pub(super) fn measure(
    empty: &Path,
    engine: &Path,
    small: &BenchProject,
    big: &BenchProject,
    rounds: usize,
) -> Result<StatuslineTimes> {
    let (first, second) = (process(engine, small)?, process(engine, big)?);
    let nothing = Process::new(empty, &[], small).fed(report(small).to_string().into_bytes());
    let before = [state(small)?, state(big)?];
    let mut samples = interleave(&[nothing, first.clone(), second.clone()], rounds)?.into_iter();
    for process in [first, second] {
        process.prove_by(is_whole)?;
    }
    ensure!(before == [state(small)?, state(big)?], "the status line wrote state");
    let mut next = || samples.next().context("the status line was not measured");
    Ok(StatuslineTimes { empty: next()?, in_small: next()?, in_big: next()? })
}

fn is_whole(said: &str) -> bool {
    said.contains(SHOWN) && said.contains(FIRING)
}

fn report(project: &BenchProject) -> Value {
    let mut report = events::recorded("statusLine", project.root());
    report["transcript_path"] = json!(project.root().join("transcript.jsonl"));
    report
}

fn session(project: &BenchProject) -> String {
    report(project)["session_id"].as_str().unwrap_or_default().to_owned()
}

fn state(project: &BenchProject) -> Result<String> {
    Ok(fs::read_to_string(project.state_file(&session(project)))?)
}

/// Gives the session its work and an event, and lets the line record the context once.
fn process(engine: &Path, project: &BenchProject) -> Result<Process> {
    let root = project.root();
    let phases = json!([{"label": "1"}, {"label": "2"}, {"label": "3"}]);
    let run =
        json!({"skill": "implement", "currentPhase": {"label": "2", "name": "Build"}, "phases": phases});
    fs::create_dir_all(root.join("sessions").join(WORK))?;
    fs::write(
        root.join("sessions").join(WORK).join("state.json"),
        json!({"version": 1, "runs": [run]}).to_string(),
    )?;
    fs::write(root.join("session.md"), "## Pending Tasks\n- [>] **Port the lexer** \u{2014} | opus\n")?;
    fs::write(root.join("transcript.jsonl"), "{}\n")?;
    let state =
        json!({"version": 1, "started": Stamp(1), "turn": 3, "work": {"name": WORK, "skill": "implement"}});
    fs::create_dir_all(root.join(".engine/state/sessions"))?;
    fs::write(project.state_file(&session(project)), state.to_string())?;
    let mut event = events::bash_call(project);
    event["session_id"] = json!(session(project));
    project.hook(&event).prove()?;
    let line = Process::new(engine, &["statusline"], project).fed(report(project).to_string().into_bytes());
    line.prove_by(is_whole)?;
    Ok(line)
}
