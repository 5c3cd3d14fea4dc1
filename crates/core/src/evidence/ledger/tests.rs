use super::super::tests::{check, edit};
use super::*;

fn entry(command: &str, exit: Option<i32>) -> Entry {
    Entry {
        event: "PostToolUse".into(),
        tool: Some("Bash".into()),
        command: Some(command.into()),
        exit,
        ..Entry::default()
    }
}

fn scope() -> EditScope<'static> {
    EditScope { checks: &["./verify"], ..EditScope::new("/p", &crate::dialect::TEST) }
}

fn lines(entries: &[Entry]) -> Vec<Line> {
    read(entries, &scope())
}

fn shown(entries: &[Entry]) -> Vec<String> {
    let line = |line: &Line| match line {
        Line::Edit { file, .. } => format!("edit {file}"),
        Line::Check(check) => {
            let outcome = match &check.outcome {
                Outcome::Passed => "passed".to_owned(),
                Outcome::Failed { exit } => format!("failed {exit}"),
                Outcome::Unknown { why } => format!("unknown ({why})"),
            };
            format!("{}{} {outcome}", if check.known { "" } else { "~" }, check.command)
        }
    };
    lines(entries).iter().map(line).collect()
}

#[test]
fn what_one_line_of_the_journal_adds() {
    let cases: [(Entry, &[&str]); 23] = [
        (entry("cargo test", Some(0)), &["cargo test passed"]),
        (entry("cargo test -p x", Some(101)), &["cargo test -p x failed 101"]),
        (entry("cargo test | tail", Some(0)), &["cargo test unknown (a pipe hides its status)"]),
        (entry("cargo test || true", Some(0)), &["cargo test unknown (|| hides its status)"]),
        (
            Entry { background: true, ..entry("cargo test", None) },
            &["cargo test unknown (it ran in the background)"],
        ),
        (entry("cargo clippy && cargo test", Some(0)), &["cargo clippy && cargo test passed"]),
        (entry("cargo clippy && cargo test", Some(1)), &["cargo clippy && cargo test failed 1"]),
        (
            entry("cargo test; cargo clippy", Some(0)),
            &["cargo test unknown (other commands run after it)", "cargo clippy passed"],
        ),
        (
            entry("sed -i s/a/b/ a.rs && cargo test && touch b.rs", Some(0)),
            &["edit a.rs", "cargo test passed", "edit b.rs"],
        ),
        (entry("ls && rm a.rs", Some(0)), &["edit a.rs"]),
        (entry("ls", Some(0)), &[]),
        (entry("engine check -- cargo test", Some(0)), &[]),
        (check("cargo test", 0), &["cargo test passed"]),
        (check("true", 0), &["~true passed"]),
        (entry("./verify --all", Some(0)), &["./verify --all passed"]),
        (edit("/p/a.rs"), &["edit a.rs"]),
        (entry("engine check -- cargo test > out.txt", Some(0)), &[]),
        (entry("engine check -- cargo test 2>&1 | tee out.txt", Some(0)), &[]),
        (entry("timeout 9 cargo test > out.txt", Some(1)), &["cargo test failed 1"]),
        (entry("touch a.rs && engine check -- cargo test", Some(0)), &["edit a.rs"]),
        (entry("npx tsc --noEmit", Some(0)), &["npx tsc --noEmit passed"]),
        (entry("poetry run pytest", Some(1)), &["poetry run pytest failed 1"]),
        (entry("npx tsc && tsc -p x", Some(0)), &["npx tsc && tsc -p x passed"]),
    ];
    for (entry, expected) in cases {
        assert_eq!(shown(std::slice::from_ref(&entry)), expected, "{:?}", entry.command);
        let alone = read_one(&entry, &scope());
        assert_eq!(alone, lines(std::slice::from_ref(&entry)), "{:?}", entry.command);
    }
}

#[test]
fn a_check_does_not_cover_what_was_edited_while_it_ran() {
    let call = |id: &str, entry: Entry| Entry { tool_use: Some(id.into()), ..entry };
    let begun =
        |id: &str, command: &str| call(id, Entry { event: "PreToolUse".into(), ..entry(command, None) });
    let entries = [
        begun("t1", "cargo test"),
        edit("/p/a.rs"),
        begun("t2", "cargo clippy"),
        edit("/p/b.rs"),
        call("t1", entry("cargo test", Some(0))),
        call("t2", entry("cargo clippy", Some(0))),
    ];
    assert_eq!(shown(&entries), ["cargo test passed", "edit a.rs", "cargo clippy passed", "edit b.rs"]);
}

