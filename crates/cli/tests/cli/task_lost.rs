//! Tasks that go by a way that does not name their file: what is refused, and what is told afterwards and comes back.

use std::fs;

use serde_json::json;

use crate::stage::{Stage, run};
use crate::task_guard::{FILE, is_refused, reason, stage};

#[test]
fn ways_that_do_not_name_the_file_are_refused() {
    let stage = stage();
    stage.write("sub/session.md", "x");
    stage.write("other/notes.md", "x");
    for (command, is_expected) in [
        ("cp sub/* .", true),
        ("cp -r sub/. .", true),
        ("cp sub/*.md ./", true),
        ("mv sub/* .", true),
        ("install sub/* .", true),
        ("rsync -a sub/ .", true),
        ("git rm -f -- '*.md'", true),
        ("git checkout-index -f session.md", true),
        ("git checkout -- '*.md'", true),
        ("git restore '*.md'", true),
        ("git checkout -- ':/session.md'", true),
        ("git checkout HEAD -- ':(top)session.md'", true),
        ("git checkout -- ':(glob)**/*.md'", true),
        ("ln session.md h.md", true),
        ("cp -l session.md h.md", true),
        ("cp other/* .", false),
        ("cp sub/*.txt .", false),
        ("cp sub/* other/", false),
        ("cp -n other.md session.md", false),
        ("mv -n other.md session.md", false),
        ("git checkout -p -- session.md", false),
        ("git checkout -- '*.rs'", false),
        ("git checkout -- ':/src'", false),
        ("ln -s session.md h.md", false),
        ("cp session.md h.md", false),
    ] {
        let reason = reason(&stage, &stage.bash(command));
        assert_eq!(is_refused(&reason), is_expected, "{command}: {reason}");
    }
    insta::assert_snapshot!(reason(&stage, &stage.bash("ln session.md h.md")), @"engine rule tasks: `ln session.md h.md` would give another name to session.md, which has 2 open tasks (Alpha, Beta), and the result cannot be foreseen. Instead: engine task done, cancel, block, edit or move NAME, engine task add NAME, engine handoff for its other sections. With the Edit or Write tool any change passes that keeps the tasks and their states.");
}

#[test]
fn what_no_rule_sees_is_told_at_the_end_of_the_turn_and_comes_back() {
    let stage = stage();
    let stop = || {
        let out = stage.hook(&stage.event_with("Stop", &json!({"stop_hook_active": false})));
        if out.stdout.is_empty() {
            String::new()
        } else {
            out.json()["systemMessage"].as_str().unwrap_or_default().to_owned()
        }
    };
    stage.hook(&stage.event_with("SessionStart", &json!({"source": "startup"})));
    assert_eq!(stop(), "");
    stage.write(
        "session.md",
        &FILE
            .replace("- [ ] **Alpha** — `/a` | opus\n  - note\n", "")
            .replace("- [x] **Old** — | sonnet\n", ""),
    );
    insta::assert_snapshot!(stop(), @"engine: session.md has lost 1 open task: Alpha; to get them back: engine task recover");
    assert_eq!(stop(), "");
    insta::assert_snapshot!(stage.ok(&["task", "recover"]), @"recovered in session.md: Alpha");
    assert!(
        stage
            .read("session.md")
            .contains("- [>] **Beta** — | sonnet\n- [ ] **Alpha** — `/a` | opus\n  - note\n")
    );
    let out = stage.engine(&["task", "recover"]);
    insta::assert_snapshot!(out.stderr, @"engine: session.md has lost no task");
    // What the commands end may go.
    stage.ok(&["task", "cancel", "Alpha"]);
    stage.write("session.md", &FILE.replace("- [ ] **Alpha** — `/a` | opus\n  - note\n", ""));
    assert_eq!(stop(), "");
    // The whole file.
    fs::remove_file(stage.root().join("session.md")).unwrap();
    insta::assert_snapshot!(stop(), @"engine: session.md has lost 1 open task: Beta; to get them back: engine task recover");
    stage.ok(&["task", "recover"]);
    assert_eq!(stage.read("session.md").matches("- [>] **Beta** — | sonnet").count(), 1);
}

