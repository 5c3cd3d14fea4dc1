//! A plan is not lost with the context: its owner is told again, and others what waits for them.

use serde_json::{Value, json};

use crate::liveness::by;
use crate::plan::{ROUTER, locked, new, stage};
use crate::stage::{SESSION, Stage, run};

/// What a session is told when it starts so.
fn starts(stage: &Stage, session: &str, source: &str) -> String {
    let output =
        stage.hook(&stage.event_with("SessionStart", &json!({"session_id": session, "source": source})));
    if output.stdout.is_empty() {
        "-".to_owned()
    } else {
        output.json()["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or("-").to_owned()
    }
}

fn ends(stage: &Stage, session: &str, reason: &str) {
    stage.hook(&stage.event_with("SessionEnd", &json!({"session_id": session, "reason": reason})));
}

#[test]
fn the_owner_is_told_again_in_a_new_context() {
    let stage = stage();
    assert_eq!(new(&stage, ROUTER).code, Some(0));
    insta::assert_snapshot!(starts(&stage, SESSION, "compact"), @"
    engine: this session works on plan fix-the-login: 0 of 3 steps done, not locked.
    Criterion 1, not shown: all tests pass (`cargo test` passes)
    Criterion 2, not shown: the login is documented (docs/login.md changes)
    Next: engine plan lock. All of it: engine plan show fix-the-login
    The user asked: “Fix the login”
    Open steps: 1 Reproduce the issue; 2 Fix it; 3 the tests pass
    Must stay: only src/** may change; verify_before_complete; require_acceptance_test
    ");
    stage.ok(&["plan", "lock"]);
    stage.ok(&["plan", "step", "start", "1"]);
    insta::assert_snapshot!(starts(&stage, SESSION, "compact"), @"
    engine: this session works on plan fix-the-login: 0 of 3 steps done.
    Criterion 1, not shown: all tests pass (`cargo test` passes)
    Criterion 2, not shown: the login is documented (docs/login.md changes)
    Active: step 1, Reproduce the issue
    Next: engine plan step done 1. All of it: engine plan show fix-the-login
    The user asked: “Fix the login”
    Open steps: 2 Fix it; 3 the tests pass
    Must stay: only src/** may change; verify_before_complete; require_acceptance_test
    ");
    assert_eq!(starts(&stage, SESSION, "resume"), "-", "the context still has it");
    stage.ok(&["plan", "halt", "a key is missing"]);
    insta::assert_snapshot!(starts(&stage, SESSION, "compact"), @"
    engine: this session works on plan fix-the-login: 0 of 3 steps done.
    Criterion 1, not shown: all tests pass (`cargo test` passes)
    Criterion 2, not shown: the login is documented (docs/login.md changes)
    Active: step 1, Reproduce the issue
    Halted: a key is missing
    Next: engine plan resume (engine asks the user; until then nothing is changed). All of it: engine plan show fix-the-login
    The user asked: “Fix the login”
    Open steps: 2 Fix it; 3 the tests pass
    Must stay: only src/** may change; verify_before_complete; require_acceptance_test
    ");
    assert_eq!(starts(&stage, "another", "startup"), "-", "its session lives");
    stage.write(".engine/state/plans/fix-the-login.json", "{");
    insta::assert_snapshot!(starts(&stage, SESSION, "compact"), @"engine: this session works on plan fix-the-login, which cannot be read: engine plan show fix-the-login");
}

#[test]
fn after_a_clear_the_next_session_of_the_client_owns_the_plan() {
    let mut stage = locked();
    stage.set("CLAUDE_PID", "4711");
    ends(&stage, SESSION, "clear");
    insta::assert_snapshot!(starts(&stage, "s-next", "clear"), @"
    engine: after the clear this session works on plan fix-the-login: 0 of 3 steps done.
    Criterion 1, not shown: all tests pass (`cargo test` passes)
    Criterion 2, not shown: the login is documented (docs/login.md changes)
    Next: step 1 begins with its first change. All of it: engine plan show fix-the-login
    The user asked: “Fix the login”
    Open steps: 1 Reproduce the issue; 2 Fix it; 3 the tests pass
    Must stay: only src/** may change; verify_before_complete; require_acceptance_test
    ");
    assert_eq!(by(&stage, "s-next", &["plan", "step", "start", "1"]).code, Some(0));
    assert_eq!(starts(&stage, "s-later", "clear"), "-", "once, and it has an owner now");
}

#[test]
fn other_sessions_are_told_which_plans_wait_for_them() {
    let stage = locked();
    assert_eq!(starts(&stage, "s-2", "startup"), "-");
    ends(&stage, SESSION, "other");
    insta::assert_snapshot!(starts(&stage, "s-3", "startup"), @"engine: plan fix-the-login is open, its session has ended: engine plan take fix-the-login");
    for source in ["resume", "compact", "fork"] {
        assert_eq!(starts(&stage, "s-3", source), "-", "{source}");
    }
    let halted = run(
        {
            let mut command = stage.command(&["plan", "halt", "a key is missing", "--plan", "fix-the-login"]);
            command.env_remove("CLAUDECODE").env_remove("CLAUDE_CODE_SESSION_ID");
            command
        },
        None,
    );
    assert_eq!(halted.code, Some(0), "{}", halted.stderr);
    insta::assert_snapshot!(starts(&stage, "s-4", "startup"), @"engine: plan fix-the-login is halted (a key is missing), its session has ended: engine plan take fix-the-login, then engine plan resume, which asks the user");
    for number in 1..=4 {
        let session = format!("owner-{number}");
        starts(&stage, &session, "startup");
        let mut new = stage.command(&["plan", "new", "--name", &format!("plan-{number}")]);
        new.env("CLAUDE_CODE_SESSION_ID", &session);
        assert_eq!(run(new, Some(ROUTER.as_bytes())).code, Some(0));
        ends(&stage, &session, "other");
    }
    let told = starts(&stage, "s-5", "startup");
    let mut lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.pop(), Some("engine: 2 more: engine plan list"));
    let newest = [4, 3, 2].map(|number| {
        format!("engine: plan plan-{number} is open, its session has ended: engine plan take plan-{number}")
    });
    assert_eq!(lines, newest);
}

#[test]
fn engine_status_and_doctor_name_what_is_open() {
    let stage = crate::sessions::stage();
    assert_eq!(new(&stage, ROUTER).code, Some(0));
    stage.ok(&["plan", "lock"]);
    stage.ok(&["session", "activate", crate::sessions::WORK, "build"]);
    insta::assert_snapshot!(stage.ok(&["status"]), @"
    No pending tasks.

    Plan: fix-the-login, 0 of 3 steps
    ");
    ends(&stage, SESSION, "other");
    insta::assert_snapshot!(stage.ok(&["status"]), @"
    No pending tasks.

    Plan: fix-the-login, 0 of 3 steps; its session has ended: engine plan take fix-the-login
    ");
    let plans = stage.engine(&["status", "--json"]).json()["plans"].clone();
    assert_eq!(
        plans,
        json!([{"name": "fix-the-login", "done": 0, "steps": 3, "halted": null, "orphaned": true}])
    );
    let overview = stage.ok(&[]);
    let work: Vec<&str> = overview.lines().filter(|line| line.starts_with("Work")).collect();
    insta::assert_snapshot!(work.join("\n"), @"Work     sessions/2026_02_07_AUTH, build in 1: Setup; its agent session has ended: engine session continue sessions/2026_02_07_AUTH");
    let checks = stage.engine(&["doctor", "--json"]).json()["checks"].clone();
    let of = |name: &str| -> Vec<Value> {
        checks.as_array().unwrap().iter().filter(|check| check["name"] == name).cloned().collect()
    };
    insta::assert_snapshot!(json!([of("work session"), of("plan")]).to_string(), @r#"[[{"detail":"sessions/2026_02_07_AUTH, build in 1: Setup; its agent session has ended: engine session continue sessions/2026_02_07_AUTH","health":"note","name":"work session"}],[{"detail":"fix-the-login, 0 of 3 steps; its session has ended: engine plan take fix-the-login","health":"note","name":"plan"}]]"#);
}
