//! Steps of an ordinary plan that move with the work, and the calls that save a call.

use serde_json::json;

use crate::plan::{ROUTER, edited, new, plan, stage, told};
use crate::plan_proofs::{made, passes, project, router, shell};
use crate::plan_quick::kept;
use crate::stage::{SESSION, Stage, run};

const TESTS: &str = "text: \"CHECKPOINT: the tests pass\", proof: pytest";
const CRITERION: &str = "text: all tests pass, proof: pytest";

/// One work step, a check, and a work step after it.
fn locked() -> Stage {
    let stage = made(&[CRITERION], &[TESTS, "text: Write the page"]);
    stage.ok(&["plan", "lock"]);
    stage
}

fn steps(stage: &Stage) -> String {
    let steps = kept(stage, "fix-the-login")["steps"].as_array().unwrap().clone();
    steps.iter().map(|step| step["state"].as_str().unwrap()).collect::<Vec<_>>().join(", ")
}

/// A command that passed, and what the model is told with it.
fn told_with(stage: &Stage, command: &str) -> String {
    let event = |name: &str| {
        let fields =
            json!({"session_id": SESSION, "tool_use_id": "toolu_told", "tool_input": {"command": command}});
        stage.event_with(name, &fields)
    };
    stage.hook(&event("PreToolUse")).assert_silent();
    let output = stage.send(&event("PostToolUse"));
    if output.stdout.trim().is_empty() { "-".to_owned() } else { output.context() }
}

#[test]
fn a_run_of_its_proof_ends_a_check_and_the_work_before_it() {
    let stage = locked();
    // Before anything was changed it ends nothing.
    assert_eq!(told_with(&stage, "pytest"), "-");
    assert_eq!(steps(&stage), "open, open, open");
    stage.ok(&["plan", "step", "start", "1"]);
    assert_eq!(told_with(&stage, "pytest"), "-");
    assert_eq!(steps(&stage), "active, open, open");
    edited(&stage, "a.txt");
    // A part of it, and one that fails, end nothing either.
    assert_eq!(told_with(&stage, "pytest -k ok"), "-");
    stage.write("tests/test_a.py", "broken\n");
    assert_eq!(shell(&stage, "pytest").code, Some(1));
    assert_eq!(steps(&stage), "active, open, open");
    stage.write("tests/test_a.py", "fine\n");
    insta::assert_snapshot!(told_with(&stage, "pytest"), @"engine: plan fix-the-login: steps 1, 2 are done; next: step 3, Write the page");
    assert_eq!(steps(&stage), "done, done, open");
    insta::assert_snapshot!(stage.ok(&["plan", "show"]).lines().filter(|line| line.starts_with("- [")).collect::<Vec<_>>().join("\n"), @"
    - [x] 1. Do it
    - [x] 2. CHECKPOINT: the tests pass (`pytest` passed)
    - [ ] 3. Write the page
    ");
    // What is called by name is done already, and the next change begins the next step.
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "2"])), @"
    exit 0
    - [x] 2. CHECKPOINT: the tests pass (`pytest` passed)
    then: step 3 begins with its first change
    ");
    edited(&stage, "a.txt");
    assert_eq!(steps(&stage), "done, done, active");
    // The work before a check that is done begins again: the check is open.
    stage.ok(&["plan", "step", "done", "3"]);
    stage.ok(&["plan", "step", "start", "1"]);
    assert_eq!(steps(&stage), "active, open, done");
}

/// A test that fails before there is code for it.
#[test]
fn a_failure_ends_the_check_that_wants_one() {
    let stage =
        made(&[CRITERION], &["text: \"CHECKPOINT: it fails\", fails: pytest", "text: Mend it", TESTS]);
    stage.ok(&["plan", "lock"]);
    stage.write("tests/test_a.py", "broken\n");
    edited(&stage, "tests/test_a.py");
    assert_eq!(shell(&stage, "pytest").code, Some(1));
    assert_eq!(steps(&stage), "done, done, open, open");
    stage.write("tests/test_a.py", "fine\n");
    edited(&stage, "a.txt");
    passes(&stage, "pytest");
    assert_eq!(steps(&stage), "done, done, done, done");
    insta::assert_snapshot!(told(&plan(&stage, &["close"])), @"
    exit 0
    plan fix-the-login is closed; plans/fix-the-login/PLAN.md

    plan fix-the-login: 4 of 4 steps done
    - [x] 1. Do it
    - [x] 2. CHECKPOINT: it fails (`pytest` failed with 1)
    - [x] 3. Mend it
    - [x] 4. CHECKPOINT: the tests pass (`pytest` passed)

    Criteria:
    1. all tests pass (`pytest` passes)
       met [DAY] [TIME]: `pytest` passed

    Drift:
    - failed checks: 1
    ");
}

/// What the step refuses by name it refuses by itself: `plan.commit` wants the work committed.
#[test]
fn what_is_not_committed_does_not_end_by_itself() {
    let stage = project();
    stage.write(".engine/config.toml", "[plan]\ncommit = \"commit\"\n");
    assert_eq!(new(&stage, &router(&[CRITERION], &[TESTS])).code, Some(0));
    stage.ok(&["plan", "lock"]);
    edited(&stage, "a.txt");
    passes(&stage, "pytest");
    assert_eq!(steps(&stage), "active, open");
}

#[test]
fn done_with_next_saves_a_call() {
    let stage = locked();
    edited(&stage, "a.txt");
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "1", "--next"])), @"
    exit 0
    - [x] 1. Do it
    - [>] 2. CHECKPOINT: the tests pass (`pytest` passes)
    then: engine plan step done 2; its proof: `pytest` passes
    ");
    assert_eq!(steps(&stage), "done, active, open");
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "2", "--next"])), @"
    exit 1
    engine: step 2: `pytest` was not run since the lock: engine check -- pytest
      engine evidence lists what ran
    ");
    passes(&stage, "pytest");
    assert_eq!(steps(&stage), "done, done, open");
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "2", "--next"])), @"
    exit 0
    - [x] 2. CHECKPOINT: the tests pass (`pytest` passed)
    - [>] 3. Write the page
    then: engine plan step done 3
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "3", "--next"])), @"
    exit 0
    - [x] 3. Write the page (no edit was seen)
    all steps are done; then: engine plan close
    ");
}

