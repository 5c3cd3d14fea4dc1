//! How plans are kept: their page, their owner, kills, many at once, and what a step owes.

use std::fs;
use std::time::Duration;

use serde_json::json;

use crate::plan::{ROUTER, edited, locked, locked_with, new, plan, ran, stage, state, told};
use crate::stage::{Kills, SESSION, at_once, run};

#[test]
fn configured_commands_are_checks_too() {
    let stage = stage();
    stage.write(".engine/config.toml", "[evidence]\nchecks = [\"scripts/verify.sh\"]\n");
    let text =
        ROUTER.replace("the tests pass, proof: cargo test", "the tests pass, proof: scripts/verify.sh --all");
    assert_eq!(new(&stage, &text).code, Some(0));
    // Nobody is asked: it is known here.
    stage.ok(&["plan", "lock"]);
    for number in ["1", "2"] {
        stage.ok(&["plan", "step", "start", number]);
        stage.ok(&["plan", "step", "done", number]);
    }
    stage.ok(&["plan", "step", "start", "3"]);
    ran(&stage, "cargo test", 0);
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "3"])), @"
    exit 1
    engine: step 3: `scripts/verify.sh --all` was not run since the lock: engine check -- scripts/verify.sh --all
      engine evidence lists what ran
    ");
    ran(&stage, "scripts/verify.sh --all | tail", 0);
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "3"])), @"
    exit 1
    engine: step 3: whether `scripts/verify.sh --all` passed cannot be told (a pipe hides its status): engine check -- scripts/verify.sh --all
      engine evidence lists what ran
    ");
    ran(&stage, "scripts/verify.sh --all", 0);
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "3"])), @"
    exit 0
    - [x] 3. CHECKPOINT: the tests pass (`scripts/verify.sh --all` passed)
    all steps are done; then: engine plan close
    ");
}

#[test]
fn a_work_step_may_owe_a_commit_or_a_push() {
    let stage = stage();
    stage.write(".engine/config.toml", "[plan]\ncommit = \"push\"\n");
    assert_eq!(new(&stage, ROUTER).code, Some(0));
    stage.ok(&["plan", "lock"]);
    stage.ok(&["plan", "step", "start", "1"]);
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "1"])), @"
    exit 1
    engine: step 1: plan.commit is push, and git does not answer here
    ");
    stage.git(&["init", "-q", "-b", "main"]);
    stage.git(&["add", ".engine"]);
    stage.git(&["commit", "-qm", "first"]);
    stage.write("src/auth.rs", "a\n");
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "1"])), @"
    exit 1
    engine: step 1: not committed: src/auth.rs
    ");
    stage.git(&["add", "src"]);
    stage.git(&["commit", "-qm", "second"]);
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "1"])), @"
    exit 1
    engine: step 1: the branch has no upstream: git push --set-upstream origin HEAD
    ");
    let remote = stage.home().join("remote.git").display().to_string();
    stage.git(&["init", "-q", "--bare", &remote]);
    stage.git(&["remote", "add", "origin", &remote]);
    stage.git(&["push", "-q", "--set-upstream", "origin", "HEAD"]);
    stage.ok(&["plan", "step", "done", "1"]);
    // The next names its file.
    stage.ok(&["plan", "step", "start", "2"]);
    stage.write("other.txt", "x");
    stage.write("src/auth.rs", "b\n");
    edited(&stage, "src/auth.rs");
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "2"])), @"
    exit 1
    engine: step 2: not committed: src/auth.rs
    ");
    stage.git(&["checkout", "-q", "--", "src/auth.rs"]);
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "2"])), @"
    exit 1
    engine: step 2: src/auth.rs was edited, and nothing was committed since the step began
    ");
    stage.write("src/auth.rs", "b\n");
    stage.git(&["commit", "-qam", "third"]);
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "2"])), @"
    exit 1
    engine: step 2: HEAD is not at its upstream: git push
    ");
    stage.git(&["push", "-q"]);
    stage.ok(&["plan", "step", "done", "2"]);
}

