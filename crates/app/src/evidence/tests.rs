use engine_core::journal::Entry;
use engine_store::clock;
use engine_text::stamp::Stamp;

use super::*;
use crate::stage::{AGENT, Stage};

const SINCE: Stamp = Stamp(1_700_000_000_000);

fn trail<'a>(project: &'a Project, since: &'a str) -> EvidenceQuery<'a> {
    EvidenceQuery {
        what: "the lock of plan x".to_owned(),
        within: "since the lock",
        ..EvidenceQuery::new(project, since, Some(vec![AGENT]))
    }
}

/// Why `cargo test` is not proved.
fn unproved(query: &EvidenceQuery<'_>) -> Option<String> {
    let proof = Proof::Passes(Command::new("cargo test", ""));
    query.look().unwrap().prove(&proof, &Start::default()).err()
}

/// A line of an agent's shell in the root, as the journal has it.
fn ran(session: &str, command: &str, exit: i32) -> Entry {
    Entry {
        session: session.to_owned(),
        event: if exit == 0 { "PostToolUse" } else { "PostToolUseFailure" }.to_owned(),
        tool: Some("Bash".to_owned()),
        command: Some(command.to_owned()),
        exit: Some(exit),
        verdict: "none".to_owned(),
        ..Entry::default()
    }
}

#[test]
fn a_command_counts_if_it_passed_last_in_this_session_and_nothing_was_edited_since() {
    let after = |seconds: u64| Stamp(SINCE.0 + seconds * 1000);
    let edit = || Entry {
        session: AGENT.to_owned(),
        event: "PostToolUse".to_owned(),
        tool: Some("Edit".to_owned()),
        input: Some("src/a.rs".to_owned()),
        verdict: "none".to_owned(),
        ..Entry::default()
    };
    let ours = |exit| ran(AGENT, "cargo test", exit);
    let cases: Vec<(&str, Vec<Entry>, Option<&str>)> = vec![
        ("never", vec![], Some("`cargo test` was not run since the lock: engine check -- cargo test")),
        ("passed", vec![ours(0)], None),
        ("failed", vec![ours(0), ours(101)], Some("`cargo test` ended with 101 when it ran last")),
        ("mended", vec![ours(101), ours(0)], None),
        (
            "of another session",
            vec![ran("another", "cargo test", 0)],
            Some("`cargo test` was not run since the lock: engine check -- cargo test"),
        ),
        (
            "edited since",
            vec![ours(0), edit()],
            Some("changed since `cargo test` passed: src/a.rs. Run it again: engine check -- cargo test"),
        ),
    ];
    for (name, entries, expected) in cases {
        let stage = Stage::new();
        for (second, entry) in (1..).zip(entries) {
            stage.journal(after(second), entry);
        }
        let (project, since) = (stage.project(), SINCE.rfc3339());
        assert_eq!(unproved(&trail(&project, &since)).as_deref(), expected, "{name}");
    }
}

#[test]
fn what_ran_before_does_not_count() {
    let stage = Stage::new();
    stage.journal(Stamp(SINCE.0 - 1000), ran(AGENT, "cargo test", 0));
    let (project, since) = (stage.project(), SINCE.rfc3339());
    assert_eq!(
        unproved(&trail(&project, &since)).as_deref(),
        Some("`cargo test` was not run since the lock: engine check -- cargo test")
    );
}

#[test]
fn a_file_is_in_the_project_and_holds_something() {
    let stage = Stage::new();
    stage.write("docs/a.md", "text");
    stage.write("docs/empty.md", "");
    let (project, since) = (stage.project(), SINCE.rfc3339());
    for (path, expected) in [
        ("docs/a.md", None),
        ("docs/empty.md", Some("docs/empty.md is empty")),
        ("docs", Some("docs is no file")),
        ("docs/b.md", Some("there is no file docs/b.md in this project")),
        ("/etc/hostname", Some("there is no file /etc/hostname in this project")),
        (
            "docs/../../../../../../etc/hostname",
            Some("there is no file docs/../../../../../../etc/hostname in this project"),
        ),
    ] {
        assert_eq!(trail(&project, &since).file(path).as_deref(), expected, "{path}");
    }
}

#[test]
fn a_commit_is_on_the_branch_and_not_older() {
    let stage = Stage::new();
    stage.git(&["init", "-q"]);
    stage.write("a", "a");
    stage.git(&["add", "a"]);
    stage.git(&["commit", "-qm", "one"]);
    let project = stage.project();
    let (before, after) = (SINCE.rfc3339(), Stamp(clock::now().0 + 60_000).rfc3339());
    let wrong = |since: &str, name| trail(&project, since).commit(name);
    assert_eq!(wrong(&before, "HEAD"), None);
    assert_eq!(wrong(&after, "HEAD").as_deref(), Some("commit HEAD is older than the lock of plan x"));
    assert_eq!(wrong(&before, "nosuch").as_deref(), Some("there is no commit nosuch"));
    assert_eq!(trail(&project, &before).push("").as_deref(), Some("HEAD is on no remote branch"));
}

#[test]
fn the_ledger_holds_the_checks_of_the_sessions_and_the_edits_between() {
    let stage = Stage::new();
    stage.journal(Stamp(SINCE.0 + 1000), ran(AGENT, "cargo test", 1));
    stage.journal(Stamp(SINCE.0 + 2000), ran("another", "cargo test", 0));
    let (project, since) = (stage.project(), SINCE.rfc3339());
    let ledger = trail(&project, &since).ledger().unwrap();
    assert_eq!(ledger.len(), 1);
    let everybody = EvidenceQuery { sessions: None, ..trail(&project, &since) };
    assert_eq!(everybody.ledger().unwrap().len(), 2);
}
