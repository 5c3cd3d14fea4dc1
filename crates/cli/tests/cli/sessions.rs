//! `engine session`: work sessions, phases, proof, endings. The numbers are those of cases/sessions.md.

use std::fs;
use std::process::Stdio;
use std::sync::mpsc::{self, TryRecvError};
use std::time::Duration;

use serde_json::{Value, json};

use crate::stage::{Kills, Output, SESSION, Stage, at_once, ended, run};

pub(crate) const WORK: &str = "sessions/2026_02_07_AUTH";

pub(crate) const SKILL: &str = r#"---
name: build
description: Builds something.
engine:
  phases:
    - {label: "1", name: Setup}
    - {label: "2", name: Plan, proof: [depth, {name: files, type: array}]}
    - {label: "3.A", name: Build, proof: [{name: testsPass, evidence: command}]}
    - {label: "3.B", name: Buy}
    - {label: "4.2", name: Verify}
    - {label: "4.10", name: Polish}
    - {label: "5", name: Close}
  nextSkills: ["/commit"]
  debriefTemplate: debrief.md
---
Build it.
"#;

/// A project with a skill that has phases, and the recorded session as the caller.
pub(crate) fn stage() -> Stage {
    let mut stage = Stage::new();
    stage.set("CLAUDECODE", "1");
    stage.set("CLAUDE_CODE_SESSION_ID", SESSION);
    stage.write(".claude/skills/build/SKILL.md", SKILL);
    stage.write(".claude/skills/build/debrief.md", "# Debrief\n");
    stage.hook(&stage.event("SessionStart"));
    stage
}

pub(crate) fn session(stage: &Stage, args: &[&str]) -> Output {
    stage.engine(&[&["session"], args].concat())
}

pub(crate) fn piped(stage: &Stage, args: &[&str], stdin: &str) -> Output {
    run(stage.command(&[&["session"], args].concat()), Some(stdin.as_bytes()))
}

pub(crate) fn told(output: &Output) -> String {
    format!("exit {}\n{}{}", output.code.unwrap_or(-1), output.stdout, output.stderr)
}

pub(crate) fn state(stage: &Stage) -> Value {
    serde_json::from_str(&stage.read(&format!("{WORK}/state.json"))).unwrap()
}

/// As another agent session.
pub(crate) fn other(stage: &Stage, id: &str, args: &[&str]) -> Output {
    let mut command = stage.command(&[&["session"], args].concat());
    command.env("CLAUDE_CODE_SESSION_ID", id);
    run(command, None)
}

