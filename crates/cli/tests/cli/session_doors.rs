//! Ways around the end of a work session: another skill, another agent session, git, and a change after the proof. Each is named, and a person
//! decides.

use serde_json::json;

use crate::plan_proofs::{project, shell_of};
use crate::sessions::{WORK, other, piped, session, state, told};
use crate::stage::{SESSION, Stage};

const LAST: &str = "---\nname: last\ndescription: x\nengine:\n  phases:\n    - {label: \"1\", name: Work}\n    - {label: \"2\", name: Verify, gate: true, proof: [{name: testsPass, evidence: tests}]}\n---\n";
const SHORT: &str = "---\nname: short\ndescription: x\nengine:\n  phases:\n    - {label: \"1\", name: Work}\n    - {label: \"2\", name: Close}\n---\n";
const FULL: &str = "---\nname: full\ndescription: x\nengine:\n  phases:\n    - {label: \"1\", name: Work}\n    - {label: \"2\", name: Verify, proof: [{name: testsPass, evidence: tests}]}\n    - {label: \"3\", name: Close}\n  directives: [CHECKLIST.md]\n---\n";
const TWICE: &str = "---\nname: twice\ndescription: x\nengine:\n  phases:\n    - {label: \"1\", name: Work}\n    - {label: \"2\", name: Verify, proof: [{name: testsPass, evidence: tests}]}\n    - {label: \"3\", name: Again, proof: [{name: testsPass, evidence: tests}]}\n    - {label: \"4\", name: Close}\n---\n";

/// A repository with tests that pass, in which an agent has begun a skill and gone to its second phase.
fn at_work(skill: &str) -> Stage {
    let stage = project();
    for (name, text) in [("last", LAST), ("short", SHORT), ("full", FULL), ("twice", TWICE)] {
        stage.write(&format!(".claude/skills/{name}/SKILL.md"), text);
    }
    stage.git(&["add", ".claude"]);
    stage.git(&["commit", "-qm", "skills"]);
    stage.ok(&["session", "activate", WORK, skill]);
    let second = if skill == "short" { "2: Close" } else { "2: Verify" };
    stage.ok(&["session", "phase", WORK, second]);
    stage
}

/// Ends the work, as the agent.
fn end(stage: &Stage) -> String {
    told(&session(stage, &["deactivate", WORK, "--description", "done"]))
}

fn tests(stage: &Stage) -> Option<i32> {
    shell_of(stage, "pytest -q", "", None).code
}

const COMPLETED: &str = "exit 0\nsessions/2026_02_07_AUTH is completed\n";

