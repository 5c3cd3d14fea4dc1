//! Who wrote a message, by the transcript. The event of a prompt is the same whoever sent it.
//!
//! A person's message is a `user` line of human origin that was typed or queued, or, typed while the agent worked, an attachment of human origin. A host
//! that drives the client (an editor, but also `-p`) leaves no origin. Everything else comes from other agents, timers and notifications.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use engine_core::client::Words;
use engine_store::tail::Tail;
use engine_text::field;
use engine_text::stamp::Stamp;

use crate::transcript::{self, Content, Line, Origin};

/// How far the end of a transcript is read for a message, part by part. What lies further back was said long ago.
const PART: u64 = 256 << 10;
const MOST_PARTS: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Author {
    /// There is no such message.
    Nobody,
    /// Another agent, a timer, a notification.
    Program,
    /// Whoever sits at the program that drives the client, if anybody.
    Host,
    Person,
}

/// Who wrote this very message, since a moment. If several did, the one who is most likely a person.
pub fn author(transcript: &Path, message: &str, since: Stamp) -> io::Result<Author> {
    let since = since.rfc3339();
    let mut found = Author::Nobody;
    for tail in Tail::parts(transcript, PART)?.take(MOST_PARTS) {
        let tail = tail?;
        // Written by the same rule, so that they can be compared as texts.
        let is_before = |line: &str| time(line).is_some_and(|at| *at < *since);
        let is_since = |line: &&str| time(line).is_some_and(|at| *at >= *since);
        let lines = tail.lines_with(message).into_iter().filter(is_since);
        found = lines.map(|line| author_of(line, message)).fold(found, Author::max);
        if found == Author::Person || tail.first_line().is_some_and(is_before) {
            break;
        }
    }
    Ok(found)
}

/// When a line was written: `2026-11-16T12:30:01.123Z`. One that does not say it is no answer to anything.
fn time(line: &str) -> Option<Cow<'_, str>> {
    let is_time = |at: &Cow<'_, str>| at.len() == 24 && at.ends_with('Z') && at.as_bytes()[10] == b'T';
    field::string(line, "timestamp").filter(is_time)
}

/// Whether a message waited in the client's queue before its event, by the end of the transcript. What a person types fires its event before it
/// is queued; the messages of other agents, of timers and of notifications wait first. A host's do, too.
pub fn was_queued(transcript: &Path, message: &str) -> bool {
    let Ok(tail) = Tail::read(transcript, PART) else { return false };
    let message = message.trim();
    // From the end: what was delivered or taken back stands behind its own entry into the queue.
    let mut settled = 0;
    for line in tail.lines_back() {
        if line.contains(r#""queue-operation""#) {
            if field::string(line, "content").is_some_and(|content| content.trim() == message) {
                match field::string(line, "operation").as_deref() {
                    Some("enqueue") if settled == 0 => return true,
                    Some("enqueue") => settled -= 1,
                    Some("remove") => settled += 1,
                    _ => {}
                }
            }
        } else if author_of(line, message) != Author::Nobody {
            settled += 1;
        }
    }
    false
}

/// What people wrote in agent sessions, the newest first: whoever typed it, or sits at the program that drives the client. `near`: the
/// transcript of one of the sessions. Nothing where no transcript can be read.
pub fn words(near: Option<&Path>, sessions: &[String], most: usize) -> Option<Vec<Words>> {
    let mut files: Vec<PathBuf> = near.map(Path::to_owned).into_iter().collect();
    for session in sessions {
        files.extend(transcript::of_session(near.and_then(Path::parent), session));
    }
    files.sort();
    files.dedup();
    let read: Vec<Vec<Words>> = files.iter().filter_map(|file| last_words_of(file, most).ok()).collect();
    if read.is_empty() {
        return None;
    }
    let mut all = read.concat();
    all.sort_by(|a, b| b.at.cmp(&a.at));
    // A message that was queued stands there twice.
    all.dedup_by(|a, b| a.text == b.text);
    all.truncate(most);
    Some(all)
}

fn last_words_of(transcript: &Path, most: usize) -> io::Result<Vec<Words>> {
    let mut found = Vec::new();
    for tail in Tail::parts(transcript, PART)?.take(MOST_PARTS) {
        let tail = tail?;
        for line in tail.lines_back() {
            let Some(said) = read(line) else { continue };
            let is_persons = matches!(sender(&said), Author::Person | Author::Host);
            let at = time(line).filter(|_| is_persons).map(Cow::into_owned);
            if let (Some(at), Some(text)) = (at, transcript::typed(said)) {
                found.push(Words { at, text });
            }
            if found.len() >= most {
                return Ok(found);
            }
        }
    }
    Ok(found)
}

