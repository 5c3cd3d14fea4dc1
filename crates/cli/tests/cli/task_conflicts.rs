//! Conflict markers of a merge in the task file: they are told first, and nothing works on the mixture.

use crate::stage::Stage;

const FILE: &str = "## Pending Tasks\n\n<<<<<<< HEAD\n- [x] **Alpha** — | sonnet\n=======\n- [ ] **Alpha** — | sonnet\n- [ ] **Beta** — | sonnet\n>>>>>>> branch\n";

fn stage() -> Stage {
    let stage = Stage::new();
    stage.write("session.md", FILE);
    stage
}

#[test]
fn commands_stop_at_conflict_markers() {
    let stage = stage();
    let all: [&[&str]; 5] = [
        &["task", "add", "Gamma"],
        &["task", "start", "Beta"],
        &["task", "done", "Alpha"],
        &["task", "move", "Beta", "--first"],
        &["handoff", "--status", "Half done."],
    ];
    for args in all {
        let out = stage.engine(args);
        assert_eq!(
            (out.code, out.stderr.as_str()),
            (
                Some(1),
                "engine: session.md has conflict markers in lines 3–8\n  edit the file: keep the lines that hold and delete the marker lines\n"
            ),
            "{args:?}"
        );
    }
    assert_eq!(stage.read("session.md"), FILE);
}

#[test]
fn checks_and_status_name_the_lines() {
    let stage = stage();
    let out = stage.engine(&["task", "validate"]);
    assert_eq!(
        (out.code, out.stdout.as_str()),
        (
            Some(1),
            "session.md:3: error: conflict markers in lines 3–8; edit the file: keep the lines that hold and delete the marker lines\n"
        )
    );
    let out = stage.engine(&["commit-check"]);
    assert_eq!(
        (out.code, out.stdout.as_str()),
        (
            Some(1),
            "failed tasks\n  session.md:3: conflict markers in lines 3–8; edit the file: keep the lines that hold and delete the marker lines\n"
        )
    );
    insta::assert_snapshot!(stage.ok(&["status"]), @r"
    session.md has conflict markers in lines 3–8

    Next: Alpha
      Model: sonnet | Restart: no

    Pending:
    - Beta

    1 done
    ");
}

#[test]
fn shortcuts_stop_and_what_was_typed_is_kept() {
    let stage = stage();
    for key in ["x", "xc", "r"] {
        let out = stage.hook(&stage.prompt(key)).json();
        assert_eq!(
            out["stopReason"],
            format!(
                "engine: {key} was not carried out: session.md has conflict markers in lines 3–8; edit the file: keep the lines that hold and delete the marker lines, then try again"
            )
        );
    }
    let told = stage.hook(&stage.prompt("s")).context();
    let told = told.split_once("\n\n").unwrap().1;
    assert!(told.starts_with("session.md has conflict markers in lines 3–8\n\n"), "{told}");
    assert_eq!(
        stage.hook(&stage.prompt("p: write the changelog")).context(),
        "[DIRECTIVE: PENDING] session.md has conflict markers in lines 3–8, so it was put into the queue instead: write the changelog. It is not to be executed now. engine q list shows the queue. To mend the file, edit the file: keep the lines that hold and delete the marker lines."
    );
    assert_eq!(stage.read("session.md"), FILE);
    assert!(stage.ok(&["q", "list"]).contains("write the changelog"));
}

/// A reason may be a list item.
#[test]
fn a_reason_may_be_a_list_item() {
    let stage = Stage::new();
    stage.write(
        "session.md",
        "## Pending Tasks\n\n- [!] **Alpha** — | sonnet\n  - Blocked: waiting for the key\n",
    );
    insta::assert_snapshot!(stage.ok(&["status"]), @r"
    Blocked:
    - Alpha: waiting for the key
    ");
}
