//! `engine uninstall` where no manifest tells what was installed: in a clone, in a second worktree, after an older version.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};

use crate::stage::{Output, Stage, at_terminal};

/// What earlier versions shipped, as they did.
pub(crate) const OLDER: [(&str, &str); 4] = [
    (".claude/skills/q/SKILL.md", include_str!("older/q.md")),
    (".claude/agents/qa.md", include_str!("older/qa.md")),
    (".claude/engine/execute-rule.md", include_str!("older/execute-rule.md")),
    (".engine/config.toml", include_str!("older/config.toml")),
];

/// Every file and link below a folder with its bytes, but for git's own, and every folder that is empty.
pub(crate) fn bytes(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(folder: &Path, top: &Path, out: &mut BTreeMap<String, Vec<u8>>) {
        let name = |path: &Path| path.strip_prefix(top).unwrap().display().to_string();
        let entries: Vec<_> = fs::read_dir(folder).unwrap().map(Result::unwrap).collect();
        if entries.is_empty() && folder != top {
            out.insert(format!("{}/", name(folder)), Vec::new());
        }
        for entry in entries {
            let path = entry.path();
            if entry.file_name() == ".git" {
                continue;
            }
            if path.is_symlink() {
                let target = fs::read_link(&path).unwrap().display().to_string();
                out.insert(name(&path), format!("-> {target}").into_bytes());
            } else if path.is_dir() {
                walk(&path, top, out);
            } else {
                out.insert(name(&path), fs::read(&path).unwrap());
            }
        }
    }
    let mut out = BTreeMap::new();
    walk(folder, folder, &mut out);
    out
}

/// The paths that differ.
fn differences(before: &BTreeMap<String, Vec<u8>>, after: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let mut paths: Vec<&String> = before.keys().chain(after.keys()).collect();
    paths.sort();
    paths.dedup();
    paths.into_iter().filter(|path| before.get(*path) != after.get(*path)).cloned().collect()
}

/// A committed project of the person's.
fn project(files: &[(&str, &str)]) -> Stage {
    let stage = Stage::bare();
    stage.git(&["init", "-q", "-b", "main"]);
    stage.write_from_elsewhere("src/main.rs", "fn main() {}\n");
    for (path, text) in files {
        stage.write_from_elsewhere(path, text);
    }
    commit(&stage);
    stage
}

fn commit(stage: &Stage) {
    stage.git(&["add", "-A"]);
    stage.git(&["commit", "-qm", "x", "--allow-empty"]);
}

/// A clone beside the project, and engine in it as a person starts it.
fn clone(stage: &Stage) -> PathBuf {
    stage.git(&["clone", "-q", ".", "../clone"]);
    stage.root().with_file_name("clone")
}

fn run(stage: &Stage, folder: &Path, args: &[&str]) -> Output {
    at_terminal(&stage.command_in(folder, args))
}

/// What a command says, with how it ended.
fn said(stage: &Stage, output: &Output) -> String {
    stage.masked(&format!("exit {}\n{}{}", output.code.unwrap_or(-1), output.stdout, output.stderr))
}

/// How many removals are killed, each a little later than the one before.
const KILLS: u32 = 12;
const ALL: [&str; 5] = ["init", "--scope", "project", "--with", "skills=all,fragment,statusline"];

