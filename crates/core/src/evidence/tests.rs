use super::*;

fn bash(command: &str, exit: Option<i32>) -> Entry {
    let event = if exit == Some(0) { "PostToolUse" } else { "PostToolUseFailure" };
    Entry {
        event: event.into(),
        tool: Some("Bash".into()),
        command: Some(command.into()),
        exit,
        ..Entry::default()
    }
}

pub(super) fn edit(path: &str) -> Entry {
    Entry {
        event: "PostToolUse".into(),
        tool: Some("Edit".into()),
        input: Some(path.into()),
        ..Entry::default()
    }
}

pub(super) fn check(command: &str, exit: i32) -> Entry {
    Entry { event: CHECK.into(), command: Some(command.into()), exit: Some(exit), ..Entry::default() }
}

fn shown(entries: &[Entry], wanted: &str) -> String {
    let scope = EditScope {
        root: "/tmp/p",
        home: Some("/home/dev"),
        free: &["/tmp/p/notes/LOG.md"],
        ..EditScope::new("", &crate::dialect::TEST)
    };
    match find(entries, &Command::new(wanted, ""), &scope) {
        Evidence::Passed(Pass { edited: None, content: None, .. }) => "passed".into(),
        Evidence::Passed(Pass { edited: None, content: Some(id), .. }) => format!("passed on {id}"),
        Evidence::Failed { exit } => format!("failed {exit}"),
        Evidence::Never { elsewhere: None } => "never".into(),
        Evidence::Never { elsewhere: Some(folder) } => format!("only in {folder}"),
        Evidence::Passed(Pass { edited: Some(edited), .. }) | Evidence::Stale { edited } => {
            format!("stale {edited}")
        }
        Evidence::Unknown { why } => format!("unknown: {why}"),
    }
}

