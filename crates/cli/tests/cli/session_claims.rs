//! What an agent claims when it leaves a phase of a skill that comes with the engine: every claim can fail.

use serde_json::{Value, json};

use crate::directives::on;
use crate::sessions::{WORK, piped, ran, session, state, told};
use crate::stage::{SESSION, Stage};

pub(crate) const PLAN: &str = "sessions/2026_02_07_AUTH/IMPLEMENT_PLAN.md";
pub(crate) const DEBRIEF: &str = "sessions/2026_02_07_AUTH/IMPLEMENT.md";

pub(crate) const HEADINGS: &str = "# Plan: login\n\n## Goal\nLogin works.\n\n## Limits\nThe API stays.\n\n## Risks\nNone seen.\n\n## Steps\n";

/// A project with the skills, in which an agent has begun one.
pub(crate) fn at_work(skill: &str, first: &str) -> Stage {
    let mut stage = Stage::bare();
    stage.ok(&["init", "--with", "skills=all"]);
    stage.write(".engine/config.toml", "[rules]\nheartbeat = \"off\"\n");
    stage.set("CLAUDECODE", "1");
    stage.set("CLAUDE_CODE_SESSION_ID", SESSION);
    stage.hook(&stage.event("SessionStart"));
    stage.ok(&["session", "activate", WORK, skill]);
    stage.ok(&["session", "phase", WORK, first]);
    stage
}

/// Goes to a phase: where it is then, or why it is refused, without the hints.
pub(crate) fn go(stage: &Stage, phase: &str, proof: &[&str]) -> String {
    let proof: Vec<&str> = proof.iter().flat_map(|pair| ["--proof", pair]).collect();
    let output = session(stage, &[&["phase", WORK, phase], proof.as_slice()].concat());
    let text = stage.masked(&told(&output));
    let lines = text.lines().skip(1).take_while(|line| !line.starts_with("  "));
    let lines: Vec<&str> = if output.code == Some(0) { lines.take(1).collect() } else { lines.collect() };
    lines.join("\n").replace(&format!("{WORK}/"), "S/").replace(WORK, "S")
}

/// What each phase was left with.
fn history(stage: &Stage) -> Value {
    let kept = state(stage);
    let passed = kept["runs"][0]["history"].as_array().unwrap().iter();
    passed.map(|passed| json!([passed["phase"], passed["proof"]])).collect()
}

const PLAN_FROM: &str =
    "write S/IMPLEMENT_PLAN.md from [TOP]/project/.claude/skills/implement/templates/plan.md";

/// Up to phase 3 of implement, with a plan of two open steps.
pub(crate) fn building() -> Stage {
    let stage = at_work("implement", "1: Setup");
    go(&stage, "2: Plan", &["mode=direct"]);
    stage.write(PLAN, &format!("{HEADINGS}- [ ] 1. Write it\n- [ ] 2. Cache it\n"));
    let build = || go(&stage, "3: Build", &[&format!("planFile={PLAN}")]);
    assert_eq!(
        build(),
        "engine: pass the gate from phase 2: Plan to 3 of S (S/IMPLEMENT_PLAN.md) needs a person: approval 1"
    );
    stage.answer("ok 1");
    assert_eq!(build(), "S: implement, phase 3: Build (3 of 6)");
    stage
}

/// Up to phase 4 of implement.
pub(crate) fn verifying() -> Stage {
    let stage = building();
    stage.write(PLAN, &format!("{HEADINGS}- [x] 1. Write it\n- [x] 2. Cache it\n"));
    assert_eq!(go(&stage, "4: Verify", &[]), "S: implement, phase 4: Verify (4 of 6)");
    stage
}

