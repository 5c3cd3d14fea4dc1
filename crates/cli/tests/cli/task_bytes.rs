//! A task file with bytes that are not UTF-8: every reader works, and the bytes stay.

use std::fs;

use crate::stage::Stage;

const FILE: &[u8] = b"# Session\n\n## Status\n\nAt the caf\xe9.\n\n## Pending Tasks\n\n- [ ] **Order caf\xe9** \xe2\x80\x94 `/order` | opus\n- [ ] **Pay** \xe2\x80\x94\n";

fn stage() -> Stage {
    let stage = Stage::new();
    fs::write(stage.root().join("session.md"), FILE).unwrap();
    stage
}

fn bytes(stage: &Stage) -> Vec<u8> {
    fs::read(stage.root().join("session.md")).unwrap()
}

/// The file with some bytes replaced.
fn with(file: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let at = file.windows(old.len()).position(|window| window == old).unwrap();
    [&file[..at], new, &file[at + old.len()..]].concat()
}

/// The file without the mark of a handoff, ` (SESSION, MOMENT)`, and its session.
fn without_mark(file: &[u8]) -> (Vec<u8>, String) {
    let place =
        |from: usize, wanted: u8| file[from..].iter().position(|byte| *byte == wanted).unwrap() + from;
    let open = place(0, b'(');
    let (comma, close) = (place(open, b','), place(open, b')'));
    let session = String::from_utf8(file[open + 1..comma].to_vec()).unwrap();
    ([&file[..open - 1], &file[close + 1..]].concat(), session)
}

#[test]
fn commands_read_and_change_the_rest() {
    let stage = stage();
    insta::assert_snapshot!(stage.ok(&["status"]), @r"
    Next: Order caf�
      `/order`
      Model: opus | Restart: no

    Pending:
    - Pay
    ");
    insta::assert_snapshot!(stage.ok(&["task", "list"]), @r"
    pending  Order caf�  opus    `/order`
    pending  Pay         sonnet
    ");
    insta::assert_snapshot!(stage.ok(&["task", "show", "Order"]), @r"
    session.md:9
    - [ ] **Order caf�** — `/order` | opus
    ");
    insta::assert_snapshot!(stage.ok(&["task", "validate"]), @r"
    session.md:5: remark: the line has bytes that are not UTF-8, which are kept as they are
    session.md:9: remark: the line has bytes that are not UTF-8, which are kept as they are
    session.md:10: remark: Pay names no command
    ");
    stage.ok(&["commit-check"]);
    assert!(stage.ok(&["task", "list", "--json"]).contains("Order caf\u{fffd}"));
    assert_eq!(bytes(&stage), FILE, "nobody has changed it");
    stage.ok(&["task", "start", "Order caf\u{fffd}"]);
    let started = with(FILE, b"[ ] **Order", b"[>] **Order");
    assert_eq!(bytes(&stage), started);
    stage.ok(&["task", "done", "order"]);
    stage.ok(&["task", "note", "Pay", "in cash"]);
    let done = with(&started, b"[>]", b"[x]");
    assert_eq!(bytes(&stage), [&done[..], b"  - in cash\n"].concat());
    stage.ok(&["handoff", "--status", "Home."]);
    let (handed_off, session) = without_mark(&bytes(&stage));
    assert_eq!(session, "person");
    assert_eq!(handed_off, [&with(&done, b"At the caf\xe9.", b"Home.")[..], b"  - in cash\n"].concat());
}

#[test]
fn shortcuts_and_the_handoff_work() {
    let stage = stage();
    let start = stage.event("SessionStart");
    assert!(stage.hook(&start).context().contains("At the caf\u{fffd}."));
    let status = stage.hook(&stage.prompt("s")).context();
    assert!(status.contains("Order caf\u{fffd}"), "{status}");
    let execute = stage.hook(&stage.prompt("x")).context();
    assert!(execute.contains("Order caf\u{fffd}") && !execute.contains("was not marked"), "{execute}");
    let started = with(FILE, b"[ ] **Order", b"[>] **Order");
    assert_eq!(bytes(&stage), started);
    let resumed = stage.hook(&stage.prompt("r")).context();
    assert!(resumed.contains("Order caf\u{fffd}"), "{resumed}");
    stage.hook(&stage.prompt("p: tip the waiter"));
    let added = [&started[..], "- [ ] **Tip the waiter** — | sonnet\n".as_bytes()].concat();
    assert_eq!(bytes(&stage), added);
    stage.hook(&stage.prompt("q: come back"));
    let listed = stage.ok(&["q", "list"]);
    assert!(listed.contains("come back"), "{listed}");
    assert!(stage.ok(&["statusline"]).contains("Order caf\u{fffd}"));
}

#[test]
fn the_commit_of_a_task_is_found_by_the_rest_of_its_name() {
    let stage = stage();
    stage.git(&["init", "-q"]);
    stage.git(&["add", "session.md"]);
    stage.git(&["commit", "-qm", "Plan"]);
    assert!(stage.ok(&["task", "context", "Order"]).contains("**Order caf\u{fffd}**"));
}