#[test]
fn a_line_counts_by_its_own_status() {
    let cases = [
        ("cargo test", 0, "passed"),
        ("cargo test", 101, "failed 101"),
        ("  cargo   'test' 2>&1", 0, "passed"),
        ("RUST_BACKTRACE=1 cargo test > out.txt", 0, "passed"),
        ("/usr/bin/cargo test", 0, "passed"),
        ("./fake/cargo test", 0, "never"),
        ("cargo test --all", 0, "passed"),
        ("cargo test login", 0, "never"),
        ("cargo test -p x", 0, "never"),
        ("cargo test --frobnicate", 0, "never"),
        ("CI=1 cargo test", 0, "passed"),
        ("RUSTFLAGS=x cargo test", 0, "never"),
        ("export RUSTFLAGS=x; cargo test", 0, "never"),
        ("PATH=/tmp/fake:$PATH cargo test", 0, "unknown: PATH was changed for it"),
        ("export PATH=/tmp/fake:$PATH && cargo test", 0, "unknown: PATH was changed for it"),
        ("PATH=/tmp/fake:$PATH; cargo test", 0, "unknown: PATH was changed for it"),
        ("env PATH=/tmp/fake cargo test", 0, "unknown: PATH was changed for it"),
        ("alias cargo=true; cargo test", 0, "unknown: the line defines an alias cargo"),
        ("/tmp/fake/cargo test", 0, "never"),
        ("cargo test | tail", 0, "unknown: a pipe hides its status"),
        ("set -o pipefail; cargo test | tail", 0, "passed"),
        ("set -o pipefail; cargo test | tail", 101, "failed 101"),
        ("set -o pipefail; cargo test | tee out.txt", 0, "passed"),
        ("cargo test || true", 0, "unknown: || hides its status"),
        ("cargo test; echo done", 0, "unknown: other commands run after it"),
        ("cargo test\necho done", 0, "unknown: other commands run after it"),
        ("cargo fmt && cargo test", 0, "passed"),
        ("cargo fmt && cargo test", 1, "unknown: another command of its line may have failed"),
        ("cd x && cargo test", 0, "only in /tmp/p/x"),
        ("cd . && cargo test", 0, "passed"),
        ("cd . && cargo test", 101, "failed 101"),
        ("cd x && cd .. && cargo test", 0, "passed"),
        ("cd $X && cargo test", 0, "only in a folder that is not known"),
        ("cd x && cargo test", 101, "only in /tmp/p/x"),
        ("(cd x && cargo test)", 0, "only in /tmp/p/x"),
        ("cargo test && python3 gen.py", 0, "unknown: `python3 gen.py` ran after it on its line"),
        ("python3 gen.py && cargo test", 0, "passed"),
        ("cargo test && make", 0, "unknown: `make` ran after it on its line"),
        ("cargo test", 127, "unknown: it could not be started"),
        ("cargo test && git commit -m x", 0, "passed"),
        ("cargo test && git add -A && git commit -qm x && git push", 0, "passed"),
        (
            "cargo test && git -c core.hooksPath=h commit -m x",
            0,
            "unknown: `git -c core.hooksPath=h commit -m x` ran after it on its line",
        ),
        (
            "cargo test && GIT_EDITOR='sh gen.sh' git commit",
            0,
            "unknown: `git commit` ran after it on its line",
        ),
        ("cargo test && git commit -m x && sh gen.sh", 0, "unknown: `sh gen.sh` ran after it on its line"),
        ("cargo test && git status --short", 0, "passed"),
        (
            "cargo test && awk '{print > \"a\"}' b",
            0,
            "unknown: `awk '{print > \"a\"}' b` ran after it on its line",
        ),
        ("cargo test | awk '{print $1}'", 0, "unknown: a pipe hides its status"),
        ("cargo test && sed -n '1w a' b", 0, "unknown: `sed -n '1w a' b` ran after it on its line"),
        ("cargo test && x=$(sh bad.sh)", 0, "unknown: `sh bad.sh` ran after it on its line"),
        ("cargo test && cargo clippy", 0, "unknown: `cargo clippy` ran after it on its line"),
        (". ./fn.sh; cargo test", 0, "unknown: `. ./fn.sh` may decide what runs"),
        ("cargo test && git commit -m x", 1, "unknown: another command of its line may have failed"),
        ("cargo test &", 0, "unknown: it runs in the background"),
        ("timeout 60 cargo test", 0, "passed"),
        ("timeout 60 cargo test", 124, "unknown: it was stopped"),
        ("bash -c 'cargo test'", 0, "passed"),
        ("bash -c 'cargo test; true'", 0, "unknown: other commands run after it"),
        ("echo cargo test", 0, "never"),
        ("echo $(cargo test)", 0, "unknown: its status is not the line's"),
        ("if cargo test; then echo ok; fi", 0, "unknown: its status is not the line's"),
        ("exit 0; cargo test", 0, "unknown: the line may end before it"),
        ("cargo() { true; }; cargo test", 0, "never"),
        ("ssh host cargo test", 0, "never"),
        ("engine check -- cargo test", 0, "never"),
        ("cargo test '", 0, "unknown: the line it stands in could not be read"),
        ("sed -i s/a/b/ src/x.rs && cargo test", 0, "passed"),
        ("cargo test && sed -i s/a/b/ src/x.rs", 0, "stale src/x.rs"),
    ];
    for (command, exit, expected) in cases {
        assert_eq!(shown(&[bash(command, Some(exit))], "cargo test"), expected, "{command:?} {exit}");
    }
    let background = Entry { background: true, ..bash("cargo test", None) };
    assert_eq!(shown(&[background], "cargo test"), "unknown: it ran in the background");
    assert_eq!(shown(&[bash("cargo test", None)], "cargo test"), "unknown: its exit status is not known");
    assert_eq!(shown(&[], "cargo test"), "never");
}

