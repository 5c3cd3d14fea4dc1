//! `engine plan` and `engine evidence`. The numbers are those of cases/policy.md.

use serde_json::{Value, json};

use crate::stage::{Output, SESSION, Stage, run};

pub(crate) const ROUTER: &str = r#"task_type: debug
workflow: verify-first
skills_to_invoke: []
guardrails:
  plan_mode: false
  verify_before_complete: true
  answer_only: false
  require_acceptance_test: true
  quote_errors_exactly: false
  fix_within_design: false
  require_skill: null
enriched_context: |
  The login is in src/auth.rs.
todo_items:
  - "Reproduce the issue"
  - {text: Fix it, files: [src/auth.rs]}
  - {CHECKPOINT: the tests pass, proof: cargo test}
acceptance_criteria:
  - {text: all tests pass, proof: cargo test}
  - {text: the login is documented, file: docs/login.md}
scope: ["src/**"]
warnings: []
original_fragment: |
  Fix the login
"#;

/// A project with the recorded session as the caller.
pub(crate) fn stage() -> Stage {
    let mut stage = Stage::new();
    stage.set("CLAUDECODE", "1");
    stage.set("CLAUDE_CODE_SESSION_ID", SESSION);
    stage.hook(&stage.event("SessionStart"));
    stage
}

pub(crate) fn plan(stage: &Stage, args: &[&str]) -> Output {
    stage.engine(&[&["plan"], args].concat())
}

pub(crate) fn new(stage: &Stage, text: &str) -> Output {
    run(stage.command(&["plan", "new"]), Some(text.as_bytes()))
}

/// The plan of the router, locked.
pub(crate) fn locked() -> Stage {
    let stage = stage();
    assert_eq!(new(&stage, ROUTER).code, Some(0));
    stage.ok(&["plan", "lock"]);
    stage
}

/// One with so many work steps, locked.
pub(crate) fn locked_with(steps: usize) -> Stage {
    let stage = stage();
    let items: String = (1..=steps).map(|number| format!("  - step {number}\n")).collect();
    let start = ROUTER.find("todo_items:\n").unwrap() + "todo_items:\n".len();
    let end = ROUTER.find("acceptance_criteria").unwrap();
    let text = format!("{}{items}{}", &ROUTER[..start], &ROUTER[end..])
        .replace("require_acceptance_test: true", "require_acceptance_test: false");
    assert_eq!(new(&stage, &text).code, Some(0));
    stage.ok(&["plan", "lock"]);
    stage
}

