//! What a person typed, out of the client's transcripts.
//!
//! A transcript is JSON lines. Prompts are `user` lines that a person made; tool results, skill bodies, notifications,
//! summaries and the output of `!` commands look alike and are told apart by their fields. A typed slash command is
//! stored in pieces and put together again.
//!
//! And whether the model did something that calls a hook, for the lamp of the status line.

use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use engine_core::client::ContextUse;
use engine_store::read::open;
use engine_store::tail::Tail;
use engine_text::field;
use engine_text::stamp::Stamp;
use serde::Deserialize;

use crate::sources::client_home;

/// A prompt and the line it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    pub line: usize,
    pub text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Line {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) is_meta: bool,
    #[serde(default)]
    pub(crate) is_sidechain: bool,
    #[serde(default)]
    is_compact_summary: bool,
    pub(crate) origin: Option<Origin>,
    pub(crate) prompt_source: Option<String>,
    pub(crate) message: Option<Message>,
    pub(crate) attachment: Option<Attachment>,
}

/// Among others, what was typed while the model was at work.
#[derive(Deserialize)]
pub(crate) struct Attachment {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) prompt: Option<serde_json::Value>,
    pub(crate) origin: Option<Origin>,
}

#[derive(Deserialize)]
pub(crate) struct Origin {
    pub(crate) kind: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Message {
    pub(crate) content: Content,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Content {
    Text(String),
    Blocks(Vec<Block>),
    Other(serde::de::IgnoredAny),
}

#[derive(Deserialize)]
pub(crate) struct Block {
    #[serde(rename = "type")]
    kind: String,
    pub(crate) text: Option<String>,
}

/// Texts that the client writes into a prompt's place.
const NOT_TYPED: [&str; 4] = ["<bash-", "<local-command-", "<task-notification>", "[Request interrupted"];

/// The prompts of a transcript, in order. Lines that cannot be read are passed over.
pub fn prompts(path: &Path) -> io::Result<Vec<Prompt>> {
    let mut found = Vec::new();
    for (index, line) in BufReader::new(open(path)?).split(b'\n').enumerate() {
        let line = line?;
        // Most lines are answers and tool results; only a small part is worth parsing.
        if !contains(&line, b"\"user\"") && !contains(&line, b"\"queued_command\"") {
            continue;
        }
        let Ok(line) = serde_json::from_slice::<Line>(&line) else { continue };
        if let Some(text) = typed(line) {
            found.push(Prompt { line: index + 1, text });
        }
    }
    Ok(found)
}

fn contains(line: &[u8], part: &[u8]) -> bool {
    line.windows(part.len()).any(|window| window == part)
}

pub(crate) fn typed(line: Line) -> Option<String> {
    if let Some(queued) = line.attachment.filter(|attachment| attachment.kind == "queued_command") {
        let by_a_person = queued.origin.and_then(|origin| origin.kind).as_deref() == Some("human");
        return queued.prompt.filter(|_| by_a_person)?.as_str().map(str::to_owned);
    }
    let by_a_person = line.origin.and_then(|origin| origin.kind).is_none_or(|kind| kind == "human");
    if line.kind != "user" || line.is_meta || line.is_sidechain || line.is_compact_summary || !by_a_person {
        return None;
    }
    let text = match line.message?.content {
        Content::Text(text) => text,
        Content::Blocks(blocks) => {
            if blocks.iter().any(|block| block.kind == "tool_result") {
                return None;
            }
            blocks.into_iter().filter_map(|block| block.text).collect::<Vec<_>>().join("\n")
        }
        Content::Other(_) => return None,
    };
    if let Some(name) = between(&text, "<command-name>", "</command-name>") {
        let args = between(&text, "<command-args>", "</command-args>").unwrap_or_default();
        let space = if args.is_empty() { "" } else { " " };
        return Some(format!("{name}{space}{args}"));
    }
    let is_typed = !text.trim().is_empty() && !NOT_TYPED.iter().any(|start| text.starts_with(start));
    is_typed.then_some(text)
}

fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    // Only a text that begins with the pieces is one; a person may write about them.
    if !text.trim_start().starts_with("<command-") {
        return None;
    }
    let start = text.find(open)? + open.len();
    let end = text[start..].rfind(close)? + start;
    Some(text[start..end].trim())
}

/// How much of a transcript's end is looked at for acts.
const END: u64 = 64 << 10;

/// Whether the model called a tool or ended its turn after `from` and not after `to`: both call hooks. Nothing else in a
/// transcript surely does: people type commands that reach no hook, and the client keeps accounts.
pub fn acted_between(path: &Path, from: Stamp, to: Stamp) -> bool {
    let (from, to) = (from.rfc3339(), to.rfc3339());
    let Ok(tail) = Tail::read(path, END) else { return false };
    tail.lines_back().any(|line| {
        let is_act = line.contains(r#""type":"tool_use""#) || line.contains(r#""stop_reason":"end_turn""#);
        is_act
            && field::string(line, "type").as_deref() == Some("assistant")
            && field::flag(line, "isSidechain") != Some(true)
            // Both are written by the same rule, so that they can be compared as texts.
            && field::string(line, "timestamp").is_some_and(|at| *at > *from && *at <= *to)
    })
}

/// Whether nothing has begun since a turn ended: no message, no answer, and nothing that waits in the client's queue. Of a transcript that
/// cannot be read: no.
pub fn rests_since(path: &Path, ended: Stamp) -> bool {
    let ended = ended.rfc3339();
    let Ok(tail) = Tail::read(path, END) else { return false };
    let mut taken = 0;
    for line in tail.lines_back() {
        let is_later = || field::string(line, "timestamp").is_some_and(|at| *at > *ended);
        match field::string(line, "type").as_deref() {
            Some("queue-operation") => match field::string(line, "operation").as_deref() {
                Some("enqueue") if taken == 0 => return false,
                Some("enqueue") => taken -= 1,
                Some("popAll") => return true,
                _ => taken += 1,
            },
            Some("user" | "assistant") if is_later() => return false,
            Some("attachment") if is_later() && !is_report(line) => return false,
            _ => {}
        }
    }
    true
}

/// Whether a line only reports of a hook, which begins nothing.
fn is_report(line: &str) -> bool {
    const REPORTS: [&str; 3] = ["hook_success", "hook_system_message", "hook_non_blocking_error"];
    let kind = field::raw(line, "attachment")
        .and_then(|attachment| field::string(attachment.get(), "type").map(std::borrow::Cow::into_owned));
    kind.is_some_and(|kind| REPORTS.contains(&kind.as_str()))
}

/// How much of a transcript's end is looked at for the last usage.
const USAGE_END: u64 = 128 << 10;

/// How full the main agent's context was with its last message; nothing if that cannot be told, or for a model whose window is not
/// known.
pub fn context_use(path: &Path) -> Option<ContextUse> {
    let tail = Tail::read(path, USAGE_END).ok()?;
    for line in tail.lines_back() {
        if line.contains(r#""compact_boundary""#) {
            return None;
        }
        if !line.contains(r#""usage":"#) || field::flag(line, "isSidechain") == Some(true) {
            continue;
        }
        let Some(message) = field::raw(line, "message") else { continue };
        let Some(usage) = field::raw(message.get(), "usage") else { continue };
        let used = crate::report::used(&serde_json::from_str(usage.get()).unwrap_or_default());
        let model = field::string(message.get(), "model")?;
        return Some(ContextUse { used, window: window(&model)?, at: Stamp::default() });
    }
    None
}

/// What the main agent said last, in this turn.
pub fn last_words(path: &Path) -> Option<String> {
    let tail = Tail::read(path, USAGE_END).ok()?;
    for line in tail.lines_back() {
        if field::flag(line, "isSidechain") == Some(true) {
            continue;
        }
        match field::string(line, "type").as_deref() {
            Some("assistant") => {
                let Ok(said) = serde_json::from_str::<Said>(line) else { continue };
                let mut texts = said.message.content.into_iter().filter_map(|block| block.text);
                if let Some(text) = texts.rfind(|text| !text.trim().is_empty()) {
                    return Some(text);
                }
            }
            // A person's prompt: nothing was said since.
            Some("user") if !line.contains(r#""tool_result""#) => return None,
            _ => {}
        }
    }
    None
}

#[derive(Deserialize)]
struct Said {
    message: SaidMessage,
}

#[derive(Deserialize)]
struct SaidMessage {
    content: Vec<Block>,
}

/// The windows of models, which no transcript tells.
fn window(model: &str) -> Option<u64> {
    if model.contains("-5-5") {
        Some(1_000_000)
    } else if model.contains("-4-5") || model.contains("haiku") {
        Some(200_000)
    } else {
        None
    }
}

/// The transcript of an agent session, in a folder or in that of any project.
pub(crate) fn of_session(folder_of_one: Option<&Path>, session: &str) -> Option<PathBuf> {
    let is_name = !session.is_empty()
        && session.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    let name = is_name.then(|| format!("{session}.jsonl"))?;
    let near = folder_of_one.map(|folder| folder.join(&name)).filter(|file| file.is_file());
    near.or_else(|| {
        let projects = fs_err::read_dir(folder()?).ok()?.flatten();
        projects.map(|project| project.path().join(&name)).find(|file| file.is_file())
    })
}

/// Where the client keeps the transcripts of all projects.
pub fn folder() -> Option<PathBuf> {
    Some(client_home()?.join("projects"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_rests_until_something_begins() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let line = |second: u32, kind: &str, rest: &str| {
            format!(r#"{{"type":"{kind}","timestamp":"1970-01-01T00:00:{second:02}.000Z",{rest}}}"#)
        };
        let queue = |operation: &str| line(5, "queue-operation", &format!(r#""operation":"{operation}""#));
        let said = r#""message":{"content":"x"}"#;
        let cases = [
            (vec![], true),
            (vec![line(9, "user", said), line(10, "assistant", said)], true),
            (vec![line(11, "system", r#""subtype":"stop_hook_summary""#)], true),
            (vec![line(11, "user", said)], false),
            (vec![line(11, "user", r#""isMeta":true"#)], false),
            (vec![line(11, "assistant", said)], false),
            (vec![line(11, "attachment", r#""attachment":{"type":"queued_command"}"#)], false),
            (vec![line(11, "attachment", r#""attachment":{"type":"hook_success"}"#)], true),
            (vec![line(11, "attachment", r#""attachment":{"type":"hook_system_message"}"#)], true),
            (vec![line(11, "attachment", r#""attachment":{"type":"hook_blocking_error"}"#)], false),
            (vec![queue("enqueue")], false),
            (vec![queue("enqueue"), queue("dequeue")], true),
            (vec![queue("enqueue"), queue("remove")], true),
            (vec![queue("enqueue"), queue("enqueue"), queue("dequeue")], false),
            (vec![queue("enqueue"), queue("enqueue"), queue("popAll")], true),
        ];
        for (lines, expected) in cases {
            std::fs::write(&path, lines.join("\n") + "\n").unwrap();
            assert_eq!(rests_since(&path, Stamp(10_000)), expected, "{lines:?}");
        }
        assert!(!rests_since(&folder.path().join("none"), Stamp(0)));
    }

    #[test]
    fn acts_are_tool_calls_and_ends_of_turns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let line = |second: u32, kind: &str, rest: &str| {
            format!(r#"{{"type":"{kind}","timestamp":"1970-01-01T00:00:{second:02}.000Z",{rest}}}"#)
        };
        let call = r#""message":{"content":[{"type":"tool_use","name":"Bash"}]}"#;
        let said = r#""message":{"content":[{"type":"text"}],"stop_reason":"end_turn"}"#;
        let thought = r#""message":{"content":[{"type":"thinking"}],"stop_reason":null}"#;
        let cases = [
            (line(20, "assistant", call), true),
            (line(20, "assistant", said), true),
            (line(20, "assistant", thought), false),
            (line(20, "user", call), false),
            (line(10, "assistant", call), false),
            (line(31, "assistant", call), false),
            (line(20, "assistant", &format!(r#""isSidechain":true,{call}"#)), false),
            ("not JSON".to_owned(), false),
        ];
        for (line, expected) in cases {
            std::fs::write(&path, format!("{{}}\n{line}\n")).unwrap();
            assert_eq!(acted_between(&path, Stamp(10_000), Stamp(30_000)), expected, "{line}");
        }
        assert!(!acted_between(&folder.path().join("none"), Stamp(0), Stamp(30_000)));
    }

    #[test]
    fn only_what_a_person_typed() {
        let lines = [
            r#"{"type":"user","isSidechain":false,"origin":{"kind":"human"},"promptSource":"typed","message":{"role":"user","content":"/design, /commit"}}"#,
            r#"{"type":"user","isSidechain":false,"origin":{"kind":"human"},"message":{"role":"user","content":"<command-message>design</command-message>\n<command-name>/design</command-name>\n<command-args>plans/foo, /commit</command-args>"}}"#,
            r#"{"type":"user","isMeta":true,"message":{"role":"user","content":[{"type":"text","text":"Base directory for this skill: /x\n\n/design\n/commit"}]}}"#,
            r#"{"type":"user","message":{"role":"user","content":"<command-name>/clear</command-name>\n            <command-message>clear</command-message>\n            <command-args></command-args>"}}"#,
            r#"{"type":"user","message":{"role":"user","content":"<bash-input>ls /commit</bash-input>"}}"#,
            r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"/handoff\n/commit"}]}}"#,
            r#"{"type":"user","origin":{"kind":"task-notification"},"message":{"role":"user","content":"<task-notification>x</task-notification>"}}"#,
            r#"{"type":"user","isCompactSummary":true,"message":{"role":"user","content":"This session is being continued"}}"#,
            r#"{"type":"user","isSidechain":true,"message":{"role":"user","content":"in a subagent"}}"#,
            r#"{"type":"user","promptSource":"sdk","message":{"role":"user","content":[{"type":"text","text":"block one"},{"type":"text","text":"block two"}]}}"#,
            r#"{"type":"assistant","message":{"role":"assistant","content":"about \"user\""}}"#,
            r#"{"type":"attachment","attachment":{"type":"queued_command","prompt":"/handoff, /commit","commandMode":"prompt","origin":{"kind":"human"},"humanTurn":true}}"#,
            r#"{"type":"attachment","attachment":{"type":"queued_command","prompt":"<task-notification>x","origin":{"kind":"task-notification"}}}"#,
            r#"{"type":"user", broken"#,
        ];
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), lines.join("\n")).unwrap();
        let found: Vec<(usize, String)> =
            prompts(file.path()).unwrap().into_iter().map(|prompt| (prompt.line, prompt.text)).collect();
        assert_eq!(
            found,
            [
                (1, "/design, /commit".to_owned()),
                (2, "/design plans/foo, /commit".to_owned()),
                (4, "/clear".to_owned()),
                (10, "block one\nblock two".to_owned()),
                (12, "/handoff, /commit".to_owned()),
            ]
        );
    }
}
