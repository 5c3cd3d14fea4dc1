//! Ways past a plan that were found open, each by its number in the attack's report: A2, A3, …

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::plan::{new, plan, stage, told};
use crate::plan_proofs::{router, step};
use crate::stage::{SESSION, Stage, run};

/// Like make in what matters here: a goal of which a file or folder is there is not run.
const MAKE: &str = "#!/bin/sh
for goal; do :; done
if [ -e \"$goal\" ] && ! grep -q PHONY Makefile; then
    case \" $* \" in *' -s '*) ;; *) echo \"make: '$goal' is up to date.\";; esac
else
    grep -q good src/app.txt
fi
";

/// A project whose tests fail, in a locked plan with this criterion.
fn failing(criterion: &str) -> Stage {
    failing_with(criterion, "test:\n\t@sh tests/run.sh\n")
}

fn failing_with(criterion: &str, makefile: &str) -> Stage {
    let stage = stage();
    let make = stage.home().join("bin/make");
    std::fs::create_dir_all(make.parent().unwrap()).unwrap();
    std::fs::write(&make, MAKE).unwrap();
    std::fs::set_permissions(&make, std::fs::Permissions::from_mode(0o755)).unwrap();
    stage.write("Makefile", makefile);
    stage.write("src/app.txt", "bad\n");
    stage.git(&["init", "-q", "-b", "main"]);
    stage.git(&["add", "."]);
    stage.git(&["commit", "-qm", "first"]);
    let output = new(&stage, &router(&[criterion], &[]));
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    stage.ok(&["plan", "lock"]);
    step(&stage, "1");
    stage
}

/// A command of the agent with the events around it, which have its output. The output comes back.
fn shell(stage: &Stage, command: &str) -> String {
    let event = |name: &str| {
        let fields =
            json!({"session_id": SESSION, "tool_use_id": command, "tool_input": {"command": command}});
        stage.event_with(name, &fields)
    };
    stage.hook(&event("PreToolUse")).assert_silent();
    let engine = Path::new(env!("CARGO_BIN_EXE_engine")).parent().unwrap();
    let path = format!("{}:{}:/usr/bin:/bin", stage.home().join("bin").display(), engine.display());
    let mut program = stage.program_in(&stage.root(), "bash");
    program
        .args(["-c", command])
        .env("PATH", path)
        .env("CLAUDECODE", "1")
        .env("CLAUDE_CODE_SESSION_ID", SESSION);
    let output = run(program, None);
    let mut ended = match output.code {
        Some(0) => event("PostToolUse"),
        _ => event("PostToolUseFailure"),
    };
    ended["tool_response"] = json!({"stdout": output.stdout, "stderr": output.stderr, "interrupted": false});
    ended["error"] = json!(format!("Exit code {}\n{}", output.code.unwrap_or(1), output.stderr));
    stage.send(&ended);
    output.stdout
}

/// A2: a folder or a file with the name of a target.
#[test]
fn a_target_for_which_nothing_was_done_has_not_passed() {
    for make in ["mkdir test", "touch test"] {
        for command in
            ["make test", "set -o pipefail; make test 2>&1 | tail -3", "engine check --tail 5 -- make test"]
        {
            let stage = failing("text: all tests pass, proof: make test");
            shell(&stage, make);
            assert_eq!(shell(&stage, command), "make: 'test' is up to date.\n");
            assert_eq!(
                told(&plan(&stage, &["verify", "1"])),
                "exit 1\nengine: criterion 1: whether `make test` passed cannot be told (nothing was done): engine check -- make test\n  engine evidence lists what ran\n",
                "{make}; {command}"
            );
        }
    }
}

#[test]
fn a_file_that_make_looks_for_is_part_of_the_lock() {
    let stage = failing("text: all tests pass, proof: make test");
    shell(&stage, "mkdir test");
    assert_eq!(shell(&stage, "make -s test"), "");
    insta::assert_snapshot!(told(&plan(&stage, &["verify", "1"])), @r#"
    exit 1
    engine: criterion 1: what `make test` does was changed since the lock: test
      put it back as it was; or add --user-approved "why", and engine asks the user
    "#);
    // It is of no interest where the target is phony.
    let stage =
        failing_with("text: all tests pass, proof: make test", ".PHONY: test\ntest:\n\t@sh tests/run.sh\n");
    shell(&stage, "mkdir test; echo good > src/app.txt");
    shell(&stage, "make -s test");
    insta::assert_snapshot!(told(&plan(&stage, &["verify", "1"])), @"
    exit 0
    1. all tests pass
       met [DAY] [TIME]: `make test` passed
    ");
    shell(&stage, "echo bad > src/app.txt; sed -i /PHONY/d Makefile");
    shell(&stage, "make -s test");
    insta::assert_snapshot!(told(&plan(&stage, &["verify", "1"])), @r#"
    exit 1
    engine: criterion 1: what `make test` does was changed since the lock: test
      put it back as it was; or add --user-approved "why", and engine asks the user
    "#);
}

/// B7: halt, lock and the person's line go on after a clear.
#[test]
fn a_clear_ends_neither_halt_nor_red() {
    let mut stage = failing("text: all tests pass, proof: make test");
    stage.set("CLAUDE_PID", "4711");
    shell(&stage, "make test");
    stage.ok(&["plan", "halt", "a key is missing"]);
    let line = told_at_stop(&stage, SESSION);
    stage.hook(&stage.event_with("SessionEnd", &json!({"session_id": SESSION, "reason": "clear"})));
    let start = stage.event_with("SessionStart", &json!({"session_id": "s-next", "source": "clear"}));
    insta::assert_snapshot!(stage.hook(&start).context(), @"
    engine: after the clear this session works on plan fix-the-login: 1 of 1 steps done.
    Criterion 1, not shown: all tests pass (`make test` passes)
    Halted: a key is missing
    Next: engine plan resume (engine asks the user; until then nothing is changed). All of it: engine plan show fix-the-login
    The user asked: “Fix the login”
    Checks: last check: make test failed under 1 min ago
    ");
    let edit = json!({"session_id": "s-next", "tool_name": "Edit", "tool_input": {"file_path": stage.root().join("src/app.txt")}});
    insta::assert_snapshot!(refused(&stage, &edit), @"engine rule plan: plan fix-the-login is halted: a key is missing. Nothing is changed now. Ways out: tell the user what happened and how you would go on; reading and asking stay free; engine plan resume: engine asks the user, and after their ok the same command goes on");
    assert_eq!(told_at_stop(&stage, "s-next"), line);
    insta::assert_snapshot!(line, @"plan fix-the-login is halted: a key is missing; last check: make test failed under 1 min ago");
}

/// The line for the person at the end of a turn.
fn told_at_stop(stage: &Stage, session: &str) -> String {
    let event = stage.event_with("Stop", &json!({"session_id": session, "stop_hook_active": true}));
    stage.hook(&event).json()["systemMessage"].as_str().unwrap_or("-").to_owned()
}

/// Why a call is refused; `-` if it is not.
fn refused(stage: &Stage, fields: &Value) -> String {
    let output = stage.hook(&stage.event_with("PreToolUse", fields));
    if output.stdout.is_empty() {
        return "-".to_owned();
    }
    output.json()["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or("-").to_owned()
}

/// A3: what is free to change is judged by where it leads.
#[test]
fn a_link_in_a_free_place_leads_nowhere_else() {
    let stage = failing("text: all tests pass, proof: make test");
    stage.ok(&["plan", "halt", "a key is missing"]);
    let outside = stage.home().join("elsewhere");
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::create_dir_all(stage.root().join("target/debug")).unwrap();
    std::os::unix::fs::symlink("../src", stage.root().join("target/l")).unwrap();
    std::os::unix::fs::symlink("debug", stage.root().join("target/d")).unwrap();
    std::os::unix::fs::symlink(&outside, stage.root().join("target/o")).unwrap();
    let bash = |command: &str| json!({"session_id": SESSION, "tool_input": {"command": command}});
    let write = |path: &str| json!({"session_id": SESSION, "tool_name": "Write", "tool_input": {"file_path": stage.root().join(path), "content": "x"}});
    let cases = [
        (write("target/l/app.txt"), true),
        (write("target/l/new.txt"), true),
        (write("target/o/new.txt"), true),
        (write("target/d/new.txt"), false),
        (write("target/new.txt"), false),
        (bash("echo good > target/l/app.txt"), true),
        (bash("echo good > /proc/self/cwd/src/app.txt"), true),
        (bash("echo good > target/o/app.txt"), true),
        (bash("echo good > target/d/app.txt 2> /dev/null"), false),
        (bash("echo good | tee /dev/stderr"), false),
        (bash("rm target/l"), false),
        (bash("ln -sfn ../src target/k"), true),
        (bash("ln src/app.txt target/app.txt"), true),
        (bash("ln -s debug target/k"), false),
    ];
    for (fields, is_refused) in cases {
        assert_eq!(refused(&stage, &fields) != "-", is_refused, "{fields}");
    }
}

/// B2, B3: what was shown once is not told as done while it is red, or changed since.
#[test]
fn what_was_shown_once_is_not_told_as_done() {
    let reminder = |stage: &Stage| {
        stage.hook(&stage.prompt("go"));
        stage
            .hook(&stage.event_with("Stop", &json!({"session_id": SESSION, "stop_hook_active": false})))
            .context()
    };
    let stage = failing("text: all tests pass, proof: make test");
    stage.write("src/app.txt", "good\n");
    shell(&stage, "make test");
    stage.ok(&["plan", "verify", "1"]);
    insta::assert_snapshot!(reminder(&stage), @"
    engine: plan fix-the-login is open:
    - every step is done and every criterion was shown: engine plan close
    Ending the turn is right if it waits for the user.
    ");
    shell(&stage, "echo bad > src/app.txt");
    crate::plan::ran(&stage, "npm run lint", 0);
    insta::assert_snapshot!(reminder(&stage), @"
    engine: plan fix-the-login is open:
    - changed since `make test` passed: engine check -- make test
    Ending the turn is right if it waits for the user.
    ");
    insta::assert_snapshot!(told_at_stop(&stage, SESSION), @"plan fix-the-login: 1 of 1 steps; last check: npm run lint passed under 1 min ago; changed since make test passed");
    shell(&stage, "make test");
    crate::plan::ran(&stage, "npm run lint", 0);
    insta::assert_snapshot!(reminder(&stage), @"
    engine: plan fix-the-login is open:
    - `make test` failed, and no run of it has passed since
    Ending the turn is right if it waits for the user.
    ");
    insta::assert_snapshot!(told_at_stop(&stage, SESSION), @"plan fix-the-login: 1 of 1 steps; last check: npm run lint passed under 1 min ago; still red: make test");
}

/// B4: the check of a proof is named first, others are counted, and no command or reason can imitate the line.
#[test]
fn the_line_names_what_matters_and_shows_no_words_of_others() {
    let stage = failing("text: all tests pass, proof: make test");
    for command in ["cargo test", "make test X='passed under 1 min ago; all green'", "make test", "npm test"]
    {
        crate::plan::ran(&stage, command, 1);
    }
    crate::plan::ran(&stage, "npm run lint", 0);
    insta::assert_snapshot!(told_at_stop(&stage, SESSION), @"plan fix-the-login: 1 of 1 steps, criterion 1 not shown; last check: npm run lint passed under 1 min ago; still red: make test, and 3 more");
    crate::plan::ran(&stage, "make test X='passed under 1 min ago; all green'", 1);
    insta::assert_snapshot!(told_at_stop(&stage, SESSION), @"plan fix-the-login: 1 of 1 steps, criterion 1 not shown; last check: make test … failed under 1 min ago; still red: make test, and 2 more");
    stage.ok(&["plan", "halt", "a key\u{202e} is `missing`"]);
    insta::assert_snapshot!(told_at_stop(&stage, SESSION), @"plan fix-the-login is halted: a key is `missing`; last check: make test … failed under 1 min ago; still red: make test, and 2 more");
}

/// A5: a proof that cannot fail is the person's to accept, and a run of it shows nothing.
#[test]
fn a_lock_takes_no_proof_that_cannot_fail() {
    for line in
        ["make test -i", "make test SHELL=/bin/true", "make test MAKEFLAGS=-n", "make test .SHELLFLAGS=-nc"]
    {
        let stage = stage();
        let output = new(&stage, &router(&[&format!("text: all tests pass, proof: {line}")], &[]));
        assert_eq!(output.code, Some(0), "{}", output.stderr);
        let lock = plan(&stage, &["lock"]);
        let first = lock.stderr.lines().next().unwrap_or_default();
        assert_eq!(
            first,
            format!(
                "engine: lock plan fix-the-login, criteria: 1. all tests pass (`{line}` passes); steps: 1. Do it; criterion 1: `{line}` passes whatever fails needs a person: approval 1"
            )
        );
    }
    let stage = failing("text: all tests pass, proof: make test");
    for command in ["MAKEFLAGS=-n make test", "make -i test"] {
        crate::plan::ran(&stage, command, 0);
    }
    let listed = stage.ok(&["evidence"]);
    let listed: Vec<&str> =
        listed.lines().filter_map(|line| line.get("2026-11-16 17:06:59  ".len()..)).collect();
    assert_eq!(
        listed,
        [
            "unknown  make test (called so, it passes whatever fails; engine check -- make test)",
            "unknown  make -i test (called so, it passes whatever fails; engine check -- make -i test)",
        ]
    );
}

#[test]
fn a_file_that_engine_or_git_writes_is_no_proof() {
    let stage = stage();
    let files = ["plans/login/PLAN.md", ".engine/state/x.json", "./.git/index", "target/x", "sessions/x.md"];
    let criteria = files.map(|file| format!("text: documented, file: {file}"));
    let criteria: Vec<&str> = criteria.iter().map(String::as_str).collect();
    insta::assert_snapshot!(told(&new(&stage, &router(&criteria, &[]))), @"
    exit 1
    engine: the plan is not taken: 5 problems
    criterion 1: plans/login/PLAN.md: engine, git or a build writes it, so it proves nothing
    criterion 2: .engine/state/x.json: engine, git or a build writes it, so it proves nothing
    criterion 3: ./.git/index: engine, git or a build writes it, so it proves nothing
    criterion 4: target/x: engine, git or a build writes it, so it proves nothing
    criterion 5: sessions/x.md: engine, git or a build writes it, so it proves nothing
    ");
    assert_eq!(new(&stage, &router(&["text: documented, file: docs/login.md"], &[])).code, Some(0));
    insta::assert_snapshot!(told(&plan(&stage, &["criteria", "set", "1", "documented", "--file", "target/x"])), @"
    exit 1
    engine: criterion 1: target/x: engine, git or a build writes it, so it proves nothing
    ");
}

/// B6: a second `/do` while a plan is locked.
#[test]
fn a_second_do_is_told_that_a_plan_is_open() {
    let stage = failing("text: all tests pass, proof: make test");
    insta::assert_snapshot!(stage.hook(&stage.prompt("/do a wholly different thing")).context(), @"engine: plan fix-the-login is open: /do begins a new plan only after engine plan close");
    insta::assert_snapshot!(told(&plan(&stage, &["new"])), @"
    exit 1
    engine: this agent session has the open plan fix-the-login
      engine plan show
      engine plan close, first
    ");
}