pub(crate) fn told(output: &Output) -> String {
    let text = format!("exit {}\n{}{}", output.code.unwrap_or(-1), output.stdout, output.stderr);
    let is_day = |word: &str| word.len() == 10 && word.starts_with("20") && word.split('-').count() == 3;
    let is_time = |word: &str| word.len() == 8 && word.split(':').count() == 3;
    let words = text.split(' ').map(|word| match word.get(..8).filter(|time| is_time(time)) {
        _ if is_day(word) => "[DAY]".to_owned(),
        _ if word.strip_prefix('(').is_some_and(is_day) => "([DAY]".to_owned(),
        Some(_) => format!("[TIME]{}", &word[8..]),
        None => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

pub(crate) fn state(stage: &Stage) -> Value {
    serde_json::from_str(&stage.read(".engine/state/plans/fix-the-login.json")).unwrap()
}

/// The agent ran a command, and it ended so. Only the client's word counts for one that passed.
pub(crate) fn ran(stage: &Stage, command: &str, exit: i32) {
    let input = json!({"command": command});
    if exit == 0 {
        stage.send(&stage.event_with("PostToolUse", &json!({"session_id": SESSION, "tool_input": input})));
    } else {
        let error = format!("Exit code {exit}\nno");
        stage.hook(&stage.event_with(
            "PostToolUseFailure",
            &json!({"session_id": SESSION, "tool_input": input, "error": error}),
        ));
    }
}

/// The agent edited a file, and it is another one now.
pub(crate) fn edited(stage: &Stage, path: &str) {
    let old = if stage.exists(path) { stage.read(path) } else { String::new() };
    stage.write(path, &format!("{old}b\n"));
    let input = json!({"file_path": stage.root().join(path), "old_string": "a", "new_string": "b"});
    stage.hook(&stage.event_with(
        "PostToolUse.Write",
        &json!({"session_id": SESSION, "tool_name": "Edit", "tool_input": input}),
    ));
}

#[test]
fn case_14_everything_wrong_at_once() {
    let stage = stage();
    let broken = ROUTER
        .replace("workflow: verify-first\n", "")
        .replace("warnings: []", "warnings: none\nextra: 1")
        .replace("plan_mode: false", "plan_mode: 3");
    insta::assert_snapshot!(told(&new(&stage, &broken)), @"
    exit 1
    engine: the plan is not taken: 4 problems
    stdin:1: workflow is missing
    stdin:4: guardrails: plan_mode is neither true nor false
    stdin:21: warnings is no list
    stdin:22: the plan: extra is not known; known: task_type, workflow, skills_to_invoke, guardrails, enriched_context, todo_items, acceptance_criteria, scope, warnings, original_fragment, supervise
      engine plan new --help tells its form
    ");
    let unproved = ROUTER
        .replace("{CHECKPOINT: the tests pass, proof: cargo test}", "CHECKPOINT: the tests pass")
        .replace("{text: all tests pass, proof: cargo test}", "all tests pass")
        .replace("file: docs/login.md}", "file: docs/login.md, judge: qa, in: docs}");
    insta::assert_snapshot!(told(&new(&stage, &unproved)), @r#"
    exit 1
    engine: the plan is not taken: 4 problems
    stdin:17: todo_items: "the tests pass" has no proof. Write {text: …, proof: CMD}; or fails: CMD, file: PATH, proof: commit, proof: push, judge: qa, judge: person
    stdin:19: acceptance_criteria: "all tests pass" has no proof. Write {text: …, proof: CMD}; or fails: CMD, file: PATH, proof: commit, proof: push, judge: qa, judge: person
    stdin:20: acceptance_criteria: a text has one proof, and here are 2
    stdin:20: acceptance_criteria: in belongs to a command (proof: or fails:)
      engine plan new --help tells its form
    "#);
    let unprovable = ROUTER
        .replace("all tests pass, proof: cargo test", "all tests pass, proof: cargo test 2>&1 | tail")
        .replace("the tests pass, proof: cargo test", "the tests pass, proof: cargo test, in: nowhere");
    insta::assert_snapshot!(told(&new(&stage, &unprovable)), @"
    exit 1
    engine: the plan is not taken: 2 problems
    criterion 1: `cargo test 2>&1 | tail`: no run of this line can prove it: a pipe hides its status
    step 3: there is no folder nowhere
    ");
    let unchecked = ROUTER.replace("  - {CHECKPOINT: the tests pass, proof: cargo test}\n", "");
    insta::assert_snapshot!(told(&new(&stage, &unchecked)), @"
    exit 1
    engine: the plan is not taken: 1 problem
    stdin:14: todo_items: require_acceptance_test is true and no step is a check: one starts with CHECKPOINT: or has kind: check
      engine plan new --help tells its form
    ");
    stage.write("plan.yaml", "task_type: [");
    insta::assert_snapshot!(told(&plan(&stage, &["new", "--from", "plan.yaml"])), @"
    exit 1
    engine: the plan is not taken: 1 problem
    plan.yaml:2: while parsing a node, did not find expected node content
      engine plan new --help tells its form
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["new", "--from", "none.yaml"])), @"
    exit 1
    engine: none.yaml: No such file or directory (os error 2)
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["new", "--name", "../x"])), @r#"
    exit 2
    engine: "../x" is no name of a plan: small letters, digits and hyphens, at most 60
    "#);
    stage.write("big.yaml", &"x".repeat((1 << 20) + 1));
    insta::assert_snapshot!(told(&plan(&stage, &["new", "--from", "big.yaml"])), @"
    exit 1
    engine: the plan is not taken: 1 problem
    big.yaml:1: the plan is larger than 1 MB
      engine plan new --help tells its form
    ");
    assert!(!stage.exists("plans") && !stage.state().as_object().unwrap().contains_key("plan"));
}

#[test]
fn a_plan_from_new_to_close() {
    let stage = stage();
    stage.write("src/auth.rs", "a\n");
    stage.write("session.md", "# Session\n\n## Pending Tasks\n\n- [ ] **Login** — `/do`\n");
    stage.git(&["init", "-q", "-b", "main"]);
    stage.git(&["add", "src"]);
    stage.git(&["commit", "-qm", "first"]);
    stage.ok(&["task", "start", "Login"]);
    insta::assert_snapshot!(told(&new(&stage, &format!("Here:\n```yaml\n{ROUTER}```\n"))), @"
    exit 0
    plan fix-the-login: 3 steps, 2 criteria; plans/fix-the-login/PLAN.md
    guardrails: verify_before_complete, require_acceptance_test
    then: engine plan lock
    ");
    insta::assert_snapshot!(told(&new(&stage, ROUTER)), @"
    exit 1
    engine: this agent session has the open plan fix-the-login
      engine plan show
      engine plan close, first
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["step", "start", "1"])), @"
    exit 1
    engine: plan fix-the-login is not locked yet
      engine plan lock, once steps and criteria are right
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["lock"])), @"
    exit 0
    plan fix-the-login is locked: 3 steps, 2 criteria
    1. all tests pass (`cargo test` passes)
    2. the login is documented (docs/login.md changes)
    then: step 1 begins with its first change
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["step", "start", "1"])), @"
    exit 0
    - [>] 1. Reproduce the issue
    then: engine plan step done 1
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["step", "start", "2"])), @"
    exit 1
    engine: step 1 is active; one step at a time
      end it first: engine plan step done 1, or: step fail 1
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "1"])), @"
    exit 0
    - [x] 1. Reproduce the issue (no edit was seen)
    then: step 2 begins with its first change
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["step", "start", "3"])), @"
    exit 1
    engine: step 2 comes before step 3 and is open: Fix it
      engine plan step start 2
    ");
    stage.ok(&["plan", "step", "start", "2"]);
    edited(&stage, "src/auth.rs");
    edited(&stage, "docs/login.md");
    ran(&stage, "cargo test", 101);
    stage.git(&["commit", "-q", "--allow-empty", "-m", "fix: the login"]);
    stage.ok(&["plan", "step", "done", "2"]);
    stage.ok(&["plan", "step", "start", "3"]);
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "3"])), @"
    exit 1
    engine: step 3: `cargo test` ended with 101 when it ran last
      engine evidence lists what ran
    ");
    ran(&stage, "cargo test", 0);
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "3"])), @"
    exit 0
    - [x] 3. CHECKPOINT: the tests pass (`cargo test` passed)
    all steps are done; then: engine plan close
    ");
    stage.ok(&["plan", "verify", "1"]);
    insta::assert_snapshot!(told(&plan(&stage, &["verify", "2", "--rejected", "--why", "no key yet"])), @"
    exit 0
    2. the login is documented
       rejected [DAY] [TIME]: no key yet
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["show"])), @"
    exit 0
    # Plan: fix-the-login

    debug, verify-first. Locked [DAY] [TIME].

    > Fix the login

    ## Acceptance criteria

    1. all tests pass (`cargo test` passes)
       - met [DAY] [TIME]: `cargo test` passed
    2. the login is documented (docs/login.md changes)
       - rejected [DAY] [TIME]: no key yet

    ## Steps

    - [x] 1. Reproduce the issue (no edit was seen)
    - [x] 2. Fix it (src/auth.rs)
    - [x] 3. CHECKPOINT: the tests pass (`cargo test` passed)

    ## Guardrails

    - verify_before_complete
    - require_acceptance_test

    ## Scope

    - `src/**`

    ## Context

    > The login is in src/auth.rs.

    Drift:
    - edited outside of the scope: docs/login.md
    - step 2 changed besides its files: docs/login.md
    - failed checks: 1
    ");
    edited(&stage, "docs/login.md");
    ran(&stage, "cargo test", 0);
    insta::assert_snapshot!(told(&plan(&stage, &["verify"])), @"
    exit 0
    1. all tests pass
       met [DAY] [TIME]: `cargo test` passed
    2. the login is documented
       met [DAY] [TIME]: changed: docs/login.md (+2 −0)
    ");
    let report = told(&plan(&stage, &["report"]));
    let hash = report.lines().find_map(|line| line.strip_suffix(" fix: the login")).unwrap();
    insta::assert_snapshot!(report.replace(hash, "- [COMMIT]"), @"
    exit 0
    plan fix-the-login: 3 of 3 steps done
    - [x] 1. Reproduce the issue (no edit was seen)
    - [x] 2. Fix it (src/auth.rs)
    - [x] 3. CHECKPOINT: the tests pass (`cargo test` passed)

    Criteria:
    1. all tests pass (`cargo test` passes)
       met [DAY] [TIME]: `cargo test` passed
    2. the login is documented (docs/login.md changes)
       met [DAY] [TIME]: changed: docs/login.md (+2 −0)

    Commits since the lock:
    - [COMMIT] fix: the login

    Drift:
    - edited outside of the scope: docs/login.md
    - step 2 changed besides its files: docs/login.md
    - failed checks: 1
    ");
    edited(&stage, "src/auth.rs");
    insta::assert_snapshot!(told(&plan(&stage, &["close"])), @r#"
    exit 1
    engine: plan fix-the-login stays open
    criterion 1 is not shown any more: changed since `cargo test` passed: src/auth.rs. Run it again: engine check -- cargo test
      or engine plan close --user-approved "why"; engine asks the user
    "#);
    ran(&stage, "cargo test", 0);
    let closed = told(&plan(&stage, &["close"]));
    let (closed, report) = closed.split_once("\n\n").unwrap();
    insta::assert_snapshot!(closed, @"
    exit 0
    plan fix-the-login is closed; plans/fix-the-login/PLAN.md
    Login: done
    ");
    assert!(report.starts_with("plan fix-the-login: 3 of 3 steps done\n"), "{report}");
    assert!(stage.read("session.md").contains("- [x] **Login**"));
    assert!(!stage.state().as_object().unwrap().contains_key("plan"));
    insta::assert_snapshot!(told(&plan(&stage, &["show"])), @"
    exit 1
    engine: no plan is open here
      make one: engine plan new --from FILE
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["list"])), @"
    exit 0
    no plan is open
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["list", "--all"])), @"
    exit 0
    fix-the-login  closed  3 of 3 steps  plans/fix-the-login/PLAN.md
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["step", "start", "1", "--plan", "fix-the-login"])), @"
    exit 1
    engine: plan fix-the-login is closed
    ");
    assert_eq!(
        new(&stage, ROUTER).stdout.lines().next(),
        Some("plan fix-the-login-2: 3 steps, 2 criteria; plans/fix-the-login-2/PLAN.md")
    );
}

