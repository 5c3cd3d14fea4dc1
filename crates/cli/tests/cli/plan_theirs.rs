//! What belongs to the person while a plan is open: their changes, their task, their worktrees; and circles that a narrow pass does not end.

use serde_json::json;

use crate::plan::{ROUTER, edited, new, plan, ran, stage, told};
use crate::stage::{SESSION, Stage, run};

/// A repository in which a work step owes a commit, with the person's own changes in it.
fn owing() -> Stage {
    let stage = stage();
    stage.write(".engine/config.toml", "[plan]\ncommit = \"commit\"\n");
    stage.write("a.txt", "a\n");
    stage.write("src/app.py", "a\n");
    stage.git(&["init", "-q", "-b", "main"]);
    stage.git(&["add", "."]);
    stage.git(&["commit", "-qm", "first"]);
    stage.write("a.txt", "the person's\n");
    stage.write("wip ü.txt", "the person's\n");
    let router = ROUTER.replace(", files: [src/auth.rs]", "");
    assert_eq!(new(&stage, &router).code, Some(0));
    stage.ok(&["plan", "lock"]);
    stage
}

/// Finding B3.
#[test]
fn a_step_owes_what_the_plan_changed_and_not_what_the_person_had() {
    let stage = owing();
    stage.ok(&["plan", "step", "start", "1"]);
    edited(&stage, "src/app.py");
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "1"])), @r"
    exit 1
    engine: step 1: not committed: src/app.py
    ");
    stage.git(&["commit", "-qm", "second", "src/app.py"]);
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "1"])), @r"
    exit 0
    - [x] 1. Reproduce the issue
    then: step 2 begins with its first change
    ");
    // What the person begins between the steps is theirs, too; what a call of the agent changes of it is not.
    stage.write("notes.txt", "the person's\n");
    stage.ok(&["plan", "step", "start", "2"]);
    edited(&stage, "a.txt");
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "2"])), @r"
    exit 1
    engine: step 2: not committed: a.txt
    ");
    stage.git(&["commit", "-qm", "third", "a.txt"]);
    stage.ok(&["plan", "step", "done", "2"]);
    assert_eq!(stage.git(&["status", "--porcelain", "-z", "--", "*.txt"]), "?? notes.txt\0?? wip ü.txt\0");
}

