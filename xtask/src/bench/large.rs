//! Large events: a file that the agent writes, a log in a prompt, a command without end.

use anyhow::Result;
use serde_json::Value;

use super::events::recorded;
use super::project::BenchProject;
use super::samples::{Samples, interleave};

const SIZE: usize = 5_000_000;
const RUNS: usize = 10;
/// A line with what JSON has to escape.
const LINE: &str = "\tlet greeting = \"hello, world\"; // C:\\path\n";

pub(super) struct Large {
    pub(super) name: &'static str,
    pub(super) bytes: u64,
    pub(super) samples: Samples,
    /// Unknown where the system does not tell.
    pub(super) peak: Option<u64>,
}

pub(super) fn measure(project: &BenchProject) -> Result<Vec<Large>> {
    let before = |event: &mut Value| event["tool_input"]["content"] = text(SIZE);
    let after = |event: &mut Value| {
        event["tool_input"]["content"] = text(SIZE / 2);
        event["tool_response"]["content"] = text(SIZE / 2);
    };
    let prompt = |event: &mut Value| event["prompt"] = "a word of a log ".repeat(SIZE / 16).into();
    let command = |event: &mut Value| event["tool_input"]["command"] = "word -p x | ".repeat(5000).into();
    Ok(vec![
        one(project, "PreToolUse Write, 5 MB", "PreToolUse.Write", before)?,
        one(project, "PostToolUse Write, 5 MB", "PostToolUse.Write", after)?,
        one(project, "UserPromptSubmit, 5 MB on one line", "UserPromptSubmit", prompt)?,
        one(project, "PreToolUse Bash, 60 KB on one line", "PreToolUse", command)?,
    ])
}

fn one(
    project: &BenchProject,
    name: &'static str,
    fixture: &str,
    enlarge: impl Fn(&mut Value),
) -> Result<Large> {
    let mut event = recorded(fixture, project.root());
    enlarge(&mut event);
    // A call of its own: with the recorded id it would be another hook's change of a call.
    event["tool_use_id"] = Value::from(name);
    let process = [project.hook(&event)];
    process[0].prove()?;
    let mut samples = interleave(&process, RUNS)?;
    let peaks: Vec<Option<u64>> = (0..RUNS).map(|_| process[0].peak_memory()).collect::<Result<_>>()?;
    Ok(Large {
        name,
        bytes: event.to_string().len() as u64,
        samples: samples.remove(0),
        peak: peaks.into_iter().max().flatten(),
    })
}

/// A text that takes about so many bytes as JSON.
fn text(bytes: usize) -> Value {
    let line_bytes = Value::from(LINE).to_string().len() - "\"\"".len();
    Value::from(LINE.repeat(bytes / line_bytes))
}