#[test]
fn an_edit_makes_it_stale() {
    let cases = [
        (bash("sed -i s/a/b/ src/x.rs", Some(0)), "stale src/x.rs"),
        (bash("cd sub; sed -i s/a/b/ ../src/x.rs", Some(1)), "stale src/x.rs"),
        (Entry { cwd: Some("/tmp/p/sub".into()), ..bash("touch y", Some(0)) }, "stale sub/y"),
        (bash("cd /tmp/p/sub && echo x > y", Some(0)), "stale sub/y"),
        (bash("rm src/x.rs", Some(0)), "stale src/x.rs"),
        (bash("git checkout -- src/x.rs", Some(0)), "stale git checkout -- src/x.rs"),
        (bash("git -C . checkout -- src/x.rs", Some(0)), "stale git -C . checkout -- src/x.rs"),
        (bash("git checkout -b new", Some(0)), "passed"),
        (bash("rg -l a | xargs sed -i s/a/b/", Some(0)), "stale sed -i s/a/b/ {}"),
        (bash("find . -name '*.rs' -exec sed -i s/a/b/ {} +", Some(0)), "stale sed -i s/a/b/ {}"),
        (bash("perl -pi -e s/a/b/ $(git ls-files)", Some(0)), "stale perl -pi -e s/a/b/ $(git ls-files)"),
        (bash("sed -n s/i/b/p $(git ls-files)", Some(0)), "passed"),
        (bash("git commit -am x && git push", Some(0)), "passed"),
        (bash("cat src/x.rs > /tmp/out", Some(0)), "passed"),
        (bash("echo x >> sessions/A/X_LOG.md; touch .engine/notes/x", Some(0)), "passed"),
        (bash("echo x >> notes/LOG.md", Some(0)), "passed"),
        (bash("mkdir target/x; rm -rf target/tmp", Some(0)), "passed"),
        (edit("/tmp/p/src/x.rs"), "stale src/x.rs"),
        (edit("/tmp/p/sessions/A/X_LOG.md"), "passed"),
        (edit("/tmp/p/notes/LOG.md"), "passed"),
        (edit("/tmp/pother/x.rs"), "passed"),
        (Entry { tool: Some("Read".into()), ..edit("/tmp/p/src/x.rs") }, "passed"),
        (Entry { event: "PostToolUseFailure".into(), ..edit("/tmp/p/src/x.rs") }, "passed"),
    ];
    for (entry, expected) in cases {
        let what = format!("{:?} {:?}", entry.command, entry.input);
        assert_eq!(shown(&[bash("cargo test", Some(0)), entry.clone()], "cargo test"), expected, "{what}");
        let again = [bash("cargo test", Some(0)), entry, bash("cargo test", Some(0))];
        assert_eq!(shown(&again, "cargo test"), "passed", "{what}");
    }
}

#[test]
fn the_last_word_counts() {
    let piped = || bash("cargo test | tail", Some(0));
    let cases: [(&[Entry], &str); 6] = [
        (&[bash("cargo test", Some(0)), bash("cargo test", Some(1))], "failed 1"),
        (&[bash("cargo test", Some(0)), piped()], "passed"),
        (&[bash("cargo test", Some(1)), piped()], "unknown: a pipe hides its status"),
        (&[check("cargo test", 0), bash("engine check -- cargo test | tail", Some(0))], "passed"),
        (&[check("cargo test", 1), bash("engine check -- cargo test | tail", Some(0))], "failed 1"),
        (&[check("true", 0)], "never"),
    ];
    for (entries, expected) in cases {
        assert_eq!(shown(entries, "cargo test"), expected);
    }
}

#[test]
fn an_edit_while_it_runs_counts() {
    let call = |entry: Entry| Entry { tool_use: Some("t1".into()), ..entry };
    let begun = call(Entry { event: "PreToolUse".into(), ..bash("cargo test", None) });
    let ended = || call(bash("cargo test", Some(0)));
    assert_eq!(shown(&[begun.clone(), edit("/tmp/p/a.rs"), ended()], "cargo test"), "stale a.rs");
    assert_eq!(shown(&[edit("/tmp/p/a.rs"), begun, ended()], "cargo test"), "passed");
}

#[test]
fn wanted_may_be_more_than_one_command() {
    let wanted = "cd x && cargo fmt --check && timeout 9 cargo test";
    assert_eq!(shown(&[bash("cd x; cargo fmt --check && cargo test", Some(0))], wanted), "passed");
    assert_eq!(shown(&[bash("cd x && cargo fmt --check && cargo test", Some(2))], wanted), "failed 2");
    assert_eq!(shown(&[bash("cd x && cargo test", Some(0))], wanted), "never");
    assert_eq!(shown(&[bash("cargo fmt --check && cargo test", Some(0))], wanted), "only in /tmp/p");
    assert_eq!(shown(&[bash("FULL=1 ./run.sh", Some(0))], "FULL=1 ./run.sh"), "passed");
    assert_eq!(shown(&[bash("./run.sh", Some(0))], "FULL=1 ./run.sh"), "never");
    assert_eq!(shown(&[bash("cd scripts && ./run.sh", Some(0))], "scripts/run.sh"), "only in /tmp/p/scripts");
    assert_eq!(
        shown(&[], "cargo test | tail"),
        "unknown: no run of this line can prove it: a pipe hides its status"
    );
    assert_eq!(shown(&[], ""), "unknown: this line could not be read as a command");
    assert_eq!(shown(&[bash("deploy --token=[redacted]", Some(0))], "nothing"), "never");
}

