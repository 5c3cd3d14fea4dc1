//! Ways around trust that a clone, or a script that the agent runs, might try.

use std::fs;

use serde_json::json;

use crate::stage::{Output, Stage};

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