/// A line that may be somebody's message. Most lines are answers and tool results; only a small part is worth reading.
fn read(line: &str) -> Option<Line> {
    let is_worth = line.contains(r#""type":"user""#) || line.contains(r#""queued_command""#);
    let line = is_worth.then(|| serde_json::from_str::<Line>(line).ok()).flatten()?;
    (!line.is_meta && !line.is_sidechain).then_some(line)
}

fn is_human(origin: Option<&Origin>) -> bool {
    origin.and_then(|origin| origin.kind.as_deref()) == Some("human")
}

/// Who sent what a line holds, whatever it is.
fn sender(line: &Line) -> Author {
    if let Some(queued) = &line.attachment {
        let is_persons = queued.kind == "queued_command" && is_human(queued.origin.as_ref());
        return if is_persons { Author::Person } else { Author::Program };
    }
    match (line.origin.as_ref(), line.prompt_source.as_deref()) {
        // Queued: typed while the agent worked, and sent when its turn had ended.
        (origin @ Some(_), Some("typed" | "queued")) if is_human(origin) => Author::Person,
        (None, Some("sdk")) => Author::Host,
        _ => Author::Program,
    }
}

fn author_of(line: &str, message: &str) -> Author {
    let Some(line) = read(line) else { return Author::Nobody };
    if let Some(queued) = &line.attachment {
        let is_it = |prompt: &serde_json::Value| prompt.as_str().is_some_and(|text| text.trim() == message);
        let says = queued.kind == "queued_command" && queued.prompt.as_ref().is_some_and(is_it);
        return if says { sender(&line) } else { Author::Nobody };
    }
    if line.kind != "user" || !line.message.as_ref().is_some_and(|said| is_it(&said.content, message)) {
        return Author::Nobody;
    }
    sender(&line)
}

/// A message is a text, or one block of it.
fn is_it(content: &Content, message: &str) -> bool {
    let text = match content {
        Content::Text(text) => Some(text.as_str()),
        Content::Blocks(blocks) => match blocks.as_slice() {
            [block] => block.text.as_deref(),
            _ => None,
        },
        Content::Other(_) => None,
    };
    text.is_some_and(|text| text.trim() == message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(at: u32, rest: &str) -> String {
        format!(r#"{{"timestamp":"1970-01-01T00:00:{at:02}.000Z",{rest}}}"#)
    }

    fn typed(at: u32, text: &str) -> String {
        line(
            at,
            &format!(
                r#""type":"user","origin":{{"kind":"human"}},"promptSource":"typed","message":{{"role":"user","content":"{text}"}}"#
            ),
        )
    }

    #[test]
    fn only_the_transcript_tells_who_wrote() {
        let said = r#""message":{"role":"user","content":"ok 7"}"#;
        let user = |rest: &str| line(20, &format!(r#""type":"user",{rest}{said}"#));
        let queued = |origin: &str| {
            let attachment =
                format!(r#"{{"type":"queued_command","prompt":"ok 7","origin":{{"kind":"{origin}"}}}}"#);
            line(20, &format!(r#""type":"attachment","attachment":{attachment}"#))
        };
        let cases = [
            (typed(20, "ok 7"), Author::Person),
            (typed(20, " ok 7\\n"), Author::Person),
            (typed(20, "ok 77"), Author::Nobody),
            (typed(20, "not ok 7"), Author::Nobody),
            (typed(9, "ok 7"), Author::Nobody),
            (queued("human"), Author::Person),
            (queued("peer"), Author::Program),
            (
                user(r#""origin":{"kind":"human"},"promptSource":"queued","turnOrigin":"human","#),
                Author::Person,
            ),
            (user(r#""origin":{"kind":"peer"},"promptSource":"queued","#), Author::Program),
            (user(r#""promptSource":"queued","#), Author::Program),
            (user(r#""origin":{"kind":"peer"},"promptSource":"typed","#), Author::Program),
            (user(r#""origin":{"kind":"human"},"promptSource":"system","#), Author::Program),
            (user(r#""origin":{"kind":"human"},"#), Author::Program),
            (user(r#""promptSource":"typed","#), Author::Program),
            (user(r#""promptSource":"system","turnOrigin":"scheduled","#), Author::Program),
            (user(r#""promptSource":"sdk","turnOrigin":"sdk","#), Author::Host),
            (user(""), Author::Program),
            (user(r#""isMeta":true,"origin":{"kind":"human"},"promptSource":"typed","#), Author::Nobody),
            (user(r#""isSidechain":true,"origin":{"kind":"human"},"promptSource":"typed","#), Author::Nobody),
            (
                line(
                    20,
                    r#""type":"user","promptSource":"sdk","message":{"content":[{"type":"text","text":"ok 7"}]}"#,
                ),
                Author::Host,
            ),
            (
                line(20, r#""type":"user","message":{"content":[{"type":"tool_result","content":"ok 7"}]}"#),
                Author::Nobody,
            ),
            ("not JSON \"type\":\"user\"".to_owned(), Author::Nobody),
        ];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        for (said, expected) in cases {
            std::fs::write(&path, format!("{}\n{said}\n{{}}\n", typed(5, "ok 7"))).unwrap();
            assert_eq!(author(&path, "ok 7", Stamp(10_000)).unwrap(), expected, "{said}");
        }
        std::fs::write(&path, format!("{}\n{}\n", typed(20, "ok 7"), queued("peer"))).unwrap();
        assert_eq!(author(&path, "ok 7", Stamp(10_000)).unwrap(), Author::Person, "both came");
        let none = author(&folder.path().join("none"), "ok 7", Stamp(0)).unwrap_err();
        assert_eq!(none.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn words_are_those_of_people() {
        let folder = tempfile::tempdir().unwrap();
        let near = folder.path().join("now.jsonl");
        let user = |at: u32, rest: &str, text: &str| {
            line(at, &format!(r#""type":"user",{rest}"message":{{"role":"user","content":"{text}"}}"#))
        };
        let queued = |origin: &str, text: &str| {
            let said =
                format!(r#"{{"type":"queued_command","prompt":"{text}","origin":{{"kind":"{origin}"}}}}"#);
            line(8, &format!(r#""type":"attachment","attachment":{said}"#))
        };
        let now = [
            typed(3, "use keys"),
            user(4, r#""origin":{"kind":"peer"},"promptSource":"queued","#, "from a peer"),
            user(5, r#""promptSource":"system","turnOrigin":"scheduled","#, "from a timer"),
            user(6, "", "<task-notification>done</task-notification>"),
            user(
                7,
                r#""isCompactSummary":true,"origin":{"kind":"human"},"promptSource":"typed","#,
                "a summary",
            ),
            queued("human", "not words"),
            queued("peer", "nor this"),
        ];
        std::fs::write(&near, now.join("\n") + "\n").unwrap();
        std::fs::write(folder.path().join("before.jsonl"), typed(1, "fix it") + "\n").unwrap();
        let said = |sessions: &[&str], most: usize| {
            let sessions: Vec<String> = sessions.iter().map(|&id| id.to_owned()).collect();
            words(Some(&near), &sessions, most)
                .map(|all| all.into_iter().map(|one| one.text).collect::<Vec<_>>())
        };
        assert_eq!(said(&["now", "before"], 9).unwrap(), ["not words", "use keys", "fix it"]);
        assert_eq!(said(&["now", "before"], 1).unwrap(), ["not words"]);
        assert_eq!(said(&["../before", ""], 9).unwrap(), ["not words", "use keys"]);
        assert_eq!(words(Some(&folder.path().join("none.jsonl")), &[], 9), None);
    }

    #[test]
    fn what_waits_in_the_queue_was_not_typed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let queue = |operation: &str, content: &str| {
            line(20, &format!(r#""type":"queue-operation","operation":"{operation}","content":"{content}""#))
        };
        let dequeue = || line(20, r#""type":"queue-operation","operation":"dequeue""#);
        let delivered = || {
            line(
                21,
                r#""type":"attachment","attachment":{"type":"queued_command","prompt":"go on","origin":{"kind":"human"}}"#,
            )
        };
        let cases = [
            (vec![], false),
            (vec![typed(19, "go on")], false),
            (vec![queue("enqueue", "go on")], true),
            (vec![queue("enqueue", "go on"), dequeue()], true),
            (vec![queue("enqueue", "go on and on"), dequeue()], false),
            (vec![queue("enqueue", "go on"), queue("remove", "go on")], false),
            (vec![queue("enqueue", "go on"), delivered()], false),
            (vec![queue("enqueue", "go on"), delivered(), queue("enqueue", "go on")], true),
            (vec![queue("enqueue", "go on"), queue("enqueue", "go on"), delivered()], true),
        ];
        for (lines, expected) in cases {
            std::fs::write(&path, lines.join("\n") + "\n").unwrap();
            assert_eq!(was_queued(&path, " go on\n"), expected, "{lines:?}");
        }
        assert!(!was_queued(&folder.path().join("none"), "go on"));
    }

    #[test]
    fn a_message_is_found_behind_long_output() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let output = line(30, &format!(r#""type":"assistant","x":"{}""#, "x".repeat(90 << 10)));
        std::fs::write(&path, format!("{}\n{}", typed(20, "ok 7"), format!("{output}\n").repeat(3))).unwrap();
        assert_eq!(author(&path, "ok 7", Stamp(10_000)).unwrap(), Author::Person);
        assert_eq!(author(&path, "ok 7", Stamp(25_000)).unwrap(), Author::Nobody);
    }
}
