//! `engine run` with a client of ours: a shell script.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::stage::{Output, Stage, ended, run, until};

/// A stage whose client is this script. It notes its arguments, one start per line.
fn stage(script: &str) -> Stage {
    let mut stage = Stage::wired();
    stage.write("client", &format!("#!/bin/sh\nprintf '<%s>' \"$@\" >> starts\necho >> starts\n{script}\n"));
    let client = stage.root().join("client");
    fs::set_permissions(&client, fs::Permissions::from_mode(0o755)).unwrap();
    stage.set("ENGINE_RUN_AGENT", client.to_str().unwrap());
    stage
}

/// A request as a command in the agent's shell leaves it.
const ASK: &str = r#"mkdir -p .engine/state; echo '{"version":1,"session":"s1","prompt":"go on with the lexer"}' > ".engine/state/restart-$ENGINE_RUN.json""#;

fn engine(stage: &Stage, args: &[&str], stdin: &str) -> Output {
    run(stage.command(&[&["run"], args].concat()), Some(stdin.as_bytes()))
}

#[test]
fn the_client_stands_in_our_place() {
    let stage = stage("cat; echo said; echo complained >&2; exit 7");
    let output = engine(&stage, &["-p", "--model", "opus", "fix 'it'", "--json", "--help"], "typed\n");
    assert_eq!(output.code, Some(7));
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("typed\nsaid\n", "complained\n"));
    assert_eq!(stage.read("starts"), "<-p><--model><opus><fix 'it'><--json><--help>\n");
}

#[test]
fn a_client_that_is_killed_ends_as_in_a_shell() {
    for (signal, code) in [("TERM", 143), ("KILL", 137)] {
        let stage = stage(&format!("kill -{signal} $$"));
        assert_eq!(engine(&stage, &[], "").code, Some(code));
    }
}