#[test]
fn what_the_agent_edits_before_a_step_is_owed_by_it() {
    let stage = owing();
    edited(&stage, "src/early.py");
    insta::assert_snapshot!(told(&plan(&stage, &["step", "done", "1"])), @r"
    exit 1
    engine: step 1: not committed: src/early.py
    ");
}

const FILE: &str = "# Session\n\n## Pending Tasks\n\n- [ ] **Lexer**\n- [ ] **Login**\n";

/// How a task is started.
type Start = fn(&Stage);

/// Finding C4: the task in progress is done with the plan, however it was started.
#[test]
fn the_task_in_progress_is_done_with_its_plan() {
    let close = |stage: &Stage| {
        let short = ROUTER
            .replace("  - \"Reproduce the issue\"\n  - {text: Fix it, files: [src/auth.rs]}\n", "")
            .replace("  - {text: the login is documented, file: docs/login.md}\n", "");
        assert_eq!(new(stage, &short).code, Some(0));
        stage.ok(&["plan", "lock"]);
        stage.ok(&["plan", "step", "start", "1"]);
        ran(stage, "cargo test", 0);
        stage.ok(&["plan", "step", "done", "1"]);
        stage.ok(&["plan", "verify"]);
        // The report follows.
        let closed = stage.ok(&["plan", "close"]);
        format!("{}\n", closed.split("\n\n").next().unwrap_or_default())
    };
    let tasks = |stage: &Stage| {
        let text = stage.read("session.md");
        text.lines().filter(|line| line.starts_with("- [")).collect::<Vec<_>>().join(" ")
    };
    let closed = "plan fix-the-login is closed; plans/fix-the-login/PLAN.md\n";
    // By a command, by a shortcut, by hand.
    let starts: [(&str, Start); 3] = [
        ("command", |stage| drop(stage.ok(&["task", "start", "Lexer"]))),
        ("shortcut", |stage| drop(stage.hook(&stage.prompt("x")))),
        ("hand", |stage| stage.write("session.md", &FILE.replace("[ ] **Lexer", "[>] **Lexer"))),
    ];
    for (how, start) in starts {
        let stage = stage();
        stage.write("session.md", FILE);
        start(&stage);
        assert_eq!(close(&stage), format!("{closed}Lexer: done\n"), "{how}");
        assert_eq!(tasks(&stage), "- [x] **Lexer** - [ ] **Login**", "{how}");
    }
    // Marked after the plan was made.
    let late = stage();
    late.write("session.md", FILE);
    assert_eq!(new(&late, ROUTER).code, Some(0));
    late.write("session.md", &FILE.replace("[ ] **Login", "[>] **Login"));
    late.at_terminal(&["plan", "close", "--user-approved", "not wanted"]);
    assert_eq!(tasks(&late), "- [ ] **Lexer** - [>] **Login**", "what was left open is not done");
    assert_eq!(close(&late), "plan fix-the-login-2 is closed; plans/fix-the-login-2/PLAN.md\nLogin: done\n");
    // Two by hand, or one that another session works on: nobody knows, or it is not ours.
    let two = stage();
    two.write("session.md", &FILE.replace("[ ]", "[>]"));
    assert_eq!(close(&two), closed);
    let elsewhere = stage();
    elsewhere.write("session.md", FILE);
    elsewhere.hook(&elsewhere.event_with("SessionStart", &json!({"session_id": "s-other"})));
    let mut other = elsewhere.command(&["task", "start", "Lexer"]);
    other.env("CLAUDE_CODE_SESSION_ID", "s-other");
    assert_eq!(run(other, None).code, Some(0));
    assert_eq!(close(&elsewhere), closed);
    assert_eq!(tasks(&elsewhere), "- [>] **Lexer** - [ ] **Login**");
}

/// Finding C8: the plans of a worktree, seen from the main checkout.
#[test]
fn a_plan_of_a_worktree_is_listed_with_a_page_that_exists() {
    let stage = stage();
    stage.git(&["init", "-q", "-b", "main"]);
    stage.git(&["add", ".engine/config.toml"]);
    stage.git(&["commit", "-qm", "first"]);
    let tree = stage.home().join("tree");
    stage.git(&["worktree", "add", "-q", &tree.display().to_string(), "-b", "other"]);
    let there = |args: &[&str], input: Option<&str>| {
        let mut command = stage.command_in(&tree, args);
        command.env("CLAUDE_CODE_SESSION_ID", "s-tree").env("CLAUDE_PROJECT_DIR", &tree);
        run(command, input.map(str::as_bytes))
    };
    stage.hook(&stage.event_with("SessionStart", &json!({"session_id": "s-tree", "cwd": tree})));
    insta::assert_snapshot!(told(&there(&["plan", "new"], Some(ROUTER))), @r"
    exit 0
    plan fix-the-login: 3 steps, 2 criteria; plans/fix-the-login/PLAN.md
    guardrails: verify_before_complete, require_acceptance_test
    then: engine plan lock
    ");
    insta::assert_snapshot!(there(&["plan", "list"], None).stdout, @"fix-the-login  draft  0 of 3 steps  plans/fix-the-login/PLAN.md");
    insta::assert_snapshot!(stage.masked(&stage.ok(&["plan", "list"])), @"fix-the-login  draft  0 of 3 steps  [TOP]/home/tree/plans/fix-the-login/PLAN.md");
    // A person in the main checkout changes it: its page stays where it is.
    let person = stage.at_terminal(&["plan", "lock", "--plan", "fix-the-login"]);
    assert_eq!(person.code, Some(0), "{}", person.stderr);
    assert!(!stage.exists("plans") && tree.join("plans/fix-the-login/PLAN.md").is_file());
    // Its session ends, the worktree goes: there is no page any more, and nothing is made in its place.
    stage.hook(&stage.event_with("SessionEnd", &json!({"session_id": "s-tree"})));
    stage.git(&["worktree", "remove", "--force", &tree.display().to_string()]);
    insta::assert_snapshot!(stage.ok(&["plan", "list"]), @"fix-the-login  locked  0 of 3 steps");
    let halted = stage.at_terminal(&["plan", "halt", "wait", "--plan", "fix-the-login"]);
    insta::assert_snapshot!(stage.masked(&halted.stderr), @"note: plans/fix-the-login/PLAN.md was not written: its worktree [TOP]/home/tree is gone");
    assert!(!tree.exists());
    // Whoever takes it up has it here.
    stage.ok(&["plan", "take", "fix-the-login"]);
    insta::assert_snapshot!(stage.ok(&["plan", "list"]), @"fix-the-login  halted  0 of 3 steps  plans/fix-the-login/PLAN.md");
}

/// The last part of finding A5.
#[test]
fn a_part_that_passes_ends_no_circle() {
    let stage = stage();
    let router = ROUTER.replace("proof: cargo test", "proof: pytest -q");
    assert_eq!(new(&stage, &router).code, Some(0));
    stage.ok(&["plan", "lock"]);
    let cycle = || {
        edited(&stage, "src/auth.py");
        ran(&stage, "pytest -k test_ok", 0);
        let failed = stage.event_with(
            "PostToolUseFailure",
            &json!({"session_id": SESSION, "tool_input": {"command": "pytest -q"}, "error": "Exit code 1\nno"}),
        );
        let told = stage.hook(&failed);
        ran(&stage, "pytest -k test_ok", 0);
        // A linter has its own circle.
        ran(&stage, "ruff check .", 1);
        ran(&stage, "cargo build", 0);
        if told.stdout.is_empty() { "-".to_owned() } else { told.context() }
    };
    assert_eq!([cycle(), cycle()], ["-", "-"]);
    insta::assert_snapshot!(cycle(), @"engine: plan fix-the-login is halted: src/auth.py was edited and a check failed, 3 times with no pass between. Ways out: tell the user what happened and how you would go on; reading and asking stay free; engine plan resume: engine asks the user, and after their ok the same command goes on");
}

#[test]
fn failures_of_different_checks_are_no_circle() {
    let stage = stage();
    assert_eq!(new(&stage, ROUTER).code, Some(0));
    stage.ok(&["plan", "lock"]);
    for check in
        ["cargo test", "cargo clippy", "cargo build", "cargo fmt --check", "cargo test", "cargo clippy"]
    {
        edited(&stage, "src/auth.rs");
        ran(&stage, check, 101);
    }
    assert_eq!(stage.state()["plan"].get("halted"), None, "each failed twice at most");
}