#[test]
fn case_15_locked_criteria() {
    let stage = stage();
    assert_eq!(new(&stage, ROUTER).code, Some(0));
    insta::assert_snapshot!(told(&plan(&stage, &["criteria", "add", "the docs say so"])), @r#"
    exit 2
    engine: "the docs say so" has no proof
      --proof CMD [--in DIR], --fails CMD, --file PATH, --proof commit, --proof push, --judge qa|person
    "#);
    stage.ok(&["plan", "criteria", "add", "the docs say so", "--file", "docs/login.md"]);
    stage.ok(&["plan", "criteria", "remove", "3"]);
    stage.ok(&["plan", "lock"]);
    let softer = ["criteria", "set", "2", "the login is mostly documented", "--judge", "qa"];
    insta::assert_snapshot!(told(&plan(&stage, &softer)), @"
    exit 1
    engine: change the locked criteria of plan fix-the-login: - 2. the login is documented (docs/login.md changes) + 2. the login is mostly documented (judged by qa) needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["criteria", "remove", "1"])), @"
    exit 1
    engine: change the locked criteria of plan fix-the-login: - 1. all tests pass (`cargo test` passes) needs a person: approval 2
      engine asks the person, who types ok 2 or no 2; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["criteria", "add", "more", "--proof", "cargo test --doc"])), @"
    exit 1
    engine: change the locked criteria of plan fix-the-login: + 3. more (`cargo test --doc` passes) needs a person: approval 3
      engine asks the person, who types ok 3 or no 3; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    let approved = [&softer[..], &["--user-approved", "they agreed"]].concat();
    insta::assert_snapshot!(told(&plan(&stage, &approved)), @"
    exit 1
    engine: change the locked criteria of plan fix-the-login: - 2. the login is documented (docs/login.md changes) + 2. the login is mostly documented (judged by qa) needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    stage.answer("ok 1");
    insta::assert_snapshot!(told(&plan(&stage, &approved)), @"
    exit 0
    - 2. the login is documented (docs/login.md changes)
    + 2. the login is mostly documented (judged by qa)
    ");
    let kept = state(&stage);
    assert_eq!(
        kept["criteria"][1],
        json!({"text": "the login is mostly documented", "proof": {"judge": "qa"}})
    );
    let approval = &kept["approvals"][0];
    insta::assert_snapshot!(approval["what"].as_str().unwrap(), @"- 2. the login is documented (docs/login.md changes) + 2. the login is mostly documented (judged by qa)");
    insta::assert_snapshot!(stage.masked(approval["reason"].as_str().unwrap()), @"the person's words: ok 1 ([DAY] [TIME], approval 1); the agent's reading: they agreed");
    assert_eq!(plan(&stage, &approved).code, Some(1), "one waiver, one deed");
    let journal = stage.journal();
    let waiver = journal.iter().find(|entry| entry["event"] == "Approval").unwrap();
    assert_eq!(waiver["findings"][0]["because"], approval["reason"]);
}

#[test]
fn case_16_growth() {
    let stage = locked_with(10);
    stage.ok(&["plan", "add", "eleven"]);
    stage.ok(&["plan", "add", "twelve", "--after", "1", "--files", "src/a.rs,src/b.rs"]);
    insta::assert_snapshot!(told(&plan(&stage, &["add", "CHECKPOINT: thirteen", "--proof", "cargo test"])), @"
    exit 1
    added - [ ] 13. CHECKPOINT: thirteen (`cargo test` passes)
    engine: plan fix-the-login is halted: the plan grew from 10 to 13 steps, by more than 20 %
      tell the user what happened and how you would go on; reading and asking stay free
      engine plan resume: engine asks the user, and after their ok the same command goes on
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["add", "fourteen"])), @"
    exit 1
    engine: plan fix-the-login is halted: the plan grew from 10 to 13 steps, by more than 20 %
      tell the user what happened and how you would go on; reading and asking stay free
      engine plan resume: engine asks the user, and after their ok the same command goes on
    ");
    for args in [
        &["step", "start", "1"][..],
        &["verify", "1"],
        &["criteria", "add", "x", "--judge", "person"],
        &["halt", "x"],
    ] {
        assert_eq!(plan(&stage, args).code, Some(1), "{args:?}");
    }
    assert_eq!(stage.state()["plan"]["halted"], "the plan grew from 10 to 13 steps, by more than 20 %");
    insta::assert_snapshot!(told(&plan(&stage, &["resume"])), @"
    exit 1
    engine: resume plan fix-the-login (halted: the plan grew from 10 to 13 steps, by more than 20 %) needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["resume", "--user-approved", "fine"])), @"
    exit 1
    engine: resume plan fix-the-login (halted: the plan grew from 10 to 13 steps, by more than 20 %) needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    stage.answer("ok 1");
    insta::assert_snapshot!(stage.masked(&told(&plan(&stage, &["resume", "--user-approved", "fine"]))), @"
    exit 0
    plan fix-the-login goes on: the person's words: ok 1 ([DAY] [TIME], approval 1); the agent's reading: fine
    ");
    assert!(!stage.state()["plan"].as_object().unwrap().contains_key("halted"));
    insta::assert_snapshot!(told(&plan(&stage, &["resume", "--user-approved", "fine"])), @"
    exit 1
    engine: plan fix-the-login is not halted
    ");
    stage.ok(&["plan", "add", "fourteen"]);
}

#[test]
fn case_16_attempts() {
    let stage = locked_with(2);
    for _ in 0..3 {
        stage.ok(&["plan", "step", "start", "1"]);
        stage.ok(&["plan", "step", "fail", "1", "--why", "no key"]);
    }
    insta::assert_snapshot!(told(&plan(&stage, &["step", "start", "1"])), @"
    exit 1
    engine: plan fix-the-login is halted: step 1 was tried 3 times: step 1
      tell the user what happened and how you would go on; reading and asking stay free
      engine plan resume: engine asks the user, and after their ok the same command goes on
    ");
    assert_eq!(state(&stage)["halts"][0]["kind"], "attempts");
    assert_eq!(plan(&stage, &["resume"]).code, Some(1));
    stage.answer("ok 1");
    stage.ok(&["plan", "resume", "--user-approved", "here is the key"]);
    stage.ok(&["plan", "step", "start", "1"]);
    insta::assert_snapshot!(told(&plan(&stage, &["halt", "the key is wrong"])), @"
    exit 0
    plan fix-the-login is halted: the key is wrong
      tell the user what happened and how you would go on; reading and asking stay free
      engine plan resume: engine asks the user, and after their ok the same command goes on
    ");
    assert_eq!(plan(&stage, &["step", "done", "1"]).code, Some(1));
    // A person needs nobody's word.
    assert_eq!(
        stage.at_terminal(&["plan", "resume"]).stdout,
        "plan fix-the-login goes on: a person typed it\n"
    );
    stage.ok(&["plan", "step", "done", "1"]);
}

#[test]
fn case_18_evidence_is_looked_up() {
    let stage = locked();
    let verify = |stage: &Stage| told(&plan(stage, &["verify", "1"]));
    // What another session ran says nothing of this one's work.
    stage.send(&stage.event_with(
        "PostToolUse",
        &json!({"session_id": "s-other", "tool_input": {"command": "cargo test"}}),
    ));
    insta::assert_snapshot!(verify(&stage), @"
    exit 1
    engine: criterion 1: `cargo test` was not run since the lock: engine check -- cargo test
      engine evidence lists what ran
    ");
    ran(&stage, "cargo test | tail", 0);
    insta::assert_snapshot!(verify(&stage), @"
    exit 1
    engine: criterion 1: whether `cargo test` passed cannot be told (a pipe hides its status): engine check -- cargo test
      engine evidence lists what ran
    ");
    ran(&stage, "cargo test || true", 0);
    insta::assert_snapshot!(verify(&stage), @"
    exit 1
    engine: criterion 1: whether `cargo test` passed cannot be told (|| hides its status): engine check -- cargo test
      engine evidence lists what ran
    ");
    stage.hook(&stage.event_with(
        "PostToolUse",
        &json!({"tool_input": {"command": "cargo test", "run_in_background": true}, "tool_response": {"backgroundTaskId": "b1"}}),
    ));
    insta::assert_snapshot!(verify(&stage), @"
    exit 1
    engine: criterion 1: whether `cargo test` passed cannot be told (it ran in the background): engine check -- cargo test
      engine evidence lists what ran
    ");
    ran(&stage, "cargo test", 101);
    insta::assert_snapshot!(verify(&stage), @"
    exit 1
    engine: criterion 1: `cargo test` ended with 101 when it ran last
      engine evidence lists what ran
    ");
    ran(&stage, "cargo test", 0);
    stage.write("src/auth.rs", "b\n");
    ran(&stage, "sed -i s/a/b/ src/auth.rs", 0);
    insta::assert_snapshot!(verify(&stage), @"
    exit 1
    engine: criterion 1: changed since `cargo test` passed: src/auth.rs. Run it again: engine check -- cargo test
      engine evidence lists what ran
    ");
    ran(&stage, "cargo test", 0);
    insta::assert_snapshot!(verify(&stage), @"
    exit 0
    1. all tests pass
       met [DAY] [TIME]: `cargo test` passed
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["verify", "9"])), @"
    exit 1
    engine: plan fix-the-login has no criterion 9
      engine plan show lists its criteria
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["verify"])), @"
    exit 1
    1. all tests pass
       met [DAY] [TIME]: `cargo test` passed
    engine: criterion 2: there is no file docs/login.md in this project
      engine evidence lists what ran
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["verify", "1", "--evidence", "cargo test"])), @"
    exit 2
    error: unexpected argument '--evidence' found

      tip: to pass '--evidence' as a value, use '-- --evidence'

    Usage: engine plan verify <NUMBER>

    For more information, try '--help'.
    ");
    let shown = stage.masked(&stage.ok(&["evidence"]));
    insta::assert_snapshot!(shown, @"
    [DAY] [TIME]  unknown  cargo test (a pipe hides its status; engine check -- cargo test)
    [DAY] [TIME]  unknown  cargo test (|| hides its status; engine check -- cargo test)
    [DAY] [TIME]  unknown  cargo test (it ran in the background; engine check -- cargo test)
    [DAY] [TIME]  failed   cargo test (exit 101)
    [DAY] [TIME]  passed   cargo test
      1 edit: src/auth.rs
    [DAY] [TIME]  passed   cargo test
    ");
    let ledger: Value = serde_json::from_str(&stage.ok(&["evidence", "--since", "plan", "--json"])).unwrap();
    let last = &ledger["ledger"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&last["is"], &last["command"], &last["outcome"]),
        (&json!("check"), &json!("cargo test"), &json!("passed"))
    );
}
