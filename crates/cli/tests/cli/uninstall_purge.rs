//! `engine uninstall --purge` deletes nobody's words without a word.

use std::fs;
use std::os::unix::fs::symlink;

use crate::stage::{Output, Stage};
use crate::uninstall_clone::bytes;

/// What a command says, with how it ended.
fn said(stage: &Stage, output: &Output) -> String {
    stage.masked(&format!("exit {}\n{}{}", output.code.unwrap_or(-1), output.stdout, output.stderr))
}

/// A project in which a person has written everywhere.
fn written() -> Stage {
    let stage = Stage::bare();
    stage.git(&["init", "-q", "-b", "main"]);
    stage.ok(&["init", "--scope", "project"]);
    stage.ok(&["q", "add", "dark mode, some day"]);
    for (path, text) in [
        (".engine/context/AXIOMS.md", "axioms\n"),
        (".engine/context/deep/MORE.md", "more\n"),
        (".engine/notes/idea.md", "idea\n"),
        (".engine/policy.toml", "# mine\n"),
        (".engine/policy.tests.toml", "# mine\n"),
        (".engine/workflows/x.toml", "# mine\n"),
        (".engine/journal/README.md", "about my journal\n"),
        ("session.md", "# Session\n"),
        ("sessions/2026_02_07_X/LOG.md", "log\n"),
        ("plans/x/runbook.md", "plan\n"),
        (".claude/agents/x-15bb84-task.md", "made for the runbook\n"),
        (".claude/agents/x-helper.md", "mine\n"),
        (".directives/AGENTS.md", "mine\n"),
        ("sub/.directives/AGENTS.md", "mine\n"),
    ] {
        stage.write_from_elsewhere(path, text);
    }
    stage.hook(&stage.prompt("go")).assert_silent();
    stage
}

/// What is left of `.engine/`.
fn left(stage: &Stage) -> Vec<String> {
    let item = |path: String| if path.contains("/queue/") { "queue item".to_owned() } else { path };
    let all = bytes(&stage.root()).into_keys().filter(|path| path.starts_with(".engine"));
    all.map(|path| item(format!("/{path}")).trim_start_matches("/.engine/").to_owned()).collect()
}

const WORDS: [&str; 8] = [
    "context/AXIOMS.md",
    "context/deep/MORE.md",
    "journal/README.md",
    "notes/idea.md",
    "policy.tests.toml",
    "policy.toml",
    "queue item",
    "workflows/x.toml",
];

/// The name of the queue's item is different each time.
fn without_item(text: &str) -> String {
    let lines = text.lines().map(|line| match line.split_once(".engine/queue/") {
        Some((before, after)) => {
            format!("{before}.engine/queue/[ITEM]{}\n", after.split_once(".md").unwrap().1)
        }
        None => format!("{line}\n"),
    });
    lines.collect()
}

