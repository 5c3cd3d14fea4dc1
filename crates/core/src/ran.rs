//! Whether what ran is what was judged. Another hook can change the input of a call after the engine has judged it; the event that ends
//! the call has the input that ran.
//!
//! Both are compared by a short sum of what decides: the command lines of a call that runs some, the files that one reads, the whole input
//! of a call that writes or deletes files, runs a skill or is a server's. A client may order the fields otherwise, or leave out what is false.

use engine_text::field;
use engine_text::line::Seal;

use crate::event::{Tool, ToolCall};

/// Digits of a sum. Nobody finds another input with the same.
const DIGITS: usize = 16;

/// A call as the journal has it from before it ran. Two hooks of the engine leave two entries, with one sum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedCall {
    pub sum: String,
    /// In one line.
    pub shown: String,
}

/// The sum of a call that runs, reads or changes something; nothing for other calls.
pub fn sum(call: &ToolCall<'_>) -> Option<String> {
    // An input may be megabytes, so it is not copied.
    let mut facts = Seal::default();
    let mut is_empty = true;
    let mut add = |kind: &str, text: &str| {
        is_empty = false;
        facts.add(kind.as_bytes());
        facts.add(&text.len().to_le_bytes());
        facts.add(text.as_bytes());
    };
    for command in call.commands() {
        add("command", command);
    }
    // A switch of a shell may lift a limit, such as a sandbox; that a command goes on in the background lifts none.
    if let Tool::Shell { .. } = call.tool
        && call.input.contains("true")
        && let Some(fields) = field::all(&call.input)
    {
        let switches =
            fields.iter().filter(|(name, raw)| raw.get() == "true" && !name.contains("background"));
        switches.for_each(|(name, _)| add("switch", name));
    }
    for path in call.reads() {
        add("read", path);
    }
    let changes = call.writes().next().is_some() || call.deletes().next().is_some();
    // What a skill or a tool of a server does with its input, nobody knows.
    if changes || matches!(call.tool, Tool::Skill { .. } | Tool::Foreign { .. }) {
        match field::all(&call.input) {
            Some(fields) => {
                for (name, raw) in fields.iter().filter(|(_, raw)| !matches!(raw.get(), "false" | "null")) {
                    add(name, raw.get());
                }
            }
            None => add("", &call.input),
        }
    }
    if is_empty {
        return None;
    }
    let mut digits = facts.digits();
    digits.truncate(DIGITS);
    Some(digits)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::event::{Edit, LineSpan};

    fn shell(command: &'static str, input: &'static str) -> ToolCall<'static> {
        let tool = Tool::Shell { command: command.into(), background: false };
        ToolCall { name: "Bash".into(), id: "1".into(), input: input.into(), tool }
    }

    fn edit(input: &'static str) -> ToolCall<'static> {
        let tool = Tool::Edit { path: "a".into(), edit: Edit::Unknown };
        ToolCall { name: "Edit".into(), id: "1".into(), input: input.into(), tool }
    }

    #[test]
    fn a_call_is_the_same_by_what_decides() {
        let same = |a: &ToolCall<'_>, b: &ToolCall<'_>| sum(a) == sum(b);
        let ls = shell("ls", r#"{"command":"ls","description":"look"}"#);
        assert_eq!(sum(&ls).map(|sum| sum.len()), Some(DIGITS));
        assert!(same(&ls, &shell("ls", r#"{"command":"ls","timeout":5}"#)));
        assert!(same(&ls, &shell("ls", r#"{"command":"ls","run_in_background":true}"#)));
        assert!(!same(&ls, &shell("ls ", r#"{"command":"ls "}"#)));
        assert!(!same(&ls, &shell("ls", r#"{"command":"ls","dangerouslyDisableSandbox":true}"#)));
        let one = edit(r#"{"path":"a","old":"x","new":"y"}"#);
        assert!(same(&one, &edit(r#"{"new":"y","path":"a","old":"x","all":false,"more":null}"#)));
        assert!(!same(&one, &edit(r#"{"path":"a","old":"x","new":"z"}"#)));
        assert!(!same(&one, &edit(r#"{"path":"a","old":"x","new":"y","all":true}"#)));
        assert!(!same(&edit(r#"{"a":"1","b":"2"}"#), &edit(r#"{"a":"1b2"}"#)));
        assert!(!same(&edit("no object"), &edit("nor this")));
    }

    #[test]
    fn a_call_that_does_nothing_has_none() {
        let call = |tool| ToolCall { name: "X".into(), id: "1".into(), input: Cow::Borrowed("{}"), tool };
        assert_eq!(sum(&call(Tool::Ask)), None);
        let read = |path: &'static str| sum(&call(Tool::Read { path: path.into(), lines: LineSpan::ALL }));
        assert_ne!(read("a"), read("b"));
    }
}
