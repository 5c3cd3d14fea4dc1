//! Quick plans: one call, steps that move by themselves, and the close at the end of a turn.

use serde_json::{Value, json};

use crate::plan::{edited, plan, stage, told};
use crate::plan_proofs::{passes, project, shell, shell_of};
use std::os::unix::fs::symlink;

use crate::stage::{SESSION, Stage, at_once};

/// A quick plan in a repository with a check that passes.
pub(crate) fn quick() -> Stage {
    let stage = project();
    stage.ok(&["plan", "quick", "fix add", "--proof", "pytest -q"]);
    stage
}

/// What the person and the model are told at the end of a turn.
pub(crate) fn stop(stage: &Stage) -> String {
    let output = stage.hook(&stop_event(stage));
    if output.stdout.trim().is_empty() {
        return "-".to_owned();
    }
    let answer = output.json();
    let line = answer["systemMessage"].as_str().unwrap_or("-");
    let note = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or("-");
    let text = format!("person: {line}\nmodel: {note}");
    text.replace(" s ago", " SOME ago").replace(" min ago", " SOME ago")
}

fn stop_event(stage: &Stage) -> Value {
    stage.event_with("Stop", &json!({"session_id": SESSION, "stop_hook_active": false}))
}

/// What a changing call is answered.
fn may_edit(stage: &Stage) -> String {
    let input = json!({"file_path": stage.root().join("a.txt"), "old_string": "a", "new_string": "b"});
    let event = stage
        .event_with("PreToolUse", &json!({"session_id": SESSION, "tool_name": "Edit", "tool_input": input}));
    let output = stage.hook(&event);
    if output.stdout.trim().is_empty() {
        return "-".to_owned();
    }
    output.json()["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or("-").to_owned()
}

pub(crate) fn kept(stage: &Stage, name: &str) -> Value {
    serde_json::from_str(&stage.read(&format!(".engine/state/plans/{name}.json"))).unwrap()
}

fn is_closed(stage: &Stage) -> bool {
    kept(stage, "fix-add")["closed"].is_object()
}

#[test]
fn one_call_makes_and_locks_it() {
    let stage = project();
    insta::assert_snapshot!(told(&plan(&stage, &["quick", "fix add", "--proof", "pytest -q"])), @"
    exit 0
    plan fix-add is locked: it is done when `pytest -q` passes
    it closes itself at the end of the turn if that passed after the last change; 3 files and 60 lines may change
    ");
    let locked = kept(&stage, "fix-add");
    assert_eq!((&locked["version"], &locked["quick"]), (&json!(3), &json!(true)));
    assert!(stage.read("plans/fix-add/PLAN.md").contains("fix add"));
    // Another one, of either kind, has to wait.
    insta::assert_snapshot!(told(&plan(&stage, &["quick", "fix sub", "--proof", "pytest -q"])), @"
    exit 1
    engine: this agent session has the open plan fix-add
      engine plan show
      engine plan close, first
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["show"])), @"
    exit 0
    # Plan: fix-add

    simple, quick. Locked [DAY] [TIME].

    > fix add

    ## Acceptance criteria

    1. fix add (`pytest -q` passes)

    ## Steps

    - [ ] 1. fix add (`pytest -q` passes)

    ## Guardrails

    - verify_before_complete
    ");
    let stage = project();
    let object = stage.ok(&[
        "plan",
        "quick",
        "mend the api",
        "--proof",
        "pytest",
        "--in",
        "packages/api",
        "--name",
        "api",
        "--json",
    ]);
    let object: Value = serde_json::from_str(&object).unwrap();
    assert_eq!(object["plan"]["name"], "api");
    assert_eq!(
        object["plan"]["criteria"][0]["proof"],
        json!({"passes": {"line": "pytest", "in": "packages/api"}})
    );
}

/// No turn of an agent ends for it.
#[test]
fn a_person_closes_theirs() {
    let stage = project();
    let told = |args: &[&str]| stage.at_terminal(&[&["plan"], args].concat()).stdout;
    insta::assert_snapshot!(told(&["quick", "fix add", "--proof", "pytest -q"]), @"
    plan fix-add is locked: it is done when `pytest -q` passes
    then: the change, the check, engine plan close
    ");
    assert_eq!(stop(&stage), "-");
}

#[test]
fn it_takes_known_checks_only() {
    let stage = project();
    let mut seen = String::new();
    for (proof, folder) in [
        ("ls", ""),
        ("true", ""),
        ("make -i test", ""),
        ("pytest | tail", ""),
        ("pytest || true", ""),
        ("./look.sh", ""),
        ("", ""),
        ("pytest", "nowhere"),
        ("pytest", ".."),
    ] {
        let output = plan(&stage, &["quick", "fix add", "--proof", proof, "--in", folder]);
        let told = told(&output);
        seen.push_str(&format!(
            "{proof} {folder}\n{}\n",
            told.lines().take(2).collect::<Vec<_>>().join("\n")
        ));
        assert_ne!(output.code, Some(0), "{proof}");
    }
    insta::assert_snapshot!(seen, @"
        ls 
        exit 1
        engine: a quick plan is proved by a known check: `ls` is not a known check
        true 
        exit 1
        engine: a quick plan is proved by a known check: `true` is not a known check
        make -i test 
        exit 1
        engine: a quick plan is proved by a known check: `make -i test` passes whatever fails
        pytest | tail 
        exit 1
        engine: a quick plan is proved by a known check: `pytest | tail`: no run of this line can prove it: a pipe hides its status
        pytest || true 
        exit 1
        engine: a quick plan is proved by a known check: `pytest || true`: no run of this line can prove it: || hides its status
        ./look.sh 
        exit 1
        engine: a quick plan is proved by a known check: `./look.sh` is not a known check
         
        exit 1
        engine: a quick plan is proved by a known check: ``: this line could not be read as a command
        pytest nowhere
        exit 1
        engine: a quick plan is proved by a known check: there is no folder nowhere
        pytest ..
        exit 2
        engine: .. is not a folder below the project's root
        ");
    insta::assert_snapshot!(told(&plan(&stage, &["quick", "fix add", "--proof", "ls"])), @"
    exit 1
    engine: a quick plan is proved by a known check: `ls` is not a known check
      engine evidence learn lists the checks of this project
      engine plan new takes other proofs; for those a person is asked
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["quick", " ", "--proof", "pytest"])), @"
    exit 2
    engine: a plan needs a text
    ");
    assert!(!stage.exists("plans"));
    // What the project adds counts.
    stage.write(".engine/config.toml", "[evidence]\nchecks = [\"./look.sh\"]\n");
    stage.ok(&["plan", "quick", "fix add", "--proof", "./look.sh"]);
}

#[test]
fn it_moves_and_closes_by_itself() {
    let stage = project();
    stage.write("session.md", "# Session\n\n## Pending Tasks\n\n- [ ] **Login** — `/do`\n");
    stage.ok(&["task", "start", "Login"]);
    stage.ok(&["plan", "quick", "fix add", "--proof", "pytest -q"]);
    edited(&stage, "a.txt");
    assert_eq!(kept(&stage, "fix-add")["steps"][0]["state"], "active");
    passes(&stage, "pytest -q");
    assert_eq!(kept(&stage, "fix-add")["steps"][0]["state"], "done");
    insta::assert_snapshot!(stop(&stage), @"
    person: plan fix-add is done: pytest -q passed after the last edit; 1 file, +1 −0; Login: done
    model: -
    ");
    assert!(is_closed(&stage));
    assert!(stage.read("session.md").contains("[x] **Login**"), "{}", stage.read("session.md"));
    // It is over, once.
    assert_eq!(stop(&stage), "-");
    assert_eq!(may_edit(&stage), "-");
    assert_eq!(plan(&stage, &["close"]).code, Some(1));
    stage.ok(&["plan", "quick", "the next", "--proof", "pytest -q"]);
}

#[test]
fn the_person_sees_what_is_missing() {
    let stage = quick();
    // Nothing has happened.
    insta::assert_snapshot!(stop(&stage), @"
    person: plan fix-add is not done: pytest -q has not passed since the lock
    model: engine: plan fix-add is open:
    - pytest -q has not passed since the lock; once it has, the plan closes itself
    Ending the turn is right if it waits for the user.
    ");
    // The model is reminded once per turn.
    stage.write("tests/test_a.py", "broken\n");
    edited(&stage, "a.txt");
    insta::assert_snapshot!(stop(&stage), @"
    person: plan fix-add is not done: pytest -q has not passed since the last edit; changed, and no check has run
    model: -
    ");
    assert_eq!(shell(&stage, "pytest -q").code, Some(1));
    insta::assert_snapshot!(stop(&stage), @"
    person: plan fix-add is not done: pytest -q has not passed since the last edit; last check: pytest -q failed under 1 SOME ago
    model: -
    ");
    assert!(!is_closed(&stage));
    stage.hook(&stage.prompt("go on"));
    stage.write("tests/test_a.py", "fine\n");
    passes(&stage, "pytest -q");
    edited(&stage, "a.txt");
    insta::assert_snapshot!(stop(&stage), @"
    person: plan fix-add is not done: pytest -q has not passed since the last edit; last check: pytest -q passed under 1 SOME ago, changed since
    model: engine: plan fix-add is open:
    - pytest -q has not passed since the last edit; once it has, the plan closes itself
    Ending the turn is right if it waits for the user.
    ");
    passes(&stage, "pytest -q");
    insta::assert_snapshot!(stop(&stage), @"
    person: plan fix-add is done: pytest -q passed after the last edit; 1 file, +2 −0
    model: -
    ");
    assert!(is_closed(&stage));
}

/// The proof passes before anything was changed: nothing was done.
#[test]
fn a_pass_without_a_change_closes_nothing() {
    let stage = quick();
    passes(&stage, "pytest -q");
    assert_eq!(kept(&stage, "fix-add")["steps"][0]["state"], "open");
    insta::assert_snapshot!(stop(&stage), @"
    person: plan fix-add is not done: nothing has changed since the lock
    model: engine: plan fix-add is open: nothing has changed since the lock
    Ending the turn is right if it waits for the user.
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["close"])), @r#"
    exit 1
    engine: plan fix-add stays open
    step 1 is open: fix add
    nothing has changed since the lock
      or engine plan close --user-approved "why"; engine asks the user
    "#);
    // A change by a script begins nothing that anybody sees, and counts all the same.
    passes(&stage, "python3 -c \"$(cat gen.py)\" --version; echo b > a.txt");
    passes(&stage, "pytest -q");
    insta::assert_snapshot!(stop(&stage), @"
    person: plan fix-add is done: pytest -q passed after the last edit; 1 file, +1 −1
    model: -
    ");
}

/// What is changed after the pass is not what passed, whoever changes it.
#[test]
fn a_change_after_the_pass_keeps_it_open() {
    for script in ["python3 gen.py", "bash gen.sh", "make gen"] {
        let stage = quick();
        edited(&stage, "a.txt");
        passes(&stage, "pytest -q");
        passes(&stage, script);
        insta::allow_duplicates! {
            insta::assert_snapshot!(stop(&stage), @"
            person: plan fix-add is not done: changed since pytest -q passed: tests/test_a.py. Run it again: engine check -- pytest -q
            model: engine: plan fix-add is open: changed since `pytest -q` passed: tests/test_a.py. Run it again: engine check -- pytest -q
            Ending the turn is right if it waits for the user.
            ");
        }
        assert!(!is_closed(&stage));
    }
}

/// The definition of the check is part of the lock.
#[test]
fn a_check_that_was_redefined_closes_nothing() {
    let stage = project();
    stage.ok(&["plan", "quick", "fix add", "--proof", "npm test"]);
    stage.write("tests/test_a.py", "broken\n");
    edited(&stage, "a.txt");
    assert_eq!(shell(&stage, "npm test").code, Some(1));
    stage.write("package.json", "{\"scripts\": {\"test\": \"true\"}}\n");
    passes(&stage, "npm test");
    insta::assert_snapshot!(stop(&stage), @"
    person: plan fix-add is not done: what npm test does was changed since the lock: package.json
    model: engine: plan fix-add is open: what `npm test` does was changed since the lock: package.json
    Ending the turn is right if it waits for the user.
    ");
    assert!(!is_closed(&stage));
}

#[test]
fn other_runs_prove_nothing() {
    let stage = quick();
    edited(&stage, "a.txt");
    let mut seen = String::new();
    for (command, folder) in [
        ("pytest -q", "tests"),
        ("cd packages/api && pytest -q", ""),
        ("pytest -q -k ok", ""),
        ("npm test", ""),
        ("PATH=/nowhere:$PATH pytest -q", ""),
        ("pytest() { true; }; pytest -q", ""),
        ("pytest -q || true; eval :", ""),
        ("echo pytest -q passed", ""),
    ] {
        let output = shell_of(&stage, command, folder, None);
        assert_eq!(output.code, Some(0), "{command}");
        stage.hook(&stage.prompt("go on"));
        let line = stop(&stage).lines().next().unwrap_or_default().to_owned();
        seen.push_str(&format!("{command} {folder}\n  {line}\n"));
        assert!(!is_closed(&stage), "{command}");
    }
    insta::assert_snapshot!(seen, @"
    pytest -q tests
      person: plan fix-add is not done: pytest -q has not passed since the last edit; last check: pytest -q passed under 1 SOME ago
    cd packages/api && pytest -q 
      person: plan fix-add is not done: pytest -q has not passed since the last edit; last check: pytest -q passed under 1 SOME ago
    pytest -q -k ok 
      person: plan fix-add is not done: pytest -q has not passed since the last edit; last check: pytest -q -k ok passed under 1 SOME ago
    npm test 
      person: plan fix-add is not done: pytest -q has not passed since the last edit; last check: npm test passed under 1 SOME ago
    PATH=/nowhere:$PATH pytest -q 
      person: plan fix-add is not done: pytest -q has not passed since the last edit; last check: npm test passed under 1 SOME ago
    pytest() { true; }; pytest -q 
      person: plan fix-add is not done: pytest -q has not passed since the last edit; last check: npm test passed under 1 SOME ago
    pytest -q || true; eval : 
      person: plan fix-add is not done: pytest -q has not passed since the last edit; last check: pytest -q ran under 1 SOME ago, outcome not known
    echo pytest -q passed 
      person: plan fix-add is not done: pytest -q has not passed since the last edit; last check: pytest -q ran under 1 SOME ago, outcome not known
    ");
}

/// Whoever chooses the file that defines a check, or the folder in which it looks, chooses what it comes to.
#[test]
fn what_defines_the_check_is_the_projects() {
    let stage = project();
    stage.write("o.mk", "test:\n\tpytest -q\n");
    let elsewhere = stage.home().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    symlink(&elsewhere, stage.root().join("lk")).unwrap();
    for (proof, folder, why) in [
        ("make -f o.mk test", "", "is not a known check"),
        ("make --file=o.mk test", "", "is not a known check"),
        ("make -fo.mk test", "", "is not a known check"),
        ("make -I w test", "", "is not a known check"),
        ("npm test --prefix w", "", "is not a known check"),
        ("pytest -q", "lk", "lk is a link that leads out of the project"),
    ] {
        let told = told(&plan(&stage, &["quick", "fix add", "--proof", proof, "--in", folder]));
        assert!(told.starts_with("exit 1\n") && told.contains(why), "{proof}: {told}");
    }
}

#[test]
fn a_check_in_a_folder_shows_nothing_of_another() {
    let stage = project();
    stage.ok(&["plan", "quick", "fix add", "--proof", "pytest -q", "--in", "packages/api"]);
    edited(&stage, "a.txt");
    shell_of(&stage, "pytest -q", "packages/api", None);
    insta::assert_snapshot!(stop(&stage), @"
    person: plan fix-add is not done: changed outside of the folder in which the check runs: a.txt
    model: engine: plan fix-add is open: changed outside of the folder in which the check runs: a.txt
    Ending the turn is right if it waits for the user.
    ");
    assert!(!is_closed(&stage));
}

/// The text of a quick plan is the agent's: a new context is not told that the user asked for it.
#[test]
fn its_text_is_not_told_as_the_users() {
    let stage = project();
    stage.ok(&["plan", "quick", "remove legacy, the user approved it", "--proof", "pytest -q"]);
    let start = stage.event_with("SessionStart.compact", &json!({"session_id": SESSION}));
    let told = stage.hook(&start).context();
    assert!(told.contains("remove legacy") && !told.contains("The user asked"), "{told}");
}

#[test]
fn it_halts_when_it_grows() {
    let stage = quick();
    for path in ["a.txt", "b.txt", "c.txt"] {
        edited(&stage, path);
    }
    // What the engine, builds and sessions keep is no work.
    for path in ["target/x", "sessions/2026_01_01_A/LOG.md", ".engine/queue/x.md"] {
        stage.write(path, "x\n");
        edited(&stage, path);
    }
    assert_eq!(may_edit(&stage), "-");
    // The fourth comes from a shell, and the check measures it.
    passes(&stage, "echo x > d.txt");
    insta::assert_snapshot!(may_edit(&stage), @"engine rule plan: plan fix-add is halted: 4 files, +4 −0 changed, and a quick plan takes 3 files, 60 lines. Nothing is changed now. Ways out: engine plan new --lock with a full plan, which takes its place; engine plan resume: engine asks the user; after their ok the same command goes on, and engine plan close ends the plan");
    insta::assert_snapshot!(stop(&stage), @"
    person: plan fix-add is halted: 4 files, +4 −0 changed, and a quick plan takes 3 files, 60 lines; changed, and no check has run
    model: -
    ");
    assert!(!is_closed(&stage));
    insta::assert_snapshot!(told(&plan(&stage, &["resume"])), @"
    exit 1
    engine: resume plan fix-add (halted: 4 files, +4 −0 changed, and a quick plan takes 3 files, 60 lines) needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    stage.answer("ok 1");
    insta::assert_snapshot!(told(&plan(&stage, &["resume"])), @"
    exit 0
    plan fix-add goes on: the person's words: ok 1 ([DAY] [TIME], approval 1)
    it is an ordinary plan now: engine plan close ends it
    ");
    // An ordinary plan from now on.
    passes(&stage, "pytest -q");
    insta::assert_snapshot!(stop(&stage), @"
    person: plan fix-add: 1 of 1 steps, criterion 1 not shown; last check: pytest -q passed under 1 SOME ago
    model: engine: plan fix-add is open:
    - criterion 1 is not verified: fix add
    Ending the turn is right if it waits for the user.
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["close"])), @"
    exit 0
    plan fix-add is closed; plans/fix-add/PLAN.md

    plan fix-add: 1 of 1 steps done
    - [x] 1. fix add (`pytest -q` passed)

    Criteria:
    1. fix add (`pytest -q` passes)
       met [DAY] [TIME]: `pytest -q` passed
    ");
}

#[test]
fn many_lines_in_one_file_halt_it_at_the_check() {
    let stage = quick();
    edited(&stage, "a.txt");
    let lines = "x\n".repeat(70);
    // A script that nobody reads.
    stage.write("tests/big.txt", &lines);
    passes(&stage, "pytest -q");
    insta::assert_snapshot!(stop(&stage), @"
    person: plan fix-add is halted: 2 files, +71 −0 changed, and a quick plan takes 3 files, 60 lines; last check: pytest -q passed under 1 SOME ago
    model: -
    ");
    insta::assert_snapshot!(may_edit(&stage), @"engine rule plan: plan fix-add is halted: 2 files, +71 −0 changed, and a quick plan takes 3 files, 60 lines. Nothing is changed now. Ways out: engine plan new --lock with a full plan, which takes its place; engine plan resume: engine asks the user; after their ok the same command goes on, and engine plan close ends the plan");
    // And at the close, at the latest.
    let stage = quick();
    edited(&stage, "a.txt");
    passes(&stage, "pytest -q");
    stage.write("tests/big.txt", &lines);
    insta::assert_snapshot!(stop(&stage), @"
    person: plan fix-add is halted: 2 files, +71 −0 changed, and a quick plan takes 3 files, 60 lines
    model: -
    ");
}

/// A full plan takes the place of one that grew: the words stay, and what counts as before the work.
#[test]
fn a_full_plan_takes_its_place() {
    let stage = project();
    stage.hook(&stage.prompt("/do! fix the add function, it subtracts"));
    stage.ok(&["plan", "quick", "fix add", "--proof", "npm test"]);
    for path in ["a.txt", "b.txt", "c.txt", "d.txt"] {
        edited(&stage, path);
    }
    stage.write("package.json", "{\"scripts\": {\"test\": \"true\"}}\n");
    let text = crate::plan_proofs::router(&["text: the tests pass, proof: npm test"], &[]);
    stage.write("sessions/plan.yaml", &text);
    insta::assert_snapshot!(told(&plan(&stage, &["new", "--from", "sessions/plan.yaml"])), @"
    exit 0
    plan fix-add: 1 step, 1 criterion; plans/fix-add/PLAN.md
    then: engine plan lock
    note: in place of the quick plan; what the user asked for stays as it was
    ");
    assert_eq!(
        kept(&stage, "fix-add")["original_fragment"]
            .as_str()
            .or(kept(&stage, "fix-add")["originalFragment"].as_str()),
        Some("fix the add function, it subtracts")
    );
    insta::assert_snapshot!(may_edit(&stage), @"engine rule plan: plan fix-add is not locked, and takes the place of a quick plan that grew too large. Nothing is changed before it is locked. Run: engine plan lock");
    stage.hook(&stage.prompt("go on"));
    insta::assert_snapshot!(may_edit(&stage), @"engine rule plan: plan fix-add is not locked, and takes the place of a quick plan that grew too large. Nothing is changed before it is locked. Run: engine plan lock");
    stage.ok(&["plan", "lock"]);
    assert_eq!(may_edit(&stage), "-");
    passes(&stage, "npm test");
    insta::assert_snapshot!(told(&plan(&stage, &["verify", "1"])), @r#"
    exit 1
    engine: criterion 1: what `npm test` does was changed since the lock: package.json
      put it back as it was; or add --user-approved "why", and engine asks the user
    "#);
}

#[test]
fn it_is_no_way_out_of_another_plan() {
    let stage = project();
    let text = crate::plan_proofs::router(&["text: the tests pass, proof: pytest"], &[]);
    stage.write("sessions/plan.yaml", &text);
    let quick = ["quick", "fix add", "--proof", "pytest -q"];
    stage.ok(&["plan", "new", "--from", "sessions/plan.yaml"]);
    let mut seen = told(&plan(&stage, &quick));
    stage.ok(&["plan", "lock"]);
    stage.write("tests/test_a.py", "broken\n");
    assert_eq!(shell(&stage, "pytest").code, Some(1));
    assert_eq!(told(&plan(&stage, &quick)), seen);
    stage.ok(&["plan", "halt", "a key is missing"]);
    assert_eq!(told(&plan(&stage, &quick)), seen);
    seen.push_str(&told(&plan(&stage, &["quick", "fix add", "--proof", "pytest -q", "--plan", "other"])));
    // Supervised work is judged by others.
    let stage = project();
    stage.hook(&stage.prompt("/do --supervise fix the add function"));
    seen.push_str(&told(&plan(&stage, &quick)));
    insta::assert_snapshot!(seen, @"
    exit 1
    engine: this agent session has the open plan fix-the-login
      engine plan show
      engine plan close, first
    exit 1
    engine: this agent session has the open plan fix-the-login
      engine plan show
      engine plan close, first
    exit 1
    engine: /do --supervise asks for a plan that others judge, and a quick plan closes itself
      engine plan new takes the plan of the agent intent-router or planner
    ");
    // Nor does a quick plan free what the other held.
    insta::assert_snapshot!(may_edit(&stage), @"engine rule plan: /do changes nothing before its plan is locked, and there is no plan. Start the agent intent-router (Agent tool) with the request, then run: engine plan new");
}

#[test]
fn an_armed_session_is_satisfied_by_it() {
    let stage = project();
    stage.hook(&stage.prompt("/do fix the add function, it subtracts"));
    assert!(may_edit(&stage).contains("/do changes nothing"));
    insta::assert_snapshot!(told(&plan(&stage, &["quick", "fix add", "--proof", "pytest -q"])), @"
    exit 0
    plan fix-add is locked: it is done when `pytest -q` passes
    it closes itself at the end of the turn if that passed after the last change; 3 files and 60 lines may change
    ");
    assert_eq!(may_edit(&stage), "-");
    assert!(stage.read("plans/fix-add/PLAN.md").contains("> fix the add function, it subtracts"));
}

#[test]
fn do_with_a_sign_asks_for_it() {
    let stage = project();
    let context = |text: &str| {
        let output = stage.hook(&stage.prompt(text));
        if output.stdout.trim().is_empty() { "-".to_owned() } else { output.stdout.trim().to_owned() }
    };
    insta::assert_snapshot!(context("/do! fix add"), @r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"engine: /do! asks for a quick plan. Until it is made nothing is changed: engine plan quick \"WHAT IS DONE\" --proof \"CMD\", where CMD is a check of this project. After that: the change, then CMD. At the end of the turn the plan closes itself if CMD passed after the last change; 3 files and 60 lines may change.\nChecks of this project: `npm test`."}}"#);
    insta::assert_snapshot!(may_edit(&stage), @r#"engine rule plan: /do! changes nothing before its plan is locked, and there is none. Run: engine plan quick "WHAT IS DONE" --proof "CMD", where CMD is a check of this project"#);
    insta::assert_snapshot!(context("/do! --supervise fix add"), @r#"{"continue":false,"stopReason":"engine: /do! makes a plan that closes itself, so nobody supervises it. Type /do! REQUEST, or /do --supervise REQUEST"}"#);
    stage.ok(&["plan", "quick", "fix add", "--proof", "pytest -q"]);
    assert_eq!(may_edit(&stage), "-");
    insta::assert_snapshot!(context("/do! fix sub"), @r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"engine: plan fix-add is open: /do! begins a new plan only after engine plan close"}}"#);
}

/// A project with skills: the sign makes no chain of them.
#[test]
fn it_is_no_part_of_a_chain() {
    let stage = stage();
    stage.ok(&["init", "--with", "skills"]);
    let mut seen = String::new();
    for prompt in [
        "/do! fix add",
        "/do! fix add, /commit",
        "/do! fix add\n/commit",
        "/commit, /do! fix add",
        "fix add, then /do! it",
        "what does /do! do?",
    ] {
        let output = stage.hook(&stage.prompt(prompt));
        let answer: Value = serde_json::from_str(&output.stdout).unwrap_or_default();
        let said = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or("-");
        let stopped = answer["reason"].as_str().or(answer["stopReason"].as_str()).unwrap_or("-");
        let line = answer["systemMessage"].as_str().unwrap_or("-");
        let chain = stage.state()["chain"].is_object();
        let said = said.split(". ").next().unwrap_or_default();
        seen.push_str(&format!(
            "{prompt:?}\n  model: {said}\n  stopped: {stopped}\n  person: {line}\n  chain: {chain}\n"
        ));
    }
    insta::assert_snapshot!(seen, @r#"
    "/do! fix add"
      model: engine: /do! asks for a quick plan
      stopped: -
      person: -
      chain: false
    "/do! fix add, /commit"
      model: engine: /do! asks for a quick plan
      stopped: -
      person: -
      chain: false
    "/do! fix add\n/commit"
      model: engine: /do! asks for a quick plan
      stopped: -
      person: -
      chain: false
    "/commit, /do! fix add"
      model: -
      stopped: engine: /do! is not part of a chain. Type /do! REQUEST alone, or /do REQUEST in the chain
      person: -
      chain: false
    "fix add, then /do! it"
      model: -
      stopped: -
      person: -
      chain: false
    "what does /do! do?"
      model: -
      stopped: -
      person: -
      chain: false
    "#);
}

/// Two ends of a turn at once close it once, and one line says so.
#[test]
fn two_stops_at_once_close_it_once() {
    let stage = quick();
    edited(&stage, "a.txt");
    passes(&stage, "pytest -q");
    let event = serde_json::to_vec(&stop_event(&stage)).unwrap();
    let path = stage.home().join("stop.json");
    std::fs::write(&path, event).unwrap();
    let outputs = at_once(4, |_| {
        let mut command = stage.command(&["hook"]);
        command.stdin(std::fs::File::open(&path).unwrap());
        command
    });
    let lines = outputs.iter().filter(|output| output.stdout.contains("is done")).count();
    let told: Vec<&String> = outputs.iter().map(|output| &output.stdout).collect();
    assert_eq!(lines, 1, "{told:?}");
    assert!(is_closed(&stage) && stage.state()["closing"].is_null());
}

/// A hook that was killed between the close and its answer: the next event of the person tells it.
#[test]
fn a_kill_after_the_close_loses_nothing() {
    let stage = project();
    stage.write("session.md", "# Session\n\n## Pending Tasks\n\n- [ ] **Login** — `/do`\n");
    stage.ok(&["task", "start", "Login"]);
    stage.ok(&["plan", "quick", "fix add", "--proof", "pytest -q"]);
    edited(&stage, "a.txt");
    passes(&stage, "pytest -q");
    // What the killed hook had written: the mark, and the plan; the copy is gone with it.
    let sessions = format!(".engine/state/sessions/{SESSION}.json");
    assert!(stop(&stage).contains("is done"));
    let mut session: Value = serde_json::from_str(&stage.read(&sessions)).unwrap();
    session["closing"] = json!("fix-add");
    stage.write(&sessions, &session.to_string());
    stage.write(&format!(".engine/state/sessions/{SESSION}.plan"), "");
    let tasks = stage.read("session.md").replace("[x] **Login**", "[>] **Login**");
    stage.write("session.md", &tasks);
    let output = stage.hook(&stage.prompt("what is next?"));
    insta::assert_snapshot!(output.json()["systemMessage"].as_str().unwrap_or("-"), @"plan fix-add is done: pytest -q passed after the last edit; Login: done");
    assert!(stage.read("session.md").contains("[x] **Login**"));
    assert_eq!(stop(&stage), "-");
}
