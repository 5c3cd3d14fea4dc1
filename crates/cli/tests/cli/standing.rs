//! The person is told at the end of a turn how the plan or the work session stands, whatever the model says.

use std::time::Duration;

use engine_store::process::{kept, process};
use engine_store::session_file::SessionFile;
use engine_text::stamp::Stamp;
use serde_json::{Value, json};

use crate::liveness::runs_in;
use crate::plan::{ROUTER, edited, locked, new, ran, stage};
use crate::sessions::{self, WORK};
use crate::stage::{SESSION, Stage, run};

/// What the client gets at the end of a turn.
fn stop(stage: &Stage, fields: &Value) -> String {
    let mut event = stage.event_with("Stop", &json!({"session_id": SESSION, "stop_hook_active": false}));
    for (key, value) in fields.as_object().unwrap() {
        event[key] = value.clone();
    }
    stage.hook(&event).stdout
}

/// The line for the person at the end of a turn that a hook has made go on once.
fn line(stage: &Stage) -> String {
    let output = stop(stage, &json!({"stop_hook_active": true}));
    if output.is_empty() {
        return "-".to_owned();
    }
    let answer: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(answer.as_object().unwrap().len(), 1, "{output}");
    answer["systemMessage"].as_str().unwrap().to_owned()
}

/// The last check was so long ago.
fn ago(stage: &Stage, span: Duration) {
    let file = SessionFile::new(&stage.root().join(".engine/state/sessions"), SESSION);
    let earlier = |at: Stamp| Stamp(at.0 - u64::try_from(span.as_millis()).unwrap());
    file.update(|state| {
        let of_plan = state.plan.as_mut().and_then(|plan| plan.last_check.as_mut());
        let of_work = state.work.as_mut().and_then(|work| work.standing.last.as_mut());
        for last in of_plan.into_iter().chain(of_work) {
            last.at = earlier(last.at);
        }
    })
    .unwrap();
}

const TWO_MINUTES: Duration = Duration::from_secs(2 * 60 + 20);

#[test]
fn a_plan_that_is_not_shown_is_told_at_the_end_of_every_turn() {
    let stage = locked();
    stage.hook(&stage.prompt("go"));
    edited(&stage, "src/auth.rs");
    ran(&stage, "cargo test", 101);
    ago(&stage, TWO_MINUTES);
    let told =
        "plan fix-the-login: 0 of 3 steps, criteria 1, 2 not shown; last check: cargo test failed 2 min ago";
    // The model is told, too, and the turn goes on; it may be interrupted.
    let first: Value = serde_json::from_str(&stop(&stage, &json!({}))).unwrap();
    assert_eq!(first["systemMessage"], told);
    assert!(first["hookSpecificOutput"]["additionalContext"].is_string());
    assert_eq!(line(&stage), told);
    // A subagent is at work: this is not the end yet.
    let working =
        json!({"stop_hook_active": true, "background_tasks": [{"type": "subagent", "status": "running"}]});
    assert_eq!(stop(&stage, &working), "");
    assert_eq!(line(&stage), told, "with every end");
    stage.hook(&stage.prompt("and on"));
    stop(&stage, &json!({}));
    assert_eq!(line(&stage), told, "and in every turn");
    ran(&stage, "cargo test", 0);
    edited(&stage, "src/auth.rs");
    ago(&stage, TWO_MINUTES);
    insta::assert_snapshot!(line(&stage), @"plan fix-the-login: 0 of 3 steps, criteria 1, 2 not shown; last check: cargo test passed 2 min ago, changed since");
    stage.ok(&["plan", "halt", "a key is missing"]);
    insta::assert_snapshot!(line(&stage), @"plan fix-the-login is halted: a key is missing; last check: cargo test passed 2 min ago, changed since");
    let first = stop(&stage, &json!({}));
    assert_eq!(first, json!({"systemMessage": line(&stage)}).to_string(), "the model is told nothing");
}

#[test]
fn what_engine_check_ran_is_the_last_check_too() {
    let stage = locked();
    stage.write(".engine/config.toml", "[evidence]\nchecks = [\"false\"]\n");
    assert_eq!(run(stage.command(&["check", "--", "false"]), None).code, Some(1));
    ago(&stage, TWO_MINUTES);
    insta::assert_snapshot!(line(&stage), @"plan fix-the-login: 0 of 3 steps, criteria 1, 2 not shown; last check: false failed 2 min ago");
}

#[test]
fn a_plan_without_a_lock_speaks_when_something_was_changed() {
    let stage = stage();
    assert_eq!(new(&stage, ROUTER).code, Some(0));
    assert_eq!(line(&stage), "-");
    edited(&stage, "src/auth.rs");
    insta::assert_snapshot!(line(&stage), @"plan fix-the-login: not locked, 0 of 3 steps, criteria 1, 2 not shown; changed, and no check has run");
}

#[test]
fn a_plan_that_only_answers_says_nothing() {
    let stage = stage();
    assert_eq!(new(&stage, &ROUTER.replace("answer_only: false", "answer_only: true")).code, Some(0));
    assert_eq!(line(&stage), "-");
}

#[test]
fn a_work_session_speaks_while_it_is_red_or_changed() {
    let stage = sessions::stage();
    stage.ok(&["session", "activate", WORK, "build"]);
    assert_eq!(line(&stage), "-");
    // Its own files are no work.
    edited(&stage, &format!("{WORK}/BUILD_LOG.md"));
    assert_eq!(line(&stage), "-");
    edited(&stage, "src/auth.rs");
    insta::assert_snapshot!(line(&stage), @"session 2026_02_07_AUTH in 1: Setup: changed, and no check has run");
    ran(&stage, "cargo test", 101);
    ago(&stage, TWO_MINUTES);
    insta::assert_snapshot!(line(&stage), @"session 2026_02_07_AUTH in 1: Setup: last check: cargo test failed 2 min ago");
    // A new phase keeps it.
    stage.ok(&["session", "phase", WORK, "2: Plan"]);
    insta::assert_snapshot!(line(&stage), @"session 2026_02_07_AUTH in 2: Plan: last check: cargo test failed 2 min ago");
    ran(&stage, "cargo test", 0);
    assert_eq!(line(&stage), "-", "quiet and green");
}

/// Where neither is open, nothing is opened or said.
#[test]
fn without_plan_and_work_session_nothing_is_said() {
    let stage = stage();
    ran(&stage, "cargo test", 101);
    assert_eq!(line(&stage), "-");
    let noted = stage.state();
    assert_eq!((&noted["plan"], &noted["work"]), (&Value::Null, &Value::Null));
}

/// An event that something else than the session's client sends is no news, whatever it says.
#[test]
fn a_forged_pass_changes_nothing() {
    let stage = sessions::stage();
    stage.ok(&["session", "activate", WORK, "build"]);
    ran(&stage, "cargo test", 101);
    ago(&stage, TWO_MINUTES);
    runs_in(&stage, SESSION, kept(&process(std::process::id()).unwrap()));
    ran(&stage, "cargo test", 0);
    assert_eq!(line(&stage), "session 2026_02_07_AUTH in 1: Setup: last check: cargo test failed 2 min ago");
}
