//! A prompt with the rule `enrich` on, beside the same prompt with it off, where 2,000 learnings are indexed.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::events;
use super::project::BenchProject;
use super::samples::{Samples, interleave};

pub(super) const ITEMS: usize = 2000;

/// Words of which learnings are made, each in some of them.
const WORDS: [&str; 24] = [
    "journal",
    "queue",
    "lock",
    "parser",
    "pipeline",
    "worktree",
    "branch",
    "commit",
    "deploy",
    "registry",
    "token",
    "socket",
    "timer",
    "context",
    "prompt",
    "session",
    "policy",
    "directive",
    "plan",
    "runbook",
    "statusline",
    "terminal",
    "colour",
    "index",
];

const PROMPT: &str = "when the journal is locked by two sessions at once, why does the parser of the runbook wait for the socket of the \
                      registry, and which timer of the queue ends that";

pub(super) struct EnrichTimes {
    pub(super) off: Samples,
    pub(super) on: Samples,
    pub(super) index_bytes: u64,
}

pub(super) fn measure(engine: &Path, rounds: usize) -> Result<EnrichTimes> {
    let (off, on) = (BenchProject::new(engine)?, BenchProject::new(engine)?);
    for project in [&off, &on] {
        fs::write(project.root().join("learnings.md"), learnings())?;
    }
    fs::write(on.root().join(".engine/config.toml"), "[rules]\nenrich = \"on\"\n")?;
    on.engine(&["enrich", "index"])?;
    let index_bytes =
        fs::metadata(on.root().join(".engine/state/enrich.idx")).context("there is no index")?.len();
    let processes = [&off, &on].map(|project| project.hook(&prompt(project)));
    for process in &processes {
        process.prove()?;
    }
    let mut samples = interleave(&processes, rounds)?.into_iter();
    let looked = on.journal()?.iter().filter(|line| line.contains("words, 2000 items)")).count();
    ensure!(looked == rounds + 1, "{looked} of {} prompts were looked up", rounds + 1);
    let mut next = || samples.next().context("the prompt was not measured");
    Ok(EnrichTimes { off: next()?, on: next()?, index_bytes })
}

fn prompt(project: &BenchProject) -> Value {
    let mut event = events::prompt(project);
    event["prompt"] = Value::from(PROMPT);
    event
}

/// Each of other words, as people write them: two sentences and a reason.
fn learnings() -> String {
    let mut text = String::from("# Learnings\n");
    for number in 0..ITEMS {
        let word = |at: usize| WORDS[(number * 7 + at * (number % 11 + 1)) % WORDS.len()];
        text.push_str(&format!(
            "\n## Matter {number} of the {} and the {}\n- Anti-pattern: let the {} wait for the {} while item{number} is open\n\
             - Correct pattern: the {} takes the {} first, as part{} of the {} does\n- Reason: the {} lost what the {} had\n",
            word(0), word(1), word(2), word(3), word(4), word(5), number % 97, word(6), word(7), word(8),
        ));
    }
    text
}
