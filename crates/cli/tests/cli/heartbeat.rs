//! The heartbeat where calls meet: several at once, and those that another rule denies.
#![cfg(target_os = "linux")]

use std::fs;

use serde_json::{Value, json};

use crate::session_rules::{at_work, calls, word};
use crate::stage::{SESSION, Stage, input, output_of, until};

/// The hook of a call, overtaken by other calls between its first look and its lock: the state becomes another one. A hook waits a
/// second for its lock; where this process did not get its turn in that time, the call comes again.
fn overtaken(stage: &Stage, event: &Value, meanwhile: &Value) -> String {
    let before = stage.state();
    loop {
        let answer = overtaken_once(stage, event, meanwhile);
        if stage.journal().last().unwrap()["trouble"].is_null() {
            return answer;
        }
        stage.write(&format!(".engine/state/sessions/{SESSION}.json"), &before.to_string());
    }
}

fn overtaken_once(stage: &Stage, event: &Value, meanwhile: &Value) -> String {
    let sessions = stage.root().join(".engine/state/sessions");
    let lock = sessions.join(format!("{SESSION}.lock"));
    let held = fs::File::options().write(true).create(true).truncate(false).open(&lock).unwrap();
    held.lock().unwrap();
    let mut command = stage.command(&["hook"]);
    command.env("CLAUDE_PROJECT_DIR", stage.root()).stdin(input(event.to_string().as_bytes()));
    let child = command.spawn().unwrap();
    // It opens the lock after its first look, and waits.
    let files = format!("/proc/{}/fd", child.id());
    until("the hook comes to its lock", || {
        let open = fs::read_dir(&files).into_iter().flatten().flatten();
        open.filter_map(|file| fs::read_link(file.path()).ok()).any(|path| path == lock)
    });
    fs::write(sessions.join(format!("{SESSION}.json")), meanwhile.to_string()).unwrap();
    drop(held);
    word(&output_of(child))
}

fn count(stage: &Stage) -> Value {
    stage.state()["work"]["calls"][""]["count"].clone()
}

#[test]
fn of_calls_at_once_each_has_a_number_and_one_the_note() {
    // What was counted before, what others count meanwhile, the answer to this call, and its number.
    for (before, meanwhile, answer, number) in
        [(2, 0, "note", 3), (2, 1, "-", 4), (1, 1, "note", 3), (8, 0, "-", 9), (8, 1, "deny", 9)]
    {
        let stage = at_work();
        calls(&stage, before);
        let mut counted = stage.state();
        counted["work"]["calls"][""] = json!({"count": before + meanwhile});
        assert_eq!(overtaken(&stage, &stage.bash("ls x"), &counted), answer, "{before} and {meanwhile}");
        assert_eq!(count(&stage), number, "{before} and {meanwhile}");
    }
}

#[test]
fn an_edit_of_the_file_that_another_call_edits_at_once_is_the_same_call() {
    let stage = at_work();
    let edit = stage.write_tool("a.txt", "x");
    stage.hook(&edit);
    let edited = stage.state();
    let other = at_work();
    let mut meanwhile = other.state();
    meanwhile["work"]["calls"] = edited["work"]["calls"].clone();
    meanwhile["work"]["calls"][""]["edited"] = json!(other.root().join("a.txt"));
    assert_eq!(overtaken(&other, &other.write_tool("a.txt", "x"), &meanwhile), "-");
    assert_eq!(count(&other), 1);
}

#[test]
fn a_call_that_another_rule_denies_is_not_counted() {
    let stage = at_work();
    assert_eq!(calls(&stage, 2), ["-", "-"]);
    let denied = stage.hook(&stage.bash("git reset --hard"));
    let answer = &denied.json()["hookSpecificOutput"];
    assert_eq!(answer["permissionDecision"], "deny");
    assert_eq!(answer["additionalContext"], Value::Null, "it is not the third call");
    assert_eq!(count(&stage), 2);
    assert_eq!(calls(&stage, 1), ["note"]);
    // What is only asked about may happen.
    stage.write(".engine/config.toml", "[policy.git]\nreset-hard = \"ask\"\n");
    assert_eq!(word(&stage.hook(&stage.bash("git reset --hard"))), "ask");
    assert_eq!(count(&stage), 4);
}

/// Ten agents that call at once: each has its own note at the third call and is held at the tenth. Where this machine was too busy for a
/// hook to get its lock in time, all of it is played again.
#[test]
fn ten_agents_at_once_get_ten_notes() {
    let said = std::iter::repeat_with(ten_at_once).flatten().next().unwrap();
    for (agent, said) in said.iter().enumerate() {
        let count = |word: &str| said.iter().filter(|said| *said == word).count();
        assert_eq!((count("note"), count("deny"), count("-")), (1, 1, 8), "{agent}: {said:?}");
    }
}

/// What each of ten agents was told; nothing if a hook was refused its lock.
fn ten_at_once() -> Option<Vec<Vec<String>>> {
    let stage = at_work();
    let hooks = (0..10).flat_map(|agent| (0..10).map(move |call| (agent, call)));
    let events: Vec<(usize, Value)> = hooks
        .map(|(agent, call)| {
            let mut event = stage.bash(&format!("ls {agent} {call}"));
            event["agent_id"] = json!(format!("a{agent}"));
            event["agent_type"] = json!("general-purpose");
            event["tool_use_id"] = json!(format!("t{agent}-{call}"));
            (agent, event)
        })
        .collect();
    let mut said = vec![Vec::new(); 10];
    // Calls of one round are made at once; more processes would only wait for each other.
    for round in events.chunks(20) {
        let children: Vec<_> = round
            .iter()
            .map(|(agent, event)| {
                let mut command = stage.command(&["hook"]);
                command.env("CLAUDE_PROJECT_DIR", stage.root()).stdin(input(event.to_string().as_bytes()));
                (*agent, command.spawn().unwrap())
            })
            .collect();
        for (agent, child) in children {
            said[agent].push(word(&output_of(child)));
        }
    }
    let is_refused_a_lock = stage.journal().iter().any(|entry| !entry["trouble"].is_null());
    (!is_refused_a_lock).then_some(said)
}