#[test]
fn a_mode_is_one_that_the_skill_declares() {
    let stage = at_work("implement", "1: Setup");
    let cases: [(&[&str], &str); 4] = [
        (&[], "engine: proof: mode is missing"),
        (
            &["mode=banana"],
            "engine: evidence: mode: implement has no mode banana; its modes: direct, spike, tests-first, custom",
        ),
        (&["mode=1"], "engine: evidence: mode names no mode"),
        (&["mode=custom"], "S: implement, phase 2: Plan (2 of 6)"),
    ];
    for (proof, expected) in cases {
        assert_eq!(go(&stage, "2: Plan", proof), expected, "{proof:?}");
    }
    let refused = told(&session(&at_work("fix", "1: Setup"), &["phase", WORK, "2: Reproduce"]));
    insta::assert_snapshot!(refused, @r#"
    exit 1
    engine: proof: mode is missing
      engine session phase sessions/2026_02_07_AUTH "2: Reproduce" --proof mode=…
    "#);
}

#[test]
fn a_plan_has_the_headings_of_its_template_and_boxes() {
    let stage = at_work("implement", "1: Setup");
    go(&stage, "2: Plan", &["mode=direct"]);
    stage.write("x.py", "print(1)\n");
    let template = stage.read(".claude/skills/implement/templates/plan.md");
    let cases = [
        ("x.py", None, format!("x.py is not a Markdown file; {PLAN_FROM}")),
        ("gone.md", None, format!("there is no file gone.md in this project; {PLAN_FROM}")),
        (PLAN, Some(String::new()), format!("S/IMPLEMENT_PLAN.md is empty; {PLAN_FROM}")),
        (
            PLAN,
            Some("# Plan\n\n- [ ] all\n".to_owned()),
            format!(
                "S/IMPLEMENT_PLAN.md: it has no heading \"Goal\", \"Limits\", \"Steps\", \"Risks\"; {PLAN_FROM}"
            ),
        ),
        (
            PLAN,
            Some(template),
            format!(
                "S/IMPLEMENT_PLAN.md: it has no text of its own under \"Goal\", \"Limits\", \"Steps\", \"Risks\"; {PLAN_FROM}"
            ),
        ),
        (
            PLAN,
            Some(format!("{HEADINGS}1. Write it\n")),
            "S/IMPLEMENT_PLAN.md: no box is in it; each step is a line - [ ] text".to_owned(),
        ),
    ];
    for (path, text, expected) in cases {
        if let Some(text) = text {
            stage.write(path, &text);
        }
        let refused = go(&stage, "3: Build", &[&format!("planFile={path}")]);
        assert_eq!(refused, format!("engine: evidence: planFile: {expected}"));
    }
    assert_eq!(stage.state().get("approvals"), None, "nobody is asked about what is no plan");
}

#[test]
fn steps_are_the_boxes_of_the_plan() {
    let stage = building();
    let how = "tick each, or drop it with a reason: - [x] ~~text~~: reason";
    let cases = [
        (
            "- [ ] 1. Write it\n- [ ] 2. Cache it\n",
            format!("2 of 2 boxes are open: line 13 `1. Write it`, line 14 `2. Cache it`; {how}"),
        ),
        (
            "- [x] 1. Write it\n- [x] ~~2. Cache it~~\n",
            format!(
                "1 of 2 boxes are open: line 14 `~~2. Cache it~~` (struck through without a reason); {how}"
            ),
        ),
        ("1. Written\n", "no box is in it; each step is a line - [ ] text".to_owned()),
    ];
    for (steps, expected) in cases {
        stage.write(PLAN, &format!("{HEADINGS}{steps}"));
        for proof in [&["stepsDone=banana"][..], &["stepsDone=2 of 2"], &[]] {
            let expected = format!("engine: evidence: stepsDone: S/IMPLEMENT_PLAN.md: {expected}");
            assert_eq!(go(&stage, "4: Verify", proof), expected, "{proof:?}");
        }
    }
    // Another file with ticked boxes is not the plan that was agreed to.
    stage.write("other.md", "- [x] all\n");
    assert_eq!(
        go(&stage, "4: Verify", &["stepsDone=other.md", "planFile=other.md"]),
        "engine: evidence: stepsDone: S/IMPLEMENT_PLAN.md: no box is in it; each step is a line - [ ] text"
    );
    stage.write(PLAN, &format!("{HEADINGS}- [x] 1. Write it\n- [x] ~~2. Cache it~~: fast enough\n"));
    assert_eq!(go(&stage, "4: Verify", &["stepsDone=banana"]), "S: implement, phase 4: Verify (4 of 6)");
    let expected =
        json!([["1: Setup", {"mode": "direct"}], ["2: Plan", {"planFile": PLAN}], ["3: Build", {}]]);
    assert_eq!(history(&stage), expected, "what nobody looked at is not written down");
}

#[test]
fn tests_pass_by_a_command_that_runs_tests() {
    let stage = verifying();
    let adds = "a person adds others with engine config set evidence.checks";
    for command in ["ls", "echo ok", "cargo build"] {
        ran(&stage, command, 0);
    }
    ran(&stage, "cargo test", 101);
    let ran_so_far = "known checks that ran in this session: `cargo build`, `cargo test`";
    let cases = [
        ("ls", format!("`ls` is not a known check; {ran_so_far}; {adds}")),
        ("echo ok", format!("`echo ok` is not a known check; {ran_so_far}; {adds}")),
        ("cargo build", format!("`cargo build` runs no tests; {ran_so_far}; {adds}")),
        ("cargo test", "`cargo test` ended with 101 when it ran last".to_owned()),
        ("pytest", "`pytest` was not run in this session: engine check -- pytest".to_owned()),
    ];
    for (command, expected) in cases {
        let refused = go(&stage, "5: Debrief", &[&format!("testsPass={command}")]);
        assert_eq!(refused, format!("engine: evidence: testsPass: {expected}"));
    }
    ran(&stage, "cargo test", 0);
    assert_eq!(
        go(&stage, "5: Debrief", &["testsPass=cargo test"]),
        "S: implement, phase 5: Debrief (5 of 6)"
    );
}

#[test]
fn a_check_of_the_project_runs_its_tests() {
    let stage = verifying();
    ran(&stage, "./proof.sh --all", 0);
    assert_eq!(
        go(&stage, "5: Debrief", &["testsPass=./proof.sh --all"]),
        "engine: evidence: testsPass: `./proof.sh --all` is not a known check; known checks that ran in this session: none; a person adds others with engine config set evidence.checks"
    );
    stage.write(
        ".engine/config.toml",
        "[rules]\nheartbeat = \"off\"\n[evidence]\nchecks = [\"./proof.sh\"]\n",
    );
    let entered = go(&stage, "5: Debrief", &["testsPass=./proof.sh --all"]);
    assert_eq!(entered, "S: implement, phase 5: Debrief (5 of 6)");
}

#[test]
fn a_check_in_a_folder_does_not_cover_what_changed_elsewhere() {
    let stage = verifying();
    stage.write("api/x.py", "x\n");
    stage.write("tests/test_x.py", "x\n");
    ran(&stage, "cd tests && pytest", 0);
    let debrief = |command: &str| go(&stage, "5: Debrief", &[&format!("testsPass={command}")]);
    assert_eq!(
        debrief("cd tests && pytest"),
        "engine: evidence: testsPass: api/x.py changed, and `cd tests && pytest` ran elsewhere"
    );
    // What was kept of the start is gone.
    std::fs::remove_dir_all(stage.root().join(".engine/state/content")).unwrap();
    assert_eq!(
        debrief("cd tests && pytest"),
        "engine: evidence: testsPass: the content has changed in this session; which files is not known any more, and `cd tests && pytest` did not run in the root"
    );
    ran(&stage, "pytest", 0);
    assert_eq!(debrief("pytest"), "S: implement, phase 5: Debrief (5 of 6)");
}

#[test]
fn an_open_checklist_is_known_whatever_is_claimed() {
    let stage = verifying();
    let checklist = "# Checklist\n\n## Tests\n- [ ] unit tests\n";
    stage.write("src/.directives/CHECKLIST.md", checklist);
    stage.write("src/x.rs", "fn x() {}\n");
    on(&stage, "Edit", "src/x.rs");
    ran(&stage, "cargo test", 0);
    for claimed in [
        &["testsPass=cargo test"][..],
        &["testsPass=cargo test", "checklists=passed"],
        &["testsPass=cargo test", "checklists=none"],
    ] {
        assert_eq!(
            go(&stage, "5: Debrief", claimed),
            "engine: evidence: checklists: [TOP]/project/src/.directives/CHECKLIST.md has not passed: engine session check S",
            "{claimed:?}"
        );
    }
    let path = stage.root().join("src/.directives/CHECKLIST.md").display().to_string();
    let ticked = json!({path: checklist.replace("[ ]", "[x]")}).to_string();
    assert_eq!(piped(&stage, &["check", WORK], &ticked).code, Some(0));
    assert_eq!(
        go(&stage, "5: Debrief", &["testsPass=cargo test"]),
        "S: implement, phase 5: Debrief (5 of 6)"
    );
}

#[test]
fn a_debrief_has_text_under_each_heading_of_its_template() {
    let stage = verifying();
    ran(&stage, "cargo test", 0);
    go(&stage, "5: Debrief", &["testsPass=cargo test"]);
    let from = "write S/IMPLEMENT.md from [TOP]/project/.claude/skills/implement/templates/debrief.md";
    let all = "\"Result\", \"Evidence\", \"Changes\", \"Decisions\", \"Open\", \"For the next one\"";
    let template = stage.read(".claude/skills/implement/templates/debrief.md");
    let filled = "# Debrief: login\n\n## Result\nIt works.\n\n## Evidence\n- `cargo test`: green\n\n## Changes\n- `src/x.rs`: the login\n\n## Decisions\nnone\n\n## Open\nnone\n\n## For the next one\nRead the tests first.\n";
    let cases = [
        ("x".to_owned(), format!("it has no heading {all}")),
        (template, format!("it has no text of its own under {all}")),
        (filled.replace("It works.", ""), "it has no text of its own under \"Result\"".to_owned()),
        (filled.replace("## Open\nnone\n", ""), "it has no heading \"Open\"".to_owned()),
    ];
    let close = || go(&stage, "6: Close", &[&format!("debriefFile={DEBRIEF}")]);
    for (text, expected) in cases {
        stage.write(DEBRIEF, &text);
        assert_eq!(close(), format!("engine: evidence: debriefFile: S/IMPLEMENT.md: {expected}; {from}"));
    }
    stage.write(DEBRIEF, filled);
    assert_eq!(close(), "S: implement, phase 6: Close (6 of 6)");
}

/// Up to phase 2 of fix.
fn reproducing() -> Stage {
    let stage = at_work("fix", "1: Setup");
    assert_eq!(go(&stage, "2: Reproduce", &["mode=trace"]), "S: fix, phase 2: Reproduce (2 of 7)");
    stage
}

#[test]
fn a_reproduction_is_a_check_that_failed() {
    let stage = reproducing();
    let diagnose = |command: &str| go(&stage, "3: Diagnose", &[&format!("reproduction={command}")]);
    let none = "no check failed in this session";
    assert_eq!(
        diagnose("no: it was tried"),
        "engine: evidence: reproduction: `no: it was tried` is not a known check; known checks that ran in this session: none; a person adds others with engine config set evidence.checks"
    );
    let cases = [
        (None, format!("`cargo test twice` was not run in this session: engine check -- cargo test twice; {none}")),
        (
            Some(("cargo test twice | tail", 0)),
            format!("whether `cargo test twice` failed cannot be told (a pipe hides its status): engine check -- cargo test twice; {none}"),
        ),
        (
            Some(("cargo test twice", 127)),
            format!("whether `cargo test twice` failed cannot be told (it could not be started): engine check -- cargo test twice; {none}"),
        ),
        (Some(("cargo test twice", 0)), format!("`cargo test twice` passed, and has not failed in this session; {none}")),
        (
            Some(("cargo test other", 101)),
            "`cargo test twice` passed, and has not failed in this session; failed in this session: `cargo test other`".to_owned(),
        ),
    ];
    for (run, expected) in cases {
        if let Some((command, exit)) = run {
            ran(&stage, command, exit);
        }
        assert_eq!(diagnose("cargo test twice"), format!("engine: evidence: reproduction: {expected}"));
    }
    ran(&stage, "cargo test twice", 101);
    assert_eq!(diagnose("cargo test twice"), "S: fix, phase 3: Diagnose (3 of 7)");
}

#[test]
fn what_failed_is_what_must_pass() {
    let stage = reproducing();
    ran(&stage, "cargo test twice", 101);
    go(&stage, "3: Diagnose", &["reproduction=cargo test twice"]);
    let plan = "# Mend: login\n\n## Symptom\nIt fails.\n\n## Cause\nA typo.\n\n## Change\n- [ ] the typo\n\n## Affected\nnobody\n";
    stage.write(&format!("{WORK}/FIX_PLAN.md"), plan);
    let mend = || go(&stage, "4: Mend", &["planFile=FIX_PLAN.md"]);
    assert_eq!(
        mend(),
        "engine: pass the gate from phase 3: Diagnose to 4 of S (FIX_PLAN.md) needs a person: approval 1"
    );
    stage.answer("ok 1");
    assert_eq!(mend(), "S: fix, phase 4: Mend (4 of 7)");
    let failed = "engine: evidence: fixedBy: `cargo test twice` ended with 101 when it ran last";
    assert_eq!(go(&stage, "5: Verify", &[]), failed);
    ran(&stage, "cargo test once", 0);
    assert_eq!(
        go(&stage, "5: Verify", &["fixedBy=cargo test once"]),
        format!(
            "engine: evidence: fixedBy: `cargo test once` is not the command that failed: `cargo test twice`\n{}",
            &failed["engine: ".len()..]
        )
    );
    ran(&stage, "sed -i s/a/b/ src/x.rs", 0);
    ran(&stage, "cargo test twice", 0);
    assert_eq!(
        go(&stage, "5: Verify", &["fixedBy=cargo test once"]),
        "engine: evidence: fixedBy: `cargo test once` is not the command that failed: `cargo test twice`"
    );
    assert_eq!(go(&stage, "5: Verify", &["fixedBy=cargo  test twice"]), "S: fix, phase 5: Verify (5 of 7)");
}

#[test]
fn what_nothing_can_look_up_is_not_asked_for() {
    let stage = at_work("analyze", "1: Scope");
    for (phase, proof) in [("2: Study", &["mode=audit"][..]), ("3: Synthesis", &[])] {
        assert_eq!(go(&stage, phase, proof), format!("S: analyze, phase {phase} ({} of 4)", &phase[..1]));
    }
    stage.write(&format!("{WORK}/ANALYZE.md"), "# Analysis: why\n\n## Answer\nBecause.\n");
    assert_eq!(
        go(&stage, "4: Close", &["debriefFile=ANALYZE.md"]),
        "engine: evidence: debriefFile: ANALYZE.md: it has no heading \"Question\", \"Findings\", \"Not known\", \"What follows\"; write S/ANALYZE.md from [TOP]/project/.claude/skills/analyze/templates/debrief.md"
    );
    let stage = at_work("brainstorm", "1: Frame");
    for (phase, proof) in [("2: Ideas", &["mode=widen"][..]), ("3: Choice", &[]), ("4: Debrief", &[])] {
        assert_eq!(go(&stage, phase, proof), format!("S: brainstorm, phase {phase} ({} of 5)", &phase[..1]));
    }
}
