//! `engine glob`.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use crate::stage::{Stage, run};

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

/// git itself, for what only its index knows.
fn git(stage: &Stage, args: &[&str]) {
    let mut command = Command::new("git");
    command.args(args).current_dir(stage.root()).env("HOME", stage.home()).env("GIT_CONFIG_NOSYSTEM", "1");
    assert!(command.stdout(Stdio::null()).status().unwrap().success(), "git {args:?}");
}

#[test]
fn what_git_tracks_is_listed_although_a_pattern_ignores_it() {
    let stage = Stage::bare();
    git(&stage, &["init", "-q"]);
    aged(&stage, &["a.md", "made/kept.md", "made/other.md", "kept.log", "other.log", "deep/made/x/kept.md"]);
    stage.write(".gitignore", "made/\n*.log\n");
    git(&stage, &["add", "-f", "made/kept.md", "kept.log", "deep/made/x/kept.md"]);
    insta::assert_snapshot!(stage.ok(&["glob", "**/*.md"]), @"
    a.md
    made/kept.md
    deep/made/x/kept.md
    ");
    insta::assert_snapshot!(stage.ok(&["glob", "*.log"]), @"kept.log");
    insta::assert_snapshot!(stage.ok(&["glob", "**/*.md", "deep"]), @"deep/made/x/kept.md");
    insta::assert_snapshot!(stage.ok(&["glob", "*/*.md"]), @"made/kept.md");
    // Without git nothing more is ignored than before.
    let mut alone = stage.command(&["glob", "*.log"]);
    alone.env("PATH", "");
    assert_eq!(run(alone, None).stdout, "");
}

#[test]
fn sessions_are_searched_whole_where_they_are_named() {
    let stage = Stage::new();
    stage.write(".git/HEAD", "ref: refs/heads/main\n");
    aged(&stage, &["sessions/S/a.md", "sessions/S/deep/b.md", "docs/c.md"]);
    stage.write(".gitignore", "*.md\n");
    for args in [&["glob", "**/*.md", "sessions"][..], &["glob", "sessions/**"]] {
        assert_eq!(stage.ok(args), "sessions/S/a.md\nsessions/S/deep/b.md\n", "{args:?}");
    }
    insta::assert_snapshot!(stage.ok(&["glob", "**/*.md", "sessions/S/deep"]), @"sessions/S/deep/b.md");
}

#[test]
fn ignored_files_that_would_match_are_told_where_nothing_does() {
    let stage = Stage::bare();
    stage.write(".git/HEAD", "ref: refs/heads/main\n");
    aged(&stage, &["target/x/ign.md", "target/b.md", "e.log", "a.txt"]);
    stage.write(".gitignore", "target/\n*.log\n");
    let told = |pattern: &str| {
        let out = stage.engine(&["glob", pattern]);
        assert_eq!((out.code, out.stdout.as_str()), (Some(0), ""), "{pattern}");
        out.stderr
    };
    insta::assert_snapshot!(told("**/ign.md"), @"nothing matches **/ign.md; git ignores 1 file that would. To name one: engine glob 'target/x/ign.md'");
    insta::assert_snapshot!(told("**/*.md"), @"nothing matches **/*.md; git ignores 2 files that would. To name one: engine glob 'target/b.md'");
    insta::assert_snapshot!(told("*.log"), @"nothing matches *.log; git ignores 1 file that would. To name one: engine glob 'e.log'");
    insta::assert_snapshot!(told("**/*.rs"), @"nothing matches **/*.rs");
    assert_eq!(stage.ok(&["glob", "e.log"]), "e.log\n");
}

/// A folder that nobody can open, not even root: its path is too long.
#[test]
#[cfg(target_os = "linux")]
fn a_folder_that_cannot_be_read_is_named_once() {
    let stage = Stage::bare();
    aged(&stage, &["z/a.md"]);
    let name = format!("/{:0250}", 0);
    for top in ["z/b", "z/a"] {
        // No path that is longer than the system allows can be made at once.
        let upper = stage.root().join(format!("{top}{}", name.repeat(9)));
        fs::create_dir_all(&upper).unwrap();
        fs::create_dir_all(stage.root().join(format!("lower{}", name.repeat(8)))).unwrap();
        fs::rename(stage.root().join("lower"), upper.join("lower")).unwrap();
    }
    let out = stage.engine(&["glob", "z/**"]);
    assert_eq!(out.stdout, "z/a.md\n");
    let deep = format!("{}/lower{}", name.repeat(9), name.repeat(8));
    let told = |top: &str| format!("z/{top}{deep} was not read: File name too long (os error 36)\n");
    assert_eq!(out.stderr, format!("{}{}", told("a"), told("b")));
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
