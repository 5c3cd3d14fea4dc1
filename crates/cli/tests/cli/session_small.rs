//! Small runs: one goal, three phases, one call to begin and one to end. Each attack is that of a hasty agent.

use serde_json::json;

use crate::plan_proofs::shell_of;
use crate::session_claims::{building, go, verifying};
use crate::session_ends::allowed;
use crate::sessions::{SKILL, WORK, other, ran, session, state, told};
use crate::stage::{SESSION, Stage};

const GOAL: &str = "the greeting says Hello";

/// A project with the skills, and an agent that has not begun.
pub(crate) fn ready() -> Stage {
    let mut stage = Stage::bare();
    stage.ok(&["init", "--with", "skills=all"]);
    stage.write(".engine/config.toml", "[rules]\nheartbeat = \"off\"\n");
    stage.set("CLAUDECODE", "1");
    stage.set("CLAUDE_CODE_SESSION_ID", SESSION);
    stage.hook(&stage.event("SessionStart"));
    stage.write("greet.py", "print('Helo')\n");
    stage
}

/// In a small run, before any change.
fn small() -> Stage {
    let stage = ready();
    stage.ok(&["session", "activate", WORK, "implement", "--small", GOAL]);
    stage
}

fn edit(stage: &Stage, file: &str, text: &str) {
    stage.write(file, text);
    let mut event = stage.write_tool(file, text);
    event["hook_event_name"] = json!("PostToolUse");
    event["tool_response"] = json!({"filePath": stage.root().join(file)});
    stage.hook(&event);
}

fn finish(stage: &Stage, more: &[&str]) -> String {
    stage.masked(&told(&session(stage, &[&["finish", WORK], more].concat())))
}

const DRAFTED: &str = "sessions/2026_02_07_AUTH/IMPLEMENT.md";

