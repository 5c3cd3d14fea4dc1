use std::sync::atomic::{AtomicUsize, Ordering};

use engine_core::journal::Entry;
use serde_json::{Value, json};

use super::*;
use crate::stage::{AGENT, Stage};

fn line(second: u32, mut line: Value) -> String {
    line["sessionId"] = json!(AGENT);
    line["cwd"] = json!("/somewhere");
    line["timestamp"] = json!(format!("2026-11-15T11:00:{second:02}.000Z"));
    format!("{line}\n")
}

fn call(second: u32, id: &str, command: &str) -> String {
    let content = json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]);
    line(second, json!({"type": "assistant", "message": {"role": "assistant", "content": content}}))
}

fn result(second: u32, id: &str, refused: Option<&str>) -> String {
    let text = refused.unwrap_or("ok");
    let content =
        json!([{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": refused.is_some()}]);
    let mut value = json!({"type": "user", "message": {"role": "user", "content": content}});
    if refused.is_none() {
        value["toolUseResult"] = json!({"stdout": "", "stderr": "", "interrupted": false});
    }
    line(second, value)
}

fn seen(stage: &Stage, id: &str) {
    let at = Stamp(1_794_740_400_000);
    let entry = Entry {
        session: AGENT.to_owned(),
        event: "PreToolUse".to_owned(),
        tool_use: Some(id.to_owned()),
        verdict: "none".to_owned(),
        ..Entry::default()
    };
    stage.journal(at, entry);
}

fn measured(stage: &Stage, transcript: &str, since: Option<Stamp>) -> Measured {
    stage.write(&format!("transcripts/{AGENT}.jsonl"), transcript);
    let project = stage.project();
    let found = transcripts::find(&[stage.root().join("transcripts")], &project, None).unwrap();
    let taken = AtomicUsize::new(0);
    let measured = measure(&found, &project, since, &|| {
        taken.fetch_add(1, Ordering::Relaxed);
    })
    .unwrap();
    assert_eq!(taken.into_inner(), 1, "each session is taken once");
    measured
}

#[test]
fn a_call_passed_if_the_journal_has_its_id() {
    let stage = Stage::new();
    seen(&stage, "t1");
    let text = [
        call(1, "t1", "ls"),
        result(2, "t1", None),
        call(3, "t2", "echo token=sk-ant-api03-abcdefghijklmnopqrstuvwxyz012345"),
        result(4, "t2", None),
    ]
    .concat();
    let Measured { coverage, first } = measured(&stage, &text, None);
    assert_eq!(coverage.all(), Share { calls: 2, covered: 1 });
    assert_eq!(coverage.by, BTreeMap::from([((AGENT.to_owned(), None), Share { calls: 2, covered: 1 })]));
    let gaps: Vec<_> = coverage.gaps.iter().map(|gap| (gap.tool.as_str(), gap.tool_use.as_str())).collect();
    assert_eq!(gaps, [("Bash", "t2")]);
    assert!(
        !coverage.gaps[0].what.contains("sk-ant-api03"),
        "secrets are taken out: {}",
        coverage.gaps[0].what
    );
    assert!(first.is_some());
    for (min, expected) in [(0, true), (50, true), (51, false), (100, false)] {
        assert_eq!(coverage.reaches(min), expected, "--min {min}");
    }
}

#[test]
fn a_call_that_nobody_understands_is_not_covered() {
    let stage = Stage::new();
    let by = |second, id: &str, tool: &str, input: Value| {
        let content = json!([{"type": "tool_use", "id": id, "name": tool, "input": input}]);
        line(second, json!({"type": "assistant", "message": {"role": "assistant", "content": content}}))
    };
    for id in ["t1", "t2", "t3"] {
        seen(&stage, id);
    }
    let text = [
        by(1, "t1", "mcp__db__query", json!({"sql": "SELECT 1"})),
        by(2, "t2", "mcp__shell__run", json!({"command": "ls"})),
        by(3, "t3", "Workflow", json!({"script": "export const meta = {}"})),
    ]
    .concat();
    let coverage = measured(&stage, &text, None).coverage;
    assert_eq!(coverage.all(), Share { calls: 3, covered: 1 });
    assert_eq!(
        not_understood(&coverage.opaque),
        "passed the hook, but engine does not know what they do: Workflow (1), mcp__db__query (1)"
    );
}

#[test]
fn a_call_that_another_hook_changed_did_not_pass() {
    let stage = Stage::new();
    seen(&stage, "t1");
    let post = Entry {
        event: "PostToolUse".to_owned(),
        tool_use: Some("t1".to_owned()),
        command: Some("git reset --hard".to_owned()),
        rewritten: Some("ls".to_owned()),
        ..Entry::default()
    };
    stage.journal(Stamp(1_794_740_401_000), post);
    let text = [call(1, "t1", "ls"), result(2, "t1", None)].concat();
    let coverage = measured(&stage, &text, None).coverage;
    assert_eq!(coverage.all(), Share { calls: 1, covered: 0 });
    let gaps: Vec<_> = coverage.gaps.iter().map(|gap| (gap.what.as_str(), gap.ran.as_deref())).collect();
    assert_eq!(gaps, [("ls", Some("git reset --hard"))]);
}

#[test]
fn what_the_client_refused_itself_is_not_counted() {
    let stage = Stage::new();
    let why = "<tool_use_error>Unknown skill: none</tool_use_error>";
    let text = [call(1, "t1", "ls"), result(2, "t1", Some(why))].concat();
    let coverage = measured(&stage, &text, None).coverage;
    assert_eq!((coverage.all(), coverage.refused), (Share::default(), 1));
    assert!(coverage.reaches(100), "nothing is all");
}

#[test]
fn only_calls_from_then_on_count() {
    let stage = Stage::new();
    let text =
        [call(1, "t1", "ls"), result(2, "t1", None), call(30, "t2", "ls"), result(31, "t2", None)].concat();
    let since = crate::time::parse("2026-11-15T11:00:20Z");
    assert_eq!(measured(&stage, &text, since).coverage.all(), Share { calls: 1, covered: 0 });
}

#[test]
fn a_share_is_rounded_down() {
    for (covered, calls, expected) in [
        (0, 0, "–"),
        (1, 1, "100 %"),
        (999, 1000, "99.9 %"),
        (9999, 10000, "99.9 %"),
        (1, 3, "33.3 %"),
        (1, 2, "50 %"),
    ] {
        assert_eq!(Share { calls, covered }.shown(), expected);
    }
}

#[test]
fn gaps_before_the_journal_are_those_older_than_its_first_line() {
    let gap = |at: &str| Gap {
        at: at.to_owned(),
        session: AGENT.to_owned(),
        agent: None,
        tool: "Bash".to_owned(),
        tool_use: "t1".to_owned(),
        what: "ls".to_owned(),
        ran: None,
    };
    let gaps = vec![gap("2026-11-14T11:00:00.000Z"), gap("2026-11-15T11:00:00.000Z")];
    let mut measured = Measured { coverage: Coverage { gaps, ..Coverage::default() }, first: None };
    assert_eq!(measured.gaps_before_the_journal(), 0);
    measured.first = Some("2026-11-15T11:00:00.000Z".to_owned());
    assert_eq!(measured.gaps_before_the_journal(), 1);
}