#[test]
fn the_page_is_for_reading_and_the_state_is_the_engines() {
    let stage = locked();
    let page = "plans/fix-the-login/PLAN.md";
    let softer =
        stage.read(page).replace("the login is documented", "anything works").replace("- [ ] 1", "- [x] 1");
    stage.write(page, &softer);
    let out = plan(&stage, &["step", "start", "1"]);
    assert!(out.stderr.starts_with("note: plans/fix-the-login/PLAN.md was edited by hand, which changes nothing; it is kept as PLAN.edited-"), "{}", out.stderr);
    let now = stage.read(page);
    assert!(now.contains("2. the login is documented") && now.contains("- [>] 1. Reproduce"), "{now}");
    let kept = fs::read_dir(stage.root().join("plans/fix-the-login")).unwrap().flatten();
    let kept =
        kept.map(|entry| entry.path()).find(|path| path.to_string_lossy().contains("edited-")).unwrap();
    assert_eq!(fs::read_to_string(kept).unwrap(), softer);
    // A link leads nowhere.
    fs::remove_file(stage.root().join(page)).unwrap();
    std::os::unix::fs::symlink(stage.root().join(".engine/policy.toml"), stage.root().join(page)).unwrap();
    stage.ok(&["plan", "step", "done", "1"]);
    assert!(!stage.exists(".engine/policy.toml") && stage.read(page).contains("- [x] 1. Reproduce"));
    let denied = stage.hook(&stage.write_tool(".engine/state/plans/fix-the-login.json", "{}")).json();
    assert_eq!(denied["hookSpecificOutput"]["permissionDecision"], "deny");
}

#[test]
fn with_a_work_session_the_page_lies_beside_the_work() {
    let stage = stage();
    stage.write(".claude/skills/build/SKILL.md", "---\nname: build\ndescription: Builds.\n---\nBuild it.\n");
    stage.ok(&["session", "activate", "sessions/2026_02_07_AUTH", "build"]);
    assert_eq!(new(&stage, ROUTER).code, Some(0));
    assert!(stage.exists("sessions/2026_02_07_AUTH/DO_FIX_THE_LOGIN_PLAN.md"));
    let debrief = stage.ok(&["session", "debrief", "sessions/2026_02_07_AUTH"]);
    assert!(
        debrief.contains("plan sessions/2026_02_07_AUTH/DO_FIX_THE_LOGIN_PLAN.md:14 1. Reproduce the issue"),
        "{debrief}"
    );
}

#[test]
fn nobodys_file_is_written_over() {
    let stage = stage();
    stage.write("plans/fix-the-login/PLAN.md", "# My own plan\n");
    stage.write("plan.yaml", ROUTER);
    insta::assert_snapshot!(told(&plan(&stage, &["new", "--from", "plan.yaml", "--name", "fix-the-login"])), @"
    exit 1
    engine: plans/fix-the-login/PLAN.md is a file of somebody else's
      give another name: --name NAME
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["new", "--from", "plan.yaml"])), @"
    exit 0
    plan fix-the-login-2: 3 steps, 2 criteria; plans/fix-the-login-2/PLAN.md
    guardrails: verify_before_complete, require_acceptance_test
    then: engine plan lock
    ");
    assert_eq!(stage.read("plans/fix-the-login/PLAN.md"), "# My own plan\n");
}