#[test]
fn a_client_that_is_not_there_is_named() {
    let mut stage = Stage::wired();
    stage.set("ENGINE_RUN_AGENT", "no-such-client");
    let output = engine(&stage, &[], "");
    assert_eq!(output.code, Some(1));
    insta::assert_snapshot!(output.stderr, @"
    engine: no-such-client cannot be started: No such file or directory (os error 2)
      is it on PATH? Another program: engine config set run.agent PROGRAM
    ");
}

#[test]
fn a_session_that_asks_goes_on_in_a_new_one() {
    let stage = stage(&format!("if [ $(wc -l < starts) -lt 3 ]; then {ASK}; fi; exit 5"));
    let output = engine(&stage, &["--model", "opus", "--resume", "0f3a", "-p", "fix it"], "");
    assert_eq!(output.code, Some(5));
    insta::assert_snapshot!(stage.read("starts"), @"
    <--model><opus><--resume><0f3a><-p><fix it>
    <go on with the lexer><--model><opus><-p>
    <go on with the lexer><--model><opus><-p>
    ");
    insta::assert_snapshot!(output.stderr, @"
    engine: starting again with: go on with the lexer
    engine: starting again with: go on with the lexer
    ");
    let left: Vec<String> = stage.tree().into_iter().filter(|file| file.contains("restart")).collect();
    assert_eq!(left, Vec::<String>::new(), "each request is carried out once");
}

#[test]
fn a_request_of_another_run_is_not_ours() {
    let stage = stage("exit 0");
    stage.write(".engine/state/restart-other.json", r#"{"version":1,"session":"s1","prompt":"go on"}"#);
    assert_eq!(engine(&stage, &["fix it"], "").code, Some(0));
    assert_eq!(stage.read("starts"), "<fix it>\n");
    assert!(stage.exists(".engine/state/restart-other.json"));
}

#[test]
fn a_client_that_only_asks_is_not_started_for_ever() {
    let stage = stage(ASK);
    let began = Instant::now();
    let output = engine(&stage, &["fix it"], "");
    let took = began.elapsed();
    assert_eq!(output.code, Some(0));
    // A start that took two seconds, on a very busy machine, is none at once.
    let starts = stage.read("starts").lines().count();
    assert!(starts == 3 || (starts > 3 && took > Duration::from_secs(2)), "{starts} in {took:?}");
    assert_eq!(stage.read("starts"), format!("<fix it>\n{}", "<go on with the lexer>\n".repeat(starts - 1)));
    let again = "engine: starting again with: go on with the lexer\n";
    let rest = output.stderr.strip_prefix(&again.repeat(starts - 1)).unwrap_or(&output.stderr);
    insta::assert_snapshot!(stage.masked(rest), @"
    engine: the client ended within 2 s of its start 2 times in a row and is not started again; to go on: [TOP]/project/client 'go on with the lexer'
    ");
}

#[test]
fn a_request_that_cannot_be_read_is_told_and_kept() {
    let stage =
        stage(r#"mkdir -p .engine/state; echo 'torn' > ".engine/state/restart-$ENGINE_RUN.json"; exit 3"#);
    let output = engine(&stage, &[], "");
    assert_eq!(output.code, Some(3));
    assert!(output.stderr.contains("the request to start again cannot be read: "), "{}", output.stderr);
    assert!(stage.tree().iter().any(|file| file.contains("restart-")));
}

#[test]
fn outside_of_a_project_it_only_starts_the_client() {
    let stage = stage("exit 4");
    let folder = stage.home();
    let mut command = stage.command_in(&folder, &["run", "go"]);
    assert_eq!(command.status().unwrap().code(), Some(4));
}

/// `engine run` in a process group of its own, with a client that has begun.
fn begun(stage: &Stage) -> Child {
    let child = stage.command(&["run"]).process_group(0).spawn().unwrap();
    until("the client begins", || stage.exists("ready"));
    child
}

fn kill(signal: &str, pid: &str) {
    assert!(Command::new("kill").args([signal, pid]).status().unwrap().success());
}

/// Moved into place, so that whoever sees it can read all of it.
const WAIT: &str = "echo $$ > ready.new; mv ready.new ready; while :; do sleep 0.02; done";

#[test]
fn signals_that_are_sent_to_us_reach_the_client() {
    for signal in ["TERM", "HUP", "INT", "QUIT"] {
        // Its session asked to go on; one who wants us gone does not want another start.
        let stage = stage(&format!("{ASK}; trap 'echo {signal} > got; exit 9' {signal}; {WAIT}"));
        let mut engine = begun(&stage);
        kill(&format!("-{signal}"), &engine.id().to_string());
        assert_eq!(ended(&mut engine).code(), Some(9), "{signal}");
        assert_eq!(stage.read("got"), format!("{signal}\n"));
        assert_eq!(stage.read("starts").lines().count(), 1);
    }
    let stage = stage(&format!("trap 'echo WINCH > got; exit 9' WINCH; {WAIT}"));
    let mut engine = begun(&stage);
    kill("-WINCH", &engine.id().to_string());
    assert_eq!(ended(&mut engine).code(), Some(9));
}

#[test]
fn a_client_that_dies_of_our_signal_tells_which() {
    let stage = stage(WAIT);
    let mut engine = begun(&stage);
    kill("-TERM", &engine.id().to_string());
    assert_eq!(ended(&mut engine).code(), Some(143));
}

#[cfg(target_os = "linux")]
#[test]
fn a_client_that_stops_stops_us_and_goes_on_with_us() {
    let stage = stage(&format!("trap 'exit 9' TERM; {WAIT}"));
    let mut engine = begun(&stage);
    let (ours, client) = (engine.id().to_string(), stage.read("ready").trim().to_owned());
    let is_stopped = |pid: &str| {
        let line = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        line.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('T'))
    };
    for _ in 0..2 {
        kill("-STOP", &client);
        until("we stop", || is_stopped(&ours) && is_stopped(&client));
        kill("-CONT", &ours);
        until("both go on", || !is_stopped(&ours) && !is_stopped(&client));
    }
    kill("-TERM", &ours);
    assert_eq!(ended(&mut engine).code(), Some(9));
}

/// A request whose turn has ended, as the hook leaves it; the time is long ago.
const READY: &str = r#"mkdir -p .engine/state; echo '{"version":1,"session":"s1","prompt":"go on with the lexer","ready":{"at":5}}' > ".engine/state/restart-$ENGINE_RUN.json""#;

#[test]
fn a_client_whose_turn_has_ended_is_ended_and_started_again() {
    let wait = "for i in $(seq 6000); do sleep 0.01; done; exit 9";
    for (trap, longest) in [("exit 0", 30), ("", 60)] {
        // The second one does not follow, and is killed.
        let script =
            format!("trap '{trap}' TERM; if [ $(wc -l < starts) -lt 2 ]; then {READY}; {wait}; fi; exit 4");
        let stage = stage(&script);
        let began = Instant::now();
        let output = engine(&stage, &["fix it"], "");
        assert_eq!(output.code, Some(4), "{}", output.stderr);
        assert!(began.elapsed() < Duration::from_secs(longest));
        assert_eq!(stage.read("starts"), "<fix it>\n<go on with the lexer>\n");
        insta::allow_duplicates!(insta::assert_snapshot!(output.stderr, @"
        engine: its session asked for a new client, so this one was ended after the turn
        engine: starting again with: go on with the lexer
        "));
    }
}

/// The request after the end of a turn in a client of this kind.
fn after_turn(variables: &[(&str, &str)], event: &str, config: &str) -> bool {
    let mut stage = Stage::new();
    stage.write(".engine/config.toml", config);
    stage.write(".engine/state/restart-r1.json", r#"{"version":1,"session":"s1","prompt":"go on"}"#);
    for (name, value) in variables {
        stage.set(name, value);
    }
    let session = if event == "Stop.other" { "s2" } else { "s1" };
    let event = if event == "Stop.other" { "Stop" } else { event };
    stage.hook(&stage.event_with(event, &serde_json::json!({"session_id": session})));
    stage.read(".engine/state/restart-r1.json").contains("\"ready\":{\"at\":")
}

#[test]
fn the_end_of_a_turn_lets_the_client_be_ended() {
    let run = ("ENGINE_RUN", "r1");
    let interactive = ("CLAUDE_CODE_ENTRYPOINT", "cli");
    for (variables, event, config, expected) in [
        (&[run, interactive][..], "Stop", "", true),
        (&[run, interactive], "Stop.background-task", "", false),
        (&[run, interactive], "Stop.other", "", false),
        (&[run, interactive], "SubagentStop", "", false),
        (&[run, interactive], "PreToolUse", "", false),
        (&[run, interactive], "Stop", "[run]\nrestart = \"ask\"\n", false),
        (&[run, interactive], "Stop", "[rules]\nrestart = \"off\"\n", false),
        (&[run, ("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")], "Stop", "", false),
        (&[interactive], "Stop", "", false),
        (&[("ENGINE_RUN", "../r1"), interactive], "Stop", "", false),
    ] {
        assert_eq!(after_turn(variables, event, config), expected, "{variables:?} {event} {config}");
    }
}
