//! One `claude -p --input-format stream-json`: several prompts and control requests in one process.

use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::process::Process;
use crate::run::json_lines;
use crate::{Record, Run, ScriptedModel};

pub struct Live {
    process: Process,
    model: ScriptedModel,
    limit: Duration,
    results: usize,
    controls: usize,
}

impl Live {
    pub(crate) fn new(process: Process, model: ScriptedModel, limit: Duration) -> Self {
        Self { process, model, limit, results: 0, controls: 0 }
    }

    pub fn prompt(&mut self, text: &str) -> Result<()> {
        let line = json!({"type": "user", "message": {"role": "user", "content": text}});
        self.process.write_line(&line.to_string())
    }

    /// Sends a control request, `{"subtype": "set_model", "model": "haiku"}`, and waits for its answer,
    /// the client's whole `control_response` line. The client reads its input in order, so the first
    /// prompt need not have been sent.
    pub fn control(&mut self, request: &Value) -> Result<Value> {
        self.controls += 1;
        let id = format!("control-{}", self.controls);
        let line = json!({"type": "control_request", "request_id": id, "request": request});
        self.process.write_line(&line.to_string())?;
        self.wait_for_line(self.limit, |line| line["response"]["request_id"] == *id)
            .with_context(|| format!("no answer to the control request {request}"))
    }

    /// Waits until the client asks for leave to use a tool, and gives it with this input. It asks so with
    /// `--permission-prompt-tool stdio`.
    pub fn permit(&mut self, tool: &str, input: &Value) -> Result<()> {
        let asked = |line: &Value| line["type"] == "control_request" && line["request"]["tool_name"] == *tool;
        let id = self.wait_for_line(self.limit, asked)?["request_id"].clone();
        let answer = json!({"behavior": "allow", "updatedInput": input});
        let response = json!({"subtype": "success", "request_id": id, "response": answer});
        self.process.write_line(&json!({"type": "control_response", "response": response}).to_string())
    }

    /// Waits for the next `result` line that no earlier call has returned.
    pub fn wait_for_result(&mut self, limit: Duration) -> Result<Value> {
        let nth = self.results;
        let found = self
            .process
            .stdout
            .wait(limit, |bytes| json_lines(bytes).filter(|line| line["type"] == "result").nth(nth));
        self.results += 1;
        found.with_context(|| self.failure(limit, "result line"))
    }

    /// Waits for a line of stdout, old or new.
    pub fn wait_for_line(&self, limit: Duration, wanted: impl Fn(&Value) -> bool) -> Result<Value> {
        let found = self.process.stdout.wait(limit, |bytes| json_lines(bytes).find(|line| wanted(line)));
        found.with_context(|| self.failure(limit, "line"))
    }

    fn failure(&self, limit: Duration, what: &str) -> String {
        let story = self.process.story(&self.record());
        format!("no such {what} within {} s\n{story}", limit.as_secs())
    }

    /// What the model was asked so far.
    pub fn record(&self) -> Record {
        self.model.record()
    }

    /// Closes the client's input and waits for its end.
    pub fn finish(self) -> Result<Run> {
        self.process.finish(self.limit, || self.model.record())
    }
}
