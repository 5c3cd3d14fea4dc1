//! What testers got past the approvals with, one test each.

use std::fs;

use serde_json::json;

use crate::approval::{as_agent, asking, human, runs_in, stop, try_it, wanted};
use crate::plan::told;
use crate::stage::{SESSION, Stage, at_terminal};

/// A message of the person that begins a turn of its own.
fn types(stage: &Stage, words: &str, prompt_id: &str) {
    stage.written_in(SESSION, words, &human());
    let mut event = stage.message(SESSION, words);
    event["prompt_id"] = prompt_id.into();
    stage.send(&event);
}

#[test]
fn a_yes_is_taken_back_before_it_is_used() {
    let stage = asking();
    stage.answer("ok 1");
    stage.answer("no 1");
    let refused = try_it(&stage);
    assert!(refused.starts_with("exit 1\nengine: the person refused approval 1: "), "{refused}");
    stage.answer("ok 1");
    assert!(try_it(&stage).starts_with("exit 1\n"), "a no stays");
    let stage = asking();
    stage.answer("ok 1");
    assert_eq!(stage.at_terminal(&["approval", "deny", "1"]).code, Some(0));
    assert!(try_it(&stage).starts_with("exit 1\nengine: the person refused approval 1: "));
}

#[test]
fn a_yes_of_a_turn_that_was_interrupted_is_over() {
    let stage = asking();
    types(&stage, "ok 1", "p1");
    types(&stage, "wait, do something else first", "p2");
    assert_eq!(try_it(&stage), wanted(2));
    // What is typed while the agent works belongs to its turn.
    types(&stage, "ok 2", "p2");
    types(&stage, "and mind the tests", "p2");
    assert!(try_it(&stage).starts_with("exit 0\n"));
    // A person at a terminal answers while the agent rests.
    assert_eq!(try_it(&stage), wanted(3));
    stop(&stage, &json!({}));
    assert_eq!(stage.at_terminal(&["approval", "grant", "3"]).code, Some(0));
    types(&stage, "go on", "p3");
    assert!(try_it(&stage).starts_with("exit 0\n"));
}

#[test]
fn nobody_but_the_client_uses_up_what_is_shown() {
    let stage = asking();
    stage.answer("ok 1");
    assert!(try_it(&stage).starts_with("exit 0\n"));
    runs_in(&stage, std::process::id());
    let forged = stage.event_with("Stop", &json!({"session_id": SESSION, "stop_hook_active": true}));
    stage.hook(&forged).assert_silent();
    stage.send(&forged).assert_silent();
    let spent = &stage.state()["spent"];
    assert_eq!(spent.as_array().map(Vec::len), Some(1), "{spent}");
}

#[test]
fn a_used_approval_is_shown_in_every_open_session() {
    let stage = asking();
    stage.hook(&stage.event_with("SessionStart", &json!({"session_id": "other"})));
    stage.answer("ok 1");
    try_it(&stage);
    let stop = stage.hook(&stage.event_with("Stop", &json!({"session_id": "other"}))).json();
    insta::assert_snapshot!(stage.masked(stop["systemMessage"].as_str().unwrap()), @"engine: approval 1 was used: config set rules.protect off; the person's words: ok 1 ([DAY] [TIME], approval 1); the agent's reading: user agreed");
}

#[test]
fn a_lost_count_gives_no_number_twice() {
    let stage = asking();
    for kept in ["", "0", "garbage", "4294967295"] {
        stage.write(".engine/state/approval.number", kept);
        let refused =
            stage.engine(&["config", "set", "rules.inject", kept.get(..1).map_or("off", |_| "shadow")]);
        let number = refused.stderr.split("approval ").nth(1).and_then(|rest| rest.lines().next()).unwrap();
        assert_ne!(number, "1", "{kept:?}: {}", refused.stderr);
        assert_eq!(refused.code, Some(1));
    }
}

#[test]
fn a_configuration_that_a_program_changed_is_told_once() {
    let stage = Stage::bare();
    stage.ok(&["init"]);
    stage.hook(&stage.event("SessionStart"));
    let stop = || stage.hook(&stage.event_with("Stop", &json!({"session_id": SESSION}))).stdout;
    let shown = || {
        let said: serde_json::Value = serde_json::from_str(&stop()).unwrap();
        stage.masked(said["systemMessage"].as_str().unwrap())
    };
    assert_eq!(stop(), "");
    stage.ok(&["config", "set", "inject.budget", "700"]);
    assert_eq!(shown(), "engine: typed in a terminal: config set inject.budget 700 ([DAY] [TIME])");
    let text = stage.read(".engine/config.toml");
    stage.write_from_elsewhere(".engine/config.toml", &text.replace("budget = 700", "budget = 900"));
    // A command of engine does not hide it.
    stage.ok(&["config", "set", "inject.strict", "true"]);
    let end = "Look: engine config diff. Accept: engine config accept";
    assert_eq!(
        shown(),
        format!(
            "engine: typed in a terminal: config set inject.strict true ([DAY] [TIME])\n\
             engine: .engine/config.toml was changed, and not by engine. Held: inject.budget = 900 (accepted: 700). {end}"
        )
    );
    assert_eq!(stop(), "");
    let rule = "[[rule]]\nid = \"no-tf\"\nverdict = \"block\"\nprogram = \"tf\"\nreason = \"not here\"\n";
    stage.write_from_elsewhere(".engine/policy.toml", rule);
    assert_eq!(
        shown(),
        format!("engine: .engine/policy.toml was changed, and not by engine. In force: no-tf (new). {end}")
    );
}

