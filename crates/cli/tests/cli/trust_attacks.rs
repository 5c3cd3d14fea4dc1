//! Ways around trust that a clone, or a script that the agent runs, might try.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};

use crate::stage::{Output, SESSION, Stage};

/// The answer to `git reset --hard`.
const RESET: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"engine rule policy: git.reset-hard: `git reset --hard` is refused: uncommitted work in the tree would be lost. Instead: git stash keeps it aside; git reset --soft or --mixed moves the branch and keeps the files."}}"#;

/// What comes of an event, for the client and the person.
fn answer(stage: &Stage, output: &Output) -> String {
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    stage.masked(&output.stdout)
}

fn bash(stage: &Stage, command: &str) -> String {
    answer(stage, &stage.hook(&stage.bash(command)))
}

fn start(stage: &Stage) -> String {
    answer(stage, &stage.hook(&stage.event("SessionStart")))
}

fn stop(stage: &Stage) -> String {
    answer(stage, &stage.hook(&stage.event_with("Stop", &json!({"session_id": SESSION}))))
}

/// What a command of a person says, with how it ended.
fn said(stage: &Stage, args: &[&str]) -> String {
    let output = stage.engine(args);
    stage.masked(&format!("exit {}\n{}{}", output.code.unwrap_or(-1), output.stdout, output.stderr))
}

