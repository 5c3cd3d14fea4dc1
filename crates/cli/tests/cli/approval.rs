//! What an agent may do only after a person has spoken.

use serde_json::json;

use crate::stage::{SESSION, Stage};

fn as_agent() -> Stage {
    let mut stage = Stage::new();
    stage.set("CLAUDECODE", "1");
    stage.set("CLAUDE_CODE_SESSION_ID", SESSION);
    stage
}

#[test]
fn an_agent_needs_a_persons_word_after_the_refusal() {
    let stage = as_agent();
    stage.hook(&stage.prompt("please work")).assert_silent();
    let set = ["config", "set", "rules.protect", "off", "--user-approved", "they said yes"];
    let first = stage.engine(&set);
    assert_eq!(first.code, Some(1));
    insta::assert_snapshot!(first.stderr, @r#"
    engine: engine config set rules.protect off needs a person's word
      ask the user; after their answer the same command counts with --user-approved "what they said"
      or the user runs it in a terminal of their own
    "#);
    let again = stage.engine(&set);
    assert_eq!(
        (again.code, again.stderr.as_str()),
        (
            Some(1),
            "engine: engine config set rules.protect off was refused and no person has spoken since\n  ask the user and wait for the answer\n"
        )
    );
    // A notification is not a person.
    stage
        .hook(&stage.event_with("UserPromptSubmit.task-notification", &json!({"session_id": SESSION})))
        .assert_silent();
    assert_eq!(stage.engine(&set).code, Some(1));
    stage.hook(&stage.prompt("yes, switch protect off")).assert_silent();
    assert_eq!(
        stage.engine(&["config", "set", "rules.protect", "off"]).code,
        Some(1),
        "without the flag it never counts"
    );
    let other = ["config", "set", "rules.inject", "off", "--user-approved", "they said yes"];
    assert_eq!(stage.engine(&other).code, Some(1), "the word was about another value");
    let done = stage.engine(&set);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(stage.read(".engine/config.toml"), "[rules]\nprotect = \"off\"\n");
    let waiver = stage.journal().into_iter().find(|entry| entry["event"] == "Approval").unwrap();
    assert_eq!(
        waiver["findings"],
        json!([{"rule": "approval", "reason": "they said yes", "because": "the person said after the refusal: yes, switch protect off"}])
    );
    assert_eq!(stage.engine(&set).code, Some(1), "one waiver, one deed");
}

#[test]
fn an_answer_to_a_question_is_a_persons_word() {
    let stage = as_agent();
    assert_eq!(stage.engine(&["uninstall", "--user-approved", "x"]).code, Some(1));
    let answer = stage.event_with("PostToolUse.AskUserQuestion", &json!({"session_id": SESSION}));
    stage.hook(&answer).assert_silent();
    let out = stage.engine(&["uninstall", "--user-approved", "x"]);
    assert_eq!((out.code, out.stderr.as_str()), (Some(3), "engine: engine was not wired here\n"));
}

#[test]
fn reading_needs_no_ones_word() {
    let stage = as_agent();
    for args in [&["config", "show"][..], &["config", "get", "inject.budget"], &["rules"], &["journal"]] {
        assert_eq!(stage.engine(args).code, Some(0), "{args:?}");
    }
}

#[test]
fn who_calls_is_told_by_the_variables_of_the_client() {
    let set = ["config", "set", "rules.title", "on"];
    for (variables, code) in [
        (&[][..], 0),
        (&[("CLAUDECODE", "")], 0),
        (&[("CLAUDECODE", ""), ("CLAUDE_CODE_SESSION_ID", SESSION)], 0),
        (&[("CLAUDE_CODE_SESSION_ID", SESSION)], 0),
        (&[("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", SESSION)], 1),
        (&[("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "")], 1),
        (&[("CLAUDECODE", "1")], 1),
    ] {
        let mut stage = Stage::new();
        for (name, value) in variables {
            stage.set(name, value);
        }
        assert_eq!(stage.engine(&set).code, Some(code), "{variables:?}");
    }
    // The session may come from the engine's own variable; the client's counts first.
    for (variables, session) in [
        (&[("ENGINE_SESSION_ID", "s-own")][..], "s-own"),
        (&[("CLAUDE_CODE_SESSION_ID", ""), ("ENGINE_SESSION_ID", "s-own")], "s-own"),
        (&[("CLAUDE_CODE_SESSION_ID", "s-client"), ("ENGINE_SESSION_ID", "s-own")], "s-client"),
    ] {
        let mut stage = Stage::new();
        stage.set("CLAUDECODE", "1");
        for (name, value) in variables {
            stage.set(name, value);
        }
        stage.engine(&set);
        assert!(stage.exists(&format!(".engine/state/sessions/{session}.json")), "{variables:?}");
    }
}
