//! The rule `tasks` with the real client: what its tools lose is refused, what they only move passes, and a merge that an agent runs.

use engine_testkit::{Bench, Scenario, Turn};
use serde_json::{Value, json};

use crate::real_client::{BYPASS, ask, bench, engine, last};

const FILE: &str = "# Session\n\n## Pending Tasks\n\n- [ ] **Alpha** — `/a` | opus\n- [>] **Beta** — | sonnet\n\n## Notes\n\n- one\n";
const PATH: &str = "${PROJECT}/session.md";

fn with_tasks() -> Bench {
    let bench = bench(&[]);
    bench.write("session.md", FILE).unwrap();
    crate::real_client::accept(&bench);
    bench
}

/// The scripted model reads the file and calls a tool; what the model got of it, and whether as an error.
fn calls(bench: &Bench, tool: &'static str, input: Value) -> (String, bool) {
    let scenario = Scenario::new()
        .turn(Turn::new("read").prompt_contains("go").tool_use("Read", json!({"file_path": PATH})))
        .turn(Turn::new("call").tool_result_of("Read").tool_use(tool, input))
        .turn(Turn::new("end").tool_result_of(tool).text("Well."));
    let run = ask(bench, scenario, "go", BYPASS);
    let result = last(&run).tool_results().remove(0);
    (result.text, result.is_error)
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_write_that_would_lose_a_task_is_refused_with_the_command() {
    let bench = with_tasks();
    let text = FILE.replace("- [>] **Beta** — | sonnet\n", "");
    let (said, is_error) = calls(&bench, "Write", json!({"file_path": PATH, "content": text}));
    assert_eq!(
        said,
        "PreToolUse:Write hook error: engine rule tasks: this change to session.md is refused, because tasks or their states would be lost:\nline 6: Beta (in progress) would be lost; to end it: engine task done 'Beta' or engine task cancel 'Beta'\nTasks may be moved, reworded and added, and removed when they are over."
    );
    assert!(is_error);
    assert_eq!(bench.read("session.md").unwrap(), FILE);
    // The command that it names.
    engine(&bench, &["task", "done", "Beta"]);
    let text = bench.read("session.md").unwrap().replace("- [x] **Beta** — | sonnet\n", "");
    let (said, is_error) = calls(&bench, "Write", json!({"file_path": PATH, "content": text}));
    assert!(!is_error, "{said}");
    assert_eq!(bench.read("session.md").unwrap(), text);
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_here_document_over_the_file_is_refused() {
    let bench = with_tasks();
    let command = "cat > session.md <<EOF\n## Pending Tasks\nEOF";
    let (said, is_error) = calls(&bench, "Bash", json!({"command": command, "description": "write"}));
    assert_eq!(
        said,
        "PreToolUse:Bash hook error: engine rule tasks: `cat` would overwrite session.md, which has 2 open tasks (Alpha, Beta), and the result cannot be foreseen. Instead: engine task done, cancel, block, edit or move NAME, engine task add NAME, engine handoff for its other sections. With the Edit or Write tool any change passes that keeps the tasks and their states."
    );
    assert!(is_error);
    assert_eq!(bench.read("session.md").unwrap(), FILE);
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn an_edit_that_only_moves_a_line_passes() {
    let bench = with_tasks();
    let (alpha, beta) = ("- [ ] **Alpha** — `/a` | opus\n", "- [>] **Beta** — | sonnet\n");
    let edit = json!({"file_path": PATH, "old_string": format!("{alpha}{beta}"), "new_string": format!("{beta}{alpha}")});
    let (said, is_error) = calls(&bench, "Edit", edit);
    assert!(!is_error, "{said}");
    let moved = FILE.replace(&format!("{alpha}{beta}"), &format!("{beta}{alpha}"));
    assert_eq!(bench.read("session.md").unwrap(), moved);
    let edit = json!({"file_path": PATH, "old_string": "- [ ] **Alpha**", "new_string": "- [x] **Alpha**"});
    let (said, is_error) = calls(&bench, "Edit", edit);
    assert!(is_error && said.contains("instead: engine task done 'Alpha'"), "{said}");
    assert_eq!(bench.read("session.md").unwrap(), moved);
}

/// The client works on a file with carriage returns by its own reading of it.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_file_with_carriage_returns_is_judged_as_the_client_changes_it() {
    let bench = with_tasks();
    let crlf = FILE.replace('\n', "\r\n");
    bench.write("session.md", &crlf).unwrap();
    let lost = json!({"file_path": PATH, "old_string": "| opus\n- [>] **Beta** — | sonnet\n", "new_string": "| opus\n"});
    let (said, is_error) = calls(&bench, "Edit", lost);
    assert!(is_error && said.contains("line 6: Beta (in progress) would be lost"), "{said}");
    assert_eq!(bench.read("session.md").unwrap(), crlf);
    let kept = json!({"file_path": PATH, "old_string": "| opus\n- [>] **Beta**", "new_string": "| haiku\n- [>] **Beta**"});
    let (said, is_error) = calls(&bench, "Edit", kept);
    assert!(!is_error, "{said}");
    assert_eq!(bench.read("session.md").unwrap(), crlf.replace("opus", "haiku"));
}

/// An agent merges a branch: git calls the driver, and no rule is in the way.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_merge_by_the_agent_keeps_the_tasks_of_both_branches() {
    let bench = with_tasks();
    bench.commit_all("start").unwrap();
    engine(&bench, &["init", "--with", "merge"]);
    bench.commit_all("driver").unwrap();
    let last_task = "- [>] **Beta** — | sonnet\n";
    let with = |more: &str, old: &str, new: &str| {
        FILE.replace(last_task, &format!("{last_task}{more}")).replace(old, new)
    };
    bench.git(&["switch", "-qc", "topic"]).unwrap();
    bench.write("session.md", &with("- [ ] **Theirs** —\n", "[>] **Beta**", "[x] **Beta**")).unwrap();
    bench.commit_all("topic").unwrap();
    bench.git(&["switch", "-q", "-"]).unwrap();
    bench.write("session.md", &with("- [ ] **Mine** —\n", "| opus", "| haiku")).unwrap();
    bench.commit_all("main").unwrap();
    let (said, is_error) =
        calls(&bench, "Bash", json!({"command": "git merge --no-edit topic", "description": "merge"}));
    assert!(!is_error, "{said}");
    let both = FILE
        .replace(last_task, "- [x] **Beta** — | sonnet\n- [ ] **Mine** —\n- [ ] **Theirs** —\n")
        .replace("opus", "haiku");
    assert_eq!(bench.read("session.md").unwrap(), both);
}