#[test]
fn a_list_of_branches_takes_no_branch_out_of_protection() {
    let stage = Stage::new();
    stage.write(".git/HEAD", "ref: refs/heads/main\n");
    stage.write(".engine/config.toml", "[policy.git]\nprotected-branch = \"block\"\n");
    let refused = bash(&stage, "git commit -m x");
    insta::assert_snapshot!(refused, @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"engine rule policy: git.protected-branch: `git commit -m x` is refused: this branch takes changes by review only. Instead: git switch -c NAME, then the commit."}}"#);
    let other = "[policy]\nbranches = [\"foo\"]\n[policy.git]\nprotected-branch = \"block\"\n";
    stage.write_from_elsewhere(".engine/config.toml", other);
    assert_eq!(bash(&stage, "git commit -m x"), refused);
    insta::assert_snapshot!(start(&stage), @r#"{"systemMessage":"engine: .engine/config.toml was changed, and not by engine. Held: policy.branches = [\"foo\"] (accepted: []). Look: engine config diff. Accept: engine config accept"}"#);
    insta::assert_snapshot!(stage.ok(&["config", "get", "policy.branches"]), @r#"["main", "master", "foo"]"#);
    stage.write(".git/HEAD", "ref: refs/heads/foo\n");
    assert_eq!(bash(&stage, "git commit -m x"), refused, "what it adds counts");
    stage.ok(&["config", "accept"]);
    stage.write(".git/HEAD", "ref: refs/heads/main\n");
    assert_eq!(bash(&stage, "git commit -m x"), "");
}

/// The client hands on a variable of its settings file after the file is gone.
#[test]
fn a_variable_of_a_settings_file_does_not_count_when_the_file_is_gone() {
    for (name, value) in [("ENGINE_RULES_POLICY", "off"), ("ENGINE_OFF", "1")] {
        let mut stage = Stage::bare();
        stage.write_from_elsewhere(".engine/config.toml", "");
        let settings = json!({"env": {name: value}}).to_string();
        stage.write_from_elsewhere(".claude/settings.json", &settings);
        stage.set(name, value);
        let told = format!(
            "engine: this project is not trusted. Held: {name}={value} (.claude/settings.json). Look: engine trust --show. \
             Trust it: engine trust"
        );
        assert_eq!(start(&stage), json!({"systemMessage": told}).to_string());
        fs::remove_file(stage.root().join(".claude/settings.json")).unwrap();
        assert_eq!(bash(&stage, "git reset --hard"), RESET, "{name}");
        // Neither a new session of the same client nor a lost state helps.
        fs::remove_dir_all(stage.root().join(".engine/state")).unwrap();
        let cleared = json!({"session_id": "another", "source": "clear"});
        assert_eq!(answer(&stage, &stage.hook(&stage.event_with("SessionStart", &cleared))), "", "{name}");
        assert_eq!(bash(&stage, "git reset --hard"), RESET, "{name}");
        // Another value is the person's own.
        stage.set(name, if value == "1" { "yes" } else { "shadow" });
        assert_eq!(bash(&stage, "git reset --hard"), "", "{name}");
        stage.set(name, value);
        stage.ok(&["trust"]);
        assert_eq!(bash(&stage, "git reset --hard"), "", "{name}: trusted");
    }
}

#[test]
fn a_variable_that_no_settings_file_set_is_the_persons() {
    let mut stage = Stage::bare();
    stage.write_from_elsewhere(".engine/config.toml", "");
    stage.set("ENGINE_RULES_POLICY", "off");
    start(&stage);
    assert_eq!(bash(&stage, "git reset --hard"), "");
    assert!(!stage.home().join(".local/state/engine/variables").exists());
}

/// A project with something accepted, whose `.engine/` a script has moved elsewhere.
fn gone() -> Stage {
    let stage = Stage::bare();
    stage.ok(&["init"]);
    stage.ok(&["config", "set", "policy.protected", "VERSION"]);
    start(&stage);
    fs::rename(stage.root().join(".engine"), stage.home().join("away")).unwrap();
    stage
}

/// What the person is told of it.
fn line(stage: &Stage) -> String {
    let root = stage.masked(&stage.root().display().to_string());
    format!(
        "engine: .engine/ is gone from {root}; what you accepted counts. Put it back, or remove engine: engine uninstall"
    )
}

#[test]
fn what_was_accepted_counts_without_a_folder_of_the_engine() {
    let stage = gone();
    let mut told: Value = serde_json::from_str(RESET).unwrap();
    told["systemMessage"] = line(&stage).into();
    assert_eq!(serde_json::from_str::<Value>(&bash(&stage, "git reset --hard")).unwrap(), told);
    assert_eq!(bash(&stage, "git reset --hard"), RESET, "once");
    insta::assert_snapshot!(answer(&stage, &stage.hook(&stage.write_tool("VERSION", "1"))), @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"engine rule policy: files.protected: `Write of [TOP]/project/VERSION` on [TOP]/project/VERSION is refused: the project protects this file. Instead: asking the person to change it."}}"#);
    // The journal has made the folder again.
    insta::assert_snapshot!(stop(&stage), @r#"{"systemMessage":"engine: .engine/config.toml was changed, and not by engine. Held: policy.protected removed (accepted: [\"VERSION\"]). Look: engine config diff. Accept: engine config accept"}"#);
    assert_eq!(stop(&stage), "", "once");
    assert_eq!(start(&stage), "");
}

#[test]
fn what_was_accepted_counts_with_something_else_in_the_place_of_the_folder() {
    let stage = gone();
    let place = stage.root().join(".engine");
    fs::write(&place, "x").unwrap();
    assert_eq!(start(&stage), json!({"systemMessage": line(&stage)}).to_string());
    assert_eq!(bash(&stage, "git reset --hard"), RESET);
    assert_eq!(stop(&stage), "", "once");
    assert_eq!(fs::read_to_string(&place).unwrap(), "x");
    insta::assert_snapshot!(said(&stage, &["uninstall"]), @"
    exit 1
    engine: [TOP]/project/.engine is no folder
      move it away, and then the same again
    ");
    fs::remove_file(&place).unwrap();
    symlink("/nowhere", &place).unwrap();
    assert_eq!(bash(&stage, "git reset --hard"), RESET);
    assert_eq!(fs::read_link(&place).unwrap(), Path::new("/nowhere"));
}

/// A folder of the engine further up is another project's.
#[test]
fn what_was_accepted_counts_where_the_folder_was_moved_up() {
    let stage = gone();
    fs::rename(stage.home().join("away"), stage.root().parent().unwrap().join(".engine")).unwrap();
    assert_eq!(start(&stage), json!({"systemMessage": line(&stage)}).to_string());
    insta::assert_snapshot!(answer(&stage, &stage.hook(&stage.write_tool("VERSION", "1"))), @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"engine rule policy: files.protected: `Write of [TOP]/project/VERSION` on [TOP]/project/VERSION is refused: the project protects this file. Instead: asking the person to change it."}}"#);
}

#[test]
fn nothing_of_the_engine_lingers_where_it_was_taken_out() {
    let stage = gone();
    insta::assert_snapshot!(said(&stage, &["status"]), @"
    exit 1
    engine: no project: there is no .engine/ in [TOP]/project or above it
      make one: engine init
    ");
    insta::assert_snapshot!(said(&stage, &["uninstall", "--purge"]), @"
    exit 0
    removed .claude/settings.local.json
    ");
    assert_eq!(start(&stage), "");
    assert_eq!(bash(&stage, "git reset --hard"), "");
    assert!(!stage.exists(".engine"));
}
