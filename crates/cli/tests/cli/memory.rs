//! The rule `memory` through the hook, and what doctor says of the client's memory.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::stage::Stage;

const MEMORY: &str = ".claude/projects/-p/memory";

fn denying() -> Stage {
    let stage = Stage::new();
    stage.write(".engine/config.toml", "[directives]\nmemory = \"deny\"\n");
    stage
}

fn in_home(stage: &Stage, path: &str) -> String {
    stage.home().join(path).display().to_string()
}

fn tool(stage: &Stage, tool: &str, path: &str) -> Value {
    let key = if tool == "NotebookEdit" { "notebook_path" } else { "file_path" };
    stage.event_with("PreToolUse", &json!({"tool_name": tool, "tool_input": {key: path}}))
}

fn reason(stage: &Stage, event: &Value) -> String {
    let out = stage.hook(event);
    assert_eq!(out.code, Some(0));
    if out.stdout.is_empty() {
        return String::new();
    }
    let reason = out.json()["hookSpecificOutput"]["permissionDecisionReason"].clone();
    stage.masked(reason.as_str().unwrap_or_default())
}

#[test]
fn tools_do_not_write_there() {
    let stage = denying();
    fs::create_dir_all(stage.home().join(MEMORY)).unwrap();
    symlink(stage.home().join(MEMORY), stage.root().join("notes")).unwrap();
    let own = in_home(&stage, &format!("{MEMORY}/MEMORY.md"));
    insta::assert_snapshot!(reason(&stage, &tool(&stage, "Write", &own)), @"engine rule memory: [TOP]/home/.claude/projects/-p/memory/MEMORY.md is in the client's built-in memory, which this project does not use. A fact, decision or preference: engine remember TEXT. What holds in a folder goes into its directives: engine directives new AGENTS DIR. What was learnt: engine learn add. Reading the memory stays free.");
    for (name, path, expected) in [
        ("Edit", own.as_str(), true),
        ("MultiEdit", &own, true),
        ("NotebookEdit", &own, true),
        ("Write", "~/.claude/projects/-other/memory/a/b.md", true),
        ("Write", "notes/new.md", true),
        ("Write", "../home/.claude/projects/-p/memory/x.md", true),
        ("Write", "~/.claude/projects/-p/x.jsonl", false),
        ("Write", "memory/MEMORY.md", false),
        ("Read", &own, false),
    ] {
        let denied = reason(&stage, &tool(&stage, name, path)).contains("rule memory");
        assert_eq!(denied, expected, "{name} {path}");
    }
}

#[test]
fn commands_do_not_write_there() {
    let stage = denying();
    fs::create_dir_all(stage.home().join(MEMORY)).unwrap();
    symlink(stage.home().join(MEMORY), stage.root().join("notes")).unwrap();
    let echo = stage.bash("echo x >> ~/.claude/projects/-p/memory/MEMORY.md");
    insta::assert_snapshot!(reason(&stage, &echo), @"engine rule memory: `echo x` would write [TOP]/home/.claude/projects/-p/memory/MEMORY.md, which is in the client's built-in memory, which this project does not use. A fact, decision or preference: engine remember TEXT. What holds in a folder goes into its directives: engine directives new AGENTS DIR. What was learnt: engine learn add. Reading the memory stays free.");
    for (command, expected) in [
        ("echo x | tee -a \"$HOME/.claude/projects/-p/memory/a.md\"", true),
        ("cd ~/.claude/projects/-p && sed -i s/a/b/ memory/MEMORY.md", true),
        ("cp a.md ~/.claude/projects/-p/memory/", true),
        ("mv a.md ~/.claude/projects/-p/memory/b.md", true),
        ("echo x > notes/x.md", true),
        ("cat <<'E' > $CLAUDE_CONFIG_DIR/projects/-p/memory/MEMORY.md\nx\nE", true),
        ("bash -c 'echo x > ~/.claude/projects/-p/memory/MEMORY.md'", true),
        ("tee ~/.claude/projects/*/memory/MEMORY.md", true),
        ("sed -i s/a/b/ ~/.claude/projects/-p/mem*/MEMORY.md", true),
        ("cat ~/.claude/projects/-p/memory/MEMORY.md > kept.md", false),
        ("mv ~/.claude/projects/-p/memory/MEMORY.md kept.md", false),
        ("rm ~/.claude/projects/-p/memory/MEMORY.md", false),
        ("echo x > memory/MEMORY.md", false),
        ("grep -r memory ~/.claude/projects/-p/memory", false),
    ] {
        assert_eq!(reason(&stage, &stage.bash(command)).contains("rule memory"), expected, "{command}");
    }
}

#[test]
fn the_folder_is_where_the_client_has_it_and_the_default_is_free() {
    let mut stage = denying();
    let elsewhere = in_home(&stage, "client");
    stage.set("CLAUDE_CONFIG_DIR", &elsewhere);
    let write = |stage: &Stage, path: &str| !reason(stage, &tool(stage, "Write", path)).is_empty();
    assert!(write(&stage, &format!("{elsewhere}/projects/-p/memory/x.md")));
    assert!(!write(&stage, "~/.claude/projects/-p/memory/x.md"));
    let stage = Stage::new();
    assert!(!write(&stage, "~/.claude/projects/-p/memory/x.md"));
    let said = stage.engine(&["config", "set", "directives.memory", "never"]);
    insta::assert_snapshot!(said.stderr, @r#"engine: directives.memory takes one of allow, deny, not "never""#);
}

#[test]
fn doctor_names_a_memory_that_is_not_empty() {
    let stage = Stage::new();
    let name: String = stage
        .root()
        .display()
        .to_string()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let index = stage.home().join(".claude/projects").join(name).join("memory/MEMORY.md");
    fs::create_dir_all(index.parent().unwrap()).unwrap();
    fs::write(&index, "").unwrap();
    let remark = |stage: &Stage| {
        let checks = stage.engine(&["doctor", "--json"]).json()["checks"].clone();
        let found = checks.as_array().unwrap().iter().find(|check| check["name"] == "memory").cloned();
        found.map(|check| {
            let detail = check["detail"].as_str().unwrap().replace(&index.display().to_string(), "[INDEX]");
            format!("{} {detail}", check["health"].as_str().unwrap())
        })
    };
    stage.write(".directives/AGENTS.md", "# Agents\n");
    assert_eq!(remark(&stage), None, "empty");
    fs::write(&index, "- notes\n").unwrap();
    insta::assert_snapshot!(remark(&stage).unwrap(), @"note [INDEX] holds 8 bytes of the client's own notes. Move what is still true to notes (engine remember TEXT), directives (engine directives new AGENTS DIR) or learnings (engine learn add), then delete the file");
    fs::remove_dir_all(stage.root().join(".directives")).unwrap();
    assert_eq!(remark(&stage), None, "a project without directives");
    stage.ok(&["config", "set", "directives.memory", "deny"]);
    assert!(remark(&stage).is_some());
}
