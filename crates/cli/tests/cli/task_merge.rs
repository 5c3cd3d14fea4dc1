//! The merge driver, by git itself: merge, rebase, cherry-pick; its installation and removal.

use std::fs;
use std::path::Path;

use crate::stage::{Output, Stage, at_terminal, run};

const FILE: &str = "# Session\n\n## Status\n\nGoing.\n\n## Pending Tasks\n\n- [ ] **Lexer** — `/lex` | opus\n- [ ] **Parser** — `/parse` | opus\n- [ ] **Docs** — | haiku\n\n## Notes\n\n- one\n\n## Other\n\nfree\n";

/// A repository on `main` with the file, and the driver.
fn stage() -> Stage {
    let stage = bare(FILE);
    let out = stage.engine(&["init", "--with", "merge"]);
    assert_eq!(out.code, Some(0), "{}", out.stderr);
    stage.git(&["add", "-A"]);
    stage.git(&["commit", "-qm", "engine"]);
    stage
}

fn bare(file: &str) -> Stage {
    let stage = Stage::bare();
    stage.git(&["init", "-q", "-b", "main"]);
    stage.write("session.md", file);
    stage.git(&["add", "session.md"]);
    stage.git(&["commit", "-qm", "start"]);
    stage
}

fn commit(stage: &Stage, text: &str) {
    stage.write("session.md", text);
    stage.git(&["commit", "-qam", "change"]);
}

/// Both sides of a history, on `main` and on `topic`; `topic` is checked out.
fn diverged(stage: &Stage, main: &str, topic: &str) {
    stage.git(&["switch", "-qc", "topic"]);
    commit(stage, topic);
    stage.git(&["switch", "-q", "main"]);
    commit(stage, main);
    stage.git(&["switch", "-q", "topic"]);
}

fn changed(pairs: &[(&str, &str)]) -> String {
    pairs.iter().fold(FILE.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "{old}");
        text.replace(old, new)
    })
}

fn main_side() -> String {
    changed(&[
        ("[ ] **Lexer**", "[x] **Lexer**"),
        ("- [ ] **Docs** — | haiku\n", "- [ ] **Docs** — | haiku\n- [ ] **From main** —\n"),
        ("Going.", "Main is done."),
        ("- one\n", "- one\n- of main\n"),
    ])
}

fn topic_side() -> String {
    changed(&[
        ("[ ] **Lexer**", "[>] **Lexer**"),
        ("[ ] **Parser** — `/parse` | opus\n", "[!] **Parser** — `/parse` | opus\n  Blocked: no key\n"),
        ("- [ ] **Docs** — | haiku\n", "- [ ] **Docs** — | sonnet\n- [ ] **From topic** —\n"),
        ("- one\n", "- one\n- of topic\n"),
        ("free\n", "free and easy\n"),
    ])
}

/// What comes of both, with the tasks that are new in their order.
fn both(first: &str, second: &str) -> String {
    let added = format!("- [ ] **Docs** — | sonnet\n- [ ] **From {first}** —\n- [ ] **From {second}** —\n");
    changed(&[
        ("[ ] **Lexer**", "[x] **Lexer**"),
        ("[ ] **Parser** — `/parse` | opus\n", "[!] **Parser** — `/parse` | opus\n  Blocked: no key\n"),
        ("- [ ] **Docs** — | haiku\n", &added),
        ("Going.", "Main is done."),
        ("- one\n", &format!("- one\n- of {first}\n- of {second}\n")),
        ("free\n", "free and easy\n"),
    ])
}

#[test]
fn git_merge_keeps_both_sides() {
    let stage = stage();
    diverged(&stage, &main_side(), &topic_side());
    stage.git(&["merge", "-q", "--no-edit", "main"]);
    assert_eq!(stage.read("session.md"), both("topic", "main"));
    // Without the driver it is a conflict.
    let stage = bare(FILE);
    diverged(&stage, &main_side(), &topic_side());
    assert_eq!(stage.try_git(&["merge", "-q", "main"]).code, Some(1));
}

#[test]
fn git_rebase_keeps_both_sides() {
    let stage = stage();
    diverged(&stage, &main_side(), &topic_side());
    stage.git(&["rebase", "-q", "main"]);
    // What is rebased onto counts as ours.
    assert_eq!(stage.read("session.md"), both("main", "topic"));
}