#[test]
fn a_small_run_from_its_goal_to_its_end() {
    let stage = ready();
    insta::assert_snapshot!(stage.masked(&stage.ok(&["session", "activate", WORK, "implement", "--small", GOAL])), @"
    sessions/2026_02_07_AUTH: implement started, phase 3: Build (1 of 3)
    goal: the greeting says Hello
    §CMD_LOG An entry when something is decided, found, tried or done; thinking goes here, not into the chat:

        engine log S/SKILL_LOG.md <<'EOF'
        ## Decision: one parser for both forms
        Two would drift apart.
        EOF
    log: engine log sessions/2026_02_07_AUTH/IMPLEMENT_LOG.md
    then: engine session finish sessions/2026_02_07_AUTH
    ");
    let run = &state(&stage)["runs"][0];
    assert_eq!((&run["small"], &run["goal"]), (&json!(true), &json!(GOAL)));
    edit(&stage, "greet.py", "print('Hello')\n");
    ran(&stage, "pytest -q", 0);
    insta::assert_snapshot!(finish(&stage, &[]), @"
    exit 0
    debrief: sessions/2026_02_07_AUTH/IMPLEMENT.md, drafted by engine
    sessions/2026_02_07_AUTH is completed
    next: /test, /commit
    ");
    insta::assert_snapshot!(stage.masked(&stage.read(DRAFTED)), @"
    # Debrief: AUTH
    <!-- Drafted by engine from the log, the plan, the checks and the changes of this work. Each line with DRAFT: is to be written or taken out. -->

    Goal: the greeting says Hello

    **Tags**:

    ## Result
    the greeting says Hello

    ## Evidence
    - `pytest -q`: passed, [DAY] [TIME]

    ## Changes
    - `greet.py`

    ## Decisions
    none

    ## Open
    none

    ## For the next one
    none
    ");
    let kept = state(&stage);
    assert_eq!((&kept["lifecycle"], &kept["description"]), (&json!("completed"), &json!(GOAL)));
    let history = kept["runs"][0]["history"].as_array().unwrap();
    let left: Vec<_> = history.iter().map(|passed| json!([passed["phase"], passed["proof"]])).collect();
    assert_eq!(left, [json!(["3: Build", null]), json!(["4: Verify", {"testsPass": "pytest -q"}])]);
    // A second call, and a second run of what is done.
    insta::assert_snapshot!(finish(&stage, &[]), @"
    exit 3
    engine: sessions/2026_02_07_AUTH is completed already
    ");
    insta::assert_snapshot!(told(&session(&stage, &["activate", WORK, "implement", "--small", GOAL])), @"
    exit 1
    engine: session: implement is done in sessions/2026_02_07_AUTH
      to run it again: engine session activate sessions/2026_02_07_AUTH implement --fast-track
    ");
}

#[test]
fn nothing_but_a_test_run_that_passed_ends_it() {
    let stage = small();
    edit(&stage, "greet.py", "print('Hello')\n");
    insta::assert_snapshot!(finish(&stage, &[]), @"
    exit 1
    engine: sessions/2026_02_07_AUTH stays active
    proof: 4: Verify: testsPass: no run of tests was found that passed on the content as it is
      engine session finish sessions/2026_02_07_AUTH --proof NAME=VALUE
    ");
    assert!(!stage.exists(DRAFTED), "nothing is drafted before the rest is in order");
    ran(&stage, "ls", 0);
    insta::assert_snapshot!(finish(&stage, &["--proof", "testsPass=ls"]), @"
    exit 1
    engine: sessions/2026_02_07_AUTH stays active
    proof: 4: Verify: testsPass: `ls` is not a known check; known checks that ran in this session: none; a person adds others with engine config set evidence.checks
      engine session finish sessions/2026_02_07_AUTH --proof NAME=VALUE
    ");
    ran(&stage, "pytest -q", 1);
    insta::assert_snapshot!(finish(&stage, &[]), @"
    exit 1
    engine: sessions/2026_02_07_AUTH stays active
    proof: 4: Verify: testsPass: no run of tests was found that passed on the content as it is
    red: `pytest -q` failed, and no run of it has passed since
      engine session finish sessions/2026_02_07_AUTH --proof NAME=VALUE
      engine evidence lists what ran
    ");
    insta::assert_snapshot!(finish(&stage, &["--proof", "testsPass=pytest -q"]), @"
    exit 1
    engine: sessions/2026_02_07_AUTH stays active
    proof: 4: Verify: testsPass: `pytest -q` ended with 1 when it ran last
    red: `pytest -q` failed, and no run of it has passed since
      engine session finish sessions/2026_02_07_AUTH --proof NAME=VALUE
      engine evidence lists what ran
    ");
    // A run from before the last edit.
    ran(&stage, "pytest -q", 0);
    edit(&stage, "greet.py", "print('Hello!')\n");
    insta::assert_snapshot!(finish(&stage, &[]), @"
    exit 1
    engine: sessions/2026_02_07_AUTH stays active
    proof: 4: Verify: testsPass: no run of tests was found that passed on the content as it is
      engine session finish sessions/2026_02_07_AUTH --proof NAME=VALUE
    ");
    assert_eq!((&state(&stage)["lifecycle"], stage.exists(DRAFTED)), (&json!("active"), false));
    ran(&stage, "pytest -q", 0);
    assert!(finish(&stage, &[]).starts_with("exit 0\n"));
}

#[test]
fn an_open_end_of_the_log_is_decided_first() {
    let stage = small();
    edit(&stage, "greet.py", "print('Hello')\n");
    ran(&stage, "pytest -q", 0);
    stage.write(
        &format!("{WORK}/IMPLEMENT_LOG.md"),
        "## Debt: the other greeting\nLater.\n\n## Decision: no file for texts\nOne line.\n",
    );
    insta::assert_snapshot!(finish(&stage, &[]), @"
    exit 1
    engine: sessions/2026_02_07_AUTH/IMPLEMENT.md is drafted: correct it, and decide each line with DRAFT:
    draft: line 21: - Debt: the other greeting (IMPLEMENT_LOG.md:1) (DRAFT: done, tagged for later, or dropped with the reason)
      then: engine session finish sessions/2026_02_07_AUTH
    ");
    assert_eq!(finish(&stage, &[]), finish(&stage, &[]), "to call again decides nothing");
    assert_eq!(state(&stage)["lifecycle"], "active");
    let drafted = stage.read(DRAFTED);
    assert!(drafted.contains("- no file for texts\n"), "{drafted}");
    let decided = drafted
        .replace("(DRAFT: done, tagged for later, or dropped with the reason)", "dropped: nobody reads it");
    stage.write(DRAFTED, &decided);
    insta::assert_snapshot!(finish(&stage, &[]), @"
    exit 0
    sessions/2026_02_07_AUTH is completed
    next: /test, /commit
    ");
    assert_eq!(stage.read(DRAFTED), decided, "what the agent wrote stays");
}

#[test]
fn a_debrief_of_the_agent_is_never_overwritten() {
    for own in ["", "mine\n", "# Debrief\n\n## Result\nDone.\n"] {
        let stage = small();
        edit(&stage, "greet.py", "print('Hello')\n");
        ran(&stage, "pytest -q", 0);
        stage.write(DRAFTED, own);
        assert_eq!(session(&stage, &["finish", WORK]).code, Some(1), "{own}");
        let refused = told(&session(&stage, &["debrief", WORK, "--write"]));
        assert!(refused.contains("it is not the engine's draft; it stays"), "{refused}");
        assert_eq!(stage.read(DRAFTED), own);
    }
    // Nor is a link followed.
    let stage = small();
    stage.write("notes.md", "mine\n");
    std::os::unix::fs::symlink(stage.root().join("notes.md"), stage.root().join(DRAFTED)).unwrap();
    assert_eq!(session(&stage, &["debrief", WORK, "--write"]).code, Some(1));
    assert_eq!(stage.read("notes.md"), "mine\n");
}

#[test]
fn an_ordinary_run_is_not_ended_by_a_draft() {
    let stage = verifying();
    ran(&stage, "pytest -q", 0);
    insta::assert_snapshot!(finish(&stage, &["--description", "login works"]), @"
    exit 1
    engine: sessions/2026_02_07_AUTH/IMPLEMENT.md is drafted: correct it, and decide each line with DRAFT:
    draft: line 22: DRAFT: What would have saved time.
      then: engine session finish sessions/2026_02_07_AUTH
    ");
    insta::assert_snapshot!(finish(&stage, &["--description", "login works"]), @"
    exit 1
    engine: sessions/2026_02_07_AUTH stays active
    debrief: IMPLEMENT.md is not filled in: it is the engine's draft as it was written; correct it, and take its first comment out
    proof: 5: Debrief: debriefFile: sessions/2026_02_07_AUTH/IMPLEMENT.md: it is the engine's draft as it was written; correct it, and take its first comment out
      engine log --overwrite sessions/2026_02_07_AUTH/IMPLEMENT.md
      engine session finish sessions/2026_02_07_AUTH --proof NAME=VALUE
    ");
    // Whoever takes the marked lines out has written nothing.
    let drafted = stage.read(DRAFTED);
    let bare = drafted.lines().filter(|line| !line.contains("DRAFT:")).collect::<Vec<_>>().join("\n") + "\n";
    stage.write(DRAFTED, &bare);
    insta::assert_snapshot!(finish(&stage, &["--description", "login works"]), @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH stays active
    debrief: IMPLEMENT.md is not filled in: it has no text of its own under "For the next one"; write sessions/2026_02_07_AUTH/IMPLEMENT.md from [TOP]/project/.claude/skills/implement/templates/debrief.md
    proof: 5: Debrief: debriefFile: sessions/2026_02_07_AUTH/IMPLEMENT.md: it has no text of its own under "For the next one"; write sessions/2026_02_07_AUTH/IMPLEMENT.md from [TOP]/project/.claude/skills/implement/templates/debrief.md
      engine log --overwrite sessions/2026_02_07_AUTH/IMPLEMENT.md
      engine session finish sessions/2026_02_07_AUTH --proof NAME=VALUE
    "#);
    assert_eq!(state(&stage)["lifecycle"], "active");
    stage.write(DRAFTED, &format!("{bare}It took a fixture.\n"));
    insta::assert_snapshot!(finish(&stage, &["--description", "login works", "--keywords", "login"]), @"
    exit 0
    sessions/2026_02_07_AUTH is idle
    next: /test, /commit
    ");
    let kept = state(&stage);
    let history = kept["runs"][0]["history"].as_array().unwrap().iter();
    let left: Vec<_> = history.skip(3).map(|passed| json!([passed["phase"], passed["proof"]])).collect();
    assert_eq!(
        left,
        [json!(["4: Verify", {"testsPass": "pytest -q"}]), json!(["5: Debrief", {"debriefFile": DRAFTED}])]
    );
    insta::assert_snapshot!(finish(&stage, &[]), @"
    exit 3
    engine: sessions/2026_02_07_AUTH is idle already
    ");
}

#[test]
fn finish_passes_no_gate() {
    let stage = ready();
    stage.ok(&["session", "activate", WORK, "implement", "--proof", "mode=direct"]);
    edit(&stage, "greet.py", "print('Hello')\n");
    ran(&stage, "pytest -q", 0);
    insta::assert_snapshot!(finish(&stage, &["--description", "x", "--proof", "planFile=greet.py"]), @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH/IMPLEMENT.md is drafted: correct it, and decide each line with DRAFT:
    draft: line 14: - DRAFT: what of it, and why
    draft: line 23: DRAFT: What would have saved time.
    gate: 2: Plan is left by a person's word
    proof: 2: Plan: planFile: greet.py is not a Markdown file; write sessions/2026_02_07_AUTH/IMPLEMENT_PLAN.md from [TOP]/project/.claude/skills/implement/templates/plan.md
    proof: 3: Build: stepsDone: there is no plan sessions/2026_02_07_AUTH/IMPLEMENT_PLAN.md
      engine session phase sessions/2026_02_07_AUTH "3: Build" --proof planFile=…
      engine session finish sessions/2026_02_07_AUTH --proof NAME=VALUE
      then: engine session finish sessions/2026_02_07_AUTH
    "#);
    assert_eq!(state(&stage)["runs"][0]["currentPhase"]["label"], "2");
    assert!(stage.state()["approvals"].is_null(), "nobody is asked by it");
}

#[test]
fn an_ordinary_run_does_not_become_a_small_one() {
    let stage = building();
    let begin = |skill: &str, more: &[&str]| {
        told(&session(&stage, &[&["activate", WORK, skill, "--small", "done"], more].concat()))
    };
    insta::assert_snapshot!(begin("implement", &[]), @r#"
    exit 1
    engine: session: implement is under way in 3: Build in sessions/2026_02_07_AUTH; a small run does not take the place of an ordinary one
      go on with it: engine session activate sessions/2026_02_07_AUTH implement
      or let the user stop it: engine session deactivate sessions/2026_02_07_AUTH --description "…" --user-approved "why"
    "#);
    assert!(begin("implement", &["--fast-track"]).starts_with("exit 1\n"));
    assert_eq!(state(&stage)["runs"].as_array().unwrap().len(), 1);
    // The way around, by another skill.
    assert!(begin("fix", &[]).starts_with("exit 0\n"));
    insta::assert_snapshot!(begin("implement", &["--fast-track"]), @r#"
    exit 1
    engine: session: implement is under way in 3: Build in sessions/2026_02_07_AUTH; a small run does not take the place of an ordinary one
      go on with it: engine session activate sessions/2026_02_07_AUTH implement
      or let the user stop it: engine session deactivate sessions/2026_02_07_AUTH --description "…" --user-approved "why"
    "#);
    edit(&stage, "a.py", "1\n");
    ran(&stage, "pytest -q", 0);
    insta::assert_snapshot!(finish(&stage, &[]), @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH stays active
    phase: implement: 3: Build, 4: Verify, 5: Debrief, 6: Close were not passed
      engine session activate sessions/2026_02_07_AUTH implement --fast-track
      to let it rest here all the same: engine session idle sessions/2026_02_07_AUTH --description "…" --user-approved "why"; engine asks the user
    "#);
    // Or by another folder.
    let second = ["activate", "sessions/2026_02_08_MORE", "implement", "--small", "done"];
    assert!(
        told(&session(&stage, &second))
            .starts_with("exit 1\nengine: sessions/2026_02_07_AUTH is still open\n")
    );
    // A person may stop it.
    stage.ok(&["session", "activate", WORK, "implement", "--fast-track"]);
    let stop = ["deactivate", WORK, "--description", "x", "--user-approved", "it is small"];
    assert!(allowed(&stage, &stop).starts_with("exit 0\n"));
    assert!(begin("implement", &["--fast-track"]).starts_with("exit 0\n"));
}

#[test]
fn only_who_holds_it_ends_it() {
    let stage = small();
    edit(&stage, "greet.py", "print('Hello')\n");
    ran(&stage, "pytest -q", 0);
    let before = stage.read(&format!("{WORK}/state.json"));
    for command in ["finish WORK", "debrief WORK --write"] {
        let line = format!("engine session {}", command.replace("WORK", WORK));
        let refused = told(&shell_of(&stage, &line, "", Some("general-purpose")));
        assert!(refused.contains("is for the main agent; this call came from a subagent"), "{refused}");
    }
    stage.hook(&stage.event_with("SessionStart", &json!({"session_id": "s-other"})));
    insta::assert_snapshot!(told(&other(&stage, "s-other", &["finish", WORK])), @"
    exit 1
    engine: session: sessions/2026_02_07_AUTH is not bound to this agent session (s-other)
      engine session continue sessions/2026_02_07_AUTH
    ");
    assert_eq!(other(&stage, "s-other", &["debrief", WORK, "--write"]).code, Some(1));
    assert_eq!((stage.read(&format!("{WORK}/state.json")), stage.exists(DRAFTED)), (before, false));
}

#[test]
fn a_goal_is_one_line_whatever_is_typed() {
    let stage = ready();
    let begin = |goal: &str| told(&session(&stage, &["activate", WORK, "implement", "--small", goal]));
    insta::assert_snapshot!(begin(&"x".repeat(10_240)), @"
    exit 1
    engine: the goal has 10240 characters; 300 fit, on one line
    ");
    insta::assert_snapshot!(begin(" \n "), @r#"
    exit 1
    engine: the goal says nothing: --small "what is to be so in the end"
    "#);
    assert!(!stage.exists(WORK));
    assert!(begin("say \"Hello\"\n\nto 'all' `now` \u{1b}[2J\t#needs-fix").starts_with("exit 0\n"));
    assert_eq!(state(&stage)["runs"][0]["goal"], "say \"Hello\" to 'all' `now` [2J #needs-fix");
    insta::assert_snapshot!(begin("another one"), @r#"
    exit 1
    engine: session: a small run is under way in sessions/2026_02_07_AUTH: say "Hello" to 'all' `now` [2J #needs-fix
      end it first: engine session finish sessions/2026_02_07_AUTH
    "#);
    // Without a goal it goes on with the one that it has.
    let again = told(&session(&stage, &["activate", WORK, "implement", "--small"]));
    assert!(again.starts_with("exit 0\n"), "{again}");
    assert_eq!(go(&stage, "4: Verify", &[]), "S: implement, phase 4: Verify (2 of 3)");
}

#[test]
fn what_cannot_be_small_is_refused_in_one_line() {
    let stage = ready();
    let begin = |path: &str, skill: &str| told(&session(&stage, &["activate", path, skill, "--small", "x1"]));
    insta::assert_snapshot!(begin(WORK, "analyze"), @"
    exit 1
    engine: analyze has no small runs: its front matter names no phases as small
      engine session activate sessions/2026_02_07_AUTH analyze
    ");
    for path in ["/tmp/2026_02_07_AUTH", "../2026_02_07_AUTH", "src/2026_02_07_AUTH", "sessions/auth"] {
        let refused = begin(path, "implement");
        assert!(refused.starts_with("exit 1\n") || refused.starts_with("exit 2\n"), "{path}: {refused}");
        let refused = told(&session(&stage, &["finish", path]));
        assert!(refused.starts_with("exit 1\n") || refused.starts_with("exit 2\n"), "{path}: {refused}");
    }
    insta::assert_snapshot!(told(&session(&stage, &["finish", WORK])), @"
    exit 1
    engine: sessions/2026_02_07_AUTH: there is no such work session
      engine session activate sessions/2026_02_07_AUTH SKILL makes it
    ");
    assert!(!stage.exists("sessions"));
    // Without a goal the description is asked for.
    stage.ok(&["session", "activate", WORK, "fix", "--small"]);
    edit(&stage, "greet.py", "print('Hello')\n");
    ran(&stage, "pytest -q", 0);
    insta::assert_snapshot!(finish(&stage, &[]), @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH stays active
    description: no description of what was done
      engine session finish sessions/2026_02_07_AUTH --description "…"
    "#);
    assert!(finish(&stage, &["--description", "it greets"]).starts_with("exit 0\n"));
    assert!(stage.read("sessions/2026_02_07_AUTH/FIX.md").contains("## Fault\nit greets\n"));
}

#[test]
fn a_skill_declares_its_small_runs() {
    let stage = ready();
    let declare = |small: &str| {
        let text = SKILL.replace("  nextSkills", &format!("  small: {small}\n  nextSkills"));
        stage.write(".claude/skills/build/SKILL.md", &text);
        let checked = stage.engine(&["skill", "check", ".claude/skills/build/SKILL.md"]);
        let line = checked.stdout.lines().find(|line| line.contains("small")).unwrap_or_default().to_owned();
        line.rsplit("SKILL.md:").next().unwrap_or_default().to_owned()
    };
    insta::assert_snapshot!(declare("[\"3.A\", \"9\"]"), @"13: error: small: there is no phase 9");
    insta::assert_snapshot!(declare("[\"1\", \"5\"]"), @"13: error: small: none of its phases asks for evidence: tests");
    insta::assert_snapshot!(declare("[\"x\"]"), @"");
    insta::assert_snapshot!(stage.masked(&told(&session(&stage, &["activate", WORK, "build", "--small", "x1"]))), @r#"
    exit 1
    engine: [TOP]/project/.claude/skills/build/SKILL.md: "x" is no label of a phase: 2, 2.1, 2.1A and 2.A are
      engine skill check build
    "#);
}
