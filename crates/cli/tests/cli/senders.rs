//! Prompts that somebody else than the person sends: they begin no turn, end no chain and are nobody's last words.

use std::fs::{self, OpenOptions};
use std::io::Write;

use serde_json::{Value, json};

use crate::stage::{SESSION, Stage};

/// A session in a terminal of the person, with a chain that is under way.
fn with_chain() -> Stage {
    let mut stage = Stage::new();
    stage.set("CLAUDE_CODE_ENTRYPOINT", "cli");
    stage.ok(&["init", "--with", "skills"]);
    stage.hook(&stage.event("SessionStart"));
    stage.send(&stage.message(SESSION, "/design plans/foo, /plan-adhoc and /commit"));
    assert_eq!(left(&stage), 2, "{}", stage.state());
    stage
}

fn left(stage: &Stage) -> usize {
    stage.state()["chain"]["left"].as_array().map_or(0, Vec::len)
}

fn turn(stage: &Stage) -> u64 {
    stage.state()["turn"].as_u64().unwrap()
}

/// The last words of the person.
fn words(stage: &Stage) -> String {
    stage.state()["userInput"]["text"].as_str().unwrap_or_default().to_owned()
}

fn append(stage: &Stage, line: &Value) {
    let path = stage.transcript(SESSION);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
}

fn enqueued(words: &str) -> Value {
    json!({
        "type": "queue-operation",
        "operation": "enqueue",
        "timestamp": engine_store::clock::now().rfc3339(),
        "sessionId": SESSION,
        "content": words,
    })
}

#[test]
fn a_message_that_waited_in_the_queue_is_nobodys_word() {
    let stage = with_chain();
    let before = stage.state();
    append(&stage, &enqueued("stop all that"));
    stage.send(&stage.message(SESSION, "stop all that")).assert_silent();
    assert_eq!(stage.state(), before);
    let prompts = stage.journal().iter().filter(|entry| entry["event"] == "UserPromptSubmit").count();
    assert_eq!(prompts, 2, "it is written down");
    // What the person types is theirs, though somebody has said the same.
    let typed = json!({"origin": {"kind": "human"}, "promptSource": "typed", "turnOrigin": "human"});
    stage.written_in(SESSION, "stop all that", &typed);
    stage.send(&stage.message(SESSION, "stop all that"));
    assert_eq!((turn(&stage), words(&stage)), (2, "stop all that".to_owned()));
}

#[test]
fn a_message_that_waited_in_the_queue_does_not_end_do() {
    let mut stage = Stage::new();
    stage.set("CLAUDE_CODE_ENTRYPOINT", "cli");
    stage.hook(&stage.event("SessionStart"));
    stage.send(&stage.message(SESSION, "/do fix the login"));
    append(&stage, &enqueued("no plan, just edit it"));
    stage.send(&stage.message(SESSION, "no plan, just edit it")).assert_silent();
    assert_eq!(stage.state()["armed"], json!({"request": "fix the login"}));
    let typed = json!({"origin": {"kind": "human"}, "promptSource": "typed", "turnOrigin": "human"});
    stage.written_in(SESSION, "no plan, just edit it", &typed);
    stage.send(&stage.message(SESSION, "no plan, just edit it"));
    assert_eq!(stage.state().get("armed"), None);
}

#[test]
fn a_host_that_queues_what_its_person_types_is_believed() {
    let mut stage = with_chain();
    stage.set("CLAUDE_CODE_ENTRYPOINT", "sdk-cli");
    append(&stage, &enqueued("stop all that"));
    stage.send(&stage.message(SESSION, "stop all that"));
    assert_eq!((turn(&stage), words(&stage)), (2, "stop all that".to_owned()));
}

#[test]
fn another_client_takes_no_turn_and_ends_nothing() {
    let stage = with_chain();
    let own = engine_store::process::process(std::process::id()).unwrap();
    let client = engine_store::process::kept(&own);
    let sessions = stage.root().join(".engine/state/sessions");
    let file = engine_store::session_file::SessionFile::new(&sessions, SESSION);
    file.update(|state| state.client = Some(client)).unwrap();
    let before = stage.state();
    let resumed = stage.event_with("SessionStart", &json!({"session_id": SESSION, "source": "resume"}));
    stage.send(&resumed);
    stage.hook(&stage.message(SESSION, "stop all that")).assert_silent();
    stage.send_below_agent(&stage.message(SESSION, "stop all that")).assert_silent();
    stage.send(&stage.event_with("SessionEnd", &json!({"session_id": SESSION})));
    let after = stage.state();
    for key in ["client", "turn", "chain", "ended", "userInput"] {
        assert_eq!(after[key], before[key], "{key}");
    }
    // One that the person has in another terminal is theirs, too.
    stage.send(&stage.message(SESSION, "go on"));
    assert_eq!((turn(&stage), words(&stage)), (2, "go on".to_owned()));
    // Its own has gone: whoever resumes the session now has it, and what was said to the other is void.
    let gone = engine_core::client::ClientProcess { started: own.started + 1, ..client };
    let asked = engine_core::approval::Deed::new("paint it", &[]);
    file.update(|state| {
        state.client = Some(gone);
        engine_core::approval::ask(&mut state.approvals, 7, &asked, engine_store::clock::now());
        let yes = json!({"yes": true, "words": "ok 7", "at": 5, "by": "terminal"});
        engine_core::approval::answer(&mut state.approvals, 7, serde_json::from_value(yes).unwrap());
    })
    .unwrap();
    stage.send(&resumed);
    let after = stage.state();
    assert_ne!(after["client"], json!({"pid": gone.pid, "started": gone.started}));
    assert_eq!(after["approvals"][0]["answer"], Value::Null);
}