#[test]
fn a_clone_is_left_as_the_project_was_before_init() {
    let settings = "{\n\t\"model\": \"opus\",\n\t\"permissions\": {\"allow\": [\"Bash(ls:*)\"]}\n}";
    let foreign = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say\"}]}]}}\n";
    let cases: [&[(&str, &str)]; 11] = [
        &[],
        &[],
        &[],
        &[(".claude/settings.json", settings), ("CLAUDE.md", "# Mine\n")],
        &[(".claude/settings.json", foreign), ("CLAUDE.md", "# Mine, without an end")],
        &[(".claude/settings.json", "{}"), ("CLAUDE.md", "")],
        &[(".claude/settings.json", "{}\n"), ("CLAUDE.md", "\n")],
        &[(".claude/skills/mine/SKILL.md", "mine"), ("CLAUDE.md", "a\r\nb\r\n")],
        &[(".claude/settings.json", "{\r\n  \"a\": 1\r\n}\r\n"), ("CLAUDE.md", "a\r\nb")],
        &[(".claude/agents/mine.md", "mine"), (".claude/commands/x.md", "x")],
        &[("session.md", "# Session\n"), ("plans/a.md", "a"), ("sub/CLAUDE.md", "sub\n")],
    ];
    for (number, files) in cases.into_iter().enumerate() {
        let stage = project(files);
        let before = bytes(&stage.root());
        let home = bytes(&stage.home());
        stage.ok(&ALL);
        commit(&stage);
        let clone = clone(&stage);
        assert!(differences(&before, &bytes(&clone)).len() > 60, "{files:?}");
        // What one does who finds it not working, too.
        let between = [&[][..], &["init", "--scope", "project"], &ALL][number % 3];
        if !between.is_empty() {
            assert_eq!(run(&stage, &clone, between).code, Some(0));
        }
        let done = run(&stage, &clone, &["uninstall", "--purge"]);
        assert_eq!(done.code, Some(0), "{files:?} {}", done.stderr);
        assert_eq!(differences(&before, &bytes(&clone)), Vec::<String>::new(), "{files:?} {}", done.stdout);
        assert_eq!(run(&stage, &clone, &["uninstall", "--purge"]).code, Some(3), "{files:?}");
        assert_eq!(differences(&before, &bytes(&clone)), Vec::<String>::new(), "{files:?}");
        // The one where it was installed is left in the same way, and the person's home as well.
        assert_eq!(run(&stage, &stage.root(), &["uninstall", "--purge"]).code, Some(0));
        assert_eq!(differences(&before, &bytes(&stage.root())), Vec::<String>::new(), "{files:?}");
        assert_eq!(differences(&home, &bytes(&stage.home())), [".local/state/"], "{files:?}");
    }
}

#[test]
fn a_second_worktree_is_left_in_the_same_way_and_the_first_stays() {
    let stage = project(&[("CLAUDE.md", "# Mine")]);
    let before = bytes(&stage.root());
    stage.ok(&ALL);
    commit(&stage);
    stage.git(&["worktree", "add", "-q", "../tree"]);
    let tree = stage.root().with_file_name("tree");
    let (first, exclude) = (bytes(&stage.root()), stage.read(".git/info/exclude"));
    assert_eq!(run(&stage, &tree, &["uninstall", "--purge"]).code, Some(0));
    assert_eq!(differences(&before, &bytes(&tree)), Vec::<String>::new());
    let changed = differences(&first, &bytes(&stage.root()));
    assert!(changed.iter().all(|path| path.starts_with(".engine/journal/")), "{changed:?}");
    assert_eq!(stage.read(".git/info/exclude"), exclude);
}