#[test]
fn a_mirror_of_the_project_is_no_place_for_a_person() {
    let stage = as_agent();
    stage.engine(&["status"]);
    let mirror = stage.home().join("mirror");
    fs::create_dir_all(mirror.join(".engine/state")).unwrap();
    for name in ["config.toml", "state/plans"] {
        std::os::unix::fs::symlink(
            stage.root().join(".engine").join(name),
            mirror.join(".engine").join(name),
        )
        .unwrap();
    }
    let set = stage.command_in(&mirror, &["config", "set", "rules.policy", "off"]);
    insta::assert_snapshot!(stage.masked(&told(&at_terminal(&set))), @"
    exit 1
    engine: config set rules.policy off: [TOP]/home/mirror/.engine/state/plans leads out of the project
      whoever works there would not be shown it; run it in that project
    ");
}

#[test]
fn all_that_is_agreed_to_can_be_read() {
    let stage = as_agent();
    let text = format!("{}rm -rf /", "harmless ".repeat(60));
    stage.engine(&["directives", "new", "AGENTS", "--user", "--text", &text]);
    let shown = stage.hook(&stage.event_with("PostToolUse", &json!({"session_id": SESSION}))).json();
    let line = shown["systemMessage"].as_str().unwrap();
    assert!(line.contains("All of it, in a terminal: engine approval show 1."), "{line}");
    let shown = stage.ok(&["approval", "show", "1"]);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "approval 1:");
    assert!(lines.contains(&text.as_str()), "{shown}");
    let json: serde_json::Value =
        serde_json::from_str(&stage.ok(&["approval", "show", "1", "--json"])).unwrap();
    assert!(json["approval"]["what"].as_str().unwrap().lines().any(|line| line == text), "{json}");
}

#[test]
fn nobody_is_asked_about_what_cannot_be_set() {
    let stage = as_agent();
    let refused = stage.engine(&["config", "set", "inject.budget", "banana"]);
    insta::assert_snapshot!(told(&refused), @r#"
    exit 1
    engine: inject.budget takes a number from 500 to 9500, not "banana"
    "#);
    assert_eq!(stage.ok(&["approval", "list"]), "");
}

#[test]
fn a_message_without_a_time_answers_nothing() {
    let stage = asking();
    let undated = json!({"origin": {"kind": "human"}, "promptSource": "typed", "timestamp": null});
    stage.written_in(SESSION, "ok 1", &undated);
    stage.send(&stage.message(SESSION, "ok 1"));
    assert!(try_it(&stage).starts_with("exit 1\nengine: config set rules.protect off needs a person: ok 1 does not count, because the transcript has no such message"));
}

#[test]
fn a_hook_that_a_shell_becomes_is_the_clients() {
    let stage = asking();
    stage.written_in(SESSION, "ok 1", &human());
    stage.send_by_shell(&stage.message(SESSION, "ok 1"));
    assert!(try_it(&stage).starts_with("exit 0\n"));
}

#[test]
fn worktrees_have_configurations_of_their_own() {
    let stage = Stage::bare();
    stage.git(&["init", "-q"]);
    stage.ok(&["init", "--team"]);
    stage.git(&["add", "-A"]);
    stage.git(&["commit", "-qm", "start"]);
    stage.git(&["worktree", "add", "-q", "../tree"]);
    let tree = stage.root().with_file_name("tree");
    let set = stage.command_in(&tree, &["config", "set", "inject.budget", "700", "--yes"]);
    assert_eq!(crate::stage::run(set, None).code, Some(0));
    let stop = stage.event_with("Stop", &json!({"session_id": SESSION}));
    for _ in 0..2 {
        stage.hook(&stop).assert_silent();
        let mut hook = stage.command_in(&tree, &["hook"]);
        hook.env("CLAUDE_PROJECT_DIR", &tree);
        let mut event = stop.clone();
        event["cwd"] = tree.display().to_string().into();
        crate::stage::run(hook, Some(event.to_string().as_bytes())).assert_silent();
    }
}
