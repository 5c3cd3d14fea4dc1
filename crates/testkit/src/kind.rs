//! What a request of the client is for: the conversation itself, or one of its side requests.
//!
//! Judged from the request alone, by marks observed with Claude Code 2.1.325.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::message;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The main conversation.
    Main,
    /// A subagent or teammate.
    Subagent,
    /// The request for a summary of the conversation.
    Compact,
    /// A session title.
    Title,
    /// A `type: prompt` hook, answered with `{"ok": …, "reason": …}`.
    HookPrompt,
    /// A `type: agent` hook, answered through the `StructuredOutput` tool.
    HookAgent,
    /// A permission check of auto mode.
    Classifier,
    /// A connectivity check of one token.
    Probe,
}

impl Kind {
    pub(crate) const ALL: [Self; 8] = [
        Self::Main,
        Self::Subagent,
        Self::Compact,
        Self::Title,
        Self::HookPrompt,
        Self::HookAgent,
        Self::Classifier,
        Self::Probe,
    ];

    pub(crate) fn of(body: &Value, headers: &BTreeMap<String, String>) -> Self {
        let system = message::content_text(&body["system"]);
        let new = message::texts(message::new_messages(body));
        if new.contains("Your task is to create a detailed summary") {
            Self::Compact
        } else if system.contains("You are evaluating a hook in Claude Code") {
            Self::HookPrompt
        } else if system.contains("You are evaluating a") && system.contains(" hook in Claude Code") {
            // "… evaluating a Stop hook …", "… evaluating an Elicitation hook …".
            Self::HookAgent
        } else if system.contains("sentence-case title") {
            Self::Title
        } else if system.to_lowercase().contains("security monitor for autonomous") {
            Self::Classifier
        } else if body["max_tokens"] == 1 {
            Self::Probe
        } else if system.contains("cc_is_subagent=true") || headers.contains_key("x-claude-code-agent-id") {
            Self::Subagent
        } else {
            Self::Main
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(body: &Value, expected: Kind) {
        assert_eq!(Kind::of(body, &BTreeMap::new()), expected, "{body}");
    }

    #[test]
    fn a_request_is_known_by_its_marks() {
        let said = |text: &str| json!([{"role": "user", "content": text}]);
        check(&json!({"messages": said("hello")}), Kind::Main);
        check(&json!({"messages": said("hello"), "max_tokens": 1}), Kind::Probe);
        check(&json!({"messages": said("Your task is to create a detailed summary of …")}), Kind::Compact);
        let system = |text: &str| json!({"system": [{"type": "text", "text": text}], "messages": said("x")});
        check(&system("You are evaluating a hook in Claude Code."), Kind::HookPrompt);
        check(&system("You are evaluating a Stop hook in Claude Code."), Kind::HookAgent);
        check(&system("Write a sentence-case title"), Kind::Title);
        check(&system("You are a security monitor for autonomous AI agents"), Kind::Classifier);
        check(&system("x-anthropic-billing-header: cc_is_subagent=true;"), Kind::Subagent);
        let agent = BTreeMap::from([("x-claude-code-agent-id".to_owned(), "a1".to_owned())]);
        assert_eq!(Kind::of(&json!({"messages": said("x")}), &agent), Kind::Subagent);
    }
}
