//! `engine glob`.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use crate::stage::Stage;

/// Files of known age: the first is the newest.
fn aged(stage: &Stage, paths: &[&str]) {
    for (path, age) in paths.iter().zip(1..) {
        stage.write(path, "");
        let at = SystemTime::now() - Duration::from_hours(age);
        File::open(stage.root().join(path)).unwrap().set_modified(at).unwrap();
    }
}

#[test]
fn newest_first_through_links_under_the_given_root() {
    let stage = Stage::bare();
    aged(
        &stage,
        &[
            "shared/B/new one.md",
            "shared/A/x.md",
            "shared/A/deep/y.txt",
            "top.md",
            "shared/.git/no.md",
            "shared/.h.md",
        ],
    );
    symlink(stage.root().join("shared"), stage.root().join("sessions")).unwrap();
    symlink(stage.root().join("shared"), stage.root().join("shared/A/loop")).unwrap();
    insta::assert_snapshot!(stage.ok(&["glob", "**/*.md", "sessions"]), @"
    sessions/B/new one.md
    sessions/A/x.md
    sessions/.h.md
    ");
    insta::assert_snapshot!(stage.ok(&["glob", "**/*.{md,txt}", "--limit", "3"]), @"
    shared/B/new one.md
    shared/A/x.md
    shared/A/deep/y.txt
    ");
    insta::assert_snapshot!(stage.ok(&["glob", "sessions/?/*.md"]), @"
    sessions/B/new one.md
    sessions/A/x.md
    ");
    insta::assert_snapshot!(stage.ok(&["glob", "{A,B}/**", "shared/"]), @"
    shared/B/new one.md
    shared/A/x.md
    shared/A/deep/y.txt
    shared/A/loop/.h.md
    ");
    insta::assert_snapshot!(stage.ok(&["glob", "*"]), @"top.md");
    insta::assert_snapshot!(stage.ok(&["glob", "A/x.md", "./sessions"]), @"./sessions/A/x.md");
    insta::assert_snapshot!(stage.ok(&["glob", "*.md", "--json"]), @r#"{"files":["top.md"],"more":0,"pattern":"*.md","version":1}"#);
    let limited = stage.engine(&["glob", "**/*.md", "sessions", "--limit", "1"]);
    assert_eq!(
        (limited.stdout.as_str(), limited.stderr.as_str()),
        ("sessions/B/new one.md\n", "and 2 more\n")
    );
    let absolute = stage.root().join("sessions");
    let found = stage.ok(&["glob", "B/*", absolute.to_str().unwrap()]);
    assert_eq!(found, format!("{}\n", absolute.join("B/new one.md").display()));
}

#[test]
fn what_git_ignores_is_left_out_unless_it_is_named() {
    let stage = Stage::bare();
    stage.write(".git/HEAD", "ref: refs/heads/main\n");
    aged(
        &stage,
        &["a.md", ".directives/AGENTS.md", "src/made/b.md", "target/debug/c.md", "sessions/S/d.md", "e.log"],
    );
    stage.write(".gitignore", "target/\nsessions/\n*.log\n");
    stage.write("src/.gitignore", "made/\n");
    insta::assert_snapshot!(stage.ok(&["glob", "**/*.md"]), @"
    a.md
    .directives/AGENTS.md
    ");
    insta::assert_snapshot!(stage.ok(&["glob", "target/**/*.md"]), @"target/debug/c.md");
    insta::assert_snapshot!(stage.ok(&["glob", "**/*.md", "sessions"]), @"sessions/S/d.md");
    insta::assert_snapshot!(stage.ok(&["glob", "{sessions,src/made}/**"]), @"
    src/made/b.md
    sessions/S/d.md
    ");
    insta::assert_snapshot!(stage.ok(&["glob", "e.log"]), @"e.log");
    insta::assert_snapshot!(stage.ok(&["glob", "*.log"]), @"");
}

#[test]
fn nothing_is_no_error() {
    let stage = Stage::bare();
    for args in [&["glob", "**/*.md", "none"][..], &["glob", "none/x"], &["glob", "*.md"]] {
        let out = stage.engine(args);
        assert_eq!((out.code, out.stdout.as_str()), (Some(0), ""), "{args:?}");
        assert_eq!(out.stderr, format!("nothing matches {}\n", args[1]));
    }
    stage.write("x.md", "");
    let file = stage.engine(&["glob", "*", "x.md"]);
    assert_eq!((file.code, file.stderr.as_str()), (Some(1), "engine: x.md is not a folder\n"));
    fs::create_dir(stage.root().join("folder.md")).unwrap();
    assert_eq!(stage.ok(&["glob", "*.md"]), "x.md\n");
}
