//! The rule `tasks`: changes of the task file by which a task, or its state, would be lost.

use serde_json::{Value, json};

use crate::stage::Stage;

pub(crate) const FILE: &str = "# Session\n\n## Pending Tasks\n\n- [ ] **Alpha** — `/a` | opus\n  - note\n- [>] **Beta** — | sonnet\n- [x] **Old** — | sonnet\n\n## Notes\n\n- one\n";

pub(crate) fn stage() -> Stage {
    let stage = Stage::new();
    stage.write("session.md", FILE);
    stage
}

/// Why a call is refused; nothing if no rule speaks.
pub(crate) fn reason(stage: &Stage, event: &Value) -> String {
    let out = stage.hook(event);
    assert_eq!(out.code, Some(0));
    if out.stdout.is_empty() {
        return String::new();
    }
    let reason = out.json()["hookSpecificOutput"]["permissionDecisionReason"].clone();
    stage.masked(reason.as_str().unwrap_or_default())
}

fn call(stage: &Stage, tool: &str, input: &Value) -> String {
    reason(stage, &stage.event_with("PreToolUse", &json!({"tool_name": tool, "tool_input": input})))
}

fn write(stage: &Stage, text: &str) -> String {
    call(stage, "Write", &json!({"file_path": "session.md", "content": text}))
}

fn replace(stage: &Stage, old: &str, new: &str) -> String {
    call(stage, "Edit", &json!({"file_path": "session.md", "old_string": old, "new_string": new}))
}

pub(crate) fn is_refused(reason: &str) -> bool {
    reason.contains("engine rule tasks: ")
}

