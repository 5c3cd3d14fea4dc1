//! One request of the client to the model, and the questions a test asks of it.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use crate::{Kind, contexts, message};

#[derive(Clone)]
pub struct Request {
    pub kind: Kind,
    /// The name of the turn that answered; `fallback`, `title`, `compact`, … when none matched.
    pub turn: String,
    /// Lower-case names; the key is left out.
    pub headers: BTreeMap<String, String>,
    pub body: Value,
}

/// A tool result as the model got it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The tool, known from the call it answers; empty when that call is not in the request.
    pub name: String,
    pub id: String,
    pub is_error: bool,
    pub text: String,
}

/// Short, for the messages of failed tests: a body has some hundred kilobytes.
impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, turn, .. } = self;
        f.debug_struct("Request").field("kind", kind).field("turn", turn).finish_non_exhaustive()
    }
}

impl Request {
    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    pub fn system_text(&self) -> String {
        message::content_text(&self.body["system"])
    }

    /// The names of the tools offered.
    pub fn tools(&self) -> Vec<&str> {
        let tools = self.body["tools"].as_array().map_or(&[][..], Vec::as_slice);
        tools.iter().filter_map(|tool| tool["name"].as_str()).collect()
    }

    /// The text of all messages.
    pub fn messages_text(&self) -> String {
        message::texts(message::messages(&self.body))
    }

    /// Everything new since the last assistant message: prompt, tool results, reminders, and the
    /// messages of role `system` by which current models get hook context.
    pub fn new_text(&self) -> String {
        message::texts(message::new_messages(&self.body))
    }

    /// What the user typed in the new messages: no reminders, no tool results.
    pub fn prompt_text(&self) -> String {
        let typed = message::new_messages(&self.body)
            .iter()
            .filter(|message| message["role"] == "user")
            .flat_map(|message| message::blocks(&message["content"]))
            .filter(|block| message::block_type(block) == "text")
            .map(message::block_text)
            .filter(|text| !text.trim_start().starts_with("<system-reminder>"));
        typed.collect::<Vec<_>>().join("\n")
    }

    /// The tool results in the new messages.
    pub fn tool_results(&self) -> Vec<ToolResult> {
        let calls: BTreeMap<&str, &str> = message::messages(&self.body)
            .iter()
            .flat_map(|message| message::blocks(&message["content"]))
            .filter(|block| message::block_type(block) == "tool_use")
            .filter_map(|block| Some((block["id"].as_str()?, block["name"].as_str()?)))
            .collect();
        message::new_messages(&self.body)
            .iter()
            .flat_map(|message| message::blocks(&message["content"]))
            .filter(|block| message::block_type(block) == "tool_result")
            .map(|block| {
                let id = block["tool_use_id"].as_str().unwrap_or_default();
                ToolResult {
                    name: calls.get(id).copied().unwrap_or_default().to_owned(),
                    id: id.to_owned(),
                    is_error: block["is_error"].as_bool().unwrap_or(false),
                    text: message::content_text(&block["content"]),
                }
            })
            .collect()
    }

    /// The texts newly delivered as `<hook> hook additional context: …`, without that prefix, in
    /// order. `hook` is what the client writes there: `SessionStart`, `PreToolUse:Bash`, `Stop`.
    ///
    /// New means since the last assistant message, so each delivery is in one request only. On a 4.x
    /// model the text is exact. On a 5.x model it is cut out of a larger message: exact unless it has
    /// a paragraph that looks like a section of the client's (`# Environment`, `Today's date is …`),
    /// or is followed by one that the bench does not know; `src/contexts.rs` has the list.
    pub fn contexts(&self, hook: &str) -> Vec<String> {
        contexts::of_hook(message::new_messages(&self.body), hook)
    }
}