#[test]
fn a_closed_plan_tells_what_was_its_own() {
    let stage = locked();
    edited(&stage, "docs/a.md");
    insta::assert_snapshot!(told(&plan(&stage, &["close", "--user-approved", "enough"])), @"
    exit 1
    engine: plan fix-the-login stays open
    step 1 is active: Reproduce the issue
    step 2 is open: Fix it
    step 3 is open: the tests pass
    criterion 1: `cargo test` was not run since the lock: engine check -- cargo test
    criterion 2: there is no file docs/login.md in this project
      close plan fix-the-login with open ends: step 1 is active: Reproduce the issue; step 2 is open: Fix it; step 3 is open: the tests pass; criterion 1: `cargo test` was not run since the lock: engine check -- cargo test; criterion 2: there is no file docs/login.md in this project needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    stage.answer("ok 1");
    stage.ok(&["plan", "close", "--user-approved", "they leave it"]);
    std::thread::sleep(Duration::from_millis(5));
    edited(&stage, "docs/b.md");
    insta::assert_snapshot!(told(&plan(&stage, &["report", "--plan", "fix-the-login"])), @"
    exit 0
    plan fix-the-login: 0 of 3 steps done
    - [>] 1. Reproduce the issue
    - [ ] 2. Fix it (src/auth.rs)
    - [ ] 3. CHECKPOINT: the tests pass (`cargo test` passes)

    Criteria:
    1. all tests pass (`cargo test` passes)
       not verified
    2. the login is documented (docs/login.md changes)
       not verified

    Open:
    - step 1 is active: Reproduce the issue
    - step 2 is open: Fix it
    - step 3 is open: the tests pass
    - criterion 1 is not verified: all tests pass
    - criterion 2 is not verified: the login is documented

    Drift:
    - edited outside of the scope: docs/a.md
    ");
    assert_eq!(plan(&stage, &["close", "--plan", "fix-the-login"]).code, Some(3));
    let page = stage.read("plans/fix-the-login/PLAN.md");
    let end = page.lines().find(|line| line.contains("with open ends")).unwrap();
    insta::assert_snapshot!(stage.masked(end), @"debug, verify-first. Closed [MOMENT], with open ends: the person's words: ok 1 ([DAY] [TIME], approval 1); the agent's reading: they leave it.");
}

#[test]
fn secrets_in_a_proof_are_not_kept() {
    let stage = stage();
    stage.write(".engine/config.toml", "[evidence]\nchecks = [\"./deploy\"]\n");
    let text = ROUTER.replace(
        "{text: all tests pass, proof: cargo test}",
        "{text: it deploys, proof: ./deploy --password=hunter2}",
    );
    assert_eq!(new(&stage, &text).code, Some(0));
    stage.ok(&["plan", "lock"]);
    ran(&stage, "./deploy --password=hunter2", 0);
    insta::assert_snapshot!(told(&plan(&stage, &["verify", "1"])), @"
    exit 0
    1. it deploys
       met [DAY] [TIME]: `./deploy --password=[redacted]` passed
    ");
    assert_eq!(
        state(&stage)["criteria"][0]["proof"],
        json!({"passes": {"line": "./deploy --password=[redacted]"}})
    );
    let open = plan(&stage, &["close"]).stderr;
    assert!(!open.contains("criterion 1"), "it is found again: {open}");
}

#[test]
fn a_damaged_draft_is_set_aside() {
    let stage = stage();
    assert_eq!(new(&stage, ROUTER).code, Some(0));
    let path = ".engine/state/plans/fix-the-login.json";
    let whole = stage.read(path);
    stage.write(path, &whole[..1]);
    insta::assert_snapshot!(told(&plan(&stage, &["step", "start", "1"])), @r"
    exit 1
    engine: plan fix-the-login is damaged (EOF while parsing an object at line 1 column 1)
      plans/fix-the-login/PLAN.md shows it as it was
      engine plan new sets it aside and begins anew
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["list"])), @r"
    exit 0
    fix-the-login  damaged (EOF while parsing an object at line 1 column 1)  0 of 0 steps
    ");
    let out = new(&stage, ROUTER);
    assert_eq!(out.code, Some(0));
    assert!(out.stderr.starts_with("note: plan fix-the-login was damaged (EOF while parsing an object at line 1 column 1); it is kept as fix-the-login.json.bad-"), "{}", out.stderr);
}

#[test]
fn plans_belong_to_their_session() {
    let stage = locked();
    let other = |args: &[&str]| {
        let mut command = stage.command(&[&["plan"], args].concat());
        command.env("CLAUDE_CODE_SESSION_ID", "s-other");
        run(command, None)
    };
    stage.hook(&stage.event_with("SessionStart", &json!({"session_id": "s-other"})));
    insta::assert_snapshot!(told(&other(&["step", "start", "1"])), @"
    exit 1
    engine: no plan is open here
      make one: engine plan new --from FILE
    ");
    insta::assert_snapshot!(told(&other(&["step", "start", "1", "--plan", "fix-the-login"])), @"
    exit 1
    engine: plan fix-the-login is not that of this agent session (s-other)
      engine plan take fix-the-login
    ");
    insta::assert_snapshot!(told(&other(&["take", "fix-the-login"])), @"
    exit 1
    engine: plan fix-the-login belongs to the agent session bd48f8aa-611e-4e64-b1f5-2e515a790906
      it is free when that session ends
    ");
    stage.hook(&stage.event_with("SessionEnd", &json!({"session_id": SESSION})));
    insta::assert_snapshot!(told(&other(&["take", "fix-the-login"])), @"
    exit 0
    plan fix-the-login is this session's; engine plan show
    ");
    assert_eq!(other(&["step", "start", "1"]).code, Some(0));
    assert!(!stage.state().as_object().unwrap().contains_key("plan"));
    insta::assert_snapshot!(told(&plan(&stage, &["show"])), @"
    exit 1
    engine: no plan is open here
      make one: engine plan new --from FILE
    ");
    assert_eq!(state(&stage)["owners"], json!([SESSION, "s-other"]));
}

#[test]
fn a_person_makes_a_plan_and_an_agent_takes_it() {
    let stage = stage();
    stage.write("plan.yaml", ROUTER);
    let person = |args: &[&str]| {
        let mut command = stage.command(&[&["plan"], args].concat());
        command.env_remove("CLAUDECODE");
        run(command, None)
    };
    assert_eq!(person(&["new", "--from", "plan.yaml", "--name", "one"]).code, Some(0));
    assert_eq!(person(&["new", "--from", "plan.yaml", "--name", "two"]).code, Some(0));
    insta::assert_snapshot!(told(&person(&["lock"])), @"
    exit 1
    engine: several plans are open: one, two
      name one: --plan NAME
    ");
    assert_eq!(person(&["lock", "--plan", "one"]).code, Some(0));
    insta::assert_snapshot!(told(&person(&["take", "one"])), @"
    exit 1
    engine: only an agent session takes up a plan
      a person works on it with --plan one
    ");
    stage.ok(&["plan", "take", "one"]);
    stage.ok(&["plan", "step", "start", "1"]);
    insta::assert_snapshot!(told(&plan(&stage, &["take", "two"])), @"
    exit 1
    engine: this agent session has the open plan one
      engine plan close, first
    ");
    insta::assert_snapshot!(told(&person(&["list"])), @"
    exit 0
    one  locked  0 of 3 steps  plans/one/PLAN.md
    two  draft   0 of 3 steps  plans/two/PLAN.md
    ");
}

/// One object on stdout, whatever is asked.
#[test]
fn every_command_has_json() {
    let stage = locked();
    let calls: [&[&str]; 14] = [
        &["show"],
        &["list"],
        &["take", "fix-the-login"],
        &["step", "start", "1"],
        &["step", "fail", "1"],
        &["step", "start", "9"],
        &["add", "more"],
        &["add", "again"],
        &["criteria", "add", "x", "--judge", "person"],
        &["verify", "1"],
        &["halt", "x"],
        &["resume"],
        &["report"],
        &["close"],
    ];
    for call in calls {
        let output = plan(&stage, &[call, &["--json"]].concat());
        let object = output.json();
        assert_eq!(object["version"], 1, "{call:?}");
        assert_eq!(object.get("error").is_some(), output.code == Some(1), "{call:?} {object}");
    }
}

#[test]
fn twenty_at_once_start_one_step_once() {
    let stage = locked();
    let outputs = at_once(20, |_| stage.command(&["plan", "step", "start", "1"]));
    let won = outputs.iter().filter(|output| output.code == Some(0)).count();
    let lost = outputs.iter().filter(|output| output.stderr == "engine: step 1 is active already\n").count();
    assert_eq!((won, lost), (1, 19));
    assert_eq!(
        (&state(&stage)["steps"][0]["attempts"], &stage.state()["plan"]["active"]["number"]),
        (&json!(1), &json!(1))
    );
}

#[test]
fn twenty_at_once_make_one_plan() {
    let stage = stage();
    stage.write("plan.yaml", ROUTER);
    let outputs = at_once(20, |_| stage.command(&["plan", "new", "--from", "plan.yaml"]));
    let won = outputs.iter().filter(|output| output.code == Some(0)).count();
    assert_eq!((won, stage.ok(&["plan", "list"]).lines().count()), (1, 1));
}

/// Killed at any moment, a plan is the old or the new one, and the next command mends what is made from it.
#[test]
fn a_kill_leaves_a_plan_whole() {
    let stage = locked_with(100);
    let mut seen = Vec::new();
    let mut kills = Kills::new();
    while kills.killed < 40 {
        let text = format!("more {}", seen.len());
        kills.kill(stage.command(&["plan", "add", &text]).spawn().unwrap());
        let steps = state(&stage)["steps"].as_array().unwrap().len();
        seen.push(steps);
        let shown = plan(&stage, &["show"]);
        assert_eq!(shown.code, Some(0), "{}", shown.stderr);
        assert_eq!(stage.state()["plan"]["steps"], steps, "the copy follows");
        if steps > 118 {
            break;
        }
    }
    assert!(seen.windows(2).all(|pair| pair[1] == pair[0] || pair[1] == pair[0] + 1), "{seen:?}");
    stage.ok(&["plan", "step", "start", "1"]);
    let page = stage.read("plans/fix-the-login/PLAN.md");
    assert!(page.contains("- [>] 1. step 1"), "{page}");
    let folder = fs::read_dir(stage.root().join("plans/fix-the-login")).unwrap().flatten();
    let edited = folder.filter(|entry| entry.file_name().to_string_lossy().contains("edited-")).count();
    assert_eq!(edited, 0, "a page that was left behind is not taken for an edited one");
}