#[test]
fn what_a_person_wrote_stays_and_is_named_until_all_is_asked_for() {
    let stage = written();
    let before = left(&stage);
    insta::assert_snapshot!(without_item(&said(&stage, &stage.engine(&["uninstall", "--purge", "--dry-run"]))), @"
    exit 0
    would remove .claude/settings.json
    would remove .claude/settings.local.json
    would restore .git/info/exclude
    would remove .engine/config.toml
    would remove .engine/, but for what you wrote
    kept .engine/context/AXIOMS.md: you wrote it, and git does not have it as it is
    kept .engine/context/deep/MORE.md: you wrote it, and git does not have it as it is
    kept .engine/journal/README.md: you wrote it, and git does not have it as it is
    kept .engine/notes/idea.md: you wrote it, and git does not have it as it is
    kept .engine/policy.tests.toml: you wrote it, and git does not have it as it is
    kept 3 more, for the same reason; -v lists them
    To remove what you wrote there, too: engine uninstall --purge=all
    Your work stays: session.md, sessions/, plans/, .directives/, sub/.directives/, .claude/agents/x-15bb84-task.md
    Nothing was written.
    ");
    assert_eq!(left(&stage), before);
    insta::assert_snapshot!(without_item(&said(&stage, &stage.engine(&["uninstall", "--purge"]))), @"
    exit 0
    removed .claude/settings.json
    removed .claude/settings.local.json
    restored .git/info/exclude
    removed .engine/config.toml
    removed .engine/, but for what you wrote
    kept .engine/context/AXIOMS.md: you wrote it, and git does not have it as it is
    kept .engine/context/deep/MORE.md: you wrote it, and git does not have it as it is
    kept .engine/journal/README.md: you wrote it, and git does not have it as it is
    kept .engine/notes/idea.md: you wrote it, and git does not have it as it is
    kept .engine/policy.tests.toml: you wrote it, and git does not have it as it is
    kept 3 more, for the same reason; -v lists them
    To remove what you wrote there, too: engine uninstall --purge=all
    Your work stays: session.md, sessions/, plans/, .directives/, sub/.directives/, .claude/agents/x-15bb84-task.md
    ");
    assert_eq!(left(&stage), WORDS);
    insta::assert_snapshot!(without_item(&said(&stage, &stage.engine(&["uninstall", "--purge"]))), @"
    exit 3
    kept .engine/context/AXIOMS.md: you wrote it, and git does not have it as it is
    kept .engine/context/deep/MORE.md: you wrote it, and git does not have it as it is
    kept .engine/journal/README.md: you wrote it, and git does not have it as it is
    kept .engine/notes/idea.md: you wrote it, and git does not have it as it is
    kept .engine/policy.tests.toml: you wrote it, and git does not have it as it is
    kept 3 more, for the same reason; -v lists them
    To remove what you wrote there, too: engine uninstall --purge=all
    engine: nothing of engine's is installed in [TOP]/project
    ");
    assert_eq!(left(&stage), WORDS);
    insta::assert_snapshot!(said(&stage, &stage.engine(&["uninstall", "--purge=all"])), @"
    exit 0
    removed .engine/
    Your work stays: session.md, sessions/, plans/, .directives/, sub/.directives/, .claude/agents/x-15bb84-task.md
    ");
    assert!(!stage.exists(".engine"));
    assert!(stage.exists("session.md") && stage.exists("sub/.directives/AGENTS.md"));
    assert_eq!(stage.engine(&["uninstall", "--purge=all"]).code, Some(3));
}

#[test]
fn what_git_has_as_it_is_goes_and_comes_back() {
    let stage = written();
    stage.git(&["add", "-A"]);
    stage.git(&["commit", "-qm", "x"]);
    stage.write_from_elsewhere(".engine/context/AXIOMS.md", "changed since\n");
    stage.write_from_elsewhere(".engine/notes/new.md", "new\n");
    stage.write_from_elsewhere(".engine/policy.toml", "# staged\n");
    stage.git(&["add", ".engine/policy.toml"]);
    insta::assert_snapshot!(without_item(&said(&stage, &stage.engine(&["uninstall", "--purge"]))), @"
    exit 0
    removed .claude/settings.json
    removed .claude/settings.local.json
    restored .git/info/exclude
    removed .engine/config.toml
    removed .engine/, but for what you wrote
    kept .engine/context/AXIOMS.md: you wrote it, and git does not have it as it is
    kept .engine/notes/new.md: you wrote it, and git does not have it as it is
    kept .engine/policy.toml: you wrote it, and git does not have it as it is
    6 files of yours went with it; git has them: git restore --source HEAD -- .engine
    To remove what you wrote there, too: engine uninstall --purge=all
    Your work stays: session.md, sessions/, plans/, .directives/, sub/.directives/, .claude/agents/x-15bb84-task.md
    ");
    assert_eq!(left(&stage), ["context/AXIOMS.md", "notes/new.md", "policy.toml"]);
    stage.git(&["restore", "--source", "HEAD", "--", ".engine/notes", ".engine/queue"]);
    assert_eq!(stage.read(".engine/notes/idea.md"), "idea\n");
}

#[test]
fn a_configuration_is_the_persons_once_it_says_something() {
    let stage = Stage::bare();
    stage.ok(&["init", "--scope", "project"]);
    stage.ok(&["config", "set", "inject.budget", "600"]);
    insta::assert_snapshot!(said(&stage, &stage.engine(&["uninstall", "--purge"])), @"
    exit 0
    removed .claude/settings.json
    removed .claude/settings.local.json
    removed .engine/, but for what you wrote
    kept .engine/config.toml: you wrote it, and git does not have it as it is
    To remove what you wrote there, too: engine uninstall --purge=all
    ");
    assert_eq!(left(&stage), ["config.toml"]);
    assert!(stage.read(".engine/config.toml").contains("budget = 600"));
    stage.ok(&["uninstall", "--purge=all"]);
    assert_eq!(bytes(&stage.root()).len(), 0);
}

#[test]
fn words_and_links_in_the_state_are_no_way_out() {
    let stage = Stage::bare();
    stage.ok(&["init", "--scope", "project"]);
    let mine = stage.home().join("mine");
    fs::create_dir_all(&mine).unwrap();
    fs::write(mine.join("words.md"), "mine\n").unwrap();
    symlink(&mine, stage.root().join(".engine/state/linked")).unwrap();
    symlink(&mine, stage.root().join(".engine/context")).unwrap();
    insta::assert_snapshot!(said(&stage, &stage.engine(&["uninstall", "--purge"])), @"
    exit 0
    removed .claude/settings.json
    removed .claude/settings.local.json
    removed .engine/config.toml
    removed .engine/, but for what you wrote
    kept .engine/context: you wrote it, and git does not have it as it is
    To remove what you wrote there, too: engine uninstall --purge=all
    ");
    assert_eq!(left(&stage), ["context"]);
    assert_eq!(fs::read_to_string(mine.join("words.md")).unwrap(), "mine\n");
    stage.ok(&["uninstall", "--purge=all"]);
    assert!(!stage.exists(".engine"));
    assert_eq!(fs::read_to_string(mine.join("words.md")).unwrap(), "mine\n");
}

#[test]
fn an_agent_asks_for_each_kind_on_its_own() {
    let stage = Stage::bare();
    stage.ok(&["init", "--scope", "project"]);
    stage.write_from_elsewhere(".engine/notes/idea.md", "idea\n");
    let asked = |args: &[&str]| {
        let mut command = stage.command(args);
        command.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", crate::stage::SESSION);
        let done = crate::stage::run(command, None);
        let first = done.stderr.lines().next().unwrap_or_default().to_owned();
        format!("exit {} {first}", done.code.unwrap_or(-1))
    };
    let told = [&["uninstall"][..], &["uninstall", "--purge"], &["uninstall", "--purge=all"]].map(asked);
    insta::assert_snapshot!(told.join("\n"), @"
    exit 1 engine: uninstall engine needs a person: approval 1
    exit 1 engine: uninstall engine, with its configuration and journal needs a person: approval 2
    exit 1 engine: uninstall engine, with all that is in .engine/ needs a person: approval 3
    ");
    assert_eq!(asked(&["uninstall", "--purge=all", "--dry-run"]), "exit 0 ");
    assert!(stage.exists(".engine/notes/idea.md") && stage.exists(".claude/settings.json"));
}