fn ran(exit: i32, folder: &str, words: &[&str]) -> recorder::Ran {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    recorder::Ran { exit, shell: 1, folder: folder.into(), words }
}

/// What the recorder saw is each program's own status, whatever the line makes of it.
#[test]
fn what_the_recorder_saw_counts() {
    let test = |exit| ran(exit, "/tmp/p", &["cargo", "test"]);
    let cases: Vec<(&str, Vec<recorder::Ran>, &str)> = vec![
        ("cargo test | tail", vec![test(0)], "passed"),
        ("cargo test | tail", vec![test(101)], "failed 101"),
        ("cargo test || true", vec![test(1)], "failed 1"),
        ("cargo test; echo done", vec![test(0)], "passed"),
        ("out=$(cargo test)", vec![test(0)], "passed"),
        ("(cargo test) 2>&1 | tail -3", vec![test(0)], "passed"),
        ("cargo test | tail; cargo test", vec![test(1), test(0)], "failed 1"),
        (
            "cargo test | tail",
            vec![ran(0, "/tmp/p/x", &["cargo", "test"])],
            "unknown: a pipe hides its status",
        ),
        (
            "cargo test | tail",
            vec![test(0), test(0)],
            "unknown: the recorder saw other runs than the line shows",
        ),
        ("cargo test login | tail", vec![ran(0, "/tmp/p", &["cargo", "test", "login"])], "never"),
        ("bash x.sh", vec![test(0)], "unknown: it ran in the background, or with other variables"),
        ("bash x.sh", vec![test(1)], "failed 1"),
        (
            "cargo() { :; }; cargo test | tail",
            vec![test(0)],
            "unknown: it ran in the background, or with other variables",
        ),
        ("cargo test | python3 x.py", vec![test(0)], "unknown: `python3 x.py` ran after it on its line"),
        (
            "PATH=/f:$PATH; cargo test | tail",
            vec![test(0)],
            "unknown: it ran in the background, or with other variables",
        ),
    ];
    for (command, ran, expected) in cases {
        let entry = Entry { ran, ..bash(command, Some(0)) };
        assert_eq!(shown(&[entry], "cargo test"), expected, "{command}");
    }
}

#[test]
fn output_says_that_it_failed_and_never_that_it_passed() {
    use output::Said;
    let said = |command: &str, said: Said| [Entry { said: Some(said), ..bash(command, Some(0)) }];
    let (failed, none) = (|| Said::Failed("1 failed".into()), || Said::NoTests("running 0 tests".into()));
    for (command, said_, expected) in [
        ("cargo test | tail", failed(), "failed 1"),
        ("cargo test", failed(), "unknown: its output says that it failed"),
        ("cargo test", none(), "unknown: it ran no tests"),
        ("cargo test | tail", none(), "unknown: a pipe hides its status"),
        ("ls", failed(), "never"),
    ] {
        assert_eq!(shown(&said(command, said_), "cargo test"), expected, "{command}");
    }
    let checked =
        [check("cargo test", 0), said("engine check -- cargo test", none()).into_iter().next().unwrap()];
    assert_eq!(shown(&checked, "cargo test"), "unknown: it ran no tests");
}

/// An agent's check counts if a line of the agent calls it as it is.
#[test]
fn engine_check_is_called_by_a_line() {
    let call = |entry: Entry| Entry { tool_use: Some("t1".into()), ..entry };
    let begun = |line: &str| call(Entry { event: "PreToolUse".into(), ..bash(line, None) });
    let ended = |line: &str| call(bash(line, Some(0)));
    let of_agent = || Entry { session: "s".into(), content: Some("c1".into()), ..check("cargo test", 0) };
    for (line, expected) in [
        ("engine check -- cargo test", "passed on c1"),
        ("cd . && engine check -- cargo test 2>&1 | tail", "passed on c1"),
        ("PATH=/tmp/f:$PATH engine check -- cargo test", "unknown: PATH was changed for it"),
        ("export PATH=/tmp/f; engine check -- cargo test", "unknown: PATH was changed for it"),
        ("python3 x.py", "unknown: no line of the agent calls engine check for it"),
        ("engine check -- cargo build", "unknown: no line of the agent calls engine check for it"),
    ] {
        assert_eq!(shown(&[begun(line), of_agent(), ended(line)], "cargo test"), expected, "{line}");
    }
    assert_eq!(shown(&[of_agent()], "cargo test"), "unknown: no line of the agent calls engine check for it");
    assert_eq!(shown(&[Entry { forged: true, ..bash("cargo test", Some(0)) }], "cargo test"), "never");
}

