//! How work sessions end: not on a claim. What is open is listed, a person decides, and the record says where the work stopped.

use serde_json::{Value, json};

use crate::plan_proofs::shell_of;
use crate::session_claims::{DEBRIEF, HEADINGS, PLAN, at_work, building, go, verifying};
use crate::sessions::{WORK, ran, session, stage, state, told};
use crate::stage::Stage;

/// Runs a command of the agent that a person has to allow, and lets them.
pub(crate) fn allowed(stage: &Stage, args: &[&str]) -> String {
    let refused = session(stage, args);
    assert_eq!(refused.code, Some(1), "{}", refused.stdout);
    let approvals = stage.state()["approvals"].clone();
    let number = approvals.as_array().unwrap().last().unwrap()["number"].clone();
    stage.answer(&format!("ok {number}"));
    told(&session(stage, args))
}

/// In Build, with a red check, open steps and a debrief of one letter.
fn claimed() -> Stage {
    let stage = building();
    ran(&stage, "pytest -q", 1);
    stage.write(DEBRIEF, "x");
    stage
}

#[test]
fn work_is_not_completed_from_build() {
    let stage = claimed();
    let end = ["deactivate", WORK, "--description", "done", "--proof", "stepsDone=2 of 2"];
    insta::assert_snapshot!(stage.masked(&told(&session(&stage, &end))), @r#"
    exit 1
    engine: sessions/2026_02_07_AUTH stays active
    phase: 4: Verify, 5: Debrief, 6: Close were not passed
    debrief: IMPLEMENT.md is not filled in: it has no heading "Result", "Evidence", "Changes", "Decisions", "Open", "For the next one"; write sessions/2026_02_07_AUTH/IMPLEMENT.md from [TOP]/project/.claude/skills/implement/templates/debrief.md
    proof: 3: Build: stepsDone: sessions/2026_02_07_AUTH/IMPLEMENT_PLAN.md: 2 of 2 boxes are open: line 13 `1. Write it`, line 14 `2. Cache it`; tick each, or drop it with a reason: - [x] ~~text~~: reason
    proof: 4: Verify: testsPass is missing
    proof: 5: Debrief: debriefFile is missing
    red: `pytest -q` failed, and no run of it has passed since
      engine session phase sessions/2026_02_07_AUTH "4: Verify"
      engine log --overwrite sessions/2026_02_07_AUTH/IMPLEMENT.md
      engine session deactivate sessions/2026_02_07_AUTH --proof NAME=VALUE
      engine evidence lists what ran
      to stop here all the same: engine session deactivate sessions/2026_02_07_AUTH --description "…" --user-approved "why"; engine asks the user
    "#);
    assert_eq!(state(&stage)["lifecycle"], "active");
    let rest = ["idle", WORK, "--description", "done"];
    assert_eq!(
        told(&session(&stage, &rest)).replace("idle", "deactivate").replace("let it rest here", "stop here"),
        told(&session(&stage, &end)),
        "rest is asked for the same"
    );
}

#[test]
fn a_person_stops_the_work_where_it_is() {
    let stage = claimed();
    let end = ["deactivate", WORK, "--description", "enough", "--user-approved", "the user has enough"];
    insta::assert_snapshot!(allowed(&stage, &end), @"
    exit 0
    sessions/2026_02_07_AUTH is stopped in 3: Build
    ");
    let kept = state(&stage);
    assert_eq!(
        (&kept["lifecycle"], &kept["agentSession"], kept["runs"][0]["endedAt"].is_string()),
        (&json!("stopped"), &Value::Null, true)
    );
    insta::assert_snapshot!(stage.ok(&["session", "list"]), @"sessions/2026_02_07_AUTH  stopped  implement  3: Build  enough");
    let listed = stage.engine(&["session", "list", "--json"]).json();
    assert_eq!(listed["sessions"][0]["lifecycle"], "stopped");
    insta::assert_snapshot!(stage.ok(&["session", "show", WORK]).lines().next().unwrap(), @"sessions/2026_02_07_AUTH: stopped in 3: Build");
    // It is over.
    insta::assert_snapshot!(told(&session(&stage, &["continue", WORK])), @"
    exit 1
    engine: sessions/2026_02_07_AUTH is stopped in 3: Build
      to run it again: engine session activate sessions/2026_02_07_AUTH implement --fast-track
    ");
    insta::assert_snapshot!(told(&session(&stage, &end)), @"
    exit 3
    engine: sessions/2026_02_07_AUTH is stopped in 3: Build already
    ");
    insta::assert_snapshot!(told(&session(&stage, &["phase", WORK, "4: Verify"])), @"
    exit 1
    engine: sessions/2026_02_07_AUTH is not active
      engine session activate sessions/2026_02_07_AUTH SKILL
    ");
    insta::assert_snapshot!(told(&session(&stage, &["activate", WORK, "implement"])), @"
    exit 1
    engine: session: implement is done in sessions/2026_02_07_AUTH
      to run it again: engine session activate sessions/2026_02_07_AUTH implement --fast-track
    ");
}

#[test]
fn a_person_at_a_terminal_stops_it_too() {
    let stage = claimed();
    let end = ["session", "deactivate", WORK, "--description", "enough", "--user-approved", "I have enough"];
    insta::assert_snapshot!(told(&stage.at_terminal(&end)), @"
    exit 0
    sessions/2026_02_07_AUTH is stopped in 3: Build
    ");
    assert_eq!(state(&stage)["lifecycle"], "stopped");
}

#[test]
fn work_that_rests_in_the_middle_says_where() {
    let stage = claimed();
    let rest = ["idle", WORK, "--description", "half", "--user-approved", "tomorrow"];
    insta::assert_snapshot!(allowed(&stage, &rest), @"
    exit 0
    sessions/2026_02_07_AUTH rests in 3: Build; 2 plan steps open; last check: pytest -q failed
    ");
    assert_eq!(state(&stage)["lifecycle"], "idle");
    // It goes on there, and is as open as before.
    insta::assert_snapshot!(told(&session(&stage, &["activate", WORK, "implement"])).lines().nth(1).unwrap(), @"sessions/2026_02_07_AUTH: implement goes on, phase 3: Build (3 of 6)");
    assert_eq!(session(&stage, &["idle", WORK, "--description", "half"]).code, Some(1));
    let mut json = vec!["--json"];
    json.extend(rest);
    insta::assert_snapshot!(allowed(&stage, &json), @r#"
    exit 0
    {"left":{"lastCheck":"pytest -q failed","openSteps":2,"phase":{"label":"3","name":"Build"}},"lifecycle":"idle","nextSkills":[],"path":"sessions/2026_02_07_AUTH","related":{"docs":[],"sessions":[]},"remember":[],"version":1}
    "#);
}

#[test]
fn the_way_back_from_verify_is_free() {
    let stage = verifying();
    ran(&stage, "pytest -q", 1);
    assert_eq!(
        go(&stage, "5: Debrief", &["testsPass=pytest -q"]),
        "engine: evidence: testsPass: `pytest -q` ended with 1 when it ran last"
    );
    assert_eq!(go(&stage, "3: Build", &[]), "S: implement, phase 3: Build (3 of 6)");
    insta::assert_snapshot!(stage.masked(&stage.ok(&["session", "show", WORK])), @"
    sessions/2026_02_07_AUTH: active
    held by bd48f8aa-611e-4e64-b1f5-2e515a790906
    implement, phase 3: Build (3 of 6)
      [DAY] [TIME]  1: Setup
      [DAY] [TIME]  2: Plan (approved: the person's words: ok 1 ([DAY] [TIME], approval 1))
      [DAY] [TIME]  3: Build
      [DAY] [TIME]  4: Verify (left unproved)
    ");
    // The way forward is proved again.
    assert_eq!(go(&stage, "5: Debrief", &[]), "engine: phase: from phase 3 to 5 skips 4");
    stage.write(PLAN, &format!("{HEADINGS}- [x] 1. Write it\n- [ ] 2. Mend it\n"));
    assert_eq!(
        go(&stage, "4: Verify", &[]),
        "engine: evidence: stepsDone: S/IMPLEMENT_PLAN.md: 1 of 2 boxes are open: line 14 `2. Mend it`; tick each, or drop it with a reason: - [x] ~~text~~: reason"
    );
    stage.write(PLAN, &format!("{HEADINGS}- [x] 1. Write it\n- [x] 2. Mend it\n"));
    assert_eq!(go(&stage, "4: Verify", &[]), "S: implement, phase 4: Verify (4 of 6)");
    ran(&stage, "pytest -q", 0);
    assert_eq!(go(&stage, "5: Debrief", &["testsPass=pytest -q"]), "S: implement, phase 5: Debrief (5 of 6)");
}

/// What agents ask for, by kind.
fn asked(stage: &Stage) -> Vec<(String, String)> {
    let rows = stage.engine(&["approval", "list", "--json"]).json()["approvals"].clone();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    rows.as_array().unwrap().iter().map(|row| (text(&row["kind"]), text(&row["what"]))).collect()
}

/// Work in the phase before a gate of a skill.
fn at_gate(skill: &str) -> Stage {
    let stage = at_work(skill, if skill == "test" { "1: Survey" } else { "1: Setup" });
    match skill {
        "implement" => {
            go(&stage, "2: Plan", &["mode=direct"]);
        }
        "fix" => {
            go(&stage, "2: Reproduce", &["mode=trace"]);
            ran(&stage, "pytest -q", 1);
            go(&stage, "3: Diagnose", &["reproduction=pytest -q"]);
        }
        _ => {
            ran(&stage, "pytest -q", 0);
            go(&stage, "2: Plan", &["suiteRuns=pytest -q", "mode=custom"]);
        }
    }
    stage
}

#[test]
fn every_gate_of_the_skills_asks_for_its_artefact() {
    let gates = [
        ("implement", "2: Plan", "3: Build", "IMPLEMENT_PLAN.md"),
        ("fix", "3: Diagnose", "4: Mend", "FIX_PLAN.md"),
        ("test", "2: Plan", "3: Write", "TEST_PLAN.md"),
    ];
    for (skill, gate, behind, file) in gates {
        let stage = at_gate(skill);
        let template = stage.read(&format!(".claude/skills/{skill}/templates/plan.md"));
        let headings = template.lines().filter(|line| line.starts_with('#'));
        let text =
            headings.map(|line| format!("{line}\nWhat it says.\n\n")).collect::<String>() + "- [ ] do it\n";
        let path = format!("{WORK}/{file}");
        stage.write(&path, &text);
        let pass = || go(&stage, behind, &[&format!("planFile={path}")]);
        let (number, name) = behind.split_once(": ").unwrap();
        let what = format!("pass the gate from phase {gate} to {number} of {WORK} ({path})");
        let wanted =
            |number: u32| format!("engine: {} needs a person: approval {number}", what.replace(WORK, "S"));
        assert_eq!(pass(), wanted(1), "{skill}");
        assert_eq!(asked(&stage), [("gate".to_owned(), what.clone())]);
        stage.answer("ok 1");
        stage.write(&path, &format!("{text}- [ ] another\n"));
        assert_eq!(pass(), wanted(2), "another plan");
        stage.answer("ok 2");
        assert!(pass().starts_with(&format!("S: {skill}, phase {number}: {name} (")));
        // Back through the gate and forth again.
        assert!(go(&stage, gate, &[]).starts_with(&format!("S: {skill}, phase {gate} (")));
        assert_eq!(pass(), wanted(3), "once is once");
    }
}

#[test]
fn a_subagent_does_not_move_the_work() {
    let stage = verifying();
    let commands = [
        "phase WORK '3: Build'",
        "idle WORK --description x",
        "deactivate WORK --description x",
        "activate WORK implement",
        "continue WORK",
        "finish WORK",
        "debrief WORK --write",
        "check WORK",
        "update WORK a b",
        "target WORK a.rs",
        "dehydrate WORK --summary a --last-action b --next c",
    ];
    let before = stage.read(&format!("{WORK}/state.json"));
    for command in commands {
        let line = format!("engine session {}", command.replace("WORK", WORK));
        let verb = command.split(' ').next().unwrap();
        assert_eq!(
            told(&shell_of(&stage, &line, "", Some("general-purpose"))),
            format!(
                "exit 1\nengine: session {verb} is for the main agent; this call came from a subagent (general-purpose)\n  report what was done; the main agent moves the work on\n"
            )
        );
    }
    // A script hides what it calls.
    stage.write("go.sh", &format!("engine session phase {WORK} '3: Build'\n"));
    assert_eq!(shell_of(&stage, "sh go.sh", "", Some("qa")).code, Some(1));
    assert_eq!(stage.read(&format!("{WORK}/state.json")), before);
    // It may look, and log.
    for line in [format!("engine session show {WORK}"), "engine session find".to_owned()] {
        assert_eq!(shell_of(&stage, &line, "", Some("qa")).code, Some(0), "{line}");
    }
    assert_eq!(shell_of(&stage, &format!("engine session phase {WORK} '3: Build'"), "", None).code, Some(0));
}

#[test]
fn a_name_is_in_any_script() {
    let stage = stage();
    let work = "sessions/2026_11_15_ÜBER_ß_漢字";
    stage.ok(&["session", "activate", work, "build"]);
    stage.ok(&["session", "phase", work, "2: Plan"]);
    insta::assert_snapshot!(stage.ok(&["session", "list", "--topic", "über"]), @"sessions/2026_11_15_ÜBER_ß_漢字  active  build  2: Plan");
    insta::assert_snapshot!(stage.ok(&["session", "find"]).lines().next().unwrap(), @"sessions/2026_11_15_ÜBER_ß_漢字: active");
    insta::assert_snapshot!(told(&session(&stage, &["activate", "sessions/2026_11_15_A\u{202e}B", "build"])), @r#"
    exit 2
    engine: "2026_11_15_A\u{202e}B" is no name of a work session: YYYY_MM_DD_TOPIC, the topic in capitals, as 2026_02_07_AUTH
    "#);
}

#[test]
fn a_state_of_a_newer_engine_is_set_aside_by_a_person_only() {
    let stage = stage();
    let newer = r#"{"version": 99, "lifecycle": "active"}"#;
    let damaged = "sessions/2026_02_08_MORE";
    stage.write(&format!("{WORK}/state.json"), newer);
    stage.write(&format!("{damaged}/state.json"), "{");
    insta::assert_snapshot!(stage.ok(&["session", "list"]), @"
    sessions/2026_02_08_MORE  damaged
    sessions/2026_02_07_AUTH  newer
    ");
    let listed = stage.engine(&["session", "list", "--json"]).json();
    let unusable: Vec<&Value> =
        listed["sessions"].as_array().unwrap().iter().map(|row| &row["unusable"]).collect();
    assert_eq!(unusable, [&json!("damaged"), &json!("newer")]);
    for args in [&["activate", WORK, "build"][..], &["phase", WORK, "2: Plan"], &["continue", WORK]] {
        assert_eq!(
            told(&session(&stage, args)),
            format!(
                "exit 1\nengine: {WORK}/state.json is written by a newer engine (format 99, this one knows 1)\n  update engine; or a person, in a terminal: engine session activate {WORK} SKILL sets it aside and begins anew\n"
            )
        );
    }
    assert_eq!(stage.read(&format!("{WORK}/state.json")), newer);
    let done = stage.at_terminal(&["session", "activate", WORK, "build"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(state(&stage)["lifecycle"], "active");
}

#[test]
fn a_request_is_answered_in_all_its_parts() {
    let stage = stage();
    let request = "sessions/2026_01_01_OLD/MEND_REQUEST_KEYS.md";
    stage.write(request, "# Request: keys\n**Tags**: #needs-fix\n");
    let files = format!("requestFiles=[\"{request}\"]");
    stage.write(
        ".claude/skills/mend/SKILL.md",
        "---\nname: mend\ndescription: x\nengine:\n  phases:\n    - {label: \"1\", name: Mend}\n---\n",
    );
    stage.ok(&["session", "activate", WORK, "mend", "--param", &files]);
    let idle = || told(&session(&stage, &["idle", WORK, "--description", "mended"]));
    insta::assert_snapshot!(idle(), @"
    exit 1
    engine: sessions/2026_02_07_AUTH stays active
    requests: sessions/2026_01_01_OLD/MEND_REQUEST_KEYS.md has no section ## Response
    requests: sessions/2026_01_01_OLD/MEND_REQUEST_KEYS.md still has #needs-fix in its Tags line
    requests: sessions/2026_01_01_OLD/MEND_REQUEST_KEYS.md has no response file sessions/2026_02_07_AUTH/MEND_RESPONSE_KEYS.md
      add a section ## Response to sessions/2026_01_01_OLD/MEND_REQUEST_KEYS.md
      engine tag swap sessions/2026_01_01_OLD/MEND_REQUEST_KEYS.md '#needs-fix' '#done-fix'
      engine log --overwrite sessions/2026_02_07_AUTH/MEND_RESPONSE_KEYS.md
    ");
    // It is not put down either.
    insta::assert_snapshot!(told(&session(&stage, &["activate", WORK, "mend", "--param", "requestFiles=[]"])), @"
    exit 1
    engine: requestFiles is what the work was asked for; only a person changes it
    ");
    stage.write(request, "# Request: keys\n**Tags**: #needs-fix\n\n## Response\nDone.\n");
    stage.write(&format!("{WORK}/MEND_RESPONSE_KEYS.md"), "# Response\n");
    insta::assert_snapshot!(idle(), @"
    exit 1
    engine: sessions/2026_02_07_AUTH stays active
    requests: sessions/2026_01_01_OLD/MEND_REQUEST_KEYS.md still has #needs-fix in its Tags line
      engine tag swap sessions/2026_01_01_OLD/MEND_REQUEST_KEYS.md '#needs-fix' '#done-fix'
    ");
    stage.ok(&["tag", "swap", request, "#needs-fix", "#done-fix"]);
    insta::assert_snapshot!(idle(), @"
    exit 0
    sessions/2026_02_07_AUTH is idle
    earlier: sessions/2026_01_01_OLD  request: Request: keys > Response
    more: engine search WORDS
    ");
}

#[test]
fn a_skill_is_not_softened_while_it_runs() {
    let stage = verifying();
    ran(&stage, "pytest -q", 0);
    go(&stage, "5: Debrief", &["testsPass=pytest -q"]);
    let template = ".claude/skills/implement/templates/debrief.md";
    let whole = stage.read(template);
    stage.write(template, "# Debrief\n");
    stage.write(DEBRIEF, "x");
    let close = || go(&stage, "6: Close", &[&format!("debriefFile={DEBRIEF}")]);
    let changed = "the skill implement was changed since this run of it began: templates/debrief.md";
    assert_eq!(close(), format!("engine: evidence: {changed}"));
    assert!(
        told(&session(&stage, &["idle", WORK, "--description", "x"]))
            .contains(&format!("\nskill: {changed}\n"))
    );
    stage.write(template, &whole);
    assert!(close().starts_with("engine: evidence: debriefFile: S/IMPLEMENT.md: it has no heading"));
}