/// `.engine/` is not committed, and each worktree has a task file all the same.
#[test]
fn a_worktree_without_engine_has_its_own_tasks() {
    for place in ["../tree", ".claude/worktrees/tree"] {
        let stage = Stage::bare();
        stage.git(&["init", "-q", "-b", "main"]);
        stage.write("session.md", FILE);
        stage.git(&["add", "session.md"]);
        stage.git(&["commit", "-qm", "start"]);
        stage.ok(&["init"]);
        stage.git(&["worktree", "add", "-q", place]);
        let tree = fs::canonicalize(stage.root().join(place)).unwrap();
        let engine = |args: &[&str]| {
            let out = run(stage.command_in(&tree, args), None);
            assert_eq!(out.code, Some(0), "{args:?}: {}", out.stderr);
            out.stdout
        };
        engine(&["task", "done", "Beta"]);
        engine(&["task", "add", "New"]);
        engine(&["handoff", "--status", "Of the tree."]);
        let text = fs::read_to_string(tree.join("session.md")).unwrap();
        assert!(
            text.contains("[x] **Beta**") && text.contains("**New**") && text.contains("Of the tree."),
            "{text}"
        );
        assert_eq!(stage.read("session.md"), FILE, "{place}");
        assert!(!tree.join(".engine").exists());
        // What is over there is not started here.
        let held = stage.engine(&["task", "start", "Beta"]);
        assert!(
            held.stderr.contains("Beta is in progress already") || held.code != Some(0),
            "{}",
            held.stderr
        );
        // A prompt in the worktree.
        let mut event = stage.prompt("p: from the worktree");
        event["cwd"] = json!(tree);
        let mut hook = stage.command_in(&tree, &["hook"]);
        hook.env("CLAUDE_PROJECT_DIR", &tree);
        run(hook, Some(event.to_string().as_bytes()));
        assert!(fs::read_to_string(tree.join("session.md")).unwrap().contains("rom the worktree"));
        assert_eq!(stage.read("session.md"), FILE, "{place}");
        // Without a file of its own it goes on with that of the main checkout.
        fs::remove_file(tree.join("session.md")).unwrap();
        assert!(engine(&["task", "list"]).contains("Beta"));
    }
}

#[test]
fn what_waits_for_itself_or_is_held_is_refused() {
    let stage = stage();
    let refused = |args: &[&str]| {
        let out = stage.engine(args);
        assert_ne!(out.code, Some(0), "{args:?}: {}", out.stdout);
        out.stderr
    };
    insta::assert_snapshot!(refused(&["task", "edit", "Alpha", "--needs", "Alpha"]), @"engine: Alpha would wait for itself: Alpha → Alpha");
    stage.ok(&["task", "edit", "Alpha", "--needs", "Beta"]);
    insta::assert_snapshot!(refused(&["task", "edit", "Beta", "--needs", "Alpha"]), @"engine: Beta would wait for itself: Beta → Alpha → Beta");
    // What was cancelled is not done.
    stage.ok(&["task", "cancel", "Beta"]);
    assert!(refused(&["task", "start", "Alpha"]).contains("Alpha waits for Beta"));
    // A letter is too little to end a task by.
    insta::assert_snapshot!(refused(&["task", "done", "a"]), @"
    engine: a could be: Alpha
      give the whole name, or its id
    ");
    stage.ok(&["task", "done", "alpha"]);
}

#[test]
fn a_handoff_can_always_be_written_again() {
    let stage = stage();
    for _ in 0..2 {
        stage.ok(&[
            "handoff",
            "--status",
            "Going\n=======\n- [ ] x",
            "--done",
            "[x] lexer",
            "--note",
            "- [ ] ask Ada",
        ]);
    }
    stage.ok(&["task", "validate"]);
    let text = stage.read("session.md");
    assert!(
        text.contains("\n\\=======\n- \\[ ] x (")
            && text.contains("- \\[x] lexer (")
            && text.contains("- \\[ ] ask Ada ("),
        "{text}"
    );
}