/// The client does not tell that a call was denied. It does not stand in for the script that comes next.
#[test]
fn a_call_that_never_ended_vouches_for_no_later_run() {
    let begun = |id: &str, agent: Option<&str>, line: &str| Entry {
        event: "PreToolUse".into(),
        session: "s".into(),
        agent: agent.map(str::to_owned),
        tool_use: Some(id.into()),
        ..bash(line, None)
    };
    let checked = || Entry { session: "s".into(), ..check("cargo test", 0) };
    let (plain, script) = ("engine check -- cargo test", "./checks.sh");
    let disguised = "PATH=/tmp/f:$PATH engine check -- cargo test";
    let denied = Entry { verdict: "deny".into(), ..begun("t1", Some("a1"), plain) };
    let nobody = "unknown: no line of the agent calls engine check for it";
    let moved = "unknown: PATH was changed for it";
    for (entries, expected) in [
        (vec![begun("t1", None, plain), begun("t2", None, script)], nobody),
        (vec![begun("t1", None, plain), begun("t2", None, disguised)], moved),
        (vec![begun("t1", Some("a1"), plain), begun("t2", None, disguised)], moved),
        (vec![denied, begun("t2", None, script)], nobody),
        // Subagents work at the same time.
        (vec![begun("t1", Some("a1"), plain), begun("t2", Some("a2"), "ls")], "passed"),
    ] {
        let all: Vec<Entry> = entries.into_iter().chain([checked()]).collect();
        assert_eq!(shown(&all, "cargo test"), expected, "{all:?}");
    }
}

#[test]
fn a_failure_is_found_whatever_came_after() {
    let scope = EditScope::new("/tmp/p", &crate::dialect::TEST);
    let wanted = Command::new("cargo test", "");
    let entries = [bash("cargo test", Some(101)), edit("/tmp/p/a.rs"), bash("cargo test", Some(0))];
    assert_eq!(failure(&entries, &wanted, &scope), Some(101));
    assert_eq!(failure(&entries[1..], &wanted, &scope), None);
}

/// What ran beside or after it may have changed the files, unless they are as they were before the line.
#[test]
fn the_content_before_a_line_tells_what_it_changed() {
    let call = |entry: Entry, content: &str| Entry {
        tool_use: Some("t1".into()),
        content: Some(content.into()),
        ..entry
    };
    let begun = |line: &str| call(Entry { event: "PreToolUse".into(), ..bash(line, None) }, "c1");
    let ended = |line: &str, content: &str| call(bash(line, Some(0)), content);
    let line = "cargo test && git commit -m x";
    assert_eq!(shown(&[begun(line), ended(line, "c1")], "cargo test"), "passed on c1");
    assert_eq!(
        shown(&[begun(line), ended(line, "c2")], "cargo test"),
        "unknown: `git commit -m x` ran after it on its line"
    );
    let line = "echo b > x.rs; cargo test && sh gen.sh";
    assert_eq!(
        shown(&[begun(line), ended(line, "c1")], "cargo test"),
        "unknown: `sh gen.sh` ran after it on its line",
        "what was prepared may be put back"
    );
    let before = |line: &str| {
        let entries = [begun(line), ended(line, "c2")];
        let scope = EditScope::new("/tmp/p", &crate::dialect::TEST);
        match find(&entries, &Command::new("cargo test", ""), &scope) {
            Evidence::Passed(pass) => pass.before,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(before("cargo test").as_deref(), Some("c1"));
    assert_eq!(before("python3 gen.py && cargo test"), None, "it was prepared");
    assert_eq!(before("sed -i s/a/b/ x.rs && cargo test"), None);
    assert_eq!(before("cd . && cargo test").as_deref(), Some("c1"));
}
