use engine_core::config::Config;
use engine_core::event::EventName;
use engine_core::verdict::{Broken, Finding};
use engine_core::view::View;
use engine_rules::{Judge, RULES};
use serde_json::{Value, json};

use super::*;
use crate::stage::{AGENT, Stage};

fn around() -> HookProcess {
    HookProcess {
        started: Instant::now(),
        now: clock::now(),
        client_project: None,
        env_file: None,
        client_pid: None,
        fails_closed: Arc::default(),
    }
}

fn event(stage: &Stage, name: &str, fields: &Value) -> String {
    let mut event =
        json!({"hook_event_name": name, "session_id": AGENT, "cwd": stage.root(), "transcript_path": ""});
    for (key, value) in fields.as_object().unwrap() {
        event[key] = value.clone();
    }
    event.to_string()
}

fn bash(stage: &Stage, command: &str) -> String {
    event(
        stage,
        "PreToolUse",
        &json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t1"}),
    )
}

fn journal(stage: &Stage) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (_, path) in journal_file::days(&stage.project().journal_folder()) {
        journal_file::read_day(&path, |entry| entries.push(entry)).unwrap();
    }
    entries
}

#[test]
fn an_event_text_in_and_json_out() {
    let stage = Stage::new();
    let reply = reply(RULES, &bash(&stage, "git reset --hard"), &around());
    assert_eq!((reply.complaint.as_deref(), reply.fails), (None, false));
    let answer: Value = serde_json::from_str(&reply.stdout).unwrap();
    let output = &answer["hookSpecificOutput"];
    assert_eq!(
        (output["hookEventName"].as_str(), output["permissionDecision"].as_str()),
        (Some("PreToolUse"), Some("deny"))
    );
    let entries = journal(&stage);
    assert_eq!(entries.len(), 1);
    assert_eq!(
        (entries[0].verdict.as_str(), entries[0].command.as_deref()),
        ("deny", Some("git reset --hard"))
    );
}

#[test]
fn what_no_rule_minds_is_silent_and_journalled() {
    let stage = Stage::new();
    assert_eq!(reply(RULES, &bash(&stage, "ls"), &around()), Reply::default());
    assert_eq!(journal(&stage).iter().map(|entry| entry.verdict.as_str()).collect::<Vec<_>>(), ["none"]);
}

#[test]
fn outside_of_a_project_nothing_happens() {
    let stage = Stage::bare();
    assert_eq!(reply(RULES, &bash(&stage, "git reset --hard"), &around()), Reply::default());
    assert!(!stage.exists(".engine"));
}

#[test]
fn what_is_no_event_is_a_complaint_and_no_failure() {
    let stage = Stage::new();
    let around = HookProcess { client_project: Some(stage.root()), ..around() };
    let answered = reply(RULES, "not JSON", &around);
    assert_eq!((answered.stdout.as_str(), answered.fails), ("", false));
    let why = answered.complaint.unwrap();
    let trouble: Vec<String> = journal(&stage).into_iter().flat_map(|entry| entry.trouble).collect();
    assert_eq!(trouble, [format!("an event could not be read: {why}")]);
}

const fn always(_: &Config) -> bool {
    true
}

const fn rule(id: &'static str, judge: fn(&Event<'_>, &dyn View) -> Result<Finding, Broken>) -> Rule {
    Rule {
        id,
        about: "For tests.",
        events: &[EventName::Prompt],
        default: Mode::On,
        fixed: false,
        wanted: always,
        judge: Judge::Live(judge),
    }
}

fn prompt(stage: &Stage) -> String {
    event(stage, "UserPromptSubmit", &json!({"prompt": "go"}))
}

#[test]
fn a_failure_that_was_asked_for_is_one() {
    let rules =
        [rule("strict", |_, _| Ok(Finding { failure: Some("no text".to_owned()), ..Finding::default() }))];
    let stage = Stage::new();
    let answered = reply(&rules, &prompt(&stage), &around());
    assert_eq!((answered.complaint.as_deref(), answered.fails), (Some("no text"), true));
}

#[test]
fn a_text_that_is_too_long_is_cut_and_kept_whole() {
    let rules = [rule("long", |_, _| Ok(Finding::note("a line of text\n".repeat(5000))))];
    let stage = Stage::new();
    let answered = reply(&rules, &prompt(&stage), &around());
    let answer: Value = serde_json::from_str(&answered.stdout).unwrap();
    let told = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    let entry = journal(&stage).remove(0);
    assert!(told.len() < 5000 * 15 && entry.cut);
    assert_eq!(entry.bytes, told.len() as u64);
    let whole =
        fs_err::read_to_string(stage.project().full_text_folder().join(format!("{}.txt", entry.id))).unwrap();
    assert_eq!(whole, "a line of text\n".repeat(5000));
}

#[test]
fn trouble_with_the_journal_is_told_to_the_person() {
    let stage = Stage::new();
    stage.write(".engine/journal", "a file where the folder belongs");
    let session = format!("trouble-{}", clock::now().0);
    let text = prompt(&stage).replace(AGENT, &session);
    let answered = reply(RULES, &text, &around());
    let answer: Value = serde_json::from_str(&answered.stdout).unwrap();
    let told = answer["systemMessage"].as_str().unwrap();
    assert!(
        told.starts_with("engine: the journal was not written: ")
            && told.ends_with("The work goes on. See: engine doctor"),
        "{told}"
    );
}