#[test]
fn a_write_that_loses_tasks_is_refused_with_the_commands() {
    let stage = stage();
    insta::assert_snapshot!(write(&stage, "## Pending Tasks\n"), @r"
    engine rule tasks: this change to session.md is refused, because tasks or their states would be lost:
    line 5: Alpha (pending) would be lost; to end it: engine task done 'Alpha' or engine task cancel 'Alpha'
    line 7: Beta (in progress) would be lost; to end it: engine task done 'Beta' or engine task cancel 'Beta'
    Tasks may be moved, reworded and added, and removed when they are over.
    ");
    insta::assert_snapshot!(replace(&stage, "- [ ] **Alpha**", "- [x] **Alpha**"), @r"
    engine rule tasks: this change to session.md is refused, because tasks or their states would be lost:
    line 5: Alpha would go from pending to done; instead: engine task done 'Alpha'
    Tasks may be moved, reworded and added, and removed when they are over.
    ");
    let tool = json!({"file_path": "session.md", "edits": [
        {"old_string": "- one", "new_string": "- two"},
        {"old_string": "- [>] **Beta** — | sonnet\n", "new_string": ""},
    ]});
    insta::assert_snapshot!(call(&stage, "MultiEdit", &tool), @r"
    engine rule tasks: this change to session.md is refused, because tasks or their states would be lost:
    line 7: Beta (in progress) would be lost; to end it: engine task done 'Beta' or engine task cancel 'Beta'
    Tasks may be moved, reworded and added, and removed when they are over.
    ");
    insta::assert_snapshot!(replace(&stage, "no such text", "x"), @"engine rule tasks: this change to session.md is refused, because the file has 2 open tasks (Alpha, Beta) and the text to replace is not in it as it is written here. Read the file again, and replace the text as it stands there.");
    let notebook = json!({"notebook_path": "session.md", "new_source": "x"});
    insta::assert_snapshot!(call(&stage, "NotebookEdit", &notebook), @"engine rule tasks: this change to session.md is refused, because the file has 2 open tasks (Alpha, Beta) and what it would become cannot be foreseen. Instead: engine task done, cancel, block, edit or move NAME, engine task add NAME, engine handoff for its other sections. With the Edit or Write tool any change passes that keeps the tasks and their states.");
    assert_eq!(stage.read("session.md"), FILE);
}

#[test]
fn a_command_that_overwrites_or_deletes_is_refused() {
    let stage = stage();
    insta::assert_snapshot!(reason(&stage, &stage.bash("cat > session.md <<EOF\n# New\nEOF")), @"engine rule tasks: `cat` would overwrite session.md, which has 2 open tasks (Alpha, Beta), and the result cannot be foreseen. Instead: engine task done, cancel, block, edit or move NAME, engine task add NAME, engine handoff for its other sections. With the Edit or Write tool any change passes that keeps the tasks and their states.");
    insta::assert_snapshot!(reason(&stage, &stage.bash("rm -f session.md")), @"engine rule tasks: `rm -f session.md` would delete session.md, which has 2 open tasks (Alpha, Beta). Instead: engine task done, cancel, block, edit or move NAME, engine task add NAME, engine handoff for its other sections. With the Edit or Write tool any change passes that keeps the tasks and their states.");
    insta::assert_snapshot!(reason(&stage, &stage.bash("mv session.md old.md")), @"engine rule tasks: `mv session.md old.md` would move session.md, which has 2 open tasks (Alpha, Beta). Instead: engine task done, cancel, block, edit or move NAME, engine task add NAME, engine handoff for its other sections. With the Edit or Write tool any change passes that keeps the tasks and their states.");
}

/// What the tools may do with a task: from docs/tasks.md.
#[test]
fn edits_that_keep_the_tasks_pass() {
    let stage = stage();
    let alpha = "- [ ] **Alpha** — `/a` | opus\n  - note\n";
    let moved = format!("{}\n## Worktree Tasks\n\n{alpha}", FILE.replace(alpha, ""));
    for (what, text) in [
        ("as it is", FILE.to_owned()),
        ("moved to another section", moved),
        (
            "moved behind Beta",
            FILE.replace(alpha, "").replace("- [x] **Old**", &format!("{alpha}- [x] **Old**")),
        ),
        ("other fields", FILE.replace("`/a` | opus", "`/other` | haiku | restart | needs: Beta | id: a")),
        ("other notes", FILE.replace("  - note\n", "  - another\n  - and one\n")),
        ("no notes", FILE.replace("  - note\n", "")),
        ("another name, the same command", FILE.replace("**Alpha**", "**Write the lexer**")),
        ("a new task", FILE.replace("- [x]", "- [ ] **Gamma** —\n- [x]")),
        ("a new task that is done", FILE.replace("- [x]", "- [x] **Gamma** —\n- [x]")),
        ("without the one that is over", FILE.replace("- [x] **Old** — | sonnet\n", "")),
        ("other sections", FILE.replace("- one", "- two\n- three")),
        ("another heading", FILE.replace("# Session", "# Work")),
        ("another mark of the list", FILE.replace("- [ ] **Alpha**", "* [ ] **Alpha**")),
        ("carriage returns", FILE.replace('\n', "\r\n")),
    ] {
        assert_eq!(write(&stage, &text), "", "{what}");
    }
    for (what, old, new) in [
        ("a field", "| opus", "| haiku"),
        ("a note", "  - note", "  - note\n  - more"),
        ("a letter of the command", "`/a`", "`/b`"),
        ("a part of a line", "- one", "- one\n- two"),
    ] {
        assert_eq!(replace(&stage, old, new), "", "{what}");
    }
    assert_eq!(stage.read("session.md"), FILE);
}

#[test]
fn edits_that_lose_something_are_refused() {
    let stage = stage();
    let lines = |texts: &[&str]| {
        FILE.lines()
            .filter(|line| !texts.iter().any(|text| line.contains(text)))
            .collect::<Vec<_>>()
            .join("\n")
    };
    for (what, text) in [
        ("nothing left", String::new()),
        ("one left out", lines(&["Alpha"])),
        ("another in its place", FILE.replace("**Alpha** — `/a`", "**Gamma** —")),
        ("done by hand", FILE.replace("[ ]", "[x]")),
        ("cancelled by hand", FILE.replace("[>]", "[-]")),
        ("put back by hand", FILE.replace("[>]", "[ ]")),
        ("opened by hand", FILE.replace("[x]", "[ ]")),
        ("a state that is none", FILE.replace("[ ]", "[~]")),
        ("no box", FILE.replace("- [ ] **Alpha**", "- **Alpha**")),
        ("below another", FILE.replace("- [>]", "  - [>]")),
        ("in a code block", FILE.replace("- [ ] **Alpha**", "```\n- [ ] **Alpha**")),
        ("in a comment", FILE.replace("- [ ] **Alpha**", "<!--\n- [ ] **Alpha**")),
        ("in a section without tasks", FILE.replace("## Pending Tasks", "## Later")),
        ("the one in progress with another name", FILE.replace("**Beta**", "**Beta two**")),
    ] {
        assert!(is_refused(&write(&stage, &text)), "{what}");
    }
}

/// The client finds a text also by other line ends and quotes.
#[test]
fn edits_of_a_file_with_carriage_returns_are_foreseen() {
    let stage = Stage::new();
    stage.write("session.md", &FILE.replace('\n', "\r\n").replace("- one", "- it\u{2019}s one"));
    assert!(is_refused(&replace(&stage, "  - note\n- [>] **Beta** — | sonnet\n", "")));
    assert_eq!(replace(&stage, "  - note\n- [>] **Beta** — | sonnet\n", "- [>] **Beta** — | opus\n"), "");
    assert_eq!(replace(&stage, "- it's one\n", "- two\n"), "");
}

#[test]
fn subagents_are_not_excepted() {
    let stage = stage();
    let mut event = stage.bash("rm session.md");
    event["agent_id"] = json!("a1");
    event["agent_type"] = json!("general-purpose");
    assert!(is_refused(&reason(&stage, &event)));
}

/// Both ways, by the file tools; then the commands work again.
#[test]
fn a_conflict_can_be_resolved_either_way() {
    let stage = Stage::new();
    let file = |middle: &str| format!("## Pending Tasks\n\n{middle}- [ ] **Last** —\n");
    let (ours, theirs) = ("- [x] **Alpha** —\n- [ ] **Mine** —\n", "- [>] **Alpha** —\n- [ ] **Theirs** —\n");
    stage.write("session.md", &file(&format!("<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> topic\n")));
    for state in ['x', '>'] {
        let both = file(&format!("- [{state}] **Alpha** —\n- [ ] **Mine** —\n- [ ] **Theirs** —\n"));
        assert_eq!(write(&stage, &both), "");
    }
    insta::assert_snapshot!(write(&stage, &file(ours)), @r"
    engine rule tasks: this change to session.md is refused, because tasks or their states would be lost:
    line 8: Theirs (pending) would be lost; to end it: engine task done 'Theirs' or engine task cancel 'Theirs'
    Tasks may be moved, reworded and added, and removed when they are over. The file has conflict markers: until they are gone, each task of both sides stays once, in the state of either side; the commands work then.
    ");
    insta::assert_snapshot!(write(&stage, &file("- [ ] **Alpha** —\n- [ ] **Mine** —\n- [ ] **Theirs** —\n")), @r"
    engine rule tasks: this change to session.md is refused, because tasks or their states would be lost:
    line 4: Alpha would go from done to pending; instead: engine task reopen 'Alpha'
    Tasks may be moved, reworded and added, and removed when they are over. The file has conflict markers: until they are gone, each task of both sides stays once, in the state of either side; the commands work then.
    ");
    stage.write("session.md", &file("- [x] **Alpha** —\n- [ ] **Mine** —\n- [ ] **Theirs** —\n"));
    stage.ok(&["task", "cancel", "Theirs"]);
}

/// Bytes that are not UTF-8 look the same before and after.
#[test]
fn a_file_with_other_bytes_is_judged_too() {
    let stage = Stage::new();
    let bytes = b"## Pending Tasks\n\n- [ ] **caf\xe9** \xe2\x80\x94\n- [ ] **Beta** \xe2\x80\x94\n";
    std::fs::write(stage.root().join("session.md"), bytes).unwrap();
    assert_eq!(replace(&stage, "**Beta** —", "**Beta** — | opus"), "");
    insta::assert_snapshot!(write(&stage, "## Pending Tasks\n\n- [ ] **Beta** —\n"), @r"
    engine rule tasks: this change to session.md is refused, because tasks or their states would be lost:
    line 3: caf� (pending) would be lost; to end it: engine task done 'caf�' or engine task cancel 'caf�'
    Tasks may be moved, reworded and added, and removed when they are over.
    ");
}