#[test]
fn git_cherry_pick_and_stash_keep_both_sides() {
    let stage = stage();
    diverged(&stage, &main_side(), &topic_side());
    stage.git(&["switch", "-q", "main"]);
    stage.git(&["cherry-pick", "topic"]);
    assert_eq!(stage.read("session.md"), both("main", "topic"));
    stage.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let task = |name: &str| format!("- [ ] **Docs** — | haiku\n- [ ] **{name}** —\n");
    let with = |name: &str| main_side().replace("- [ ] **Docs** — | haiku\n", &task(name));
    stage.write("session.md", &with("Stashed"));
    stage.git(&["stash", "-q"]);
    commit(&stage, &with("Committed"));
    stage.git(&["stash", "pop", "-q"]);
    let both = task("Committed") + "- [ ] **Stashed** —\n";
    assert_eq!(stage.read("session.md"), main_side().replace("- [ ] **Docs** — | haiku\n", &both));
}

#[test]
fn what_both_reworded_is_marked_and_reported() {
    let stage = stage();
    diverged(
        &stage,
        &changed(&[("`/lex`", "`/main`")]),
        &changed(&[("`/lex`", "`/topic`"), ("[ ] **Docs**", "[x] **Docs**")]),
    );
    let out = stage.try_git(&["merge", "main"]);
    assert_eq!(out.code, Some(1));
    assert!(out.stdout.contains("CONFLICT (content): Merge conflict in session.md"), "{}", out.stdout);
    let marked = "<<<<<<< HEAD\n- [ ] **Lexer** — `/topic` | opus\n=======\n- [ ] **Lexer** — `/main` | opus\n>>>>>>> main\n";
    let expected =
        changed(&[("- [ ] **Lexer** — `/lex` | opus\n", marked), ("[ ] **Docs**", "[x] **Docs**")]);
    // Older versions of git do not tell a driver what the sides are called.
    let text = stage.read("session.md");
    assert_eq!(
        text.replace("<<<<<<< ours", "<<<<<<< HEAD").replace(">>>>>>> theirs", ">>>>>>> main"),
        expected
    );
    insta::assert_snapshot!(stage.engine(&["task", "validate"]).stdout, @"session.md:9: error: conflict markers in lines 9–13; edit the file: keep the lines that hold and delete the marker lines");
    // Resolved by hand.
    stage.write("session.md", &changed(&[("`/lex`", "`/main`"), ("[ ] **Docs**", "[x] **Docs**")]));
    stage.ok(&["task", "validate"]);
    stage.git(&["commit", "-qam", "merged"]);
}

#[test]
fn a_file_with_carriage_returns_keeps_them() {
    let crlf = |text: String| text.replace('\n', "\r\n");
    let stage = bare(&crlf(FILE.to_owned()));
    assert_eq!(stage.engine(&["init", "--with", "merge"]).code, Some(0));
    stage.git(&["config", "core.autocrlf", "false"]);
    stage.git(&["add", "-A"]);
    stage.git(&["commit", "-qm", "engine"]);
    diverged(&stage, &crlf(main_side()), &crlf(topic_side()));
    stage.git(&["merge", "-q", "--no-edit", "main"]);
    assert_eq!(stage.read("session.md"), crlf(both("topic", "main")));
}

/// Both branches have merged each other: git merges the two ancestors first.
#[test]
fn branches_that_merged_each_other_are_merged() {
    let stage = stage();
    diverged(&stage, &changed(&[("`/lex`", "`/main`")]), &changed(&[("`/lex`", "`/topic`")]));
    let [main, topic] = ["main", "topic"].map(|name| stage.git(&["rev-parse", name]).trim().to_owned());
    for (branch, other, words) in [("topic", &main, "`/topic`"), ("main", &topic, "`/main`")] {
        stage.git(&["switch", "-q", branch]);
        stage.try_git(&["merge", "-q", other]);
        let added = format!("- one\n- after {branch}\n");
        stage.write("session.md", &changed(&[("`/lex`", words), ("- one\n", &added)]));
        stage.git(&["commit", "-qam", "merged"]);
    }
    assert_eq!(stage.try_git(&["merge", "-q", "topic"]).code, Some(1));
    let text = stage.read("session.md");
    assert!(text.contains("- after main\n- after topic\n"), "{text}");
    assert!(text.contains("`/main`") && text.contains("`/topic`"), "{text}");
}

