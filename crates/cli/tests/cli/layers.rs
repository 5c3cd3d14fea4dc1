//! Layers of the configuration: built in, the user's file, the project's file, the environment. The last one wins.

use std::fs;

use crate::stage::Stage;

/// Sets a key in each layer that has a value.
fn layered(key: &str, user: Option<&str>, project: Option<&str>, environment: Option<&str>) -> Stage {
    let mut stage = Stage::new();
    let (section, name) = key.rsplit_once('.').unwrap();
    let file = |value: &str| format!("[{section}]\n{name} = {value}\n");
    if let Some(value) = user {
        fs::create_dir_all(stage.home().join(".config/engine")).unwrap();
        fs::write(stage.home().join(".config/engine/config.toml"), file(value)).unwrap();
    }
    if let Some(value) = project {
        stage.write(".engine/config.toml", &file(value));
    }
    if let Some(value) = environment {
        let variable = format!("ENGINE_{}", key.replace(['.', '-'], "_").to_uppercase());
        stage.set(&variable, value.trim_matches('"'));
    }
    stage
}

/// The line of a key in `engine config show`, without the blanks between its columns.
fn shown(stage: &Stage, key: &str) -> String {
    let out = stage.ok(&["config", "show"]);
    let line = out.lines().find(|line| line.split(' ').next() == Some(key)).unwrap();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

const OFF: Option<&str> = Some("\"off\"");
const ON: Option<&str> = Some("\"on\"");
const SHADOW: Option<&str> = Some("\"shadow\"");

#[test]
fn the_mode_of_a_rule_is_that_of_the_last_layer() {
    for (user, project, environment, expected, is_denied) in [
        (None, None, None, "\"on\" default", true),
        (OFF, None, None, "\"off\" user (line 2)", false),
        (OFF, ON, None, "\"on\" project (line 2)", true),
        (ON, OFF, None, "\"off\" project (line 2)", false),
        (ON, SHADOW, None, "\"shadow\" project (line 2)", false),
        (OFF, OFF, ON, "\"on\" environment", true),
        (ON, ON, OFF, "\"off\" environment", false),
        (None, ON, SHADOW, "\"shadow\" environment", false),
        (OFF, None, ON, "\"on\" environment", true),
        // What is no mode is told and does not count.
        (OFF, Some("\"of\""), None, "\"off\" user (line 2)", false),
        (None, OFF, Some("maybe"), "\"off\" project (line 2)", false),
    ] {
        let stage = layered("rules.protect", user, project, environment);
        let case = format!("{user:?} {project:?} {environment:?}");
        assert_eq!(shown(&stage, "rules.protect"), format!("rules.protect {expected}"), "{case}");
        // The second event finds the files in the cache.
        for _ in 0..2 {
            let out = stage.hook(&stage.write_tool(".engine/policy.toml", "x"));
            assert_eq!(
                out.stdout.contains(r#""permissionDecision":"deny""#),
                is_denied,
                "{case}: {}",
                out.stdout
            );
        }
    }
}

#[test]
fn the_verdict_of_a_policy_is_that_of_the_last_layer() {
    let [block, ask, off] = ["\"block\"", "\"ask\"", "\"off\""].map(Some);
    for (user, project, environment, expected, decision) in [
        (None, None, None, "\"block\" default", "deny"),
        (off, None, None, "\"off\" user (line 2)", ""),
        (off, ask, None, "\"ask\" project (line 2)", "ask"),
        (ask, off, None, "\"off\" project (line 2)", ""),
        (off, off, block, "\"block\" environment", "deny"),
        (block, block, off, "\"off\" environment", ""),
        (block, None, ask, "\"ask\" environment", "ask"),
    ] {
        let stage = layered("policy.git.reset-hard", user, project, environment);
        let case = format!("{user:?} {project:?} {environment:?}");
        assert_eq!(
            shown(&stage, "policy.git.reset-hard"),
            format!("policy.git.reset-hard {expected}"),
            "{case}"
        );
        let out = stage.hook(&stage.bash("git reset --hard"));
        let answer = if out.stdout.is_empty() { serde_json::Value::Null } else { out.json() };
        let decided = answer["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or_default();
        assert_eq!(decided, decision, "{case}");
    }
}

#[test]
fn the_value_of_a_knob_is_that_of_the_last_layer() {
    let [one, two, three] = ["\"one\"", "\"two\"", "\"three\""].map(Some);
    for (user, project, environment, expected, told) in [
        (None, None, None, "\"\" default", ""),
        (one, None, None, "\"one\" user (line 2)", "one"),
        (one, two, None, "\"two\" project (line 2)", "two"),
        (one, two, three, "\"three\" environment", "three"),
        (None, two, three, "\"three\" environment", "three"),
        (one, None, three, "\"three\" environment", "three"),
        (one, Some("7"), None, "\"one\" user (line 2)", "one"),
        // Set to nothing is set.
        (one, Some("\"\""), None, "\"\" project (line 2)", ""),
        (one, two, Some(""), "\"\" environment", ""),
    ] {
        let stage = layered("reminder.text", user, project, environment);
        let case = format!("{user:?} {project:?} {environment:?}");
        assert_eq!(shown(&stage, "reminder.text"), format!("reminder.text {expected}"), "{case}");
        stage.hook(&stage.prompt("go"));
        let out = stage.hook(&stage.event("Stop"));
        let reminded = if told.is_empty() {
            String::new()
        } else {
            format!(r#"{{"hookSpecificOutput":{{"hookEventName":"Stop","additionalContext":"{told}"}}}}"#)
        };
        assert_eq!(out.stdout, reminded, "{case}");
    }
}

#[test]
fn outside_of_a_project_the_users_file_counts() {
    let stage = Stage::bare();
    fs::create_dir_all(stage.home().join(".config/engine")).unwrap();
    fs::write(stage.home().join(".config/engine/config.toml"), "[run]\nagent = \"echo\"\n").unwrap();
    assert_eq!(stage.ok(&["run", "started"]), "started\n");
}
