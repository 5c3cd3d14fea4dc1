//! What an agent may do only with a person's word for it.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::plan::{self, told};
use crate::stage::{Output, SESSION, Stage, run};

pub(crate) fn as_agent() -> Stage {
    let mut stage = Stage::new();
    stage.set("CLAUDECODE", "1");
    stage.set("CLAUDE_CODE_SESSION_ID", SESSION);
    stage
}

/// The agent tries what it may not do by itself.
pub(crate) fn try_it(stage: &Stage) -> String {
    let out = stage.engine(&["config", "set", "rules.protect", "off", "--user-approved", "user agreed"]);
    told(&out)
}

/// The refusal while request N waits.
pub(crate) fn wanted(number: u32) -> String {
    format!(
        "exit 1\nengine: config set rules.protect off needs a person: approval {number}\n  \
         engine asks the person, who types ok {number} or no {number}; wait for it\n  \
         after a yes the same command counts once, until that turn ends\n  \
         or the person runs it in a terminal of their own; `! command` in the client counts as the agent's\n"
    )
}

/// An agent with a request that waits.
pub(crate) fn asking() -> Stage {
    let stage = as_agent();
    assert_eq!(try_it(&stage), wanted(1));
    stage
}

pub(crate) fn human() -> Value {
    json!({"origin": {"kind": "human"}, "promptSource": "typed", "turnOrigin": "human"})
}

pub(crate) fn stop(stage: &Stage, fields: &Value) -> Output {
    let begun = stage.state()["promptId"].clone();
    let mut event = stage.event_with("Stop", &json!({"session_id": SESSION, "prompt_id": begun}));
    for (key, value) in fields.as_object().unwrap() {
        event[key] = value.clone();
    }
    stage.send(&event)
}

/// The agent session has this process for its client.
pub(crate) fn runs_in(stage: &Stage, pid: u32) {
    let started = engine_store::process::process(pid).unwrap().started;
    let sessions = stage.root().join(".engine/state/sessions");
    let client = engine_core::client::ClientProcess { pid, started, table: None };
    let session = engine_store::session_file::SessionFile::new(&sessions, SESSION);
    session.update(|state| state.client = Some(client)).unwrap();
}

/// Numbers of processes differ from run to run.
fn without_pids(text: &str) -> String {
    let mut after_process = false;
    let mut words = Vec::new();
    for word in text.split(' ') {
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let word =
            if after_process && digits > 0 { format!("[PID]{}", &word[digits..]) } else { word.into() };
        after_process = word.ends_with("process");
        words.push(word);
    }
    words.join(" ")
}

#[test]
fn words_that_answer_no_request_approve_nothing() {
    let stage = asking();
    for words in [
        "why?",
        "No! Stop. Do not go on.",
        "NO! do not change it, never",
        "thanks, and what about the README?",
        "yes, switch protect off",
        "s",
        "q: an idea",
        "/q an idea",
        "",
        "ok",
        "ok 2",
        "ok 11",
        "ok 1 please",
        "no",
    ] {
        stage.answer(words);
        assert_eq!(try_it(&stage), wanted(1), "{words}");
    }
    let notified = stage.event_with("UserPromptSubmit.task-notification", &json!({"session_id": SESSION}));
    stage.send(&notified);
    assert_eq!(try_it(&stage), wanted(1));
    assert_eq!(stage.read(".engine/config.toml"), "");
}

#[test]
fn an_answer_to_a_question_approves_nothing_yet() {
    let stage = asking();
    for answer in ["No, stop here", "Approve"] {
        let question = json!([{
            "question": "May I change the configuration?",
            "header": "Approval 1",
            "options": [{"label": "Approve", "description": ""}, {"label": "No, stop here", "description": ""}],
            "multiSelect": false,
        }]);
        let answers = json!({"May I change the configuration?": answer});
        let fields = json!({
            "session_id": SESSION,
            "tool_input": {"questions": question, "answers": answers},
            "tool_response": {"questions": question, "answers": answers},
        });
        stage.send(&stage.event_with("PostToolUse.AskUserQuestion", &fields));
        assert_eq!(try_it(&stage), wanted(1), "{answer}");
    }
}

