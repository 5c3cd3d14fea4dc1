//! Hook contexts, cut out of the messages in which the client delivers them.
//!
//! A 4.x model gets each context as a `<system-reminder>` block of its own, and so does every model
//! for `Stop` and `SubagentStop`: those are exact. A 5.x model gets all contexts of a step in one
//! message of role `system`, joined by blank lines with each other and with sections the client
//! writes itself:
//!
//! ```text
//! SessionStart hook additional context: A\n\n# Environment…\n\nToday's date is 2026-11-15.
//! ```
//!
//! There a context ends where the next hook heading or a section opening listed in
//! [`CLIENT_SECTIONS`] begins. Two limits follow: a context that itself has such a paragraph is cut
//! short, and a client section not in the list is taken for the rest of the context before it.
//!
//! Nothing is trimmed, neither by the client nor here. When several hooks of one event answer, the
//! client gives each its own heading (`UserPromptSubmit`) or joins them by a line break under one, in
//! the order in which they ended (`SessionStart`, `PreToolUse`); the latter cannot be told apart.

use serde_json::Value;

use crate::message;

const CONTEXT: &str = " hook additional context: ";

/// How the client's own sections begin.
const CLIENT_SECTIONS: &[&str] = &[
    "# Environment",
    "You are powered by the model named ",
    "The following deferred tools are ",
    "Available agent types for the Agent tool:",
    "The following skills are ",
    "While auto mode is active:",
    "While bypass permissions mode is active:",
    "Plan mode is active.",
    "Today's date is ",
    "The user hasn't heard from you ",
    "<total_tokens>",
];

pub(crate) fn of_hook(messages: &[Value], hook: &str) -> Vec<String> {
    let mut found = Vec::new();
    for message in messages {
        for block in message::blocks(&message["content"]) {
            if message::block_type(block) != "text" {
                continue;
            }
            let text = message::block_text(block);
            let sections = match reminder(&text) {
                Some(inside) => vec![inside],
                None if message["role"] == "system" => sections(&text),
                None => continue,
            };
            let wanted =
                sections.iter().filter_map(|section| section.strip_prefix(hook)?.strip_prefix(CONTEXT));
            found.extend(wanted.map(str::to_owned));
        }
    }
    found
}

fn reminder(text: &str) -> Option<&str> {
    text.trim().strip_prefix("<system-reminder>\n")?.strip_suffix("\n</system-reminder>")
}

fn sections(text: &str) -> Vec<&str> {
    let mut sections = Vec::new();
    let mut start = 0;
    for (blank, _) in text.match_indices('\n') {
        if text[blank + 1..].strip_prefix('\n').is_some_and(opens_section) {
            sections.push(&text[start..blank]);
            start = blank + 2;
        }
    }
    sections.push(&text[start..]);
    sections
}

fn opens_section(text: &str) -> bool {
    CLIENT_SECTIONS.iter().any(|opening| text.starts_with(opening)) || is_hook_heading(text)
}

/// `PreToolUse:Bash hook additional context: …`, `SessionStart:startup hook success: …`.
fn is_hook_heading(text: &str) -> bool {
    let Some((hook, rest)) = text.split_once(" hook ") else { return false };
    let says = ["additional context: ", "success: ", "blocking error from command: ", "error: "];
    !hook.contains(char::is_whitespace) && says.iter().any(|say| rest.starts_with(say))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_system_message_holds_several_contexts() {
        let text = "SessionStart hook additional context: A\n\nstill A\n\n\n# Environment\n - x\n\n\
                    UserPromptSubmit hook additional context: B\n\nToday's date is 2026-11-15.";
        for content in [json!(text), json!([{"type": "text", "text": text}])] {
            let messages = [json!({"role": "system", "content": content})];
            assert_eq!(of_hook(&messages, "SessionStart"), ["A\n\nstill A\n"]);
            assert_eq!(of_hook(&messages, "UserPromptSubmit"), ["B"]);
            assert!(of_hook(&messages, "Session").is_empty());
        }
    }

    #[test]
    fn a_reminder_block_holds_one_context_and_a_quoted_one_is_none() {
        let block = |text: &str| json!({"type": "text", "text": text});
        let messages = [json!({"role": "user", "content": [
            block("<system-reminder>\nStop hook additional context: R\n\n# Environment\n</system-reminder>"),
            block("Stop hook additional context: typed by the user"),
        ]})];
        assert_eq!(of_hook(&messages, "Stop"), ["R\n\n# Environment"]);
    }
}
