//! Chains in a project with a thousand skills, the registry of which is kept: prompts that are one, prompts that are
//! none, and the Skill call that moves one on.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::events::{self, Class};
use super::process::Process;
use super::project::BenchProject;
use super::samples::{Samples, interleave};
use super::timings::second_chance;

const CHAIN: &str = "/design plans/foo, /plan-adhoc and /orchestrate";
/// What the model is told of it.
const STARTED: &str = "Continuation: /plan-adhoc, /orchestrate, /handoff --commit, /commit";
/// The call that the model makes then, and what it is told.
const CALL: (&str, &str) = ("plan-adhoc", "[CONTINUATION: /orchestrate, /handoff --commit, /commit]");
const MOVED_ON: &str = "Continuation: /orchestrate, /handoff --commit, /commit";
/// Younger files are not kept, because a further change might go unseen.
const SETTLED: Duration = Duration::from_millis(300);

pub(super) struct Chains {
    pub(super) empty: Samples,
    pub(super) all: Vec<ChainTimings>,
}

pub(super) struct ChainTimings {
    pub(super) name: &'static str,
    pub(super) class: Class,
    pub(super) samples: Samples,
    /// Measured a second time, because the first was unsteady.
    pub(super) again: Option<Samples>,
}

struct Case {
    name: &'static str,
    class: Class,
    hook: Process,
    /// What the model is told; nothing if it is told nothing.
    told: Option<&'static str>,
}

pub(super) fn measure(empty: &Path, engine: &Path, rounds: usize) -> Result<Chains> {
    let project = BenchProject::new(engine)?;
    project.add_skills()?;
    thread::sleep(SETTLED);
    let cases = cases(&project)?;
    for case in &cases {
        case.prove()?;
    }
    let kept = kept(&project)?;
    let nothing = Process::new(empty, &[], &project).fed(prompt(&project, CHAIN).to_string().into_bytes());
    let processes: Vec<Process> =
        [nothing].into_iter().chain(cases.iter().map(|case| case.hook.clone())).collect();
    let mut samples = interleave(&processes, rounds)?.into_iter();
    let empty = samples.next().context("the empty process was not measured")?;
    let mut all = Vec::new();
    for (case, samples) in cases.iter().zip(samples) {
        let again = second_chance(case.class, &samples, case.hook.clone(), rounds)?;
        all.push(ChainTimings { name: case.name, class: case.class, samples, again });
    }
    for case in &cases {
        case.prove()?;
    }
    ensure!(
        self::kept(&project)? == kept,
        "the skills were read anew: it is not the kept registry that was measured"
    );
    Ok(Chains { empty, all })
}

fn cases(project: &BenchProject) -> Result<Vec<Case>> {
    let mut call = events::recorded("PostToolUse.Skill", project.root());
    call["tool_input"]["skill"] = CALL.0.into();
    call["tool_input"]["args"] = CALL.1.into();
    call["tool_response"]["commandName"] = CALL.0.into();
    let began = began(project, &call)?;
    let chain = prompt(project, CHAIN);
    // The registry is made by the first of these that asks for a skill.
    let new = state_after(project, &events::recorded("SessionStart", project.root()))?;
    let chained = state_after(project, &chain)?;

    let (plain, path) = (prompt(project, "fix the bug"), prompt(project, "look at /etc/hosts please"));
    let all = [
        ("prompt without a slash", Class::WritesState, plain, &new, None),
        ("prompt with a path", Class::WritesState, path, &new, None),
        ("prompt with a chain", Class::StartsChain, chain, &new, Some(STARTED)),
        ("PostToolUse Skill, next entry", Class::WritesState, call, &chained, Some(MOVED_ON)),
    ];
    let case = |(number, (name, class, mut event, state, told)): (usize, (_, _, Value, &Vec<u8>, _))| {
        // Each in a session of its own, which stands as it stood before the event at every start.
        let session = format!("c4a14000-0000-4000-8000-{number:012}");
        event["session_id"] = session.as_str().into();
        let mut hook = project.hook(&event).finding(project.state_file(&session), state.clone());
        if event["hook_event_name"] == "PostToolUse" {
            // As in a client: what began the call is not far back in the journal.
            hook = hook.finding(began.0.clone(), began.1.clone());
        }
        Case { name, class, hook, told }
    };
    Ok(all.into_iter().enumerate().map(case).collect())
}

/// The day's journal with the line that the beginning of a call leaves.
fn began(project: &BenchProject, call: &Value) -> Result<(PathBuf, Vec<u8>)> {
    let mut begins = call.clone();
    begins["hook_event_name"] = "PreToolUse".into();
    begins["tool_response"].take();
    project.hook(&begins).output()?;
    let line = project.journal()?.pop().context("the hook wrote no journal line")? + "\n";
    let file = project.journal_today()?;
    Ok((file, line.into_bytes()))
}

fn state_after(project: &BenchProject, event: &Value) -> Result<Vec<u8>> {
    project.hook(event).output()?;
    let session = event["session_id"].as_str().context("an event without a session")?;
    fs::read(project.state_file(session)).context("the session has no state")
}

impl Case {
    fn prove(&self) -> Result<()> {
        let is_right = |said: &str| self.told.map_or(said.is_empty(), |told| said.contains(told));
        self.hook.prove_by(is_right).with_context(|| self.name)
    }
}

fn prompt(project: &BenchProject, text: &str) -> Value {
    let mut event = events::prompt(project);
    event["prompt"] = text.into();
    event
}

/// The kept registry and when it was written.
fn kept(project: &BenchProject) -> Result<Vec<(PathBuf, SystemTime)>> {
    let files = fs::read_dir(project.root().join(".engine/state/skills")).context("no registry is kept")?;
    let stamped = files.map(|file| {
        let file = file?;
        Ok((file.path(), file.metadata()?.modified()?))
    });
    let mut stamped: Vec<_> = stamped.collect::<Result<_>>()?;
    stamped.sort();
    ensure!(
        stamped.iter().any(|(path, _)| path.extension().is_some_and(|end| end == "json")),
        "no registry is kept"
    );
    Ok(stamped)
}