#[test]
fn close_looks_up_and_reports() {
    let stage = locked();
    edited(&stage, "a.txt");
    insta::assert_snapshot!(told(&plan(&stage, &["close"])), @r#"
    exit 1
    engine: plan fix-the-login stays open
    step 1 is active: Do it
    step 2 is open: the tests pass
    step 3 is open: Write the page
    criterion 1: `pytest` was not run since the lock: engine check -- pytest
      or engine plan close --user-approved "why"; engine asks the user
    "#);
    passes(&stage, "pytest");
    stage.ok(&["plan", "step", "done", "3"]);
    insta::assert_snapshot!(told(&plan(&stage, &["close"])), @"
    exit 0
    plan fix-the-login is closed; plans/fix-the-login/PLAN.md

    plan fix-the-login: 3 of 3 steps done
    - [x] 1. Do it
    - [x] 2. CHECKPOINT: the tests pass (`pytest` passed)
    - [x] 3. Write the page (no edit was seen)

    Criteria:
    1. all tests pass (`pytest` passes)
       met [DAY] [TIME]: `pytest` passed
    ");
}

#[test]
fn new_locks_at_once_where_nobody_must_agree() {
    let made = |text: &str| {
        let stage = project();
        let output = told(&run(stage.command(&["plan", "new", "--lock"]), Some(text.as_bytes())));
        format!("{output}locked: {}\n", kept(&stage, "fix-the-login")["lock"].is_object())
    };
    let text = router(&[CRITERION], &[TESTS]);
    let supervised = format!("{text}supervise: true\n");
    let texts = [
        text.clone(),
        text.replace("plan_mode: false", "plan_mode: true"),
        text.replace("proof: pytest}", "proof: ./look.sh}"),
        text.replace("answer_only: false", "answer_only: true"),
        supervised,
    ];
    insta::assert_snapshot!(texts.iter().map(|text| made(text)).collect::<String>(), @"
        exit 0
        plan fix-the-login: 2 steps, 1 criterion; plans/fix-the-login/PLAN.md
        1. all tests pass (`pytest` passes)
        then: step 1 begins with its first change
        locked: true
        exit 0
        plan fix-the-login: 2 steps, 1 criterion; plans/fix-the-login/PLAN.md
        guardrails: plan_mode
        then: engine plan lock
        locked: false
        exit 0
        plan fix-the-login: 2 steps, 1 criterion; plans/fix-the-login/PLAN.md
        then: engine plan lock
        locked: false
        exit 0
        plan fix-the-login: 2 steps, 1 criterion; plans/fix-the-login/PLAN.md
        guardrails: answer_only
        then: answer, and end the turn; nothing is changed in it
        locked: false
        exit 0
        plan fix-the-login: 2 steps, 1 criterion; plans/fix-the-login/PLAN.md
        then: start the agent critic; after its APPROVE: engine plan lock
        locked: false
        ");
}

/// A plan that names skills has them called, or says that they were not.
#[test]
fn the_skills_of_a_plan_are_named_once() {
    let stage = stage();
    stage.write("src/auth.rs", "a\n");
    assert_eq!(
        new(&stage, &ROUTER.replace("skills_to_invoke: []", "skills_to_invoke: [fix, engine:commit]")).code,
        Some(0)
    );
    stage.ok(&["plan", "lock"]);
    let edit = || {
        let input =
            json!({"file_path": stage.root().join("src/auth.rs"), "old_string": "a", "new_string": "b"});
        let fields = json!({"session_id": SESSION, "tool_name": "Edit", "tool_input": input});
        let output = stage.hook(&stage.event_with("PostToolUse.Write", &fields));
        if output.stdout.is_empty() { "-".to_owned() } else { output.context() }
    };
    insta::assert_snapshot!(edit(), @r#"engine: plan fix-the-login names skills for its work: Skill(skill: "fix"), Skill(skill: "engine:commit")"#);
    assert_eq!(edit(), "-");
    let fields = json!({"session_id": SESSION, "tool_name": "Skill", "tool_input": {"skill": "fix"}, "tool_response": {"success": true, "commandName": "fix"}});
    stage.hook(&stage.event_with("PostToolUse", &fields));
    insta::assert_snapshot!(stage.ok(&["plan", "report"]).lines().filter(|line| line.contains("skill")).collect::<String>(), @"- skills that were not called: engine:commit");
    plan(&stage, &["close", "--user-approved", "enough"]);
    stage.answer("ok 1");
    insta::assert_snapshot!(stage.ok(&["plan", "close", "--user-approved", "enough"]).lines().filter(|line| line.contains("skill")).collect::<String>(), @"- skills that were not called: engine:commit");
    assert_eq!(kept(&stage, "fix-the-login")["closed"]["uncalled"], json!(["engine:commit"]));
}