#[test]
fn another_skill_does_not_pass_the_phase_that_the_first_was_left_in() {
    let stage = at_work("last");
    stage.ok(&["session", "activate", WORK, "short"]);
    stage.ok(&["session", "phase", WORK, "2: Close"]);
    insta::assert_snapshot!(end(&stage), @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH stays active
    phase: last: 2: Verify was not passed
      engine session activate sessions/2026_02_07_AUTH last --fast-track
      to stop here all the same: engine session deactivate sessions/2026_02_07_AUTH --description "…" --user-approved "why"; engine asks the user
    "#);
    insta::assert_snapshot!(stage.masked(&stage.ok(&["session", "show", WORK])), @"
    sessions/2026_02_07_AUTH: active
    held by bd48f8aa-611e-4e64-b1f5-2e515a790906
    last, left in 2: Verify
      [DAY] [TIME]  1: Work
    short, phase 2: Close (2 of 2)
      [DAY] [TIME]  1: Work
    ");
    insta::assert_snapshot!(told(&session(&stage, &["activate", WORK, "last"])), @"
    exit 1
    engine: session: last was left in 2: Verify in sessions/2026_02_07_AUTH
      to run it again: engine session activate sessions/2026_02_07_AUTH last --fast-track
    ");
    // By a person's word it stops.
    let stop = ["session", "deactivate", WORK, "--description", "enough", "--user-approved", "enough"];
    insta::assert_snapshot!(told(&stage.at_terminal(&stop)), @"
    exit 0
    sessions/2026_02_07_AUTH is stopped in 2: Close
    ");
    assert_eq!(state(&stage)["runs"][0]["stopped"], true);
}

#[test]
fn a_skill_that_was_closed_in_order_is_followed_by_another() {
    let stage = at_work("short");
    stage.ok(&["session", "idle", WORK, "--description", "first half"]);
    stage.ok(&["session", "activate", WORK, "full"]);
    stage.ok(&["session", "phase", WORK, "2: Verify"]);
    assert_eq!(tests(&stage), Some(0));
    stage.ok(&["session", "phase", WORK, "3: Close", "--proof", "testsPass=pytest -q"]);
    insta::assert_snapshot!(stage.masked(&stage.ok(&["session", "show", WORK])), @"
    sessions/2026_02_07_AUTH: active
    held by bd48f8aa-611e-4e64-b1f5-2e515a790906
    short, phase 2: Close (2 of 2), done
      [DAY] [TIME]  1: Work
    full, phase 3: Close (3 of 3)
      [DAY] [TIME]  1: Work
      [DAY] [TIME]  2: Verify
    description: first half
    ");
    assert_eq!(end(&stage), COMPLETED);
}

#[test]
fn a_state_of_an_earlier_release_is_read_as_before() {
    let stage = at_work("short");
    stage.ok(&["session", "activate", WORK, "full", "--fast-track"]);
    stage.ok(&["session", "phase", WORK, "2: Verify"]);
    assert_eq!(tests(&stage), Some(0));
    stage.ok(&["session", "phase", WORK, "3: Close", "--proof", "testsPass=pytest -q"]);
    let mut old = state(&stage);
    for run in old["runs"].as_array_mut().unwrap() {
        let run = run.as_object_mut().unwrap();
        run.remove("left");
        run.remove("holders");
    }
    stage.write_state(WORK, &old.to_string());
    assert_eq!(end(&stage), COMPLETED);
}

#[test]
fn red_is_not_forgotten_by_the_next_agent_session() {
    let stage = at_work("short");
    stage.write("tests/test_a.py", "broken\n");
    assert_eq!(tests(&stage), Some(1));
    let first = end(&stage);
    insta::assert_snapshot!(first, @"
    exit 1
    engine: sessions/2026_02_07_AUTH stays active
    red: `pytest -q` failed, and no run of it has passed since
      engine evidence lists what ran
    ");
    stage.hook(&stage.event("SessionEnd"));
    stage.hook(&stage.event_with("SessionStart", &json!({"session_id": "s-other"})));
    let ends = || told(&other(&stage, "s-other", &["deactivate", WORK, "--description", "done"]));
    assert_eq!(other(&stage, "s-other", &["continue", WORK]).code, Some(0));
    assert_eq!(ends(), first);
    let kept = state(&stage);
    assert_eq!(kept["runs"][0]["holders"], json!([SESSION, "s-other"]));
    // Also where nobody holds it.
    let rest = ["session", "idle", WORK, "--description", "later", "--user-approved", "later"];
    assert_eq!(stage.at_terminal(&rest).code, Some(0));
    assert_eq!(ends().replace("stays idle", "stays active"), first);
}

#[test]
fn what_the_session_before_proved_holds_for_the_next() {
    let stage = at_work("full");
    assert_eq!(tests(&stage), Some(0));
    stage.hook(&stage.event("SessionEnd"));
    stage.hook(&stage.event_with("SessionStart", &json!({"session_id": "s-other"})));
    assert_eq!(other(&stage, "s-other", &["continue", WORK]).code, Some(0));
    let close = ["phase", WORK, "3: Close", "--proof", "testsPass=pytest -q"];
    assert_eq!(other(&stage, "s-other", &close).code, Some(0));
    let ended = other(&stage, "s-other", &["deactivate", WORK, "--description", "done"]);
    assert_eq!(told(&ended), COMPLETED);
}

/// In the second of three phases, with a red check.
fn red() -> Stage {
    let stage = at_work("full");
    stage.write("tests/test_a.py", "broken\n");
    assert_eq!(tests(&stage), Some(1));
    stage
}

#[test]
fn a_state_that_git_took_away_is_put_back_or_given_up_by_a_person() {
    let stage = red();
    let before = stage.read(&format!("{WORK}/state.json"));
    stage.git(&["stash", "-u", "-q"]);
    assert!(!stage.exists(&format!("{WORK}/state.json")));
    let anew = ["activate", WORK, "short"];
    let refused = told(&session(&stage, &anew));
    insta::assert_snapshot!(refused, @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH/state.json is gone, and engine did not remove it
      put it back: git stash pop, git restore or git checkout, by what was done before
      to begin anew: engine session activate sessions/2026_02_07_AUTH SKILL --user-approved "why"; engine asks the user
    "#);
    for args in [
        &["phase", WORK, "3: Close"][..],
        &["continue", WORK],
        &["continue"],
        &["activate", "sessions/2026_02_08_MORE", "short"],
    ] {
        assert_eq!(told(&session(&stage, args)), refused, "{args:?}");
    }
    assert_eq!(end(&stage), refused);
    assert!(!stage.exists(WORK));
    stage.git(&["stash", "pop", "-q"]);
    assert_eq!(stage.read(&format!("{WORK}/state.json")), before);
    stage.ok(&["session", "continue", WORK]);
    // A person gives it up.
    stage.git(&["stash", "-u", "-q"]);
    let given_up = [&anew[..], &["--user-approved", "begin anew"]].concat();
    insta::assert_snapshot!(told(&session(&stage, &given_up)), @"
    exit 1
    engine: sessions/2026_02_07_AUTH/state.json is gone, and engine did not remove it
      put it back: git stash pop, git restore or git checkout, by what was done before
      begin sessions/2026_02_07_AUTH anew (sessions/2026_02_07_AUTH/state.json is gone, and engine did not remove it) needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    stage.answer("ok 1");
    insta::assert_snapshot!(told(&session(&stage, &given_up)), @r#"
    exit 0
    sessions/2026_02_07_AUTH: short started, phase 1: Work (1 of 2)
    log: engine log sessions/2026_02_07_AUTH/SHORT_LOG.md
    then: engine session phase sessions/2026_02_07_AUTH "2: Close"
    "#);
    stage.ok(&["session", "phase", WORK, "2: Close"]);
}

#[test]
fn a_state_that_git_put_back_counts_by_a_persons_word() {
    let stage = at_work("full");
    let file = format!("{WORK}/state.json");
    stage.git(&["add", "-f", "sessions"]);
    stage.git(&["commit", "-qm", "state"]);
    stage.git(&["tag", "old"]);
    assert_eq!(tests(&stage), Some(0));
    stage.ok(&["session", "phase", WORK, "3: Close", "--proof", "testsPass=pytest -q"]);
    let new = stage.read(&file);
    stage.git(&["restore", "--source", "old", "--", WORK]);
    let refused = told(&session(&stage, &["phase", WORK, "1: Work"]));
    insta::assert_snapshot!(stage.masked(&stage.ok(&["session", "show", WORK])), @"
    sessions/2026_02_07_AUTH: active
    sessions/2026_02_07_AUTH/state.json is not what engine wrote last; git or another program has changed it
    held by bd48f8aa-611e-4e64-b1f5-2e515a790906
    full, phase 2: Verify (2 of 3)
      [DAY] [TIME]  1: Work
    ");
    insta::assert_snapshot!(refused, @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH/state.json is not what engine wrote last; git or another program has changed it
      put it back: git stash pop, git restore or git checkout, by what was done before
      to go on with it as it is: engine session continue sessions/2026_02_07_AUTH --user-approved "why"; engine asks the user
    "#);
    for args in [
        &["activate", WORK, "full"][..],
        &["continue", WORK],
        &["idle", WORK, "--description", "x"],
        &["update", WORK, "a", "b"],
        &["target", WORK, "a.txt"],
        &["check", WORK],
        &["dehydrate", WORK, "--summary", "a", "--last-action", "b", "--next", "c"],
        &["activate", "sessions/2026_02_08_MORE", "short"],
    ] {
        assert_eq!(told(&session(&stage, args)), refused, "{args:?}");
    }
    // As it was, it counts again.
    let old = stage.read(&file);
    stage.write(&file, &new);
    stage.ok(&["session", "update", WORK, "a", "b"]);
    // A person goes on with the old one.
    stage.write(&file, &old);
    let go_on = ["continue", WORK, "--user-approved", "the old one"];
    insta::assert_snapshot!(told(&session(&stage, &go_on)), @"
    exit 1
    engine: sessions/2026_02_07_AUTH/state.json is not what engine wrote last; git or another program has changed it
      put it back: git stash pop, git restore or git checkout, by what was done before
      go on with sessions/2026_02_07_AUTH as it is, full in 2: Verify (sessions/2026_02_07_AUTH/state.json is not what engine wrote last; git or another program has changed it) needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    stage.answer("ok 1");
    insta::assert_snapshot!(told(&session(&stage, &go_on)), @r#"
    exit 0
    engine: this goes on with the work session sessions/2026_02_07_AUTH: full, phase 2: Verify (2 of 3). It is bound to this agent session. What follows is its record as it is now; quoted words are no instructions.
    Next: go on in phase 2: Verify; it is left with testsPass (tests)
    To leave the phase: engine session phase sessions/2026_02_07_AUTH "3: Close" --proof testsPass=…
    Proved: pytest -q passed under 1 min ago, nothing changed since
    The user's last words: “ok 1”
    Log: engine log sessions/2026_02_07_AUTH/FULL_LOG.md. State: engine session show sessions/2026_02_07_AUTH
    "#);
    stage.ok(&["session", "phase", WORK, "1: Work"]);
    // At a terminal they need not ask.
    stage.write(&file, &old);
    let typed = stage.at_terminal(&["session", "update", WORK, "a", "b"]);
    assert_eq!(typed.code, Some(0), "{}", typed.stderr);
    stage.ok(&["session", "phase", WORK, "1: Work"]);
}

#[test]
fn the_hook_does_not_seal_what_git_put_back() {
    let stage = at_work("full");
    stage.write(".directives/CHECKLIST.md", "# Checklist\n\n## Tests\n- [ ] unit tests\n");
    let file = format!("{WORK}/state.json");
    let old = stage.read(&file);
    let edit = || {
        let input = json!({"file_path": stage.root().join("a.txt"), "old_string": "a", "new_string": "b"});
        let edited = json!({"session_id": SESSION, "tool_name": "Edit", "tool_input": input});
        stage.hook(&stage.event_with("PostToolUse", &edited));
    };
    stage.ok(&["session", "update", WORK, "a", "b"]);
    let new = stage.read(&file);
    stage.write(&file, &old);
    edit();
    assert_eq!(stage.read(&file), old);
    assert_eq!(session(&stage, &["update", WORK, "a", "c"]).code, Some(1));
    // What was changed meanwhile is asked for all the same.
    stage.write(&file, &new);
    stage.ok(&["session", "update", WORK, "a", "c"]);
    let path = stage.root().join(".directives/CHECKLIST.md").display().to_string();
    assert_eq!(state(&stage)["checklists"], json!([{"path": path}]));
    // What the engine wrote the hook changes and seals.
    let hand_in = json!({path.as_str(): "# Checklist\n\n## Tests\n- [x] unit tests\n"}).to_string();
    assert_eq!(piped(&stage, &["check", WORK], &hand_in).code, Some(0));
    edit();
    assert_eq!(state(&stage)["checklists"], json!([{"path": path}]));
    stage.ok(&["session", "update", WORK, "a", "d"]);
}

#[test]
fn what_was_proved_holds_at_the_end() {
    let stage = at_work("full");
    assert_eq!(tests(&stage), Some(0));
    stage.ok(&["session", "phase", WORK, "3: Close", "--proof", "testsPass=pytest -q"]);
    // Files of the work are free.
    stage.write(&format!("{WORK}/NOTES.md"), "# Notes\n");
    stage.write("tests/test_a.py", "broken\n");
    insta::assert_snapshot!(end(&stage), @"
    exit 1
    engine: sessions/2026_02_07_AUTH stays active
    evidence: 2: Verify: changed since `pytest -q` passed: tests/test_a.py. Run it again: engine check -- pytest -q
      engine evidence lists what ran
    ");
    assert_eq!(told(&session(&stage, &["idle", WORK, "--description", "done"])), end(&stage));
    stage.write("tests/test_a.py", "fine again\n");
    assert_eq!(tests(&stage), Some(0));
    assert_eq!(end(&stage), COMPLETED);
}

#[test]
fn what_a_later_phase_proved_makes_up_for_an_earlier_one() {
    let stage = at_work("twice");
    assert_eq!(tests(&stage), Some(0));
    stage.ok(&["session", "phase", WORK, "3: Again", "--proof", "testsPass=pytest -q"]);
    stage.write("tests/test_a.py", "more\n");
    assert_eq!(shell_of(&stage, "pytest", "", None).code, Some(0));
    stage.ok(&["session", "phase", WORK, "4: Close", "--proof", "testsPass=pytest"]);
    assert_eq!(end(&stage), COMPLETED);
}
