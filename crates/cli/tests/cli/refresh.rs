//! `engine init --refresh`, and what `engine doctor` says of installed files.

use std::fs;
use std::os::unix::fs::symlink;

use crate::stage::{Kills, Output, Stage, at_once};
use crate::uninstall_clone::{OLDER, bytes};

/// What a command says, with how it ended.
fn said(stage: &Stage, output: &Output) -> String {
    stage.masked(&format!("exit {}\n{}{}", output.code.unwrap_or(-1), output.stdout, output.stderr))
}

/// What doctor says of the installed files.
fn drift(stage: &Stage) -> String {
    let report = stage.engine(&["doctor", "--json"]).json();
    let rows = report["checks"].as_array().unwrap().iter().filter(|row| row["name"] == "files");
    rows.map(|row| format!("{}: {}\n", row["health"].as_str().unwrap(), row["detail"].as_str().unwrap()))
        .collect()
}

/// A clone of a project into which an older version was installed.
fn older() -> Stage {
    let stage = Stage::bare();
    for (path, text) in OLDER {
        stage.write_from_elsewhere(path, text);
    }
    stage
}

fn current(path: &str) -> String {
    let name = path.strip_prefix(".claude/").unwrap();
    fs::read_to_string(format!("{}/../../plugin/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn what_is_not_edited_is_brought_to_this_version() {
    let stage = older();
    let edited = OLDER[1].1.replace("qa", "QA").replace('\n', "\r\n");
    stage.write_from_elsewhere(OLDER[1].0, &edited);
    stage.write_from_elsewhere(".claude/skills/commit/SKILL.md", "---\nname: commit\n---\nMine alone.\n");
    let before = bytes(&stage.root());
    insta::assert_snapshot!(drift(&stage), @"
    note: 1 skill, 2 other files are of an older version. Run: engine init --refresh
    note: .claude/agents/qa.md was edited. Compare: engine init --refresh --dry-run
    ");
    let _ = fs::remove_dir_all(stage.root().join(".engine/state"));
    let _ = fs::remove_dir_all(stage.root().join(".engine/journal"));
    insta::assert_snapshot!(said(&stage, &stage.engine(&["init", "--refresh", "--dry-run"])), @r#"
    exit 0
    would update .claude/engine/execute-rule.md
    would update .claude/skills/q/SKILL.md
    would update .engine/config.toml
    kept .claude/agents/qa.md: you changed it; engine 0.1.0 ships this
    --- agents/qa.md (yours)
    +++ agents/qa.md (engine 0.1.0)
    @@ -1,15 +1,15 @@
     ---
    -name: QA
    -description: Judges finished work against the locked acceptance criteria of a plan, with real data and evidence, and records a verdict per criterion. Mends nothing. Called by /do.
    +name: qa
    +description: Judges finished work by its plan's criteria.
     model: sonnet
     tools: Read, Glob, Grep, Bash
     ---
     
    -The prompt names the plan. Others made the work and their reports are claims; you look for yourself. Nothing is changed here, not even to make a check pass.
    +The engine writes the prompt: the locked criteria, the changed files, and below them what the agent says that did the work, quoted. Quoted words are claims; you look for yourself. Nothing is changed here, not even to make a check pass.
     
    -1. `engine plan show` prints the locked criteria with their numbers.
    +1. The criteria are in the prompt, with their numbers; `engine plan show` prints them again.
     2. For each: run its proof, and look at it as its user would, with real data; a test that was written with the work is read first: would it fail without the work?
     3. Record it: `engine plan verify N`, which looks the locked proof up; for a criterion that you judge `engine plan verify N --why "what was looked at, and what was seen"`; or `engine plan verify N --rejected --why "what was seen"`.
        What the engine refuses is not argued with: it names the command that is missing.
     
    -The first line of the answer is `APPROVED` or `REJECTED`, then a line per criterion: its number, met or not, and what was seen.
    +The first line of the answer is `APPROVED` or `REJECTED`, which the engine reads; then a line per criterion: its number, met or not, and what was seen.
    3 files updated, 1 file kept that you changed. Nothing was written.
    "#);
    assert_eq!(bytes(&stage.root()), before, "a dry run writes nothing");
    insta::assert_snapshot!(said(&stage, &stage.engine(&["init", "--refresh"])), @r#"
    exit 0
    updated .claude/engine/execute-rule.md
    updated .claude/skills/q/SKILL.md
    updated .engine/config.toml
    kept .claude/agents/qa.md: you changed it; engine 0.1.0 ships this
    --- agents/qa.md (yours)
    +++ agents/qa.md (engine 0.1.0)
    @@ -1,15 +1,15 @@
     ---
    -name: QA
    -description: Judges finished work against the locked acceptance criteria of a plan, with real data and evidence, and records a verdict per criterion. Mends nothing. Called by /do.
    +name: qa
    +description: Judges finished work by its plan's criteria.
     model: sonnet
     tools: Read, Glob, Grep, Bash
     ---
     
    -The prompt names the plan. Others made the work and their reports are claims; you look for yourself. Nothing is changed here, not even to make a check pass.
    +The engine writes the prompt: the locked criteria, the changed files, and below them what the agent says that did the work, quoted. Quoted words are claims; you look for yourself. Nothing is changed here, not even to make a check pass.
     
    -1. `engine plan show` prints the locked criteria with their numbers.
    +1. The criteria are in the prompt, with their numbers; `engine plan show` prints them again.
     2. For each: run its proof, and look at it as its user would, with real data; a test that was written with the work is read first: would it fail without the work?
     3. Record it: `engine plan verify N`, which looks the locked proof up; for a criterion that you judge `engine plan verify N --why "what was looked at, and what was seen"`; or `engine plan verify N --rejected --why "what was seen"`.
        What the engine refuses is not argued with: it names the command that is missing.
     
    -The first line of the answer is `APPROVED` or `REJECTED`, then a line per criterion: its number, met or not, and what was seen.
    +The first line of the answer is `APPROVED` or `REJECTED`, which the engine reads; then a line per criterion: its number, met or not, and what was seen.
    3 files updated, 1 file kept that you changed.
    "#);
    assert_eq!(stage.read(OLDER[0].0), current(OLDER[0].0));
    assert_eq!(stage.read(OLDER[1].0), edited);
    assert_eq!(stage.read(".claude/skills/commit/SKILL.md"), "---\nname: commit\n---\nMine alone.\n");
    assert!(stage.read(".engine/config.toml").contains("[heartbeat]"));
    insta::assert_snapshot!(said(&stage, &stage.engine(&["init", "--refresh"])), @r#"
    exit 0
    kept .claude/agents/qa.md: you changed it; engine 0.1.0 ships this
    --- agents/qa.md (yours)
    +++ agents/qa.md (engine 0.1.0)
    @@ -1,15 +1,15 @@
     ---
    -name: QA
    -description: Judges finished work against the locked acceptance criteria of a plan, with real data and evidence, and records a verdict per criterion. Mends nothing. Called by /do.
    +name: qa
    +description: Judges finished work by its plan's criteria.
     model: sonnet
     tools: Read, Glob, Grep, Bash
     ---
     
    -The prompt names the plan. Others made the work and their reports are claims; you look for yourself. Nothing is changed here, not even to make a check pass.
    +The engine writes the prompt: the locked criteria, the changed files, and below them what the agent says that did the work, quoted. Quoted words are claims; you look for yourself. Nothing is changed here, not even to make a check pass.
     
    -1. `engine plan show` prints the locked criteria with their numbers.
    +1. The criteria are in the prompt, with their numbers; `engine plan show` prints them again.
     2. For each: run its proof, and look at it as its user would, with real data; a test that was written with the work is read first: would it fail without the work?
     3. Record it: `engine plan verify N`, which looks the locked proof up; for a criterion that you judge `engine plan verify N --why "what was looked at, and what was seen"`; or `engine plan verify N --rejected --why "what was seen"`.
        What the engine refuses is not argued with: it names the command that is missing.
     
    -The first line of the answer is `APPROVED` or `REJECTED`, then a line per criterion: its number, met or not, and what was seen.
    +The first line of the answer is `APPROVED` or `REJECTED`, which the engine reads; then a line per criterion: its number, met or not, and what was seen.
    1 file kept that you changed, 3 up to date.
    "#);
    insta::assert_snapshot!(drift(&stage), @"
    ok: 3 files up to date
    note: .claude/agents/qa.md was edited. Compare: engine init --refresh --dry-run
    ");
    // What came by a refresh goes with the rest.
    stage.engine(&["uninstall", "--purge"]);
    let left: Vec<String> = bytes(&stage.root()).into_keys().collect();
    assert_eq!(left, [".claude/agents/qa.md", ".claude/skills/commit/SKILL.md"]);
}

#[test]
fn init_with_skills_takes_the_place_of_an_older_version() {
    let stage = older();
    let told = stage.ok(&["init", "--scope", "project", "--with", "skills,fragment"]);
    assert!(!told.contains("is yours and was kept"), "{told}");
    assert_eq!(stage.read(OLDER[0].0), current(OLDER[0].0));
    assert_eq!(stage.read(OLDER[1].0), current(OLDER[1].0));
    stage.ok(&["uninstall", "--purge"]);
    assert_eq!(bytes(&stage.root()).len(), 0, "{:?}", bytes(&stage.root()).keys());
}

#[test]
fn the_line_ends_of_a_file_stay() {
    let stage = older();
    let (path, text) = OLDER[0];
    stage.write_from_elsewhere(path, &text.replace('\n', "\r\n"));
    stage.ok(&["init", "--refresh"]);
    assert_eq!(stage.read(path), current(path).replace('\n', "\r\n"));
    assert!(stage.ok(&["init", "--refresh"]).ends_with("4 files up to date, nothing to do.\n"));
}

#[test]
fn an_installed_skill_gets_the_files_that_it_lacks_and_others_are_not_installed() {
    let stage = Stage::bare();
    stage.ok(&["init", "--scope", "project", "--with", "skills=all"]);
    fs::remove_dir_all(stage.root().join(".claude/skills/fix/modes")).unwrap();
    fs::remove_dir_all(stage.root().join(".claude/skills/analyze")).unwrap();
    insta::assert_snapshot!(drift(&stage), @"note: 4 files of installed skills missing. Run: engine init --refresh");
    insta::assert_snapshot!(said(&stage, &stage.engine(&["init", "--refresh"])), @"
    exit 0
    created 1 skill in .claude/ (4 files; -v lists them)
    4 files created, 57 up to date.
    ");
    assert!(stage.exists(".claude/skills/fix/modes/trace.md") && !stage.exists(".claude/skills/analyze"));
    insta::assert_snapshot!(drift(&stage), @"ok: 61 files up to date");
    stage.ok(&["uninstall", "--purge"]);
    assert_eq!(bytes(&stage.root()).len(), 0);
}

#[test]
fn hook_entries_are_brought_in_line_and_the_configuration_stays_accepted() {
    let stage = Stage::bare();
    stage.ok(&["init", "--scope", "project"]);
    let wired = stage.read(".claude/settings.json");
    let line = wired.lines().find(|line| line.contains("\"Notification\"")).unwrap();
    let before = wired.replace(&format!(",\n{line}"), "");
    assert_ne!(before, wired);
    stage.write_from_elsewhere(".claude/settings.json", &before);
    stage.write_from_elsewhere(".engine/config.toml", OLDER[3].1);
    insta::assert_snapshot!(said(&stage, &stage.engine(&["init", "--refresh"])), @"
    exit 0
    updated .claude/settings.json
    updated .engine/config.toml
    2 files updated.
    ");
    assert_eq!(stage.read(".claude/settings.json"), wired);
    stage.hook(&stage.event("SessionStart")).assert_silent();
    stage.ok(&["uninstall", "--purge"]);
    assert_eq!(bytes(&stage.root()).len(), 0, "{:?}", bytes(&stage.root()).keys());
}

#[test]
fn a_refresh_makes_no_project_and_follows_no_link() {
    let stage = Stage::bare();
    stage.write_from_elsewhere(OLDER[0].0, OLDER[0].1);
    let mine = stage.home().join("qa.md");
    fs::write(&mine, OLDER[1].1).unwrap();
    fs::create_dir_all(stage.root().join(".claude/agents")).unwrap();
    symlink(&mine, stage.root().join(OLDER[1].0)).unwrap();
    insta::assert_snapshot!(said(&stage, &stage.engine(&["init", "--refresh"])), @"
    exit 0
    updated .claude/skills/q/SKILL.md
    1 file updated.
    ");
    assert!(!stage.exists(".engine"));
    assert_eq!(fs::read_to_string(&mine).unwrap(), OLDER[1].1);
    let bare = Stage::bare();
    insta::assert_snapshot!(said(&bare, &bare.engine(&["init", "--refresh"])), @"
    exit 3
    engine: nothing of engine's is installed in [TOP]/project
      install it: engine init, or engine init --with skills
    ");
    assert_eq!(bytes(&bare.root()).len(), 0);
}

#[test]
fn a_diff_is_shown_without_what_steers_a_terminal() {
    let stage = older();
    stage.write_from_elsewhere(OLDER[1].0, &format!("{}\u{1b}[2Jmine\n", OLDER[1].1));
    let told = stage.ok(&["init", "--refresh", "--dry-run"]);
    assert!(told.contains("-\\u{1b}[2Jmine\n"), "{told}");
}

#[test]
fn the_counts_are_told_as_json() {
    let stage = older();
    stage.write_from_elsewhere(OLDER[1].0, &format!("{}mine\n", OLDER[1].1));
    let told = stage.engine(&["init", "--refresh", "--dry-run", "--json"]).json();
    let mut text = stage.masked(&told.to_string());
    let at = text.find("\"diff\":").unwrap();
    let end = text[at..].find("\",\"path\"").unwrap() + at;
    text.replace_range(at + 8..end, "…");
    insta::assert_snapshot!(text, @r#"{"current":0,"dryRun":true,"edited":[{"diff":"…","path":"[TOP]/project/.claude/agents/qa.md"}],"files":[{"action":"update","path":"[TOP]/project/.claude/engine/execute-rule.md"},{"action":"update","path":"[TOP]/project/.claude/skills/q/SKILL.md"},{"action":"update","path":"[TOP]/project/.engine/config.toml"}],"notes":[],"project":"[TOP]/project","version":1}"#);
    let words = ["--scope local", "--with skills", "--no-permissions", "--force"];
    for words in words {
        let words: Vec<&str> = ["init", "--refresh"].into_iter().chain(words.split(' ')).collect();
        assert_eq!(stage.engine(&words).code, Some(2), "{words:?}");
    }
}

#[test]
fn a_killed_refresh_is_completed_by_the_next_and_two_at_once_are_one() {
    let mut kills = Kills::new();
    while kills.killed < 15 {
        let stage = older();
        kills.kill(stage.command(&["init", "--refresh"]).spawn().unwrap());
        stage.ok(&["init", "--refresh"]);
        assert!(stage.ok(&["init", "--refresh"]).ends_with("4 files up to date, nothing to do.\n"));
        stage.ok(&["uninstall", "--purge"]);
        assert_eq!(bytes(&stage.root()).len(), 0, "{:?}", bytes(&stage.root()).keys());
    }
    let stage = older();
    let both = at_once(2, |_| stage.command(&["init", "--refresh"]));
    assert!(both.iter().all(|output| output.code == Some(0)), "{} {}", both[0].stderr, both[1].stderr);
    assert!(stage.ok(&["init", "--refresh"]).ends_with("4 files up to date, nothing to do.\n"));
}

#[test]
fn init_says_what_was_edited_and_what_is_the_persons() {
    let stage = older();
    stage.write_from_elsewhere(OLDER[1].0, &format!("{}mine\n", OLDER[1].1));
    stage.write_from_elsewhere(".claude/skills/commit/SKILL.md", "---\nname: commit\n---\nMine alone.\n");
    let told = stage.masked(&stage.ok(&["init", "--scope", "project", "--with", "skills"]));
    let notes: Vec<&str> = told.lines().filter(|line| line.contains("kept")).collect();
    insta::assert_snapshot!(notes.join("\n"), @"
    note: [TOP]/project/.claude/skills/commit/SKILL.md is yours and was kept; ours was not installed
    note: [TOP]/project/.claude/agents/qa.md was edited and was kept; compare: engine init --refresh --dry-run
    ");
}
