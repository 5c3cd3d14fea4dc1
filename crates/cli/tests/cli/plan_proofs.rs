//! Proofs that are fixed at the lock: what counts for a criterion, and what does not. Programs of our own stand in for those that check; a
//! test passes for them if no `.py` file below their folder says `broken`.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use crate::plan::{new, plan, stage, told};
use crate::stage::{Output, SESSION, Stage, run};

/// What an agent's shell finds before anything else.
const PROGRAMS: [(&str, &str); 5] = [
    ("pytest", "case \" $* \" in *' -k ok '*) exit 0;; esac\n! grep -rq broken --include='*.py' .\n"),
    ("python3", "if [ \"$1\" = --version ]; then echo Python 3; else . \"./$1\"; fi\n"),
    ("make", ". \"./$1.sh\"\n"),
    ("npm", "sh -c \"$(sed -n 's/.*\"test\": *\"\\([^\"]*\\)\".*/\\1/p' package.json)\"\n"),
    ("cargo", "exit 1\n"),
];

/// A repository with tests that pass.
pub(crate) fn project() -> Stage {
    let stage = stage();
    program(&stage, "home/bin", &PROGRAMS);
    for (path, text) in [
        ("a.txt", "a\n"),
        ("tests/test_a.py", "fine\n"),
        ("packages/api/test_api.py", "fine\n"),
        ("package.json", "{\"scripts\": {\"test\": \"pytest\"}}\n"),
        ("gen.sh", "echo broken > tests/test_a.py\n"),
        ("gen.py", "echo brok''en > tests/test_a.py\n"),
    ] {
        stage.write(path, text);
    }
    stage.git(&["init", "-q", "-b", "main"]);
    stage.git(&["add", "."]);
    stage.git(&["commit", "-qm", "first"]);
    stage
}