#[test]
fn case_01_activation() {
    let stage = stage();
    insta::assert_snapshot!(told(&piped(&stage, &["activate", WORK, "build"], r#"{"taskSummary": "x"}"#)), @"
    exit 1
    engine: parameters: scope is missing; directoriesOfInterest is missing; contextPaths is missing; requestFiles is missing; extraInfo is missing
      the object has the keys taskSummary, scope, directoriesOfInterest, contextPaths, requestFiles, extraInfo
    ");
    insta::assert_snapshot!(told(&piped(&stage, &["activate", WORK, "build"], "{not json")), @"
    exit 1
    engine: stdin is not JSON: key must be a string at line 1 column 2
    ");
    assert!(!stage.exists(WORK));
    let all = json!({"taskSummary": "keys", "scope": "small", "directoriesOfInterest": [], "contextPaths": [], "requestFiles": [],
        "extraInfo": "", "mine": 1});
    let output = piped(&stage, &["activate", WORK, "build"], &all.to_string());
    insta::assert_snapshot!(stage.masked(&told(&output)), @r#"
    exit 0
    sessions/2026_02_07_AUTH: build started, phase 1: Setup (1 of 7)
    log: engine log sessions/2026_02_07_AUTH/BUILD_LOG.md
    files in it: BUILD.md (as [TOP]/project/.claude/skills/build/debrief.md)
    then: engine session phase sessions/2026_02_07_AUTH "2: Plan"
    "#);
    let made = state(&stage);
    assert_eq!(made["runs"][0]["currentPhase"], json!({"label": "1", "name": "Setup"}));
    assert_eq!((&made["params"]["mine"], &made["agentSession"]["id"]), (&json!(1), &json!(SESSION)));
    insta::assert_snapshot!(told(&session(&stage, &["activate", "sessions/auth", "build"])), @r#"
    exit 2
    engine: "auth" is no name of a work session: YYYY_MM_DD_TOPIC, the topic in capitals, as 2026_02_07_AUTH
    "#);
    insta::assert_snapshot!(told(&session(&stage, &["activate", WORK, "nothing"])), @"
    exit 1
    engine: there is no skill nothing
      engine skill list shows all
    ");
}

#[test]
fn case_01_stdin_held_open() {
    let stage = stage();
    let mut command = stage.command(&["session", "activate", WORK, "build"]);
    command.stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let held = child.stdin.take();
    assert!(ended(&mut child).success());
    drop(held);
}

#[test]
fn case_02_who_holds_it() {
    let stage = stage();
    stage.ok(&["session", "activate", WORK, "build"]);
    stage.ok(&["session", "phase", WORK, "2: Plan"]);
    insta::assert_snapshot!(told(&session(&stage, &["activate", WORK, "build"])).lines().nth(1).unwrap(), @"sessions/2026_02_07_AUTH: build is active, phase 2: Plan (2 of 7)");
    stage.hook(&stage.event_with("SessionStart", &json!({"session_id": "s-other"})));
    let before = stage.read(&format!("{WORK}/state.json"));
    let refused = told(&other(&stage, "s-other", &["activate", WORK, "build"]));
    let since = state(&stage)["agentSession"]["boundAt"].as_str().unwrap().to_owned();
    insta::assert_snapshot!(refused.replace(&since, "[SINCE]"), @r#"
    exit 1
    engine: session: sessions/2026_02_07_AUTH is held by the agent session bd48f8aa-611e-4e64-b1f5-2e515a790906, since [SINCE]
      it is free when that session ends, idles or deactivates it
      if it crashed: the same command with --user-approved "why"; engine asks the user
    "#);
    assert_eq!(stage.read(&format!("{WORK}/state.json")), before);
    // Another skill begins anew; the record of the old one stays.
    stage.write(".claude/skills/other/SKILL.md", &SKILL.replace("name: build", "name: other"));
    stage.ok(&["session", "activate", WORK, "other"]);
    let runs = state(&stage)["runs"].clone();
    assert_eq!((&runs[0]["history"][0]["phase"], runs[0]["endedAt"].is_string()), (&json!("1: Setup"), true));
    assert_eq!((&runs[1]["skill"], &runs[1]["currentPhase"]["label"]), (&json!("other"), &json!("1")));
    // What is done needs a word, or the fast track.
    insta::assert_snapshot!(told(&session(&stage, &["activate", WORK, "build"])), @"
    exit 1
    engine: session: build was left in 2: Plan in sessions/2026_02_07_AUTH
      to run it again: engine session activate sessions/2026_02_07_AUTH build --fast-track
    ");
    stage.ok(&["session", "activate", WORK, "build", "--fast-track"]);
    // The holder ends: taken over, nothing lost.
    stage.hook(&stage.event("SessionEnd"));
    let taken = other(&stage, "s-other", &["continue", WORK]);
    assert_eq!(taken.code, Some(0), "{}", taken.stderr);
    let now = state(&stage);
    assert_eq!((&now["agentSession"]["id"], now["runs"].as_array().unwrap().len()), (&json!("s-other"), 3));
}

#[test]
fn case_03_one_at_a_time() {
    let stage = stage();
    stage.ok(&["session", "activate", WORK, "build"]);
    stage.ok(&["session", "phase", WORK, "2: Plan"]);
    let second = "sessions/2026_02_08_MORE";
    insta::assert_snapshot!(told(&session(&stage, &["activate", second, "build"])), @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH is still open
    description: no description of what was done
    phase: 3.A: Build or 3.B: Buy, 4.2: Verify, 4.10: Polish, 5: Close were not passed
    debrief: BUILD.md is not written
    proof: 2: Plan: depth is missing; files is missing
    proof: 3.A: Build: testsPass is missing
      engine session idle sessions/2026_02_07_AUTH --description "…"
      engine session phase sessions/2026_02_07_AUTH "3.A: Build"
      engine log --overwrite sessions/2026_02_07_AUTH/BUILD.md
      engine session idle sessions/2026_02_07_AUTH --proof NAME=VALUE
      to leave it here all the same: the same command with --user-approved "why"; engine asks the user
    "#);
    assert_eq!(state(&stage)["lifecycle"], "active");
    insta::assert_snapshot!(told(&session(&stage, &["activate", second, "build", "--user-approved", "they said so"])), @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH is still open
    description: no description of what was done
    phase: 3.A: Build or 3.B: Buy, 4.2: Verify, 4.10: Polish, 5: Close were not passed
    debrief: BUILD.md is not written
    proof: 2: Plan: depth is missing; files is missing
    proof: 3.A: Build: testsPass is missing
      engine session idle sessions/2026_02_07_AUTH --description "…"
      engine session phase sessions/2026_02_07_AUTH "3.A: Build"
      engine log --overwrite sessions/2026_02_07_AUTH/BUILD.md
      engine session idle sessions/2026_02_07_AUTH --proof NAME=VALUE
      leave sessions/2026_02_07_AUTH with open ends: description: no description of what was done; phase: 3.A: Build or 3.B: Buy, 4.2: Verify, 4.10: Polish, 5: Close were not passed; debrief: BUILD.md is not written; proof: 2: Plan: depth is missing; files is missing; proof: 3.A: Build: testsPass is missing needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    "#);
    stage.answer("ok 1");
    let output = session(&stage, &["activate", second, "build", "--user-approved", "they said so"]);
    insta::assert_snapshot!(told(&output).lines().last().unwrap(), @"sessions/2026_02_07_AUTH rests in 2: Plan");
    assert_eq!((&state(&stage)["lifecycle"], &state(&stage)["agentSession"]), (&json!("idle"), &Value::Null));
    assert_eq!(stage.state()["work"]["name"], "2026_02_08_MORE");
}

#[test]
fn case_04_endings() {
    let stage = stage();
    stage.ok(&["session", "activate", WORK, "build"]);
    insta::assert_snapshot!(told(&session(&stage, &["idle", WORK])), @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH stays active
    description: no description of what was done
    phase: 2: Plan, 3.A: Build or 3.B: Buy, 4.2: Verify, 4.10: Polish, 5: Close were not passed
    debrief: BUILD.md is not written
    proof: 2: Plan: depth is missing; files is missing
    proof: 3.A: Build: testsPass is missing
      engine session idle sessions/2026_02_07_AUTH --description "…"
      engine session phase sessions/2026_02_07_AUTH "2: Plan"
      engine log --overwrite sessions/2026_02_07_AUTH/BUILD.md
      engine session idle sessions/2026_02_07_AUTH --proof NAME=VALUE
      to let it rest here all the same: engine session idle sessions/2026_02_07_AUTH --description "…" --user-approved "why"; engine asks the user
    "#);
    stage.ok(&["session", "phase", WORK, "2"]);
    stage.write(&format!("{WORK}/BUILD_PLAN.md"), "# Plan\n- [ ] later #needs-review\n");
    insta::assert_snapshot!(told(&session(&stage, &["idle", WORK, "--description", "half"])), @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH stays active
    phase: 3.A: Build or 3.B: Buy, 4.2: Verify, 4.10: Polish, 5: Close were not passed
    debrief: BUILD.md is not written
    proof: 2: Plan: depth is missing; files is missing
    proof: 3.A: Build: testsPass is missing
    tags: sessions/2026_02_07_AUTH/BUILD_PLAN.md:2 #needs-review is undecided
      engine session phase sessions/2026_02_07_AUTH "3.A: Build"
      engine log --overwrite sessions/2026_02_07_AUTH/BUILD.md
      engine session idle sessions/2026_02_07_AUTH --proof NAME=VALUE
      do what a tag asks for and take it out, or make it a mention: engine tag escape sessions/2026_02_07_AUTH/BUILD_PLAN.md shows how, --write does it
      to let it rest here all the same: engine session idle sessions/2026_02_07_AUTH --description "…" --user-approved "why"; engine asks the user
    "#);
    stage.write(&format!("{WORK}/BUILD_PLAN.md"), "# Plan\n- [ ] later `#needs-review`\n");
    stage.write(&format!("{WORK}/BUILD.md"), "# Debrief\nHalf of it.\n");
    let keywords = " auth , login,,auth";
    let rest = ["idle", WORK, "--description", "half", "--keywords", keywords, "--user-approved", "tomorrow"];
    assert_eq!(session(&stage, &rest).code, Some(1));
    stage.answer("ok 1");
    insta::assert_snapshot!(told(&session(&stage, &rest)), @"
    exit 0
    sessions/2026_02_07_AUTH rests in 2: Plan; 1 plan step open
    ");
    let now = state(&stage);
    assert_eq!((&now["keywords"], &now["description"]), (&json!(["auth", "login"]), &json!("half")));
    assert_eq!((&now["agentSession"], stage.state().get("work")), (&Value::Null, None));
    // Reactivation keeps the history.
    insta::assert_snapshot!(told(&session(&stage, &["activate", WORK, "build"])).lines().nth(1).unwrap(), @"sessions/2026_02_07_AUTH: build goes on, phase 2: Plan (2 of 7)");
    stage.ok(&["session", "phase", WORK, "3.B: Buy", "--proof", "depth=short", "--proof", r#"files=["a"]"#]);
    for phase in ["4.2: Verify", "4.10: Polish", "5: Close"] {
        stage.ok(&["session", "phase", WORK, phase]);
    }
    insta::assert_snapshot!(told(&session(&stage, &["deactivate", WORK, "--description", "all of it"])), @"
    exit 0
    sessions/2026_02_07_AUTH is completed
    next: /commit
    ");
    insta::assert_snapshot!(told(&session(&stage, &["continue", WORK])), @"
    exit 1
    engine: sessions/2026_02_07_AUTH is completed
      next: /commit
    ");
}

#[test]
fn case_05_phases() {
    let stage = stage();
    stage.ok(&["session", "activate", WORK, "build"]);
    let go = |to: &str| {
        told(&session(&stage, &["phase", WORK, to, "--proof", "depth=short", "--proof", "files=[\"a\"]"]))
    };
    let first = |text: String| text.lines().nth(1).unwrap().to_owned();
    insta::assert_snapshot!(go("3.A: Build"), @r#"
    exit 1
    engine: phase: from phase 1 to 3.A skips 2
      to do it all the same: engine session phase sessions/2026_02_07_AUTH "3.A: Build" --user-approved "why"; engine asks the user
    "#);
    insta::assert_snapshot!(go("2: Plan"), @r#"
    exit 0
    sessions/2026_02_07_AUTH: build, phase 2: Plan (2 of 7)
    proof to leave it: depth, files
    then: engine session phase sessions/2026_02_07_AUTH "3.A: Build"
    "#);
    insta::assert_snapshot!(first(go("2: Plan")), @"sessions/2026_02_07_AUTH: build, phase 2: Plan (2 of 7)");
    insta::assert_snapshot!(first(go("3.A: Build")), @"sessions/2026_02_07_AUTH: build, phase 3.A: Build (3 of 7)");
    insta::assert_snapshot!(first(go("3.B: Buy")), @"engine: phase: phase 3.A was taken, and 3.B is another branch");
    for label in ["1a", "5.", ".1", "5_1", "3.1a"] {
        let expected = format!("engine: phase: {label:?} is no label; 2, 2.1, 2.1A and 2.A are");
        assert_eq!(first(go(label)), expected);
    }
    // Back is free and takes no proof; the branch that was taken stays, and what follows is proved again.
    insta::assert_snapshot!(first(told(&session(&stage, &["phase", WORK, "2: Plan"]))), @"sessions/2026_02_07_AUTH: build, phase 2: Plan (2 of 7)");
    insta::assert_snapshot!(first(go("3.B: Buy")), @"engine: phase: phase 3.A was taken, and 3.B is another branch");
    insta::assert_snapshot!(first(told(&session(&stage, &["phase", WORK, "3.A: Build"]))), @"engine: proof: depth is missing");
    // With a person's word proof is asked for all the same.
    insta::assert_snapshot!(told(&session(&stage, &["phase", WORK, "4.2: Verify", "--user-approved", "they want it"])), @r#"
    exit 1
    engine: proof: depth is missing
    proof: files is missing
      to do it all the same: engine session phase sessions/2026_02_07_AUTH "4.2: Verify" --proof depth=… --proof files=… --user-approved "why"; engine asks the user
    "#);
    assert_eq!(stage.state().get("approvals"), None, "nobody is asked about what is refused all the same");
}

#[test]
fn case_05_a_waiver_is_written_down() {
    let stage = stage();
    stage.ok(&["session", "activate", WORK, "build"]);
    let jump = |more: &[&str]| session(&stage, &[&["phase", WORK, "4.2: Verify"], more].concat());
    assert_eq!(jump(&[]).code, Some(1));
    let approved = ["--user-approved", "skip to the checks"];
    insta::assert_snapshot!(told(&jump(&approved)), @"
    exit 1
    engine: enter phase 4.2 of sessions/2026_02_07_AUTH (from phase 1 to 4.2 skips 2) needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    stage.answer("ok 1");
    assert_eq!(jump(&approved).code, Some(0));
    let passed = state(&stage)["runs"][0]["history"][0].clone();
    assert_eq!(passed["phase"], "1: Setup");
    insta::assert_snapshot!(stage.masked(passed["approved"].as_str().unwrap()), @"the person's words: ok 1 ([DAY] [TIME], approval 1); the agent's reading: skip to the checks");
    // Within a number it goes on, also to a phase that nobody declared; numbers count as numbers.
    for (to, code) in
        [("4.10: Polish", 0), ("4.11: More", 0), ("4.3: Back", 1), ("4.2: Verify", 0), ("5: Close", 0)]
    {
        assert_eq!(session(&stage, &["phase", WORK, to]).code, Some(code), "{to}");
    }
    insta::assert_snapshot!(stage.ok(&["session", "show", WORK]).lines().filter(|line| !line.starts_with("  ")).collect::<Vec<_>>().join("\n"), @"
    sessions/2026_02_07_AUTH: active
    held by bd48f8aa-611e-4e64-b1f5-2e515a790906
    build, phase 5: Close (8 of 8)
    ");
}

#[test]
fn case_06_proof() {
    let stage = stage();
    stage.ok(&["session", "activate", WORK, "build"]);
    stage.ok(&["session", "phase", WORK, "2: Plan"]);
    let leave = |proof: &str| told(&piped(&stage, &["phase", WORK, "3.A: Build"], proof));
    insta::assert_snapshot!(leave(""), @r#"
    exit 1
    engine: proof: depth is missing
    proof: files is missing
      engine session phase sessions/2026_02_07_AUTH "3.A: Build" --proof depth=… --proof files=…
    "#);
    insta::assert_snapshot!(leave(r#"{"depth": "________", "files": "a"}"#), @r#"
    exit 1
    engine: proof: depth is empty
    proof: files must be of type array, not string
      engine session phase sessions/2026_02_07_AUTH "3.A: Build" --proof depth=… --proof files=…
    "#);
    insta::assert_snapshot!(leave(r#"["depth"]"#), @"
    exit 1
    engine: stdin holds no JSON object
    ");
    let before = state(&stage);
    assert_eq!(before["runs"][0]["currentPhase"]["label"], "2");
    assert!(leave(r#"{"depth": "short", "files": ["a.rs"]}"#).starts_with("exit 0"));
    assert_eq!(state(&stage)["runs"][0]["history"][1]["proof"], json!({"depth": "short", "files": ["a.rs"]}));
}

/// A command of the agent that ran, as the hook hears of it.
pub(crate) fn ran(stage: &Stage, command: &str, exit: i32) {
    if exit == 0 {
        let fields = json!({"tool_input": {"command": command}});
        // Only the client's word counts for one that passed.
        stage.send(&stage.event_with("PostToolUse", &fields));
    } else {
        let fields = json!({"tool_input": {"command": command}, "error": format!("Exit code {exit}\nno")});
        stage.hook(&stage.event_with("PostToolUseFailure", &fields));
    }
}

#[test]
fn case_07_evidence() {
    let stage = stage();
    stage.ok(&["session", "activate", WORK, "build"]);
    stage.ok(&["session", "phase", WORK, "2: Plan"]);
    stage.ok(&[
        "session",
        "phase",
        WORK,
        "3.A: Build",
        "--proof",
        "depth=short",
        "--proof",
        r#"files=["a"]"#,
    ]);
    let leave_with = |command: &str| {
        let proof = json!({"testsPass": {"command": command}}).to_string();
        let text = told(&piped(&stage, &["phase", WORK, "4.2: Verify"], &proof));
        text.lines().nth(1).unwrap().to_owned()
    };
    let leave = || leave_with("cargo test");
    ran(&stage, "ls", 0);
    insta::assert_snapshot!(leave_with("ls"), @"engine: evidence: testsPass: `ls` is not a known check; known checks that ran in this session: none; a person adds others with engine config set evidence.checks");
    insta::assert_snapshot!(leave(), @"engine: evidence: testsPass: `cargo test` was not run in this session: engine check -- cargo test");
    ran(&stage, "cargo test", 101);
    insta::assert_snapshot!(leave(), @"engine: evidence: testsPass: `cargo test` ended with 101 when it ran last");
    ran(&stage, "cargo test | tail", 0);
    insta::assert_snapshot!(leave(), @"engine: evidence: testsPass: whether `cargo test` passed cannot be told (a pipe hides its status): engine check -- cargo test");
    ran(&stage, "cargo test", 0);
    stage.write("src/lib.rs", "// a script wrote this\n");
    ran(&stage, "sh gen.sh", 0);
    insta::assert_snapshot!(leave(), @"engine: evidence: testsPass: changed since `cargo test` passed: src/lib.rs. Run it again: engine check -- cargo test");
    ran(&stage, "cargo test", 0);
    insta::assert_snapshot!(leave(), @"sessions/2026_02_07_AUTH: build, phase 4.2: Verify (5 of 7)");
}

#[test]
fn case_08_writers_and_damage() {
    let stage = stage();
    stage.ok(&["session", "activate", WORK, "build"]);
    std::thread::scope(|scope| {
        let (writing, is_over) = mpsc::channel::<()>();
        // Whoever reads meanwhile sees a whole file.
        scope.spawn(|| {
            let is_over = is_over;
            while is_over.try_recv() == Err(TryRecvError::Empty) {
                serde_json::from_str::<Value>(&stage.read(&format!("{WORK}/state.json"))).unwrap();
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let outputs = at_once(50, |number| {
            let key = format!("key{number}");
            stage.command(&["session", "update", WORK, &key, "1"])
        });
        drop(writing);
        for output in outputs {
            assert_eq!(output.code, Some(0), "{}", output.stderr);
        }
    });
    assert_eq!(state(&stage)["params"].as_object().unwrap().len(), 50);
    for (damaged, why) in [(r#"{"version": 1, "runs": ["#, "damaged"), ("", "damaged")] {
        stage.write_state(WORK, damaged);
        let refused = session(&stage, &["update", WORK, "a", "b"]);
        let expected = format!("engine: {WORK}/state.json is {why}");
        assert!(refused.code == Some(1) && refused.stderr.starts_with(&expected), "{}", refused.stderr);
        assert_eq!(stage.read(&format!("{WORK}/state.json")), damaged, "a refusal loses nothing");
        let output = session(&stage, &["activate", WORK, "build"]);
        assert_eq!(output.code, Some(0));
        let expected = format!("set aside: {WORK}/state.json was {why}");
        assert!(output.stderr.starts_with(&expected), "{}", output.stderr);
    }
    let kept = fs::read_dir(stage.root().join(WORK)).unwrap().flatten();
    let kept: Vec<String> = kept.map(|file| file.file_name().into_string().unwrap()).collect();
    assert_eq!(kept.iter().filter(|name| name.starts_with("state.json.bad-")).count(), 2, "{kept:?}");
}

#[test]
fn a_killed_writer_leaves_the_state_whole() {
    let stage = stage();
    stage.ok(&["session", "activate", WORK, "build"]);
    let long = "x".repeat(100_000);
    let mut kills = Kills::new();
    while kills.killed < 40 {
        kills.kill(stage.command(&["session", "update", WORK, "text", &long]).spawn().unwrap());
        assert_eq!(state(&stage)["runs"][0]["skill"], "build", "after {} kills", kills.killed);
    }
    stage.ok(&["session", "update", WORK, "text", "short"]);
    assert_eq!(state(&stage)["params"]["text"], "short");
}

#[test]
fn the_sessions_may_lie_elsewhere() {
    let stage = stage();
    let elsewhere = stage.home().join("drive");
    fs::create_dir_all(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, stage.root().join("sessions")).unwrap();
    stage.ok(&["session", "activate", WORK, "build"]);
    assert!(elsewhere.join("2026_02_07_AUTH/state.json").is_file());
    insta::assert_snapshot!(stage.ok(&["session", "list"]), @"sessions/2026_02_07_AUTH  active  build  1: Setup");
    // Its state is engine's there too, by any way that leads to it.
    for path in [
        "sessions/2026_02_07_AUTH/state.json".to_owned(),
        format!("{}/2026_02_07_AUTH/state.json", elsewhere.display()),
    ] {
        let refused = stage.hook(&stage.bash(&format!("echo x > {path}"))).json();
        assert_eq!(refused["hookSpecificOutput"]["permissionDecision"], "deny", "{path}");
    }
}

#[test]
fn what_proves_nothing_is_no_proof() {
    let stage = stage();
    stage.ok(&["session", "activate", WORK, "build"]);
    stage.ok(&["session", "phase", WORK, "2: Plan"]);
    for depth in ["…", "___", "[]", r#"[""]"#, r#"{"a": ""}"#, "[null]", "\u{200b}"] {
        let depth = format!("depth={depth}");
        let refused =
            session(&stage, &["phase", WORK, "3.A", "--proof", &depth, "--proof", r#"files=["a"]"#]);
        assert_eq!(refused.stderr.lines().next(), Some("engine: proof: depth is empty"), "{depth}");
    }
}

#[test]
fn a_crashed_holder_is_replaced_with_a_persons_word() {
    let stage = stage();
    stage.hook(&stage.event_with("SessionStart", &json!({"session_id": "s-crashed"})));
    assert_eq!(other(&stage, "s-crashed", &["activate", WORK, "build"]).code, Some(0));
    let take = ["continue", WORK, "--user-approved", "it crashed"];
    insta::assert_snapshot!(stage.masked(&told(&session(&stage, &take))), @"
    exit 1
    engine: session: sessions/2026_02_07_AUTH is held by the agent session s-crashed, since [MOMENT]
      it is free when that session ends, idles or deactivates it
      take sessions/2026_02_07_AUTH from the agent session s-crashed, which is alive needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    stage.answer("ok 1");
    assert_eq!(session(&stage, &take).code, Some(0));
    assert_eq!(state(&stage)["agentSession"]["id"], SESSION);
    // It is told with its next event, and once.
    let next =
        || stage.hook(&stage.event_with("PostToolUse.Read", &json!({"session_id": "s-crashed"}))).stdout;
    insta::assert_snapshot!(next(), @r#"{"systemMessage":"engine: the agent session bd48f8aa-611e-4e64-b1f5-2e515a790906 has taken sessions/2026_02_07_AUTH. This session has no part in it any more.","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"engine: the agent session bd48f8aa-611e-4e64-b1f5-2e515a790906 has taken sessions/2026_02_07_AUTH. This session has no part in it any more."}}"#);
    assert_eq!(next(), "");
    // What was bound to it is not any more.
    let old: Value = serde_json::from_str(&stage.read(".engine/state/sessions/s-crashed.json")).unwrap();
    assert_eq!(old.get("work"), None);
    let meddles = other(
        &stage,
        "s-crashed",
        &["dehydrate", WORK, "--summary", "s", "--last-action", "l", "--next", "n"],
    );
    assert_eq!(meddles.code, Some(1));
}

#[test]
fn of_many_who_activate_at_once_one_wins() {
    let stage = stage();
    for round in 0..5 {
        let path = format!("sessions/2026_02_07_ROUND{round}");
        let outputs = at_once(12, |agent| {
            let mut command = stage.command(&["session", "activate", &path, "build"]);
            command.env("CLAUDE_CODE_SESSION_ID", format!("r{round}-a{agent}"));
            command
        });
        let won = outputs.iter().filter(|output| output.code == Some(0)).count();
        assert_eq!(won, 1, "round {round}");
    }
}

#[test]
fn paths_of_other_places_are_refused() {
    let stage = stage();
    for path in ["/elsewhere/sessions/2026_02_07_AUTH", "../../etc/2026_02_07_AUTH", "notes/2026_02_07_AUTH"]
    {
        assert_ne!(session(&stage, &["activate", path, "build"]).code, Some(0), "{path}");
    }
    let own = stage.root().join(WORK).display().to_string();
    stage.ok(&["session", "activate", &own, "build"]);
    let garbage = run(stage.command(&["session", "update", WORK, "x", "1"]), Some(b"\xff"));
    assert_eq!(garbage.code, Some(0), "a command that reads no stdin does not mind it");
    let refused = run(stage.command(&["session", "activate", WORK, "build"]), Some(b"\xff"));
    assert_eq!(refused.stderr, "engine: the input is not UTF-8\n");
}

#[test]
fn the_list_finds_by_day_topic_tag_and_activity() {
    let stage = stage();
    for (name, words) in
        [("2026_02_07_AUTH", "login"), ("2026_02_09_PARSER", "lexer"), ("2026_03_01_DOCS", "")]
    {
        let path = format!("sessions/{name}");
        stage.ok(&["session", "activate", &path, "build"]);
        if name != "2026_03_01_DOCS" {
            let rest = ["session", "idle", &path, "--description", "done so far", "--keywords", words];
            let rested = stage.at_terminal(&[&rest[..], &["--user-approved", "later"]].concat());
            assert_eq!(rested.code, Some(0), "{}", rested.stderr);
        }
    }
    stage.write("sessions/2026_02_09_PARSER/NOTE.md", "**Tags**: #needs-review\n`#needs-fix`\n");
    stage.write("sessions/notes/x.md", "");
    insta::assert_snapshot!(stage.ok(&["session", "list"]), @"
    sessions/2026_03_01_DOCS    active  build  1: Setup
    sessions/2026_02_09_PARSER  idle    build  1: Setup  done so far
    sessions/2026_02_07_AUTH    idle    build  1: Setup  done so far
    ");
    let names = |args: &[&str]| -> Vec<String> {
        let list = stage.engine(&[&["find-sessions", "--json"], args].concat()).json();
        let rows = list["sessions"].as_array().unwrap().clone();
        rows.iter().map(|row| row["path"].as_str().unwrap()["sessions/".len()..].to_owned()).collect()
    };
    assert_eq!(names(&["--range", "2026-02-01..2026-02-08"]), ["2026_02_07_AUTH"]);
    assert_eq!(names(&["--topic", "lex"]), ["2026_02_09_PARSER"]);
    assert_eq!(names(&["--topic", "So far"]), ["2026_02_09_PARSER", "2026_02_07_AUTH"]);
    assert_eq!(names(&["--tag", "#needs-review"]), ["2026_02_09_PARSER"]);
    assert_eq!(names(&["--tag", "needs-fix"]), [""; 0]);
    assert_eq!(names(&["--active"]), ["2026_03_01_DOCS"]);
    assert_eq!(names(&["--today"]), [""; 0]);
    assert_eq!(names(&["--since", "2026-03-01"]), ["2026_03_01_DOCS"]);
    insta::assert_snapshot!(told(&session(&stage, &["find"])), @"
    exit 0
    sessions/2026_03_01_DOCS: active
    held by bd48f8aa-611e-4e64-b1f5-2e515a790906
    build, phase 1: Setup (1 of 7)
    ");
    insta::assert_snapshot!(told(&session(&stage, &["list", "--range", "soon"])), @"
    exit 2
    engine: soon is no range of days: 2026-02-01..2026-02-07
    ");
}

#[test]
fn loose_ends_for_the_debrief() {
    let stage = stage();
    stage.ok(&["session", "activate", WORK, "build"]);
    insta::assert_snapshot!(stage.ok(&["session", "debrief", WORK]), @"sessions/2026_02_07_AUTH: no loose ends");
    stage.write(
        &format!("{WORK}/BUILD_LOG.md"),
        "# Log\n\n## [2026-02-07 10:00:00] 🚧 No key\nask #needs-fix\n\n## 💸 Copy of the lexer\n",
    );
    stage.write(&format!("{WORK}/BUILD_PLAN.md"), "- [x] one\n- [ ] two\n");
    insta::assert_snapshot!(stage.ok(&["session", "debrief", WORK]), @"
    sessions/2026_02_07_AUTH: 4 loose ends
      block sessions/2026_02_07_AUTH/BUILD_LOG.md:3 🚧 No key
      tag sessions/2026_02_07_AUTH/BUILD_LOG.md:4 #needs-fix
      debt sessions/2026_02_07_AUTH/BUILD_LOG.md:6 💸 Copy of the lexer
      plan sessions/2026_02_07_AUTH/BUILD_PLAN.md:2 two
    ");
}
