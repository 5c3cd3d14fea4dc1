//! What one run of the client left behind.

use std::time::Duration;

use serde_json::Value;

use crate::Record;

/// The options with which stdout is read by [`Run::lines`] and [`Run::hook_responses`].
pub const STREAM: &[&str] = &["--output-format", "stream-json", "--verbose", "--include-hook-events"];

#[derive(Debug)]
pub struct Run {
    /// `None` when a signal ended it.
    pub code: Option<i32>,
    /// For a terminal: what was drawn, escape codes removed.
    pub stdout: String,
    pub stderr: String,
    pub record: Record,
    pub wall: Duration,
}

/// One call of a hook, as the client tells it with `--include-hook-events`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookResponse {
    /// With its matcher value: `PreToolUse:Bash`, `SessionStart:startup`.
    pub name: String,
    pub event: String,
    pub stdout: String,
    pub stderr: String,
    pub exit_code: Option<i64>,
    /// `success`, `error` or `cancelled`.
    pub outcome: String,
}

impl Run {
    /// The stream-json lines.
    pub fn lines(&self) -> Vec<Value> {
        json_lines(self.stdout.as_bytes()).collect()
    }

    /// The last `result` line.
    pub fn result(&self) -> Option<Value> {
        self.lines().into_iter().rfind(|line| line["type"] == "result")
    }

    /// The text of the last `result` line: what `-p` would have printed.
    pub fn result_text(&self) -> Option<String> {
        self.result()?["result"].as_str().map(str::to_owned)
    }

    pub fn hook_responses(&self) -> Vec<HookResponse> {
        let text = |line: &Value, field: &str| line[field].as_str().unwrap_or_default().to_owned();
        let lines = self.lines();
        let responses = lines.iter().filter(|line| line["subtype"] == "hook_response");
        responses
            .map(|line| HookResponse {
                name: text(line, "hook_name"),
                event: text(line, "hook_event"),
                stdout: text(line, "stdout"),
                stderr: text(line, "stderr"),
                exit_code: line["exit_code"].as_i64(),
                outcome: text(line, "outcome"),
            })
            .collect()
    }
}

/// The objects among the lines; a line still being written is none.
pub(crate) fn json_lines(bytes: &[u8]) -> impl Iterator<Item = Value> {
    bytes
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .filter(Value::is_object)
}