fn program(stage: &Stage, folder: &str, programs: &[(&str, &str)]) {
    let folder = stage.home().parent().unwrap().join(folder);
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in programs {
        let path = folder.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// A plan with one work step and these criteria, and more steps.
pub(crate) fn router(criteria: &[&str], steps: &[&str]) -> String {
    let list = |items: &[&str]| items.iter().map(|item| format!("  - {{{item}}}\n")).collect::<String>();
    format!(
        "task_type: debug\nworkflow: verify-first\nskills_to_invoke: []\nguardrails: {{plan_mode: false, verify_before_complete: false, answer_only: false, require_acceptance_test: false, quote_errors_exactly: false, fix_within_design: false, require_skill: null}}\nenriched_context: x\ntodo_items:\n  - Do it\n{}acceptance_criteria:\n{}warnings: []\noriginal_fragment: Fix the login\n",
        list(steps),
        list(criteria)
    )
}

pub(crate) fn made(criteria: &[&str], steps: &[&str]) -> Stage {
    let stage = project();
    let output = new(&stage, &router(criteria, steps));
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    stage
}

/// Locked, with its work step done.
pub(crate) fn worked(criteria: &[&str], steps: &[&str]) -> Stage {
    let stage = made(criteria, steps);
    stage.ok(&["plan", "lock"]);
    step(&stage, "1");
    stage
}

pub(crate) fn step(stage: &Stage, number: &str) {
    stage.ok(&["plan", "step", "start", number]);
    stage.ok(&["plan", "step", "done", number]);
}

/// A command of the agent, as its client runs it: an event before, a shell, an event after. Its exit status comes back.
pub(crate) fn shell(stage: &Stage, command: &str) -> Output {
    shell_of(stage, command, "", None)
}

/// The same by a subagent of this type, in a folder.
pub(crate) fn shell_of(stage: &Stage, command: &str, folder: &str, kind: Option<&str>) -> Output {
    shell_by(stage, command, folder, kind.map(|kind| (kind, "a1")))
}

/// The same by a subagent of this type and id.
pub(crate) fn shell_by(stage: &Stage, command: &str, folder: &str, agent: Option<(&str, &str)>) -> Output {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let call = format!("toolu_{}", CALLS.fetch_add(1, Ordering::Relaxed));
    let folder = if folder.is_empty() { stage.root() } else { stage.root().join(folder) };
    let event = |name: &str| {
        let mut event = stage.event_with(
            name,
            &json!({"session_id": SESSION, "tool_use_id": call, "tool_input": {"command": command}, "cwd": folder}),
        );
        if let Some((kind, id)) = agent {
            event["agent_id"] = json!(id);
            event["agent_type"] = json!(kind);
        }
        event
    };
    stage.hook(&event("PreToolUse")).assert_silent();
    let mut program = stage.program_in(&folder, "bash");
    let engine = Path::new(env!("CARGO_BIN_EXE_engine")).parent().unwrap();
    let path = format!("{}:{}:/usr/bin:/bin", stage.home().join("bin").display(), engine.display());
    program
        .args(["-c", command])
        .env("PATH", path)
        .env("CLAUDECODE", "1")
        .env("CLAUDE_CODE_SESSION_ID", SESSION);
    let output = run(program, None);
    if output.code == Some(0) {
        stage.send(&event("PostToolUse"));
    } else {
        let mut failed = event("PostToolUseFailure");
        failed["error"] = json!(format!("Exit code {}\n{}", output.code.unwrap_or(1), output.stderr));
        stage.hook(&failed);
    }
    output
}

#[track_caller]
pub(crate) fn passes(stage: &Stage, command: &str) {
    let output = shell(stage, command);
    assert_eq!(output.code, Some(0), "{command}: {}", output.stderr);
}

pub(crate) fn verify(stage: &Stage, number: &str) -> String {
    told(&plan(stage, &["verify", number]))
}

pub(crate) const PYTEST: &str = "text: all tests pass, proof: pytest";

/// A1: the agent cannot name what shows a criterion; the last run of its proof decides.
#[test]
fn any_other_command_proves_nothing() {
    let stage = worked(
        &[PYTEST, "text: a.txt says so, file: a.txt", "text: it is committed, proof: commit"],
        &["text: \"CHECKPOINT: pytest passes\", proof: pytest"],
    );
    stage.write("tests/test_a.py", "broken\n");
    assert_eq!(shell(&stage, "pytest").code, Some(1));
    stage.ok(&["plan", "step", "start", "2"]);
    for command in ["ls", "git status --short", "cat a.txt", "python3 --version"] {
        passes(&stage, command);
        insta::allow_duplicates! {
            insta::assert_snapshot!(verify(&stage, "1"), @"
            exit 1
            engine: criterion 1: `pytest` ended with 1 when it ran last
              engine evidence lists what ran
            ");
        }
        for call in [&["verify", "1"][..], &["step", "done", "2"]] {
            let named = plan(&stage, &[call, &["--evidence", command]].concat());
            insta::allow_duplicates! {
                insta::assert_snapshot!(told(&named).lines().take(2).collect::<Vec<_>>().join("\n"), @"
                exit 2
                error: unexpected argument '--evidence' found
                ");
            }
        }
    }
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "2"])), @"
    exit 1
    engine: step 2: `pytest` ended with 1 when it ran last
      engine evidence lists what ran
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["verify"])), @"
    exit 1
    engine: criterion 1: `pytest` ended with 1 when it ran last
    criterion 2: a.txt has not changed since the lock
    criterion 3: nothing was committed since the lock
      engine evidence lists what ran
    ");
    insta::assert_snapshot!(told(&plan(&stage, &["close"])), @r#"
    exit 1
    engine: plan fix-the-login stays open
    step 2 is active: pytest passes
    criterion 1: `pytest` ended with 1 when it ran last
    criterion 2: a.txt has not changed since the lock
    criterion 3: nothing was committed since the lock
    `pytest` failed, and no run of it has passed since
      or engine plan close --user-approved "why"; engine asks the user
    "#);
}

