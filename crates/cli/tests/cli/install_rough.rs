//! `engine init` and `engine uninstall` where something is in the way: a folder that was moved, a step that fails, a link, a program that is
//! gone, another project of the same repository.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};

use crate::stage::{Output, Stage, at_terminal, run};
use crate::uninstall_clone::bytes;

const LOCAL: &str = ".claude/settings.local.json";
const EXCLUDE: &str = ".git/info/exclude";

fn repository() -> Stage {
    let stage = Stage::bare();
    stage.git(&["init", "-q", "-b", "main"]);
    stage
}

fn in_folder(stage: &Stage, folder: &Path, args: &[&str]) -> Output {
    at_terminal(&stage.command_in(folder, args))
}

fn said(stage: &Stage, output: &Output) -> String {
    stage.masked(&format!("exit {}\n{}{}", output.code.unwrap_or(-1), output.stdout, output.stderr))
}

#[test]
fn an_uninstall_that_failed_in_part_says_what_it_did_and_the_next_goes_on() {
    let stage = repository();
    stage.write("CLAUDE.md", "mine");
    let (config, exclude) = (stage.read(".git/config"), stage.read(EXCLUDE));
    stage.ok(&["init", "--with", "merge,fragment"]);
    // Somebody else is writing git's configuration.
    stage.write_from_elsewhere(".git/config.lock", "");
    insta::assert_snapshot!(said(&stage, &stage.engine(&["uninstall", "--purge"])), @"
    exit 1
    removed .claude/settings.local.json
    restored .git/info/exclude
    removed .gitattributes
    restored CLAUDE.md
    removed .claude/engine/execute-rule.md
    removed .engine/config.toml
    Kept: .engine/ with the journal. It is needed to go on
    engine: 1 file could not be taken out: .git/config: git config: error: could not lock config file .git/config: File exists
      mend that, and then the same again: it goes on from here
    ");
    assert!(stage.exists(".engine/state/install.json"), "what it needs to go on is there");
    assert!(!stage.ok(&["trust", "--show"]).contains("not trusted"));
    fs::remove_file(stage.root().join(".git/config.lock")).unwrap();
    insta::assert_snapshot!(said(&stage, &stage.engine(&["uninstall", "--purge"])), @"
    exit 0
    removed .engine/
    removed merge.engine from git's configuration of this clone
    ");
    assert_eq!((stage.read(".git/config"), stage.read(EXCLUDE)), (config, exclude));
    assert_eq!(bytes(&stage.root()).into_keys().collect::<Vec<_>>(), ["CLAUDE.md"]);
}

#[test]
fn a_project_that_was_moved_is_left_as_it_was() {
    let settings = "{\"model\":\"x\"}\n";
    for again in [false, true] {
        let stage = repository();
        let old = stage.root().join("old");
        stage.git(&["init", "-q", "old"]);
        let exclude = stage.read("old/.git/info/exclude");
        stage.write_from_elsewhere("old/.claude/settings.local.json", settings);
        assert_eq!(in_folder(&stage, &old, &["init"]).code, Some(0));
        let new = stage.root().join("new");
        fs::rename(&old, &new).unwrap();
        if again {
            assert_eq!(in_folder(&stage, &new, &["init"]).code, Some(0));
        }
        let out = in_folder(&stage, &new, &["uninstall", "--purge"]);
        assert_eq!(out.code, Some(0), "{}", out.stderr);
        assert!(!out.stdout.contains("not restored"), "{}", out.stdout);
        assert_eq!(stage.read("new/.git/info/exclude"), exclude, "{again}");
        assert_eq!(stage.read("new/.claude/settings.local.json"), settings, "{again}");
        assert_eq!(in_folder(&stage, &new, &["uninstall", "--purge"]).code, Some(3));
    }
}

/// A person's own lines of the same words stay: they have not our comment in front.
#[test]
fn lines_of_a_persons_own_stay_in_the_ignore_list() {
    let stage = repository();
    let own = "**/.claude/settings.local.json\n/.engine/\n";
    stage.write_from_elsewhere(EXCLUDE, own);
    stage.ok(&["init"]);
    assert_eq!(stage.read(EXCLUDE), own);
    fs::remove_dir_all(stage.root().join(".engine/state")).unwrap();
    stage.write(LOCAL, &stage.read(LOCAL).replacen('{', "{\"a\": 1,", 1));
    stage.ok(&["uninstall", "--purge=all"]);
    assert_eq!(stage.read(EXCLUDE), own);
}

#[test]
fn what_another_project_of_the_repository_uses_stays_and_is_named() {
    let stage = repository();
    stage.write_from_elsewhere("session.md", "# Session\n");
    stage.ok(&["init", "--with", "merge"]);
    let part = stage.root().join("part");
    fs::create_dir_all(&part).unwrap();
    assert_eq!(in_folder(&stage, &part, &["init", "--here", "--with", "merge"]).code, Some(0));
    let driver = || stage.try_git(&["config", "merge.engine.driver"]).code;
    insta::assert_snapshot!(said(&stage, &in_folder(&stage, &part, &["uninstall", "--purge"])), @"
    exit 0
    removed .claude/settings.local.json
    restored ../.git/info/exclude
    removed .gitattributes
    removed .engine/config.toml
    removed .engine/
    kept ../.git/info/exclude: **/.claude/settings.local.json stays in it for [TOP]/project
    note: merge.engine in git's configuration stays: [TOP]/project uses it
    ");
    assert_eq!(driver(), Some(0));
    assert_eq!(stage.git(&["status", "--porcelain", "-uall"]), "?? .gitattributes\n?? session.md\n");
    // The other way round, and then nothing is left of either.
    assert_eq!(in_folder(&stage, &part, &["init", "--here", "--with", "merge"]).code, Some(0));
    let out = stage.ok(&["uninstall", "--purge=all"]);
    assert!(out.contains("stays: ") && !out.contains("removed merge.engine"), "{out}");
    assert_eq!(driver(), Some(0));
    let out = in_folder(&stage, &part, &["uninstall", "--purge=all"]);
    assert!(out.stdout.contains("removed merge.engine from"), "{}", out.stdout);
    assert_ne!(driver(), Some(0));
    assert!(!stage.read(EXCLUDE).contains("engine"), "{}", stage.read(EXCLUDE));
}

#[test]
fn a_linked_worktree_takes_nothing_from_the_main_checkout() {
    let stage = repository();
    stage.write_from_elsewhere("session.md", "# Session\n");
    stage.write_from_elsewhere(".claude/agents/qa.md", crate::uninstall_clone::OLDER[1].1);
    stage.ok(&["init", "--with", "merge"]);
    stage.git(&["add", "-A"]);
    stage.git(&["commit", "-qm", "x"]);
    stage.git(&["worktree", "add", "-q", "../tree"]);
    let tree = stage.root().with_file_name("tree");
    let (config, exclude) = (stage.read(".git/config"), stage.read(EXCLUDE));
    let out = in_folder(&stage, &tree, &["uninstall"]);
    assert_eq!(out.code, Some(0), "{}", out.stderr);
    assert!(out.stdout.contains("note: merge.engine in git's configuration stays: "), "{}", out.stdout);
    assert_eq!((stage.read(".git/config"), stage.read(EXCLUDE)), (config, exclude));
}

#[test]
fn an_ignore_line_stays_for_as_long_as_the_folder() {
    let stage = repository();
    let exclude = stage.read(EXCLUDE);
    stage.ok(&["init"]);
    stage.ok(&["q", "add", "a private idea"]);
    insta::assert_snapshot!(said(&stage, &stage.engine(&["uninstall"])), @"
    exit 0
    removed .claude/settings.local.json
    restored .git/info/exclude
    removed .engine/config.toml
    kept .git/info/exclude: /.engine/ stays in it for as long as there is an .engine/
    Kept: .engine/ with the journal. To remove it too: engine uninstall --purge
    ");
    assert_eq!(stage.git(&["status", "--porcelain", "-uall"]), "");
    let kept = stage.engine(&["uninstall", "--purge"]).stdout;
    assert!(kept.contains("kept .git/info/exclude: /.engine/ stays"), "an idea is left: {kept}");
    assert_eq!(stage.git(&["status", "--porcelain", "-uall"]), "");
    stage.ok(&["uninstall", "--purge=all"]);
    assert_eq!(stage.read(EXCLUDE), exclude);
}

#[test]
fn user_settings_serve_all_projects_and_go_only_when_they_are_asked_for() {
    let stage = repository();
    stage.ok(&["init", "--scope", "user"]);
    let settings = stage.home().join(".claude/settings.json");
    let wired = fs::read_to_string(&settings).unwrap();
    let other = stage.root().with_file_name("other");
    fs::create_dir_all(&other).unwrap();
    assert_eq!(in_folder(&stage, &other, &["init"]).code, Some(0));
    let out = in_folder(&stage, &other, &["uninstall", "--purge"]);
    let line = "[TOP]/home/.claude/settings.json serves all your projects and stays; to take it out: engine uninstall --scope user";
    assert!(stage.masked(&out.stdout).contains(line), "{}", out.stdout);
    assert_eq!(fs::read_to_string(&settings).unwrap(), wired);
    let refused = in_folder(&stage, &other, &["uninstall", "--scope", "user", "--purge"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    // A file of the person's that cannot be read is no reason to stay in a project.
    fs::write(&settings, "{ engine").unwrap();
    stage.ok(&["uninstall", "--purge"]);
    fs::write(&settings, &wired).unwrap();
    assert_eq!(in_folder(&stage, &other, &["uninstall", "--scope", "user"]).code, Some(0));
    assert!(!settings.exists());
}

/// A committed entry that a colleague made names a program of theirs.
#[test]
fn an_entry_that_starts_nothing_here_is_no_wiring() {
    let stage = repository();
    let hook = json!({"hooks": [{"type": "command", "command": "/home/colleague/engine", "args": ["hook"]}]});
    let settings = json!({"hooks": {"Stop": [hook]}}).to_string();
    stage.write_from_elsewhere(".claude/settings.json", &settings);
    let out = stage.ok(&["init"]);
    assert!(out.contains("note: .claude/settings.json starts /home/colleague/engine, which is not on this machine: its hooks fail at each event. To write it anew: engine init --team\n"), "{out}");
    assert!(out.contains("14 events wired."), "{out}");
    let local: Value = serde_json::from_str(&stage.read(LOCAL)).unwrap();
    assert_eq!(local["hooks"]["Stop"][0]["hooks"][0]["command"], env!("CARGO_BIN_EXE_engine"));
    let doctor = stage.engine(&["doctor"]);
    let line =
        ".claude/settings.json starts /home/colleague/engine, which does not exist. Run: engine init --team";
    assert!(doctor.stdout.contains(line) && !doctor.stdout.contains("more than once"), "{}", doctor.stdout);
    stage.ok(&["init", "--team"]);
    let doctor = stage.engine(&["doctor"]);
    assert_eq!(doctor.code, Some(0), "{}", doctor.stdout);
}

#[test]
fn a_clone_keeps_the_empty_containers_that_were_there() {
    for text in [
        "{\"hooks\":{ }}",
        "{\"hooks\":{\"Stop\":[]},\"permissions\":{}}",
        "{\"permissions\":{\"allow\":[]}}\n",
        "{\"permissions\":{\"allow\":[\n ]},\n \"hooks\":{\"Stop\":[ ], \"X\": []}}\n",
        "{ \n }",
        "{\t}\n",
        "{}",
        "\n",
        " \r\n",
        "{\"hooks\":{},\"hooks\":{ }}",
        "{\r\n  \"permissions\": { }\r\n}\r\n",
    ] {
        for file in [".claude/settings.json", LOCAL] {
            let stage = repository();
            stage.write_from_elsewhere(file, text);
            let before = bytes(&stage.root());
            let scope = if file == LOCAL { "local" } else { "project" };
            stage.ok(&["init", "--scope", scope]);
            stage.ok(&["init", "--scope", scope, "--with", "statusline"]);
            stage.ok(&["config", "set", "rules.reminder", "off"]);
            // As in a clone: nobody knows what init did.
            fs::remove_dir_all(stage.root().join(".engine")).unwrap();
            stage.ok(&["uninstall"]);
            let after = bytes(&stage.root());
            let after: Vec<_> =
                after.iter().map(|(path, text)| (path, String::from_utf8_lossy(text))).collect();
            let before: Vec<_> =
                before.iter().map(|(path, text)| (path, String::from_utf8_lossy(text))).collect();
            assert_eq!(after, before, "{file} {text:?}");
        }
    }
}

#[test]
fn nothing_but_settings_is_written_behind_a_link_that_leads_out() {
    let stage = repository();
    let out = stage.root().with_file_name("dot");
    fs::create_dir_all(&out).unwrap();
    fs::write(out.join("mine.md"), "mine").unwrap();
    symlink(out.join("mine.md"), stage.root().join("CLAUDE.md")).unwrap();
    symlink("../dot", stage.root().join(".claude")).unwrap();
    let before = (bytes(&stage.root()), bytes(&out));
    let said_first = stage.masked(&stage.ok(&["init", "--with", "skills=all,fragment", "--dry-run"]));
    let told = stage.masked(&stage.ok(&["init", "--with", "skills=all,fragment"]));
    for told in [&said_first, &told] {
        assert!(told.contains("/project/.claude leads out of the project, to [TOP]/dot: "), "{told}");
    }
    assert_eq!(bytes(&out).into_keys().collect::<Vec<_>>(), ["mine.md", "settings.local.json"]);
    let told = stage.ok(&["uninstall", "--purge"]);
    assert!(!told.contains("not restored"), "{told}");
    assert_eq!((bytes(&stage.root()), bytes(&out)), before);
    // The line of the instructions alone, and a link to nothing.
    fs::remove_file(stage.root().join(".claude")).unwrap();
    symlink(out.join("nothing"), stage.root().join(".gitattributes")).unwrap();
    let before = (bytes(&stage.root()), bytes(&out));
    let told = stage.masked(&stage.ok(&["init", "--with", "fragment,merge"]));
    assert!(told.contains("/project/CLAUDE.md leads out of the project, to [TOP]/dot/mine.md: 1 file of engine's was not written there\n"), "{told}");
    assert!(
        told.contains("note: .gitattributes is a link, which git does not follow, so nothing was written; "),
        "{told}"
    );
    assert_eq!(bytes(&out), before.1);
    stage.ok(&["uninstall", "--purge"]);
    assert_eq!((bytes(&stage.root()), bytes(&out)), before);
}

#[test]
fn what_cannot_be_written_is_found_before_anything_is() {
    let stage = repository();
    let before = bytes(&stage.root());
    let with_home = |home: &str, args: &[&str]| {
        let mut command = stage.command(args);
        command.env("HOME", home).env_remove("XDG_STATE_HOME");
        run(command, None)
    };
    for args in [&["init"][..], &["init", "--dry-run"]] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(said(&stage, &with_home("", args)), @"
            exit 1
            engine: no home folder: HOME is not set; nothing was written
              engine keeps there what you trust: set HOME, or XDG_STATE_HOME, and then the same again
            ");
            insta::assert_snapshot!(said(&stage, &with_home("/dev/null", args)), @"
            exit 1
            engine: /dev/null: not a directory; nothing was written
              engine keeps there what you trust: make it writable, and then the same again
            ");
        }
        assert_eq!(bytes(&stage.root()), before);
    }
    stage.write_from_elsewhere(".claude/skills", "a file");
    let before = bytes(&stage.root());
    for args in [&["init", "--with", "skills"][..], &["init", "--with", "skills", "--dry-run"]] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(said(&stage, &stage.engine(args)), @"
            exit 1
            engine: [TOP]/project/.claude/skills: not a directory; nothing was written
              mend that, and then the same again
            ");
        }
        assert_eq!(bytes(&stage.root()), before);
    }
    // A folder of engine's that is somebody else's.
    let out = stage.root().with_file_name("elsewhere");
    fs::create_dir_all(&out).unwrap();
    symlink(&out, stage.root().join(".engine")).unwrap();
    let both = [&["init"][..], &["init", "--dry-run"]].map(|args| said(&stage, &stage.engine(args)));
    assert_eq!(both[0], both[1]);
    assert!(both[0].starts_with("exit 1\n"), "{}", both[0]);
    assert_eq!(bytes(&out).len(), 0);
}

#[test]
fn a_status_line_whose_program_was_moved_is_named_and_mended() {
    let stage = repository();
    stage.ok(&["init", "--with", "statusline"]);
    let settings = stage.read(LOCAL);
    let moved =
        settings.replace(&format!("{} statusline", env!("CARGO_BIN_EXE_engine")), "/old/engine statusline");
    assert_ne!(moved, settings);
    stage.write(LOCAL, &moved);
    let doctor = stage.engine(&["doctor"]).stdout;
    assert!(
        doctor.contains(
            ".claude/settings.local.json starts /old/engine, which does not exist. Run: engine init --refresh"
        ),
        "{doctor}"
    );
    stage.ok(&["init", "--refresh"]);
    let line = |text: &str| serde_json::from_str::<Value>(text).unwrap()["statusLine"]["command"].clone();
    assert_eq!(line(&stage.read(LOCAL)), line(&settings));
    stage.write(LOCAL, &moved);
    stage.ok(&["init"]);
    assert_eq!(line(&stage.read(LOCAL)), line(&settings));
}

#[test]
fn permissions_of_skills_that_are_gone_go_with_the_next_init() {
    let stage = repository();
    stage.ok(&["init", "--with", "skills"]);
    assert!(stage.read(LOCAL).contains("Skill(do)"));
    fs::remove_dir_all(stage.root().join(".claude/skills")).unwrap();
    fs::remove_dir_all(stage.root().join(".claude/agents")).unwrap();
    stage.ok(&["init"]);
    let left = stage.read(LOCAL);
    assert!(!left.contains("Skill(") && !left.contains("engine plan:"), "{left}");
}

#[test]
fn where_no_hook_can_fire_run_and_the_status_line_say_so() {
    let stage = repository();
    stage.ok(&["init"]);
    stage.ok(&["config", "set", "run.agent", "true"]);
    let told = || stage.masked(&run(stage.command(&["run"]), None).stderr);
    let line = || {
        let root = stage.root();
        let report = json!({"session_id": "s", "cwd": root, "workspace": {"project_dir": root}});
        run(stage.command(&["statusline", "--plain"]), Some(report.to_string().as_bytes())).stdout
    };
    assert_eq!((told(), line().trim()), (String::new(), ""));
    let settings = stage.read(LOCAL);
    stage.write(LOCAL, &settings.replacen('{', "{\"disableAllHooks\": true,", 1));
    assert_eq!(
        told(),
        "engine: no hook fires: disableAllHooks is set in [TOP]/project/.claude/settings.local.json. Take it out there\n"
    );
    assert_eq!(line().trim(), "○ hooks do not reach this folder");
    fs::remove_file(stage.root().join(LOCAL)).unwrap();
    assert_eq!(told(), "engine: no hook fires: none is wired for this project. Run: engine init\n");
    assert_eq!(line().trim(), "○ hooks do not reach this folder");
}

#[test]
fn what_a_person_built_on_ours_is_named() {
    let stage = repository();
    stage.ok(&["init", "--with", "fragment,merge"]);
    let settings = stage.read(LOCAL);
    stage.write(
        LOCAL,
        &settings.replacen(
            '{',
            "{\"statusLine\": {\"type\": \"command\", \"command\": \"engine statusline | tee x\"},",
            1,
        ),
    );
    stage.write_from_elsewhere(".gitattributes", "/session.md merge=engine\n*.x merge=engine text\n");
    stage.write_from_elsewhere(
        "CLAUDE.md",
        "See @.claude/engine/execute-rule.md too.\n@.claude/engine/execute-rule.md\n",
    );
    let told = stage.ok(&["uninstall"]);
    for line in [
        "kept .claude/settings.local.json: its status line runs engine, and is yours\n",
        "kept .gitattributes: a line of yours in it names merge=engine, which is gone\n",
        "kept CLAUDE.md: a line of yours in it imports .claude/engine/execute-rule.md, which is gone\n",
    ] {
        assert!(told.contains(line), "{line}{told}");
    }
}

#[test]
fn settings_of_another_shape_are_told_apart_from_broken_ones() {
    let stage = Stage::bare();
    stage.write(LOCAL, "{\"hooks\": []}");
    insta::assert_snapshot!(said(&stage, &stage.engine(&["init"])), @"
    exit 1
    engine: [TOP]/project/.claude/settings.local.json: hooks is not an object
      the client expects it in another form, and engine has nowhere to put its entries; nothing was changed
      mend the file, and then the same again
    ");
}