#[test]
fn a_request_is_told_to_the_person_once() {
    let stage = asking();
    let told = |event: &str| stage.hook(&stage.event_with(event, &json!({"session_id": SESSION}))).stdout;
    assert_eq!(
        told("PostToolUse.Read"),
        "{\"systemMessage\":\"engine: approval 1 wanted: config set rules.protect off. Type: ok 1, or no 1\"}"
    );
    assert_eq!(told("PostToolUseFailure"), "");
    assert_eq!(try_it(&stage), wanted(1));
    assert_eq!(told("PostToolUseFailure"), "", "it is the same request");
}

#[test]
fn a_typed_ok_counts_once() {
    let stage = asking();
    assert_eq!(
        stage.answer("ok 1").context(),
        "engine: ok 1 answers approval 1: config set rules.protect off. Run the same command again; it counts once, and until this turn ends."
    );
    let other = stage.engine(&["config", "set", "rules.inject", "off", "--user-approved", "user agreed"]);
    assert_eq!(
        other.stderr.lines().next(),
        Some("engine: config set rules.inject off needs a person: approval 2"),
        "the word was about another value"
    );
    insta::assert_snapshot!(stage.masked(&try_it(&stage)), @r#"
    exit 0
    rules.protect = "off" in [TOP]/project/.engine/config.toml
    "#);
    assert_eq!(stage.read(".engine/config.toml"), "[rules]\nprotect = \"off\"\n");
    assert_eq!(try_it(&stage), wanted(3), "one word, one deed");
    let approval = stage.journal().into_iter().find(|entry| entry["event"] == "Approval").unwrap();
    assert_eq!(
        (&approval["input"], &approval["session"]),
        (&json!("config set rules.protect off"), &json!(SESSION))
    );
    let because = approval["findings"][0]["because"].as_str().unwrap();
    assert_eq!(approval["findings"], json!([{"rule": "approval", "because": because}]));
    insta::assert_snapshot!(stage.masked(because), @"the person's words: ok 1 ([DAY] [TIME], approval 1); the agent's reading: user agreed");
    insta::assert_snapshot!(stage.masked(&stage.ok(&["why", approval["id"].as_str().unwrap()])), @"
    [ID]  Approval  [DAY] [TIME]
      session   bd48f8aa-611e-4e64-b1f5-2e515a790906, main agent
      input     config set rules.protect off
      rule      approval
                because the person's words: ok 1 ([DAY] [TIME], approval 1); the agent's reading: user agreed
      answer    none, 0 bytes to the model, 0 µs
    ");
    // At the end of the turn the person sees what their word was used for.
    let line = stop(&stage, &json!({})).json()["systemMessage"].as_str().unwrap().to_owned();
    insta::assert_snapshot!(stage.masked(&line), @"
    engine: approval 1 was used: config set rules.protect off; the person's words: ok 1 ([DAY] [TIME], approval 1); the agent's reading: user agreed
    engine: approval 2 wanted: config set rules.inject off. Type: ok 2, or no 2
    engine: approval 3 wanted: config set rules.protect off. Type: ok 3, or no 3
    ");
    assert_eq!(stop(&stage, &json!({})).stdout, "", "once");
}

#[test]
fn an_ok_without_the_agents_reading_is_enough() {
    let stage = asking();
    stage.answer("ok 1");
    assert_eq!(stage.engine(&["config", "set", "rules.protect", "off"]).code, Some(0));
    let approval = stage.journal().into_iter().find(|entry| entry["event"] == "Approval").unwrap();
    let because = approval["findings"][0]["because"].as_str().unwrap();
    insta::assert_snapshot!(stage.masked(because), @"the person's words: ok 1 ([DAY] [TIME], approval 1)");
}

#[test]
fn a_no_is_kept_for_the_turn() {
    let stage = asking();
    assert_eq!(
        stage.answer("no 1").context(),
        "engine: the person refuses approval 1: config set rules.protect off. Do not do it and do not ask for it again."
    );
    let refused = stage.masked(&try_it(&stage));
    insta::assert_snapshot!(refused, @"
    exit 1
    engine: the person refused approval 1: config set rules.protect off
      their words: no 1 ([DAY] [TIME])
    ");
    assert_eq!(
        stage.answer("ok 1").context(),
        "engine: approval 1 has its answer: no 1. A new one takes a new request."
    );
    assert_eq!(stage.masked(&try_it(&stage)), refused);
    stop(&stage, &json!({}));
    assert_eq!(try_it(&stage), wanted(2), "in another turn it is asked for anew");
}

#[test]
fn an_ok_ends_with_its_turn() {
    let stage = asking();
    stage.answer("ok 1");
    let running = stage.event("Stop.background-task")["background_tasks"].clone();
    stop(&stage, &json!({"background_tasks": running}));
    assert_eq!(stage.state()["approvals"][0]["answer"]["words"], "ok 1", "the turn goes on by itself");
    stop(&stage, &json!({"prompt_id": "of the turn before"}));
    assert_eq!(stage.state()["approvals"][0]["answer"]["words"], "ok 1", "its end came late");
    stop(&stage, &json!({}));
    assert_eq!(try_it(&stage), wanted(2));
    assert_eq!(
        stage.answer("ok 1").context(),
        "engine: no approval 1 is wanted in this session.",
        "a number is not given twice"
    );
    stage.answer("ok 2");
    stop(&stage, &json!({"background_tasks": running}));
    assert!(try_it(&stage).starts_with("exit 0"));
}

#[test]
fn words_from_before_the_request_do_not_count() {
    let stage = as_agent();
    assert_eq!(stage.answer("ok 1").context(), "engine: no approval 1 is wanted in this session.");
    assert_eq!(try_it(&stage), wanted(1));
    // Something else sends it again, and the transcript has the old one only.
    stage.send(&stage.message(SESSION, "ok 1"));
    assert_eq!(try_it(&stage), uncounted("the transcript has no such message"));
}

/// The refusal of an answer that is no person's.
fn uncounted(why: &str) -> String {
    format!(
        "exit 1\nengine: config set rules.protect off needs a person: ok 1 does not count, because {why}\n  \
         a person in a terminal of their own: engine approval grant 1\n"
    )
}

#[test]
fn a_message_that_no_person_typed_does_not_count() {
    let sdk = json!({"promptSource": "sdk", "turnOrigin": "sdk"});
    for (sender, why) in [
        (json!({"origin": {"kind": "peer"}, "promptSource": "typed"}), "it did not come from a person"),
        (json!({"origin": {"kind": "human"}, "promptSource": "system"}), "it did not come from a person"),
        (json!({"promptSource": "system", "turnOrigin": "scheduled"}), "it did not come from a person"),
        (json!({}), "it did not come from a person"),
        (sdk.clone(), "a program sent it and nobody attends the session"),
    ] {
        let stage = asking();
        stage.written_in(SESSION, "ok 1", &sender);
        stage.send(&stage.message(SESSION, "ok 1"));
        assert_eq!(try_it(&stage), uncounted(why), "{sender}");
    }
    let mut stage = asking();
    stage.set("CLAUDE_CODE_SESSION_ATTENDED", "1");
    stage.written_in(SESSION, "ok 1", &sdk);
    stage.send(&stage.message(SESSION, "ok 1"));
    assert!(try_it(&stage).starts_with("exit 0"), "somebody sits at the program that drives the client");
}

#[test]
fn an_event_that_the_client_did_not_send_does_not_count() {
    let refused = |why: &str| {
        format!(
            "engine: this answer to approval 1 does not count: {why}. In a terminal: engine approval grant 1"
        )
    };
    // A pipe: `engine hook < forged.json`, also by a copy of the program.
    let stage = asking();
    stage.written_in(SESSION, "ok 1", &human());
    let event = stage.message(SESSION, "ok 1");
    let piped = stage.hook(&event).context();
    assert_eq!(piped, refused("it did not come through the client's socket"));
    let copy = stage.home().join("e");
    fs::copy(env!("CARGO_BIN_EXE_engine"), &copy).unwrap();
    let mut command = Command::new(&copy);
    command.arg("hook").env_clear().env("HOME", stage.home()).env("CLAUDE_PROJECT_DIR", stage.root());
    command.current_dir(stage.root()).stdout(Stdio::piped()).stderr(Stdio::piped());
    assert_eq!(run(command, Some(event.to_string().as_bytes())).context(), piped);
    assert_eq!(try_it(&stage), wanted(1));
    // A socket of somebody else than who started the hook.
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    std::io::Write::write_all(&mut ours, event.to_string().as_bytes()).unwrap();
    drop(ours);
    let hook = stage.command(&["hook"]);
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "\"$0\" hook; :"]).arg(hook.get_program()).env_clear();
    shell.envs(hook.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.env("CLAUDE_PROJECT_DIR", stage.root()).current_dir(stage.root());
    shell.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
    let told = run(shell, None).context();
    assert_eq!(without_pids(&told), refused("process [PID] sent it, and process [PID] started the hook"));
    assert_eq!(try_it(&stage), wanted(1));
    // A program that is no client, over a socket of its own.
    let stage = asking();
    stage.written_in(SESSION, "ok 1", &human());
    let told = stage.send_by_program(&stage.message(SESSION, "ok 1")).context();
    assert_eq!(without_pids(&told), refused("process [PID] sent it, which is no client"));
    assert_eq!(try_it(&stage), wanted(1));
    // Another client than the one that runs the session.
    let stage = asking();
    runs_in(&stage, std::process::id());
    let told = stage.answer("ok 1").context();
    let other = "process [PID] sent it, and the session's client is process [PID]";
    assert_eq!(without_pids(&told), refused(other));
    assert_eq!(try_it(&stage), wanted(1));
    // A client that an agent runs.
    let stage = asking();
    stage.written_in(SESSION, "ok 1", &human());
    let told = stage.send_below_agent(&stage.message(SESSION, "ok 1")).context();
    assert_eq!(without_pids(&told), refused("the client runs below a coding agent: claude (process [PID])"));
    assert_eq!(try_it(&stage), wanted(1));
}

#[test]
fn a_changed_object_takes_a_new_word_and_pages_quote_the_person() {
    let stage = plan::locked();
    let resume =
        || stage.masked(&told(&plan::plan(&stage, &["resume", "--user-approved", "they said go on"])));
    let as_person = |args: &[&str]| assert_eq!(stage.at_terminal(args).code, Some(0), "{args:?}");
    stage.ok(&["plan", "halt", "the key is wrong"]);
    insta::assert_snapshot!(resume(), @"
    exit 1
    engine: resume plan fix-the-login (halted: the key is wrong) needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    stage.answer("ok 1");
    // The same words about another halt.
    as_person(&["plan", "resume"]);
    stage.ok(&["plan", "halt", "the key is wrong"]);
    insta::assert_snapshot!(resume().lines().nth(1).unwrap(), @"engine: resume plan fix-the-login (halted: the key is wrong) needs a person: approval 2");
    stage.answer("ok 2");
    insta::assert_snapshot!(resume(), @"
    exit 0
    plan fix-the-login goes on: the person's words: ok 2 ([DAY] [TIME], approval 2); the agent's reading: they said go on
    ");
    stage.answer("why?");
    let softer =
        ["criteria", "set", "1", "the tests were run", "--judge", "qa", "--user-approved", "user agreed"];
    insta::assert_snapshot!(told(&plan::plan(&stage, &softer)).lines().nth(1).unwrap(), @"engine: change the locked criteria of plan fix-the-login: - 1. all tests pass (`cargo test` passes) + 1. the tests were run (judged by qa) needs a person: approval 3");
    stage.answer("ok 3");
    assert_eq!(plan::plan(&stage, &softer).code, Some(0));
    let quotes = |text: String| {
        let lines: Vec<&str> = text.lines().filter(|line| line.contains("the person's words")).collect();
        stage.masked(&lines.join("\n"))
    };
    insta::assert_snapshot!(quotes(stage.read("plans/fix-the-login/PLAN.md")), @"
    - [MOMENT] the key is wrong; resumed [MOMENT]: the person's words: ok 2 ([DAY] [TIME], approval 2); the agent's reading: they said go on
    - [MOMENT] - 1. all tests pass (`cargo test` passes) + 1. the tests were run (judged by qa): the person's words: ok 3 ([DAY] [TIME], approval 3); the agent's reading: user agreed
    ");
    insta::assert_snapshot!(quotes(stage.ok(&["plan", "report"])), @"- - 1. all tests pass (`cargo test` passes) + 1. the tests were run (judged by qa): the person's words: ok 3 ([DAY] [TIME], approval 3); the agent's reading: user agreed");
}

#[test]
fn the_engine_is_not_removed_by_a_no() {
    let stage = as_agent();
    let uninstall = || told(&stage.engine(&["uninstall", "--user-approved", "user agreed"]));
    let refused = uninstall();
    insta::assert_snapshot!(refused, @"
    exit 1
    engine: uninstall engine needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    stage.answer("NO! do not remove the engine, never");
    assert_eq!(uninstall(), refused);
    stage.answer("ok 1");
    insta::assert_snapshot!(stage.masked(&uninstall()), @"
    exit 3
    Kept: .engine/ with the journal. To remove it too: engine uninstall --purge
    engine: nothing of engine's is installed in [TOP]/project
    ");
}

#[test]
fn requests_are_listed_and_shown() {
    let stage = as_agent();
    let none = stage.engine(&["approval", "list"]);
    assert_eq!(
        (none.code, none.stdout.as_str(), none.stderr.as_str()),
        (Some(0), "", "no approval is wanted\n")
    );
    assert_eq!(stage.ok(&["approval", "list", "--json"]), "{\"approvals\":[],\"version\":1}\n");
    assert_eq!(try_it(&stage), wanted(1));
    stage.engine(&["config", "set", "rules.inject", "off"]);
    stage.engine(&["uninstall"]);
    stage.answer("ok 1");
    stage.answer("no 2");
    insta::assert_snapshot!(stage.masked(&stage.ok(&["approval", "list"])), @"
    1  config     given    [DAY] [TIME]  bd48f8aa-611e-4e64-b1f5-2e515a790906  config set rules.protect off
    2  config     refused  [DAY] [TIME]  bd48f8aa-611e-4e64-b1f5-2e515a790906  config set rules.inject off
    3  uninstall  waiting  [DAY] [TIME]  bd48f8aa-611e-4e64-b1f5-2e515a790906  uninstall engine
    ");
    insta::assert_snapshot!(stage.masked(&stage.ok(&["approval", "show", "1"])), @"
    approval 1: config set rules.protect off
    kind: config
    asked for by the agent session bd48f8aa-611e-4e64-b1f5-2e515a790906, [DAY] [TIME]
    given: ok 1 ([DAY] [TIME])
    ");
    insta::assert_snapshot!(stage.masked(&stage.ok(&["approval", "show", "2"])), @"
    approval 2: config set rules.inject off
    kind: config
    asked for by the agent session bd48f8aa-611e-4e64-b1f5-2e515a790906, [DAY] [TIME]
    refused: no 2 ([DAY] [TIME])
    ");
    insta::assert_snapshot!(stage.masked(&stage.ok(&["approval", "show", "3"])), @"
    approval 3: uninstall engine
    kind: uninstall
    asked for by the agent session bd48f8aa-611e-4e64-b1f5-2e515a790906, [DAY] [TIME]
    waiting: engine approval grant 3, or engine approval deny 3
    ");
    let mut object = stage.engine(&["approval", "show", "1", "--json"]).json();
    let rows = stage.engine(&["approval", "list", "--json"]).json();
    assert_eq!(rows["approvals"][0], object["approval"]);
    object["approval"]["since"] = json!("[MOMENT]");
    object["approval"]["answer"]["at"] = json!("[MOMENT]");
    assert_eq!(
        object,
        json!({"version": 1, "approval": {
            "number": 1,
            "kind": "config",
            "session": SESSION,
            "since": "[MOMENT]",
            "what": "config set rules.protect off",
            "state": "given",
            "answer": {"words": "ok 1", "at": "[MOMENT]", "by": "message"},
        }})
    );
    insta::assert_snapshot!(told(&stage.engine(&["approval", "show", "9"])), @"
    exit 1
    engine: no approval 9 is wanted here
      what waits: engine approval list; what was used: engine journal
    ");
}

#[test]
fn a_person_answers_at_a_terminal() {
    let mut stage = asking();
    stage.engine(&["config", "set", "rules.inject", "off"]);
    let refused = |out: &Output| without_pids(&told(out));
    // What an agent starts, whatever it does to its variables, and what nobody could have typed.
    insta::assert_snapshot!(refused(&stage.engine(&["approval", "grant", "1"])), @"
    exit 1
    engine: approval 1 is answered by a person only: this command runs below a coding agent
      the person runs it in a terminal of their own, outside of the agent
    ");
    stage.set("CLAUDECODE", "");
    insta::assert_snapshot!(refused(&stage.at_terminal_below_agent(&["approval", "grant", "1"])), @"
    exit 1
    engine: approval 1 is answered by a person only: this command runs below a coding agent
      the person runs it in a terminal of their own, outside of the agent
    ");
    insta::assert_snapshot!(refused(&stage.without_terminal(&["approval", "deny", "1"])), @"
    exit 1
    engine: approval 1 is answered by a person only: this command has no terminal
      the person runs it in a terminal of their own, outside of the agent
    ");
    insta::assert_snapshot!(told(&stage.at_terminal(&["approval", "grant", "1"])), @"
    exit 0
    approval 1 is given: config set rules.protect off; it counts once, until the agent's turn ends
    ");
    insta::assert_snapshot!(told(&stage.at_terminal(&["approval", "deny", "2"])), @"
    exit 0
    approval 2 is refused: config set rules.inject off
    ");
    insta::assert_snapshot!(told(&stage.at_terminal(&["approval", "grant", "1"])), @"
    exit 1
    engine: approval 1 has its answer: engine approval grant 1
    ");
    stage.set("CLAUDECODE", "1");
    insta::assert_snapshot!(stage.masked(&try_it(&stage)), @r#"
    exit 0
    rules.protect = "off" in [TOP]/project/.engine/config.toml
    "#);
    let approval = stage.journal().into_iter().find(|entry| entry["event"] == "Approval").unwrap();
    let because = approval["findings"][0]["because"].as_str().unwrap();
    insta::assert_snapshot!(stage.masked(because), @"the person's words: engine approval grant 1 in a terminal ([DAY] [TIME], approval 1); the agent's reading: user agreed");
    let denied = stage.engine(&["config", "set", "rules.inject", "off"]);
    insta::assert_snapshot!(stage.masked(&told(&denied)), @"
    exit 1
    engine: the person refused approval 2: config set rules.inject off
      their words: engine approval deny 2 ([DAY] [TIME])
    ");
}

#[test]
fn an_agent_does_not_call_what_a_person_types() {
    let stage = as_agent();
    let said = |command: &str| stage.hook(&stage.bash(command)).json()["hookSpecificOutput"].clone();
    insta::assert_snapshot!(said("engine approval grant 7")["permissionDecisionReason"].as_str().unwrap(), @"engine rule protect: `engine approval grant 7` is typed by the person, in a terminal of their own. They answer here, too: ok or no and the number, as their whole message.");
    for command in [
        "engine approval deny 7",
        "engine --json approval grant 7",
        "bash -c 'engine approval --json grant 7'",
    ] {
        assert_eq!(said(command)["permissionDecision"], "deny", "{command}");
    }
    for command in ["engine approval list", "engine approval show 7 --json"] {
        stage.hook(&stage.bash(command)).assert_silent();
    }
}

#[test]
fn reading_needs_no_ones_word() {
    let stage = as_agent();
    for args in [&["config", "show"][..], &["config", "get", "inject.budget"], &["rules"], &["journal"]] {
        assert_eq!(stage.engine(args).code, Some(0), "{args:?}");
    }
}

#[test]
fn who_calls_is_told_by_terminal_and_processes_and_not_by_variables() {
    let set = ["config", "set", "rules.title", "off"];
    let variables: [&[(&str, &str)]; 4] = [
        &[],
        &[("CLAUDECODE", "")],
        &[("CLAUDECODE", "1")],
        &[("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", SESSION)],
    ];
    for variables in variables {
        let mut stage = Stage::new();
        for (name, value) in variables {
            stage.set(name, value);
        }
        // A shell of the person may have the variables, too.
        assert_eq!(stage.at_terminal(&set).code, Some(0), "{variables:?}");
        assert_eq!(stage.at_terminal_below_agent(&set).code, Some(1), "{variables:?}");
        assert_eq!(stage.without_terminal(&set).code, Some(1), "{variables:?}");
    }
    let stage = Stage::new();
    insta::assert_snapshot!(told(&stage.at_terminal_below_agent(&set)), @"
    exit 1
    engine: config set rules.title off needs a person, and this command runs below a coding agent
      `! command` in the client counts as the agent's
      the person runs it in a terminal of their own
    ");
    insta::assert_snapshot!(told(&stage.without_terminal(&set)), @"
    exit 1
    engine: config set rules.title off needs a person, and this command has no terminal
      the person runs it in a terminal of their own
    ");
}

#[test]
fn a_script_sets_what_loosens_nothing_where_no_agent_works() {
    let stage = Stage::new();
    let set = |key: &str, value: &str, yes: &[&str]| {
        told(&stage.without_terminal(&[&["config", "set", key, value], yes].concat()))
    };
    insta::assert_snapshot!(set("inject.budget", "700", &[]), @"
    exit 1
    engine: config set inject.budget 700 needs a person, and this command has no terminal
      the person runs it in a terminal of their own
      a script may do it, too: the same with --yes
    ");
    insta::assert_snapshot!(stage.masked(&set("inject.budget", "700", &["--yes"])), @"
    exit 0
    inject.budget = 700 in [TOP]/project/.engine/config.toml
    ");
    for (key, value) in [("rules.title", "on"), ("policy.git.clean", "block"), ("policy.fail", "closed")] {
        assert!(set(key, value, &["--yes"]).starts_with("exit 0\n"), "{key}");
    }
    for (key, value) in [
        ("rules.policy", "off"),
        ("rules.protect", "shadow"),
        ("policy.git.reset-hard", "ask"),
        ("policy.protected", "[]"),
        ("evidence.checks", "['true']"),
        ("journal.keep_days", "1"),
        ("heartbeat.block", "1000"),
    ] {
        let refused = format!(
            "exit 1\nengine: config set {key} {value} needs a person, and this command has no terminal\n  \
             the person runs it in a terminal of their own\n"
        );
        assert_eq!(set(key, value, &["--yes"]), refused);
    }
    assert!(told(&stage.without_terminal(&["uninstall"])).starts_with("exit 1\n"));
    stage.hook(&stage.event("SessionStart"));
    insta::assert_snapshot!(set("inject.budget", "900", &["--yes"]), @"
    exit 1
    engine: config set inject.budget 900 needs a person, and this command has no terminal, and an agent session is open here that may have started it
      the person runs it in a terminal of their own
    ");
    // A person at a terminal goes on, and the session is shown it.
    assert_eq!(stage.at_terminal(&["config", "set", "rules.policy", "off"]).code, Some(0));
    let stop = stage.hook(&stage.event_with("Stop", &json!({"session_id": SESSION})));
    insta::assert_snapshot!(stage.masked(stop.json()["systemMessage"].as_str().unwrap()), @"engine: typed in a terminal: config set rules.policy off ([DAY] [TIME])");
}

#[test]
fn who_calls_for_which_session_is_told_by_variables() {
    let set = ["config", "set", "rules.title", "on"];
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