#[test]
fn a_red_check_stays_red_until_as_much_of_it_passes() {
    let run = |command: &str, exit: i32| entry(command, Some(exit));
    let cases: Vec<(Vec<Entry>, &[&str])> = vec![
        (vec![], &[]),
        (vec![run("pytest -q", 1)], &["`pytest -q`"]),
        (vec![run("pytest -q", 1), edit("/p/a.py")], &["`pytest -q`"]),
        (vec![run("pytest -q", 1), run("pytest -k ok", 0)], &["`pytest -q`"]),
        (vec![run("pytest -q", 1), run("pytest tests/a.py", 0)], &["`pytest -q`"]),
        (vec![run("pytest -q", 1), run("pytest", 0)], &[]),
        (vec![run("pytest -k ok", 1), run("pytest -q", 0)], &[]),
        (vec![run("pytest -q", 1), run("cd sub && pytest -q", 0)], &["`pytest -q`"]),
        (vec![run("cd sub && pytest -q", 2), run("pytest -q", 0)], &["`pytest -q` in sub"]),
        (vec![run("pytest -q", 1), run("cargo test", 0)], &["`pytest -q`"]),
        (vec![run("pytest -q", 1), run("pytest -q | tail", 0)], &["`pytest -q`"]),
        (vec![run("pytest -q", 1), check("pytest -q", 0)], &[]),
        (vec![run("pytest -q", 1), run("pytest -q", 1)], &["`pytest -q`"]),
        (vec![run("cargo clippy && cargo test", 1), run("cargo test", 0)], &["`cargo clippy && cargo test`"]),
        (vec![run("cargo clippy && cargo test", 1), run("cargo test", 0), run("cargo clippy", 0)], &[]),
        (vec![check("true", 1)], &[]),
    ];
    for (at, (entries, expected)) in cases.iter().enumerate() {
        let reds: Vec<String> = reds(&lines(entries), &[]).iter().map(Red::shown).collect();
        assert_eq!(reds, *expected, "{at}");
    }
}

#[test]
fn what_was_red_before_is_left_out_until_it_passes() {
    let run = |command: &str, exit: i32| entry(command, Some(exit));
    let both = "cargo clippy && cargo test";
    let cases: Vec<(&str, Vec<Entry>, &[&str])> = vec![
        ("pytest", vec![], &[]),
        ("pytest", vec![run("pytest", 1)], &[]),
        ("pytest", vec![run("pytest -k ok", 0), run("pytest", 1)], &[]),
        ("pytest", vec![run("pytest", 0)], &[]),
        ("pytest", vec![run("pytest", 0), run("pytest", 1)], &["`pytest`"]),
        ("pytest", vec![run("pytest", 1), run("pytest", 0), run("pytest", 1)], &["`pytest`"]),
        ("pytest", vec![run("pytest", 0), run("pytest", 1), run("pytest", 0)], &[]),
        ("pytest", vec![run("cargo test", 1)], &["`cargo test`"]),
        (both, vec![run(both, 1), run("cargo test", 0)], &[]),
        (both, vec![run("cargo test", 0), run(both, 1)], &["`cargo clippy && cargo test`"]),
    ];
    for (at, (before, entries, expected)) in cases.iter().enumerate() {
        let before = reds(&lines(&[run(before, 1)]), &[]);
        let reds: Vec<String> = reds(&lines(entries), &before).iter().map(Red::shown).collect();
        assert_eq!(reds, *expected, "{at}");
    }
}

#[test]
fn what_failed_in_the_background_is_a_check_of_its_own() {
    let ran = super::super::recorder::Ran {
        exit: 1,
        shell: 7,
        folder: "/p/web".into(),
        words: vec!["npm".into(), "test".into()],
    };
    let later = Entry { ran: vec![ran], ..entry("ls", Some(0)) };
    assert_eq!(shown(std::slice::from_ref(&later)), ["npm test failed 1"]);
    assert_eq!(reds(&lines(&[later]), &[])[0].shown(), "`npm test` in web");
}

#[test]
fn an_edit_by_a_command_is_told_as_one() {
    assert_eq!(happened("src/a b.rs", "edited"), "src/a b.rs was edited");
    assert_eq!(happened("git stash pop -q", "edited"), "files were edited by git stash pop -q");
}