#[test]
fn init_says_what_it_does_and_is_idempotent() {
    let stage = bare(FILE);
    let config = stage.read(".git/config");
    let init = |args: &[&str]| {
        let out = stage.ok(&[&["init", "--with", "merge"], args].concat());
        out.lines()
            .filter(|line| line.contains("merge") || line.contains(".git"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    insta::assert_snapshot!(init(&["--dry-run"]), @"
    would create .gitattributes (+1 lines)
    would change .git/info/exclude (+4 lines)
    note: merge.engine.driver in the git configuration of this clone has git merge session.md by task; each other clone needs engine init --with merge once
    ");
    assert_eq!(stage.read(".git/config"), config);
    insta::assert_snapshot!(init(&[]), @r"
    created .gitattributes
    changed .git/info/exclude
    note: merge.engine.driver in the git configuration of this clone has git merge session.md by task; each other clone needs engine init --with merge once
    ");
    assert_eq!(stage.read(".gitattributes"), "/session.md merge=engine\n");
    let with = stage.read(".git/config");
    assert_eq!(init(&[]), "");
    assert_eq!(stage.read(".git/config"), with);
    let out = stage.git(&["config", "merge.engine.driver"]);
    let program = env!("CARGO_BIN_EXE_engine");
    assert_eq!(
        out.trim(),
        format!(
            "if [ -x '{program}' ]; then exec '{program}' merge-driver %O %A %B %L %P %X %Y; else exec git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B; fi"
        )
    );
}

#[test]
fn uninstall_takes_both_out_to_the_byte() {
    for attributes in [None, Some("*.png binary"), Some("*.png binary\n"), Some("# mine\r\n*.md text\r\n")] {
        let stage = bare(FILE);
        if let Some(text) = attributes {
            stage.write(".gitattributes", text);
        }
        let config = stage.read(".git/config");
        stage.ok(&["init", "--with", "merge"]);
        let out = stage.ok(&["uninstall", "--purge=all"]);
        assert!(out.contains("removed merge.engine from git's configuration of this clone\n"), "{out}");
        assert_eq!(stage.read(".git/config"), config);
        assert_eq!(fs::read_to_string(stage.root().join(".gitattributes")).ok().as_deref(), attributes);
        assert_eq!(stage.read("session.md"), FILE);
    }
}

#[test]
fn what_is_the_persons_is_kept() {
    let stage = bare(FILE);
    stage.write(".gitattributes", "session.md merge=union\n");
    let out = stage.ok(&["init", "--with", "merge"]);
    assert!(
        out.contains(
            "note: the attributes of session.md say merge=union, which was kept; engine does not merge it\n"
        ),
        "{out}"
    );
    assert_eq!(stage.read(".gitattributes"), "session.md merge=union\n");
    let stage = bare(FILE);
    stage.git(&["config", "merge.engine.driver", "mine %A"]);
    let out = stage.ok(&["init", "--with", "merge"]);
    assert!(
        out.contains("note: merge.engine.driver in the git configuration is yours and was kept: mine %A\n"),
        "{out}"
    );
    stage.ok(&["uninstall"]);
    assert_eq!(stage.git(&["config", "merge.engine.driver"]).trim(), "mine %A");
    let stage = Stage::bare();
    let out = stage.ok(&["init", "--with", "merge"]);
    assert!(
        stage.masked(&out).contains(
            "note: [TOP]/project is in no git repository, so there is nothing to merge session.md in\n"
        ),
        "{out}"
    );
    assert!(!stage.exists(".gitattributes"));
}

#[test]
fn the_configured_file_is_named() {
    let stage = bare(FILE);
    stage.write("docs/my tasks.md", FILE);
    stage.write(".engine/config.toml", "[tasks]\nfile = \"docs/my tasks.md\"\n");
    stage.ok(&["init", "--with", "merge"]);
    assert_eq!(stage.read(".gitattributes"), "\"/docs/my tasks.md\" merge=engine\n");
    assert_eq!(stage.git(&["check-attr", "merge", "docs/my tasks.md"]), "docs/my tasks.md: merge: engine\n");
    stage.ok(&["uninstall", "--purge=all"]);
    assert!(!stage.exists(".gitattributes"));
}

/// The line comes with a clone, the driver does not.
#[test]
fn a_clone_is_told_and_merges_as_text_until_then() {
    let stage = stage();
    diverged(&stage, &main_side(), &topic_side());
    let clone = stage.home().join("clone");
    stage.git(&["clone", "-q", ".", &clone.display().to_string()]);
    let git = |args: &[&str]| {
        let mut command = stage.program_in(&clone, "git");
        command.args(args).env("GIT_AUTHOR_NAME", "Ada").env("GIT_AUTHOR_EMAIL", "a@example.org");
        command.env("GIT_COMMITTER_NAME", "Ada").env("GIT_COMMITTER_EMAIL", "a@example.org");
        run(command, None)
    };
    let engine = |args: &[&str]| at_terminal(&stage.command_in(&clone, args));
    let merge = |args: &[&str]| {
        engine(args).stdout.lines().find(|line| line.contains("merge")).unwrap_or_default().to_owned()
    };
    assert_eq!(git(&["merge", "-q", "origin/main"]).code, Some(1));
    assert!(fs::read_to_string(clone.join("session.md")).unwrap().contains("<<<<<<< HEAD\n"));
    git(&["merge", "--abort"]);
    insta::assert_snapshot!(merge(&["doctor"]), @"");
    assert_eq!(engine(&["init", "--with", "merge"]).code, Some(0));
    insta::assert_snapshot!(merge(&["doctor"]), @"ok    merge                        git merges session.md by its tasks");
    assert_eq!(git(&["merge", "-q", "--no-edit", "origin/main"]).code, Some(0));
    assert_eq!(fs::read_to_string(clone.join("session.md")).unwrap(), both("topic", "main"));
    // Without a manifest of its own, too.
    git(&["config", "--unset", "merge.engine.driver"]);
    git(&["config", "--unset", "merge.engine.name"]);
    assert_eq!(engine(&["uninstall", "--purge=all"]).code, Some(0));
    assert!(!clone.join(".gitattributes").exists());
}

/// A program that was moved leaves a merge with markers, as git does it.
#[test]
fn without_its_program_git_merges_as_text() {
    let stage = stage();
    let moved = stage.home().join("moved engine's 100%");
    fs::copy(env!("CARGO_BIN_EXE_engine"), &moved).unwrap();
    let mut init = stage.program_in(&stage.root(), &moved);
    init.args(["init", "--with", "merge"]);
    assert_eq!(at_terminal(&init).code, Some(0));
    diverged(&stage, &main_side(), &topic_side());
    stage.git(&["merge", "-q", "--no-edit", "main"]);
    assert_eq!(stage.read("session.md"), both("topic", "main"));
    stage.git(&["reset", "-q", "--hard", "HEAD~1"]);
    fs::remove_file(&moved).unwrap();
    assert_eq!(stage.try_git(&["merge", "-q", "main"]).code, Some(1));
    let text = stage.read("session.md");
    assert!(text.contains("<<<<<<< ours\n") && text.contains(">>>>>>> theirs\n"), "{text}");
    let said = stage.engine(&["doctor"]).stdout;
    let line = said.lines().find(|line| line.contains("merge")).unwrap_or_default();
    assert!(
        line.contains("merge.engine.driver runs")
            && line.contains("which is gone: git merges session.md as text. Run: engine init --with merge"),
        "{said}"
    );
}

fn driver(stage: &Stage, folder: &Path, args: &[&str]) -> Output {
    run(stage.command_in(folder, &[&["merge-driver"], args].concat()), None)
}

#[test]
fn the_driver_works_anywhere() {
    let stage = Stage::bare();
    stage.write_from_elsewhere(".engine/config.toml", "not [ toml");
    let elsewhere = stage.home().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    for folder in [stage.root(), elsewhere] {
        let write = || {
            for (name, text) in [("o", FILE), ("a", &topic_side()), ("b", &main_side())] {
                fs::write(folder.join(name), text).unwrap();
            }
        };
        for args in [
            &["o", "a", "b"][..],
            &["o", "a", "b", "7", "session.md", "HEAD", "main"],
            &["o", "a", "b", "%L", "-x.md", "%X", "%Y"],
        ] {
            write();
            let out = driver(&stage, &folder, args);
            assert_eq!((out.code, out.stdout.as_str(), out.stderr.as_str()), (Some(0), "", ""), "{args:?}");
            assert_eq!(fs::read_to_string(folder.join("a")).unwrap(), both("topic", "main"));
        }
        fs::write(folder.join("a"), changed(&[("`/lex`", "`/a`")])).unwrap();
        fs::write(folder.join("b"), changed(&[("`/lex`", "`/b`")])).unwrap();
        let out = driver(&stage, &folder, &["o", "a", "b", "9", "session.md", "%X", "-topic"]);
        assert_eq!((out.code, out.stderr.as_str()), (Some(1), ""));
        let text = fs::read_to_string(folder.join("a")).unwrap();
        assert!(text.contains("<<<<<<<<< ours\n") && text.contains(">>>>>>>>> -topic\n"), "{text}");
    }
}

/// A limit on the size of files kills the process at its first byte. Git takes that for a merge that failed, as it does 129.
#[test]
fn what_cannot_be_written_leaves_the_file() {
    let stage = stage();
    let missing = driver(&stage, &stage.root(), &["session.md", "session.md", "none", "7", "tasks.md"]);
    assert_eq!(missing.code, Some(129));
    assert_eq!(
        missing.stderr,
        "engine: tasks.md was not merged: none: No such file or directory (os error 2)\n"
    );
    let long = |text: String| format!("{text}{}", "line\n".repeat(1000));
    for (name, text) in [("o", FILE.to_owned()), ("a", topic_side()), ("b", main_side())] {
        stage.write(&format!("full/{name}"), &long(text));
    }
    let mut limited = stage.program_in(&stage.root().join("full"), "sh");
    let program = env!("CARGO_BIN_EXE_engine");
    limited.args(["-c", "ulimit -f 1; exec \"$0\" merge-driver o a b", program]);
    assert_eq!(run(limited, None).code, None, "it was killed");
    assert_eq!(stage.read("full/a"), long(topic_side()));
    // Git merges nothing.
    diverged(&stage, &long(main_side()), &long(topic_side()));
    let driver = format!("ulimit -f 1; exec '{program}' merge-driver %O %A %B");
    stage.git(&["config", "merge.engine.driver", &driver]);
    let head = stage.git(&["rev-parse", "HEAD"]);
    assert_ne!(stage.try_git(&["merge", "-q", "main"]).code, Some(0));
    assert_eq!(stage.read("session.md"), long(topic_side()));
    assert_eq!(stage.git(&["rev-parse", "HEAD"]), head);
    // Older versions of git take it for a conflict, and keep the three versions.
    let status = stage.git(&["status", "--porcelain", "-uno"]);
    assert!(["", "UU session.md\n"].contains(&status.as_str()), "{status}");
}

#[test]
fn the_engines_files_are_not_written_by_the_driver() {
    let stage = Stage::new();
    for name in ["o", "b"] {
        stage.write(name, "[rules]\npolicy = \"off\"\n");
    }
    let out = driver(&stage, &stage.root(), &["o", ".engine/config.toml", "b"]);
    assert_eq!(
        (out.code, out.stderr.as_str()),
        (
            Some(129),
            "engine: .engine/config.toml was not merged: .engine/config.toml belongs to engine and is not merged\n"
        )
    );
    assert_eq!(stage.read(".engine/config.toml"), "");
    for (command, rule) in [
        ("engine merge-driver o .engine/config.toml b", "engine rule protect: "),
        ("engine --json merge-driver o .engine/config.toml b", "engine rule protect: "),
        ("engine merge-driver o .claude/settings.json b", "engine rule protect: "),
    ] {
        let out = stage.hook(&stage.bash(command)).json();
        let reason = out["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default();
        assert!(reason.contains(rule), "{command}: {reason}");
    }
}

/// 20,000 tasks a side, and a section of 60,000 lines.
#[test]
fn a_huge_file_is_merged_in_seconds() {
    let stage = Stage::bare();
    let file = |from: usize, state: char, line: usize| {
        let tasks: String = (from..from + 20_000)
            .map(|n| format!("- [{state}] **Task {n}** — | sonnet\n  - note {n}\n"))
            .collect();
        let lines: String = (0..60_000)
            .map(|n| if n == line { "changed\n".to_owned() } else { format!("line {n}\n") })
            .collect();
        format!("## Pending Tasks\n\n{tasks}\n## Log\n\n{lines}")
    };
    for (name, text) in
        [("o", file(0, ' ', 60_001)), ("a", file(5_000, 'x', 10)), ("b", file(10_000, '>', 50_000))]
    {
        stage.write(name, &text);
    }
    let began = std::time::Instant::now();
    let out = driver(&stage, &stage.root(), &["o", "a", "b"]);
    assert_eq!((out.code, out.stderr.as_str()), (Some(0), ""));
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
    let merged = stage.read("a");
    assert_eq!(merged.matches("\nchanged\n").count(), 2);
    assert_eq!(merged.matches("- [x] **Task 12000**").count(), 1);
    assert_eq!(merged.matches("\n- [").count(), 25_000);
}

#[test]
fn it_has_help_and_is_not_among_the_everyday_commands() {
    let stage = Stage::bare();
    insta::assert_snapshot!(stage.ok(&["merge-driver", "--help"]), @r"
    Merge three versions of a task file, as git asks for it

    Git runs it where `engine init --with merge` has put it into the configuration. Tasks are merged by
    what they are and how they stand, Status, Done and Notes by their entries, everything else line by
    line. What both sides changed in different ways stays twice, between conflict markers. A file that
    cannot be taken apart is merged as git merges texts.

    Exit codes: 0 merged, 1 merged with conflicts, 129 nothing was written.

    Usage: engine merge-driver [OPTIONS] <BASE> <OURS> <THEIRS> [SIZE] [PATH] [OUR_LABEL] [THEIR_LABEL]

    Arguments:
      <BASE>
              The version that both sides come from (%O)

      <OURS>
              Our version, which the result replaces (%A)

      <THEIRS>
              Their version (%B)

      [SIZE]
              How long conflict markers are (%L)
              
              [default: 7]

      [PATH]
              The name of the file, for messages (%P)

      [OUR_LABEL]
              What our side is called in conflict markers (%X)

      [THEIR_LABEL]
              What their side is called in conflict markers (%Y)

    Options:
          --json
              Print one JSON object instead of text

      -h, --help
              Print help (see a summary with '-h')

    Examples:
      engine merge-driver base.md session.md theirs.md
      git config merge.engine.driver 'engine merge-driver %O %A %B %L %P %X %Y'
    ");
    assert!(!stage.ok(&["--help"]).contains("merge-driver"));
}

/// One side renames or deletes the heading of the tasks.
#[test]
fn a_heading_that_is_renamed_takes_no_task_with_it() {
    let start =
        "# Session\n\n## Pending Tasks\n\n### Later\n\n- [ ] **A** — | sonnet\n- [ ] **B** — | sonnet\n";
    for theirs in ["## Backlog\n\n", ""] {
        let stage = bare(start);
        stage.ok(&["init", "--with", "merge"]);
        let ours = start.replace("### Later", "- [ ] **New** — | sonnet\n\n### Later");
        diverged(&stage, &start.replace("## Pending Tasks\n\n", theirs), &ours);
        assert_eq!(stage.try_git(&["merge", "-q", "--no-edit", "main"]).code, Some(1));
        let text = stage.read("session.md");
        for task in ["**A**", "**B**", "**New**", "<<<<<<< ", ">>>>>>> "] {
            assert_eq!(text.matches(task).count(), 1, "{task} in {text}");
        }
    }
}

#[test]
fn a_link_is_not_written_and_the_configuration_comes_back_to_the_byte() {
    let stage = bare(FILE);
    let elsewhere = stage.home().join("attributes");
    fs::write(&elsewhere, "*.x y\n").unwrap();
    std::os::unix::fs::symlink(&elsewhere, stage.root().join(".gitattributes")).unwrap();
    let out = stage.ok(&["init", "--with", "merge"]);
    assert!(out.contains("note: .gitattributes is a link, which git does not follow, so nothing was written; put a file of its own in its place, then: engine init --with merge\n"), "{out}");
    stage.ok(&["uninstall", "--purge=all"]);
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "*.x y\n");
    let stage = bare(FILE);
    fs::write(stage.root().join(".gitattributes"), b"\xff\xfe x\n").unwrap();
    let config = stage.read(".git/config") + "[alias]\n\tx = y";
    stage.write(".git/config", &config);
    let out = stage.ok(&["init", "--with", "merge"]);
    assert!(out.contains("note: .gitattributes is not UTF-8, so nothing was written; add this line to it, then: engine init --with merge\n"), "{out}");
    fs::remove_file(stage.root().join(".gitattributes")).unwrap();
    stage.ok(&["init", "--with", "merge"]);
    assert_ne!(stage.read(".git/config"), config);
    stage.ok(&["uninstall", "--purge=all"]);
    assert_eq!(stage.read(".git/config"), config);
}