#[test]
fn what_a_clone_is_told_can_be_seen_before_and_is_told_once() {
    let stage = project(&[("session.md", "# Session\n")]);
    stage.ok(&ALL);
    commit(&stage);
    let clone = clone(&stage);
    let before = bytes(&clone);
    insta::assert_snapshot!(said(&stage, &run(&stage, &clone, &["uninstall", "--dry-run"])), @"
    exit 0
    would remove .claude/settings.json
    would remove CLAUDE.md
    would remove 18 skills and 10 agents in .claude/ (69 files; -v lists them)
    would remove .claude/engine/execute-rule.md
    would remove .engine/config.toml
    Your work stays: session.md
    Nothing was written.
    ");
    assert_eq!(bytes(&clone), before);
    // Nobody is asked for it, and nothing is kept of it.
    let mut agent = stage.command_in(&clone, &["uninstall", "--dry-run", "--purge"]);
    agent.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", crate::stage::SESSION);
    insta::assert_snapshot!(said(&stage, &crate::stage::run(agent, None)), @"
    exit 0
    would remove .claude/settings.json
    would remove CLAUDE.md
    would remove 18 skills and 10 agents in .claude/ (69 files; -v lists them)
    would remove .claude/engine/execute-rule.md
    would remove .engine/config.toml
    would remove .engine/
    Your work stays: session.md
    Nothing was written.
    ");
    assert_eq!(bytes(&clone), before);
    insta::assert_snapshot!(said(&stage, &run(&stage, &clone, &["uninstall"])), @"
    exit 0
    removed .claude/settings.json
    removed CLAUDE.md
    removed 18 skills and 10 agents in .claude/ (69 files; -v lists them)
    removed .claude/engine/execute-rule.md
    removed .engine/config.toml
    Your work stays: session.md
    ");
    insta::assert_snapshot!(said(&stage, &run(&stage, &clone, &["uninstall"])), @"
    exit 3
    engine: nothing of engine's is installed in [TOP]/clone
    ");
    insta::assert_snapshot!(said(&stage, &run(&stage, &clone, &["uninstall", "--json"])), @r#"
    exit 3
    {"all":false,"dryRun":false,"failures":[],"files":[],"kept":[],"mergeDriver":false,"notes":[],"project":"[TOP]/clone","purged":false,"saved":[],"version":1,"work":["session.md"]}
    "#);
    insta::assert_snapshot!(said(&stage, &run(&stage, &clone, &["uninstall", "--purge"])), @"
    exit 3
    engine: nothing of engine's is installed in [TOP]/clone
    ");
    insta::assert_snapshot!(said(&stage, &run(&stage, &clone, &["uninstall", "--purge"])), @"
    exit 3
    engine: nothing of engine's is installed in [TOP]/clone
    ");
}

#[test]
fn what_was_edited_stays_and_is_named() {
    let stage = project(&[]);
    stage.ok(&ALL);
    for path in [".claude/skills/do/SKILL.md", ".claude/agents/qa.md", ".claude/engine/execute-rule.md"] {
        stage.write_from_elsewhere(path, &format!("{}mine\n", stage.read(path)));
    }
    stage.write_from_elsewhere(
        ".claude/skills/commit/SKILL.md",
        "---\nname: commit\n---\nAll of this is mine.\n",
    );
    stage.write_from_elsewhere(".engine/config.toml", "[inject]\nbudget = 600\n");
    commit(&stage);
    let clone = clone(&stage);
    insta::assert_snapshot!(said(&stage, &run(&stage, &clone, &["uninstall"])), @"
    exit 0
    removed .claude/settings.json
    removed 16 skills and 9 agents in .claude/ (66 files; -v lists them)
    kept .claude/skills/commit/SKILL.md: it has the name of a file of engine's and says something else
    kept CLAUDE.md: it imports .claude/engine/execute-rule.md, which stays
    kept .claude/agents/qa.md: it was edited
    kept .claude/engine/execute-rule.md: it was edited
    kept .claude/skills/do/SKILL.md: it was edited
    kept .engine/config.toml: it was edited
    Kept: .engine/. To remove it too: engine uninstall --purge
    ");
    let left: Vec<String> = bytes(&clone).into_keys().collect();
    assert_eq!(
        left,
        [
            ".claude/agents/qa.md",
            ".claude/engine/execute-rule.md",
            ".claude/skills/commit/SKILL.md",
            ".claude/skills/do/SKILL.md",
            ".engine/config.toml",
            "CLAUDE.md",
            "src/main.rs"
        ]
    );
    // A second run removes nothing more, and names the same.
    insta::assert_snapshot!(said(&stage, &run(&stage, &clone, &["uninstall"])), @"
    exit 3
    kept .claude/skills/commit/SKILL.md: it has the name of a file of engine's and says something else
    kept CLAUDE.md: it imports .claude/engine/execute-rule.md, which stays
    kept .claude/agents/qa.md: it was edited
    kept .claude/engine/execute-rule.md: it was edited
    kept .claude/skills/do/SKILL.md: it was edited
    kept .engine/config.toml: it was edited
    Kept: .engine/. To remove it too: engine uninstall --purge
    engine: nothing of engine's is installed in [TOP]/clone
    ");
}

#[test]
fn what_an_older_version_installed_is_known() {
    for end in ["\n", "\r\n"] {
        let stage = project(&[]);
        let before = bytes(&stage.root());
        for (path, text) in OLDER {
            stage.write_from_elsewhere(path, &text.replace('\n', end));
        }
        stage.write_from_elsewhere("CLAUDE.md", &format!("@.claude/engine/execute-rule.md{end}"));
        commit(&stage);
        let clone = clone(&stage);
        assert_eq!(run(&stage, &clone, &["uninstall", "--purge"]).code, Some(0));
        assert_eq!(differences(&before, &bytes(&clone)), Vec::<String>::new());
    }
    // Somewhere else, or under another name, the same text is the person's.
    let stage = project(&[]);
    for path in ["notes/SKILL.md", ".claude/skills/mine/SKILL.md", "sub/.claude/skills/q/SKILL.md"] {
        stage.write_from_elsewhere(path, OLDER[0].1);
    }
    let before = bytes(&stage.root());
    let done = run(&stage, &stage.root(), &["uninstall"]);
    assert_eq!(said(&stage, &done), "exit 3\nengine: nothing of engine's is installed in [TOP]/project\n");
    assert_eq!(bytes(&stage.root()), before);
}

#[test]
fn line_ends_that_git_changes_are_no_edit() {
    let stage = project(&[]);
    stage.ok(&ALL);
    commit(&stage);
    stage.git(&["clone", "-q", "-c", "core.autocrlf=true", ".", "../clone"]);
    let clone = stage.root().with_file_name("clone");
    assert!(fs::read_to_string(clone.join(".claude/skills/do/SKILL.md")).unwrap().contains("\r\n"));
    assert_eq!(run(&stage, &clone, &["uninstall", "--purge"]).code, Some(0));
    assert_eq!(bytes(&clone).into_keys().collect::<Vec<_>>(), ["src/main.rs"]);
}

#[test]
fn it_works_without_a_folder_of_the_engine() {
    // Only the fragment was committed.
    let stage = project(&[("CLAUDE.md", "# Mine\n")]);
    let before = bytes(&stage.root());
    stage.ok(&["init", "--scope", "project", "--with", "fragment"]);
    stage.git(&["add", ".claude/engine", "CLAUDE.md"]);
    stage.git(&["commit", "-qm", "x"]);
    let clone = clone(&stage);
    fs::create_dir(clone.join("deep")).unwrap();
    insta::assert_snapshot!(said(&stage, &run(&stage, &clone.join("deep"), &["uninstall", "--purge"])), @"
    exit 0
    restored CLAUDE.md
    removed .claude/engine/execute-rule.md
    ");
    fs::remove_dir(clone.join("deep")).unwrap();
    assert_eq!(differences(&before, &bytes(&clone)), Vec::<String>::new());
    // An agent has nobody to ask, and a script no terminal.
    stage.git(&["-C", "../clone", "checkout", "-q", "."]);
    let mut agent = stage.command_in(&clone, &["uninstall"]);
    agent.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", crate::stage::SESSION);
    insta::assert_snapshot!(said(&stage, &crate::stage::run(agent, None)), @"
    exit 1
    engine: uninstall engine needs a person, and this command runs below a coding agent
      `! command` in the client counts as the agent's
      the person runs it in a terminal of their own
    ");
    assert!(!clone.join(".engine").exists() && clone.join(".claude/engine/execute-rule.md").exists());
}

#[test]
fn only_our_line_goes_from_the_instructions() {
    let line = "@.claude/engine/execute-rule.md";
    let fence = format!("# How\n\n```\n{line}\n```\n");
    for (text, expected) in [
        (format!("# A\n{line}\n# B\n"), "# A\n# B\n".to_owned()),
        (format!("# A\r\n{line}\r\n# B\r\n"), "# A\r\n# B\r\n".to_owned()),
        (format!("{line}\n\n{line}\nB"), "\nB".to_owned()),
        (format!("- {line}\nsee {line}\n"), format!("- {line}\nsee {line}\n")),
        (fence.clone(), fence.clone()),
        (format!("{fence}{line}\n"), fence),
    ] {
        let stage = project(&[("CLAUDE.md", &text), (".claude/engine/execute-rule.md", OLDER[2].1)]);
        assert_eq!(run(&stage, &stage.root(), &["uninstall"]).code, Some(0), "{text:?}");
        assert_eq!(stage.read("CLAUDE.md"), expected, "{text:?}");
    }
}

#[test]
fn nothing_is_removed_behind_a_link() {
    let stage = project(&[("kept/q/SKILL.md", OLDER[0].1), ("kept.md", OLDER[1].1)]);
    let elsewhere = stage.home().join("elsewhere.md");
    fs::write(&elsewhere, OLDER[2].1).unwrap();
    for folder in ["skills", "agents", "engine"] {
        fs::create_dir_all(stage.root().join(".claude").join(folder)).unwrap();
    }
    symlink("../../kept/q", stage.root().join(".claude/skills/q")).unwrap();
    symlink("../../kept.md", stage.root().join(".claude/agents/qa.md")).unwrap();
    symlink(&elsewhere, stage.root().join(".claude/engine/execute-rule.md")).unwrap();
    let out = stage.home().join("out.md");
    fs::write(&out, "@.claude/engine/execute-rule.md\n").unwrap();
    symlink(&out, stage.root().join("CLAUDE.md")).unwrap();
    let (before, home) = (bytes(&stage.root()), bytes(&stage.home()));
    insta::assert_snapshot!(said(&stage, &run(&stage, &stage.root(), &["uninstall"])), @"
    exit 3
    kept .claude/agents/qa.md: it is a link, or behind one
    kept .claude/engine/execute-rule.md: it is a link, or behind one
    kept .claude/skills/q/SKILL.md: it is a link, or behind one
    kept CLAUDE.md: it is behind a link that leads out of the project
    engine: nothing of engine's is installed in [TOP]/project
    ");
    assert_eq!((bytes(&stage.root()), bytes(&stage.home())), (before, home));
}

#[test]
fn a_client_folder_that_is_a_link_within_the_project_is_cleaned_and_one_that_leads_out_is_not() {
    let stage = project(&[("cfg/claude/mine.md", "mine")]);
    symlink("cfg/claude", stage.root().join(".claude")).unwrap();
    commit(&stage);
    let before = bytes(&stage.root());
    stage.ok(&ALL);
    commit(&stage);
    let clone = clone(&stage);
    assert!(clone.join("cfg/claude/skills/do/SKILL.md").exists());
    assert_eq!(run(&stage, &clone, &["uninstall", "--purge"]).code, Some(0));
    assert_eq!(differences(&before, &bytes(&clone)), Vec::<String>::new());
    // Somebody's own copies.
    let out = stage.home().join("out");
    fs::create_dir_all(out.join("skills/q")).unwrap();
    fs::write(out.join("skills/q/SKILL.md"), OLDER[0].1).unwrap();
    fs::remove_file(clone.join(".claude")).unwrap();
    symlink(&out, clone.join(".claude")).unwrap();
    let (before, home) = (bytes(&clone), bytes(&stage.home()));
    insta::assert_snapshot!(said(&stage, &run(&stage, &clone, &["uninstall"])), @"
    exit 3
    kept .claude/skills/q/SKILL.md: it is behind a link that leads out of the project
    engine: nothing of engine's is installed in [TOP]/clone
    ");
    assert_eq!((bytes(&clone), bytes(&stage.home())), (before, home));
}

#[test]
fn a_shallow_clone_and_a_project_below_the_repository() {
    let stage = project(&[("CLAUDE.md", "# Mine\n"), ("part/a.txt", "a")]);
    let before = bytes(&stage.root());
    stage.ok(&ALL);
    let part = stage.root().join("part");
    fs::create_dir_all(part.join(".engine")).unwrap();
    assert_eq!(run(&stage, &part, &ALL).code, Some(0));
    commit(&stage);
    let from = format!("file://{}", stage.root().display());
    stage.git(&["clone", "-q", "--depth", "1", &from, "../clone"]);
    let clone = stage.root().with_file_name("clone");
    assert!(clone.join("part/CLAUDE.md").exists() && clone.join("part/.claude/settings.json").exists());
    assert_eq!(run(&stage, &clone.join("part"), &["uninstall", "--purge"]).code, Some(0));
    assert!(clone.join(".claude/settings.json").exists(), "the other project stays");
    assert_eq!(run(&stage, &clone, &["uninstall", "--purge"]).code, Some(0));
    assert_eq!(differences(&before, &bytes(&clone)), Vec::<String>::new());
}

#[test]
fn a_worktree_that_has_files_of_ours_and_no_folder_of_the_engine() {
    let stage = project(&[]);
    stage.git(&["branch", "bare"]);
    stage.ok(&["init", "--scope", "project"]);
    commit(&stage);
    stage.git(&["worktree", "add", "-q", "../tree", "bare"]);
    let tree = stage.root().with_file_name("tree");
    fs::create_dir_all(tree.join(".claude/skills/q")).unwrap();
    fs::write(tree.join(".claude/skills/q/SKILL.md"), OLDER[0].1).unwrap();
    let first = bytes(&stage.root());
    insta::assert_snapshot!(said(&stage, &run(&stage, &tree, &["uninstall"])), @"
    exit 0
    removed .claude/skills/q/SKILL.md
    ");
    assert_eq!(bytes(&tree).into_keys().collect::<Vec<_>>(), ["src/main.rs"]);
    let changed = differences(&first, &bytes(&stage.root()));
    assert!(changed.iter().all(|path| path.starts_with(".engine/journal/")), "{changed:?}");
    insta::assert_snapshot!(said(&stage, &run(&stage, &tree, &["uninstall"])), @"
    exit 1
    engine: this worktree has no .engine/ of its own; it uses that of [TOP]/project
      to take engine out there: cd [TOP]/project && engine uninstall
    ");
}

#[test]
fn instructions_that_are_a_link_within_the_project_stay_one() {
    let stage = project(&[("AGENTS.md", "")]);
    symlink("AGENTS.md", stage.root().join("CLAUDE.md")).unwrap();
    commit(&stage);
    let before = bytes(&stage.root());
    stage.ok(&ALL);
    commit(&stage);
    let clone = clone(&stage);
    assert!(fs::read_to_string(clone.join("AGENTS.md")).unwrap().contains("@.claude/engine"));
    for place in [&clone, &stage.root()] {
        assert_eq!(run(&stage, place, &["uninstall", "--purge"]).code, Some(0));
        assert_eq!(differences(&before, &bytes(place)), Vec::<String>::new());
    }
}

#[test]
fn odd_things_at_the_places_of_our_files_stay() {
    let stage = project(&[(".claude/skills/q/SKILL.md", OLDER[0].1)]);
    let at = |path: &str| stage.root().join(path);
    fs::create_dir_all(at(".claude/agents/qa.md/folder")).unwrap();
    fs::create_dir_all(at(".claude/skills/do")).unwrap();
    fs::write(at(".claude/skills/do/SKILL.md"), vec![b'x'; 2 << 20]).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(at(".claude/agents/critic.md")).status().unwrap();
    assert!(pipe.success());
    insta::assert_snapshot!(said(&stage, &run(&stage, &stage.root(), &["uninstall"])), @"
    exit 0
    removed .claude/skills/q/SKILL.md
    kept .claude/agents/critic.md: it has the name of a file of engine's and says something else
    kept .claude/agents/qa.md: it has the name of a file of engine's and says something else
    kept .claude/skills/do/SKILL.md: it has the name of a file of engine's and says something else
    ");
    assert!(at(".claude/agents/qa.md/folder").is_dir() && at(".claude/agents/critic.md").exists());
    assert!(!at(".claude/skills/q").exists());
}

#[test]
fn settings_with_comments_keep_them() {
    let stage = project(&[(".claude/settings.json", "{\n  // mine\n}\n")]);
    stage.ok(&["init", "--scope", "project", "--force"]);
    commit(&stage);
    let clone = clone(&stage);
    assert_eq!(run(&stage, &clone, &["uninstall"]).code, Some(0));
    assert_eq!(fs::read_to_string(clone.join(".claude/settings.json")).unwrap(), "{\n  // mine\n}\n");
}

#[test]
fn permissions_go_without_a_manifest_where_they_came_from_init() {
    let stage = project(&[]);
    stage.ok(&["init", "--scope", "local", "--with", "skills"]);
    let settings = stage.read(".claude/settings.local.json");
    let own = settings
        .replace("\"allow\": [", "\"allow\": [\n      \"Bash(ls:*)\",\n      \"Bash(engine init:*)\",");
    stage.write_from_elsewhere(".claude/settings.local.json", &own);
    fs::remove_dir_all(stage.root().join(".engine")).unwrap();
    insta::assert_snapshot!(said(&stage, &run(&stage, &stage.root(), &["uninstall"])), @"
    exit 0
    restored .claude/settings.local.json
    restored .git/info/exclude
    removed 12 skills and 10 agents in .claude/ (-v lists them)
    kept .claude/settings.local.json: it permits Bash(engine init:*), which is yours
    ");
    insta::assert_snapshot!(stage.read(".claude/settings.local.json"), @r#"
    {
      "permissions": {
        "allow": [
          "Bash(ls:*)",
          "Bash(engine init:*)"
        ]
      }
    }
    "#);
    // A few entries, and the skill of the person's that has a name of ours, are theirs.
    let few = json!({"permissions": {"allow": ["Bash(engine why:*)", "Skill(do)"]}}).to_string();
    stage.write_from_elsewhere(".claude/settings.local.json", &few);
    stage.ok(&["init", "--scope", "project"]);
    stage.ok(&["uninstall", "--purge"]);
    assert_eq!(stage.read(".claude/settings.local.json"), few);
}

#[test]
fn files_that_a_sparse_checkout_leaves_out_are_counted() {
    let stage = project(&[]);
    stage.ok(&["init", "--scope", "project", "--with", "skills"]);
    commit(&stage);
    let clone = clone(&stage);
    let git = |args: &[&str]| stage.git(&[&["-C", "../clone"], args].concat());
    git(&["sparse-checkout", "set", "--no-cone", "/*", "!/.claude/skills/"]);
    assert!(!clone.join(".claude/skills").exists() && clone.join(".claude/agents").exists());
    insta::assert_snapshot!(said(&stage, &run(&stage, &clone, &["uninstall", "--purge"])), @"
    exit 0
    removed .claude/settings.json
    removed 10 agents in .claude/ (-v lists them)
    removed .engine/config.toml
    removed .engine/
    note: git has 12 files of engine's that this sparse checkout leaves out; they stay until: git sparse-checkout disable && engine uninstall
    ");
    git(&["sparse-checkout", "disable"]);
    assert_eq!(run(&stage, &clone, &["uninstall", "--purge"]).code, Some(0));
    assert_eq!(bytes(&clone).into_keys().collect::<Vec<_>>(), ["src/main.rs"]);
}

#[test]
fn read_only_files_and_text_in_other_encodings() {
    let stage = project(&[]);
    stage.ok(&ALL);
    commit(&stage);
    let clone = clone(&stage);
    for path in [".claude/skills/do/SKILL.md", ".claude/settings.json", "CLAUDE.md", ".engine/config.toml"] {
        fs::set_permissions(clone.join(path), fs::Permissions::from_mode(0o444)).unwrap();
    }
    fs::write(clone.join(".claude/agents/qa.md"), b"\xff\xfe\x00").unwrap();
    assert_eq!(run(&stage, &clone, &["uninstall", "--purge"]).code, Some(0));
    assert_eq!(bytes(&clone).into_keys().collect::<Vec<_>>(), [".claude/agents/qa.md", "src/main.rs"]);
    fs::write(clone.join("CLAUDE.md"), b"\xff\n@.claude/engine/execute-rule.md\n").unwrap();
    assert_eq!(run(&stage, &clone, &["uninstall"]).code, Some(3));
}

#[test]
fn a_killed_uninstall_is_completed_by_the_next() {
    let stage = project(&[("CLAUDE.md", "# Mine\n"), (".claude/settings.json", "{\"a\": 1}\n")]);
    let before = bytes(&stage.root());
    stage.ok(&ALL);
    commit(&stage);
    let clone = clone(&stage);
    let git = |args: &[&str]| stage.git(&[&["-C", "../clone"], args].concat());
    // What one takes that nobody kills. The others are killed later and later.
    let started = Instant::now();
    assert_eq!(run(&stage, &clone, &["uninstall", "--purge"]).code, Some(0));
    let whole = started.elapsed();
    let mut killed = 0;
    for part in 1_u32..=KILLS {
        git(&["reset", "-q", "--hard"]);
        git(&["clean", "-qfdx"]);
        if part % 2 == 0 {
            assert_eq!(run(&stage, &clone, &[&ALL[..4], &["skills"]].concat()).code, Some(0));
        }
        let mut command = stage.command_in(&clone, &[]);
        let (engine, seconds) =
            (command.get_program().to_owned(), (whole * part / KILLS).as_secs_f64().to_string());
        command = stage.program_in(&clone, "timeout");
        command.args(["--foreground", "-s", "KILL", &seconds]).arg(engine).args(["uninstall", "--purge"]);
        let is_killed = at_terminal(&command).code != Some(0);
        killed += u32::from(is_killed);
        let done = run(&stage, &clone, &["uninstall", "--purge"]);
        assert!(matches!(done.code, Some(0 | 3)), "{}", said(&stage, &done));
        assert_eq!(differences(&before, &bytes(&clone)), Vec::<String>::new(), "{}", said(&stage, &done));
    }
    assert!(killed > 0, "{killed}");
}

#[test]
fn two_at_once_take_it_out_once() {
    for _ in 0..3 {
        let stage = project(&[("CLAUDE.md", "# Mine")]);
        let before = bytes(&stage.root());
        stage.ok(&ALL);
        commit(&stage);
        let clone = clone(&stage);
        let outputs: Vec<Output> = std::thread::scope(|scope| {
            let one = || run(&stage, &clone, &["uninstall", "--purge"]);
            let both = [scope.spawn(one), scope.spawn(one)];
            both.map(|run| run.join().unwrap()).into()
        });
        let mut codes: Vec<_> = outputs.iter().map(|output| output.code).collect();
        codes.sort();
        assert_eq!(codes, [Some(0), Some(3)], "{} {}", said(&stage, &outputs[0]), said(&stage, &outputs[1]));
        assert_eq!(differences(&before, &bytes(&clone)), Vec::<String>::new());
    }
}

#[test]
fn user_scope_without_its_manifest_is_known_too() {
    let stage = project(&[]);
    let home = bytes(&stage.home());
    stage.ok(&["init", "--scope", "user", "--with", "skills,fragment,statusline"]);
    assert!(stage.home().join(".claude/skills/do/SKILL.md").exists());
    fs::remove_dir_all(stage.home().join(".local")).unwrap();
    fs::remove_dir_all(stage.root().join(".engine")).unwrap();
    insta::assert_snapshot!(said(&stage, &run(&stage, &stage.root(), &["uninstall"])), @"
    exit 0
    removed .claude/settings.local.json
    restored .git/info/exclude
    note: [TOP]/home/.claude/settings.json and 24 files serve all your projects and stay; to take them out: engine uninstall --scope user
    ");
    let shown = run(&stage, &stage.root(), &["uninstall", "--scope", "user", "--dry-run"]);
    assert!(shown.stdout.contains("would remove 12 skills and 10 agents in "), "{}", shown.stdout);
    insta::assert_snapshot!(said(&stage, &run(&stage, &stage.root(), &["uninstall", "--scope", "user"])), @"
    exit 0
    removed [TOP]/home/.claude/settings.json
    removed [TOP]/home/.claude/CLAUDE.md
    removed 12 skills and 10 agents in [TOP]/home/.claude/ (-v lists them)
    removed [TOP]/home/.claude/engine/execute-rule.md
    note: [TOP]/home/.claude/settings.json: engine is off in every project now
    ");
    insta::assert_snapshot!(said(&stage, &run(&stage, &stage.root(), &["uninstall", "--scope", "user"])), @"
    exit 3
    engine: nothing of engine's is installed in your own settings
    ");
    let left = bytes(&stage.home());
    assert_eq!(differences(&home, &left), [".claude/"], "the client's own folder");
}

#[test]
fn the_plugin_stays_and_is_named() {
    let stage = project(&[]);
    let settings = json!({"enabledPlugins": {"engine@market": true}}).to_string();
    stage.write_from_elsewhere(".claude/settings.json", &settings);
    stage.write_from_elsewhere(".claude/skills/q/SKILL.md", OLDER[0].1);
    insta::assert_snapshot!(said(&stage, &run(&stage, &stage.root(), &["uninstall"])), @"
    exit 0
    removed .claude/skills/q/SKILL.md
    note: the plugin engine@market is enabled in [TOP]/project/.claude/settings.json and stays; take it out there, or with /plugin in the client
    ");
    assert_eq!(stage.read(".claude/settings.json"), settings);
}

#[test]
fn what_is_told_as_json_names_all() {
    let stage = project(&[]);
    for (path, text) in OLDER {
        stage.write_from_elsewhere(path, text);
    }
    stage.write_from_elsewhere(".claude/agents/qa.md", &format!("{}mine\n", OLDER[1].1));
    let told: Value = run(&stage, &stage.root(), &["uninstall", "--dry-run", "--json"]).json();
    insta::assert_snapshot!(stage.masked(&told.to_string()), @r#"{"all":false,"dryRun":true,"failures":[],"files":[{"path":"[TOP]/project/.claude/engine/execute-rule.md","removed":true},{"path":"[TOP]/project/.claude/skills/q/SKILL.md","removed":true},{"path":"[TOP]/project/.engine/config.toml","removed":true}],"kept":[{"path":"[TOP]/project/.claude/agents/qa.md","why":"it was edited"}],"mergeDriver":false,"notes":[],"project":"[TOP]/project","purged":false,"saved":[],"version":1,"work":[]}"#);
}