/// A2: a run counts in its own folder.
#[test]
fn a_run_in_another_folder_proves_nothing() {
    let stage = worked(&["text: the api works, proof: pytest -q, in: packages/api"], &[]);
    stage.write("packages/api/test_api.py", "broken\n");
    passes(&stage, "cd tests && pytest -q");
    insta::assert_snapshot!(verify(&stage, "1"), @"
    exit 1
    engine: criterion 1: `pytest -q` ran in tests, and in packages/api it was not run since the lock: engine check --in 'packages/api' -- pytest -q
      engine evidence lists what ran
    ");
    assert_eq!(shell_of(&stage, "pytest -q", "tests", None).code, Some(0));
    insta::assert_snapshot!(verify(&stage, "1"), @"
    exit 1
    engine: criterion 1: `pytest -q` ran in tests, and in packages/api it was not run since the lock: engine check --in 'packages/api' -- pytest -q
      engine evidence lists what ran
    ");
    assert_eq!(shell(&stage, "cd packages/api && pytest -q").code, Some(1));
    insta::assert_snapshot!(verify(&stage, "1"), @"
    exit 1
    engine: criterion 1: `pytest -q` in packages/api ended with 1 when it ran last
      engine evidence lists what ran
    ");
    stage.write("packages/api/test_api.py", "fine\n");
    assert_eq!(shell_of(&stage, "pytest", "packages/api", None).code, Some(0));
    insta::assert_snapshot!(verify(&stage, "1"), @"
    exit 0
    1. the api works
       met [DAY] [TIME]: `pytest -q` in packages/api passed
    ");
}

/// A3: what passed is the content that was there. Who changes it afterwards does not matter.
#[test]
fn a_file_that_changed_since_the_pass_is_named() {
    let stage = worked(&[PYTEST], &["text: \"CHECKPOINT: pytest passes\", proof: pytest"]);
    passes(&stage, "pytest");
    passes(&stage, "python3 gen.py");
    stage.ok(&["plan", "step", "start", "2"]);
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "2"])), @"
    exit 1
    engine: step 2: changed since `pytest` passed: tests/test_a.py. Run it again: engine check -- pytest
      engine evidence lists what ran
    ");
    insta::assert_snapshot!(verify(&stage, "1"), @"
    exit 1
    engine: criterion 1: changed since `pytest` passed: tests/test_a.py. Run it again: engine check -- pytest
      engine evidence lists what ran
    ");
    stage.write("tests/test_a.py", "fine again\n");
    passes(&stage, "pytest");
    stage.ok(&["plan", "step", "done", "2"]);
    insta::assert_snapshot!(verify(&stage, "1"), @"
    exit 0
    1. all tests pass
       met [DAY] [TIME]: `pytest` passed
    ");
    // A person, in an editor.
    stage.write("tests/test_a.py", "broken\n");
    stage.write("tests/test_b.py", "new\n");
    insta::assert_snapshot!(told(&plan(&stage, &["close"])), @r#"
    exit 1
    engine: plan fix-the-login stays open
    criterion 1 is not shown any more: changed since `pytest` passed: tests/test_a.py, tests/test_b.py. Run it again: engine check -- pytest
      or engine plan close --user-approved "why"; engine asks the user
    "#);
    // As it was.
    stage.write("tests/test_a.py", "fine again\n");
    std::fs::remove_file(stage.root().join("tests/test_b.py")).unwrap();
    stage.ok(&["plan", "close"]);
}

/// F6: formatters and generators are the last step of real work.
#[test]
fn what_scripts_rewrite_is_seen() {
    for script in ["python3 gen.py", "make gen", "bash gen.sh"] {
        let stage = worked(&[PYTEST], &[]);
        passes(&stage, "pytest");
        passes(&stage, script);
        insta::allow_duplicates! {
            insta::assert_snapshot!(verify(&stage, "1"), @"
            exit 1
            engine: criterion 1: changed since `pytest` passed: tests/test_a.py. Run it again: engine check -- pytest
              engine evidence lists what ran
            ");
        }
        // On the same line, too.
        stage.write("tests/test_a.py", "fine\n");
        passes(&stage, &format!("pytest && {script}"));
        let told = verify(&stage, "1").replace(script, "SCRIPT");
        insta::allow_duplicates! {
            insta::assert_snapshot!(told, @"
            exit 1
            engine: criterion 1: changed since `pytest` passed: tests/test_a.py. Run it again: engine check -- pytest
              engine evidence lists what ran
            ");
        }
    }
}

/// Attack 12: another program of the same name.
#[test]
fn a_program_that_is_not_the_one_that_is_meant_proves_nothing() {
    let mut seen = Vec::new();
    for command in [
        "PATH=FAKE:$PATH engine check -- cargo test",
        "PATH=FAKE:$PATH cargo test",
        "export PATH=FAKE:$PATH; cargo test",
        "export PATH=FAKE:$PATH; engine check -- cargo test",
        "bash -c 'PATH=FAKE:$PATH; engine check -- cargo test'",
        "env PATH=FAKE:$PATH cargo test",
        "FAKE/cargo test",
        "engine check -- FAKE/cargo test",
        "shopt -s expand_aliases\nalias cargo=FAKE/cargo\ncargo test",
        "cargo() { FAKE/cargo; }; cargo test",
        "./checks.sh",
    ] {
        let stage = worked(&["text: all tests pass, proof: cargo test"], &[]);
        program(&stage, "fb", &[("cargo", "exit 0\n")]);
        let fake = stage.home().parent().unwrap().join("fb").display().to_string();
        program(
            &stage,
            "project",
            &[("checks.sh", &format!("PATH={fake}:$PATH engine check -- cargo test"))],
        );
        passes(&stage, &command.replace("FAKE", &fake));
        let told = verify(&stage, "1").lines().nth(1).unwrap_or_default().to_owned();
        seen.push(format!("{command}\n  {told}"));
        // One that asked for permission and got none stays open, and says nothing of the next.
        stage.hook(&stage.bash("engine check -- cargo test")).assert_silent();
        passes(&stage, &command.replace("FAKE", &fake));
        assert_eq!(verify(&stage, "1").lines().nth(1), Some(told.as_str()), "{command}");
    }
    insta::assert_snapshot!(seen.join("\n"), @"
    PATH=FAKE:$PATH engine check -- cargo test
      engine: criterion 1: whether `cargo test` passed cannot be told (PATH was changed for it): engine check -- cargo test
    PATH=FAKE:$PATH cargo test
      engine: criterion 1: whether `cargo test` passed cannot be told (PATH was changed for it): engine check -- cargo test
    export PATH=FAKE:$PATH; cargo test
      engine: criterion 1: whether `cargo test` passed cannot be told (PATH was changed for it): engine check -- cargo test
    export PATH=FAKE:$PATH; engine check -- cargo test
      engine: criterion 1: whether `cargo test` passed cannot be told (PATH was changed for it): engine check -- cargo test
    bash -c 'PATH=FAKE:$PATH; engine check -- cargo test'
      engine: criterion 1: whether `cargo test` passed cannot be told (PATH was changed for it): engine check -- cargo test
    env PATH=FAKE:$PATH cargo test
      engine: criterion 1: whether `cargo test` passed cannot be told (PATH was changed for it): engine check -- cargo test
    FAKE/cargo test
      engine: criterion 1: `cargo test` was not run since the lock: engine check -- cargo test
    engine check -- FAKE/cargo test
      engine: criterion 1: `cargo test` was not run since the lock: engine check -- cargo test
    shopt -s expand_aliases
    alias cargo=FAKE/cargo
    cargo test
      engine: criterion 1: whether `cargo test` passed cannot be told (the line defines an alias cargo): engine check -- cargo test
    cargo() { FAKE/cargo; }; cargo test
      engine: criterion 1: `cargo test` was not run since the lock: engine check -- cargo test
    ./checks.sh
      engine: criterion 1: whether `cargo test` passed cannot be told (no line of the agent calls engine check for it): engine check -- cargo test
    ");
}

/// The status of a line hides that of a program in it; `engine check` keeps it apart.
#[test]
fn engine_check_counts_whatever_the_line_makes_of_its_status() {
    for line in [
        "engine check -- pytest 2>&1 | tail -3",
        "engine check -- pytest > out.txt || true",
        "cd tests; cd ..; engine check -- pytest",
    ] {
        let stage = worked(&[PYTEST], &[]);
        passes(&stage, line);
        insta::allow_duplicates! {
            insta::assert_snapshot!(verify(&stage, "1"), @"
            exit 0
            1. all tests pass
               met [DAY] [TIME]: `pytest` passed
            ");
        }
        stage.write("tests/test_a.py", "broken\n");
        shell(&stage, line);
        insta::allow_duplicates! {
            insta::assert_snapshot!(verify(&stage, "1"), @"
            exit 1
            engine: criterion 1: `pytest` ended with 1 when it ran last
              engine evidence lists what ran
            ");
        }
    }
}

#[test]
fn red_stays_red_until_the_same_check_passes() {
    let stage = worked(&["text: the api works, proof: npm test", "text: it is said, file: a.txt"], &[]);
    stage.write("tests/test_b.py", "broken\n");
    stage.write("package.json", "{\"scripts\": {\"test\": \"cd packages/api && pytest\"}}\n");
    assert_eq!(shell(&stage, "pytest").code, Some(1));
    stage.write("a.txt", "b\n");
    insta::assert_snapshot!(verify(&stage, "2"), @"
    exit 0
    2. it is said
       met [DAY] [TIME]: changed: a.txt (+1 −1)
    ");
    for narrow in ["pytest -k ok", "cd packages/api && pytest", "cargo --version", "pytest --co || true"] {
        shell(&stage, narrow);
        insta::allow_duplicates! {
            insta::assert_snapshot!(told(&plan(&stage, &["close"])), @r#"
            exit 1
            engine: plan fix-the-login stays open
            criterion 1: `npm test` was not run since the lock: engine check -- npm test
            `pytest` failed, and no run of it has passed since
              or engine plan close --user-approved "why"; engine asks the user
            "#);
        }
    }
    std::fs::remove_file(stage.root().join("tests/test_b.py")).unwrap();
    stage.write("package.json", "{\"scripts\": {\"test\": \"pytest\"}}\n");
    passes(&stage, "npm test");
    insta::assert_snapshot!(verify(&stage, "1"), @"
    exit 1
    engine: criterion 1: `pytest` failed, and no run of it has passed since
      engine evidence lists what ran
    ");
    passes(&stage, "pytest -v");
    stage.ok(&["plan", "verify"]);
    stage.ok(&["plan", "close"]);
}

/// What was red before the lock holds nothing up until it has passed once.
#[test]
fn what_was_red_before_and_passed_since_is_red_again() {
    let stage = made(&["text: it is said, file: a.txt"], &[]);
    stage.write("tests/test_b.py", "broken\n");
    assert_eq!(shell(&stage, "pytest").code, Some(1));
    stage.ok(&["plan", "lock"]);
    step(&stage, "1");
    stage.write("a.txt", "b\n");
    stage.ok(&["plan", "verify"]);
    let open =
        || serde_json::from_str::<Value>(&stage.ok(&["plan", "report", "--json"])).unwrap()["open"].take();
    assert_eq!(shell(&stage, "pytest").code, Some(1));
    assert_eq!(open(), json!([]));
    // A narrower pass changes nothing.
    passes(&stage, "pytest -k ok");
    assert_eq!(shell(&stage, "pytest").code, Some(1));
    assert_eq!(open(), json!([]));
    stage.write("tests/test_b.py", "fine\n");
    passes(&stage, "pytest");
    assert_eq!(open(), json!([]));
    stage.write("tests/test_b.py", "broken\n");
    assert_eq!(shell(&stage, "pytest").code, Some(1));
    insta::assert_snapshot!(told(&plan(&stage, &["close"])), @r#"
    exit 1
    engine: plan fix-the-login stays open
    `pytest` failed, and no run of it has passed since
      or engine plan close --user-approved "why"; engine asks the user
    "#);
}

#[test]
fn a_reproduction_fails_once() {
    let stage = worked(&[PYTEST], &["text: \"CHECKPOINT: it is reproduced\", fails: pytest"]);
    stage.ok(&["plan", "step", "start", "2"]);
    passes(&stage, "pytest");
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "2"])), @"
    exit 1
    engine: step 2: `pytest` passed, and has not failed since the lock
      engine evidence lists what ran
    ");
    stage.write("tests/test_b.py", "broken\n");
    assert_eq!(shell(&stage, "pytest | tail -1").code, Some(0));
    // A pipe shows no failure.
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "2"])), @"
    exit 1
    engine: step 2: `pytest` passed, and has not failed since the lock
      engine evidence lists what ran
    ");
    assert_eq!(shell(&stage, "pytest").code, Some(1));
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "2"])), @"
    exit 0
    - [x] 2. CHECKPOINT: it is reproduced (`pytest` failed with 1)
    all steps are done; then: engine plan close
    ");
    // It stays shown when it is mended.
    stage.write("tests/test_b.py", "fine\n");
    passes(&stage, "pytest");
    stage.ok(&["plan", "verify"]);
    stage.ok(&["plan", "close"]);
}

#[test]
fn a_file_changes_a_commit_is_made_and_pushed() {
    let stage = worked(
        &[
            "text: a.txt says so, file: a.txt",
            "text: it is committed, proof: commit",
            "text: it is out, proof: push",
        ],
        &[],
    );
    insta::assert_snapshot!(told(&plan(&stage, &["verify"])), @"
    exit 1
    engine: criterion 1: a.txt has not changed since the lock
    criterion 2: nothing was committed since the lock
    criterion 3: nothing was committed since the lock
      engine evidence lists what ran
    ");
    stage.write("a.txt", "b\nc\n");
    insta::assert_snapshot!(verify(&stage, "1"), @"
    exit 0
    1. a.txt says so
       met [DAY] [TIME]: changed: a.txt (+2 −1)
    ");
    stage.git(&["commit", "-q", "--allow-empty", "-m", "nothing"]);
    insta::assert_snapshot!(verify(&stage, "2"), @"
    exit 1
    engine: criterion 2: what was committed since the lock changes nothing
      engine evidence lists what ran
    ");
    stage.git(&["commit", "-qam", "say so"]);
    let hash = stage.git(&["rev-parse", "--short", "HEAD"]).trim().to_owned();
    insta::assert_snapshot!(verify(&stage, "2").replace(&hash, "[COMMIT]"), @"
    exit 0
    2. it is committed
       met [DAY] [TIME]: commit [COMMIT] say so
    ");
    insta::assert_snapshot!(verify(&stage, "3"), @"
    exit 1
    engine: criterion 3: HEAD is on no remote branch: git push
      engine evidence lists what ran
    ");
    let remote = stage.home().join("remote.git").display().to_string();
    stage.git(&["init", "-q", "--bare", &remote]);
    stage.git(&["remote", "add", "origin", &remote]);
    stage.git(&["push", "-q", "--set-upstream", "origin", "HEAD"]);
    insta::assert_snapshot!(told(&plan(&stage, &["verify"])).replace(&hash, "[COMMIT]"), @"
    exit 0
    1. a.txt says so
       met [DAY] [TIME]: changed: a.txt (+2 −1)
    2. it is committed
       met [DAY] [TIME]: commit [COMMIT] say so
    3. it is out
       met [DAY] [TIME]: commit [COMMIT] say so, pushed
    ");
    stage.ok(&["plan", "close"]);
}

#[test]
fn what_is_the_same_content_stays_proved() {
    let stage = made(&[PYTEST], &[]);
    stage.ok(&["plan", "lock"]);
    stage.write("tests/test_a.py", "fine and well\n");
    passes(&stage, "pytest");
    passes(&stage, "touch tests/test_a.py a.txt");
    stage.git(&["add", "."]);
    stage.git(&["commit", "-qm", "second"]);
    insta::assert_snapshot!(verify(&stage, "1"), @"
    exit 0
    1. all tests pass
       met [DAY] [TIME]: `pytest` passed
    ");
    // What is written about the work is not the work.
    stage.write("session.md", "# Session\n\n## Pending Tasks\n\n- [ ] **More**\n");
    stage.write("sessions/2026_02_07_AUTH/NOTES.md", "notes\n");
    stage.ok(&["plan", "step", "done", "1"]);
    let page = stage.read("plans/fix-the-login/PLAN.md");
    let steps: Vec<&str> = page.lines().filter(|line| line.starts_with("- [")).collect();
    assert_eq!(steps, ["- [x] 1. Do it"]);
    stage.ok(&["plan", "close"]);
}

/// What was kept to compare with is gone: it grew too large, or was not used for long.
fn forget_content(stage: &Stage) {
    std::fs::remove_dir_all(stage.root().join(".engine/state/content")).unwrap();
}

#[test]
fn content_that_differs_proves_nothing_where_nobody_knows_the_files() {
    let stage = worked(&[PYTEST], &[]);
    stage.write("tests/test_a.py", "fine and well\n");
    passes(&stage, "pytest");
    forget_content(&stage);
    // The same content has the same id.
    insta::assert_snapshot!(verify(&stage, "1"), @"
    exit 0
    1. all tests pass
       met [DAY] [TIME]: `pytest` passed
    ");
    forget_content(&stage);
    stage.write("tests/test_a.py", "broken\n");
    insta::assert_snapshot!(verify(&stage, "1"), @"
    exit 1
    engine: criterion 1: the content has changed since `pytest` passed; which files is not known any more. Run it again: engine check -- pytest
      engine evidence lists what ran
    ");
}

#[test]
fn content_that_changed_under_a_check_proves_nothing_where_nobody_knows_the_files() {
    let stage = worked(&[PYTEST], &[]);
    let changes = "echo more >> tests/test_a.py\n";
    stage.write("tests/test_a.py", "fine and well\n");
    program(&stage, "home/bin", &[("pytest", changes)]);
    passes(&stage, "pytest");
    insta::assert_snapshot!(verify(&stage, "1"), @"
    exit 1
    engine: criterion 1: changed while `pytest` ran: tests/test_a.py. Run it again: engine check -- pytest
      engine evidence lists what ran
    ");
    forget_content(&stage);
    insta::assert_snapshot!(verify(&stage, "1"), @"
    exit 1
    engine: criterion 1: the content changed while `pytest` ran; which files is not known any more. Run it again: engine check -- pytest
      engine evidence lists what ran
    ");
    let stage = worked(&[PYTEST], &[]);
    stage.write("tests/test_a.py", "fine and well\n");
    program(&stage, "home/bin", &[("pytest", changes)]);
    passes(&stage, "engine check -- pytest");
    insta::assert_snapshot!(verify(&stage, "1"), @"
    exit 1
    engine: criterion 1: whether `pytest` passed cannot be told (tests/test_a.py was changed while it ran): engine check -- pytest
      engine evidence lists what ran
    ");
    program(&stage, "home/bin", &[("pytest", &format!("rm -r .engine/state/content\n{changes}"))]);
    passes(&stage, "engine check -- pytest");
    insta::assert_snapshot!(verify(&stage, "1"), @"
    exit 1
    engine: criterion 1: whether `pytest` passed cannot be told (the content changed while it ran; which files is not known any more): engine check -- pytest
      engine evidence lists what ran
    ");
}
