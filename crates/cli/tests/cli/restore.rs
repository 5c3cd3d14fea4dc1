//! What an agent is told of its work in a new context: half-done sessions, each with questions that the text must answer alone. How they
//! are written is in `restore/README.md`.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::plan::{edited, new, ran};
use crate::session_rules::unclocked;
use crate::stage::{Output, SESSION, Stage, run};

pub(crate) const WORK: &str = "sessions/2026_02_07_AUTH";
/// The most that is told, in bytes.
const MOST: usize = 4096;

/// A project with the skills, in which an agent is about to begin.
pub(crate) fn stage() -> Stage {
    let mut stage = Stage::bare();
    stage.ok(&["init", "--with", "skills=all"]);
    stage.write(".engine/config.toml", "[rules]\nheartbeat = \"off\"\n");
    stage.set("CLAUDECODE", "1");
    stage.set("CLAUDE_CODE_SESSION_ID", SESSION);
    stage.set("CLAUDE_PID", "4711");
    stage.hook(&stage.event("SessionStart"));
    stage
}

/// Words, those in double quotes together.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    let split = |(at, part): (usize, &str)| -> Vec<String> {
        if at % 2 == 1 { vec![part.to_owned()] } else { part.split_whitespace().map(str::to_owned).collect() }
    };
    parts.flat_map(split).collect()
}

/// An agent calls the shell, and it ends so.
fn called(stage: &Stage, command: &str, exit: i32) {
    stage.hook(
        &stage.event_with("PreToolUse", &json!({"session_id": SESSION, "tool_input": {"command": command}})),
    );
    ran(stage, command, exit);
}

/// Somebody's message, in the transcript and as an event.
pub(crate) fn says(stage: &Stage, words: &str, kind: &str) {
    let source = if kind == "human" { "typed" } else { "queued" };
    stage.written_in(SESSION, words, &json!({"origin": {"kind": kind}, "promptSource": source}));
    stage.send(&stage.message(SESSION, words));
}

fn answered(stage: &Stage, question: &str, answer: &str) {
    let response = json!({"questions": [{"question": question, "header": "Q", "multiSelect": false, "options": []}],
        "answers": {question: answer}});
    let fields = json!({"session_id": SESSION, "tool_response": response});
    stage.hook(&stage.event_with("PostToolUse.AskUserQuestion", &fields));
}

/// What the agent is told when its context is lost so.
pub(crate) fn restored(stage: &Stage, how: &str) -> String {
    let transcript =
        |session: &str| json!({"session_id": session, "transcript_path": stage.transcript(session)});
    let context = |output: Output| if output.stdout.is_empty() { String::new() } else { output.context() };
    match how {
        "compact" => {
            stage.hook(&stage.event_with("PreCompact", &transcript(SESSION)));
            context(stage.hook(&stage.event_with("SessionStart.compact", &transcript(SESSION))))
        }
        "clear" => {
            stage.hook(&stage.event_with("SessionEnd.clear", &transcript(SESSION)));
            context(stage.hook(&stage.event_with("SessionStart.clear", &transcript("s-next"))))
        }
        "continue" => {
            // Another client, after the first has ended.
            let ended = json!({"session_id": SESSION, "reason": "other"});
            stage.hook(&stage.event_with("SessionEnd", &ended));
            let mut command = stage.command(&["session", "continue", WORK]);
            command.env("CLAUDE_CODE_SESSION_ID", "s-next").env("CLAUDE_PID", "4712");
            let output = run(command, None);
            assert_eq!(output.code, Some(0), "{}", output.stderr);
            output.stdout
        }
        other => panic!("{other}"),
    }
}

/// Plays the lines of a session up to the end of its context, and gives what is told then.
fn play(stage: &Stage, lines: &str) -> String {
    let mut lines = lines.lines().peekable();
    while let Some(line) = lines.next() {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut body = String::new();
        while let Some(indented) = lines.next_if(|next| next.starts_with("    ") || next.is_empty()) {
            body.push_str(indented.strip_prefix("    ").unwrap_or_default());
            body.push('\n');
        }
        match verb {
            "user" => says(stage, rest, "human"),
            "peer" => says(stage, rest, "peer"),
            "yes" => drop(stage.answer(&format!("ok {rest}"))),
            "file" => stage.write(rest, &body),
            "plan" => assert_eq!(new(stage, &body).code, Some(0)),
            "log" => {
                called(stage, &format!("engine log {rest}"), 0);
                assert_eq!(run(stage.command(&["log", rest]), Some(body.as_bytes())).code, Some(0));
            }
            "edited" => {
                let input =
                    json!({"file_path": stage.root().join(rest), "old_string": "a", "new_string": "b"});
                let fields = json!({"session_id": SESSION, "tool_name": "Edit", "tool_input": input});
                stage.hook(&stage.event_with("PreToolUse.Edit", &fields));
                edited(stage, rest);
            }
            "passed" => called(stage, rest, 0),
            "failed" => called(stage, rest, 1),
            "answered" => {
                let (question, answer) = rest.split_once(" = ").unwrap();
                answered(stage, question, answer);
            }
            "engine" => {
                let args = words(rest);
                let args: Vec<&str> = args.iter().map(String::as_str).collect();
                let output = stage.engine(&args);
                // What needs a person is asked for, and called again after the answer.
                assert!(
                    output.code == Some(0) || output.stderr.contains("needs a person"),
                    "{line}: {}",
                    output.stderr
                );
            }
            how => return restored(stage, how),
        }
    }
    panic!("the context is not lost")
}

/// Text without days and times.
fn undated(text: &str) -> String {
    let is_digits = |word: &str, shape: &str| {
        let fits = |(c, mark): (char, char)| if mark == '0' { c.is_ascii_digit() } else { c == mark };
        word.len() >= shape.len() && word.chars().zip(shape.chars()).all(fits)
    };
    let shown = |word: &str| {
        let open = word.len() - word.trim_start_matches('(').len();
        match &word[open..] {
            day if is_digits(day, "0000-00-00") => format!("{}[DAY]", &word[..open]),
            time if is_digits(time, "00:00:00") => format!("{}[TIME]{}", &word[..open], &time[8..]),
            _ => word.to_owned(),
        }
    };
    text.split(' ').map(shown).collect::<Vec<_>>().join(" ")
}

fn check(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/restore");
    let data = fs::read_to_string(folder.join(format!("{name}.txt"))).unwrap();
    let (lines, questions) = data.split_once("\n---\n").unwrap();
    let stage = stage();
    let whole = play(&stage, &lines.replace("S/", &format!("{WORK}/")).replace(" S ", &format!(" {WORK} ")));
    assert!(whole.len() <= MOST, "{} bytes", whole.len());
    let text = undated(&stage.masked(&unclocked(&whole))).replace(WORK, "S");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(&folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
    for question in questions.lines() {
        let (question, answers) = question.split_once(": ").unwrap();
        for answer in answers.split(" | ") {
            assert_eq!(text.contains(answer), question != "not", "{name}, {question}: {answer:?}\n{text}");
        }
    }
}

#[test]
fn implement_in_the_middle_of_building() {
    check("implement");
}

#[test]
fn fix_while_it_is_reproduced() {
    check("fix");
}

#[test]
fn analyze_in_a_new_client() {
    check("analyze");
}

#[test]
fn brainstorm_with_answers() {
    check("brainstorm");
}

#[test]
fn a_plan_without_a_work_session() {
    check("plan");
}

#[test]
fn a_chain_with_work() {
    check("chain");
}
