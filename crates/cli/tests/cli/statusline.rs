//! `engine statusline` as the client calls it.

use std::time::{SystemTime, UNIX_EPOCH};

use engine_text::stamp::Stamp;
use serde_json::{Value, json};

use crate::stage::{Output, SESSION, Stage, run};

const STATE: &str = ".engine/state/sessions/bd48f8aa-611e-4e64-b1f5-2e515a790906.json";
const TRANSCRIPT: &str = "transcript.jsonl";

/// What the client told a status line, of the session that the other events belong to.
fn report(stage: &Stage) -> Value {
    let transcript = stage.root().join(TRANSCRIPT);
    stage.event_with("statusLine", &json!({"session_id": SESSION, "transcript_path": transcript}))
}

fn statusline(stage: &Stage, args: &[&str], stdin: &str) -> Output {
    run(stage.command(&[&["statusline"], args].concat()), Some(stdin.as_bytes()))
}

/// The line without colours.
fn line(stage: &Stage, report: &Value) -> String {
    let output = statusline(stage, &["--plain"], &report.to_string());
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    output.stdout
}

fn minutes_ago(minutes: u64) -> Stamp {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Stamp(u64::try_from(now.as_millis()).unwrap() - minutes * 60_000)
}

/// Binds the session to a work session.
fn bind(stage: &Stage, work: &str) {
    let mut bound = stage.state();
    bound["work"] = json!({"name": work, "skill": "implement"});
    bound["plan"] = json!({"name": "login", "steps": 3, "stepsDone": 1});
    stage.write(STATE, &bound.to_string());
}

/// A session at work: bound to a work session, with a task of its own and one of another session.
fn at_work() -> Stage {
    let stage = Stage::wired();
    stage.hook(&stage.event("SessionStart"));
    bind(&stage, "2026_11_15_LEXER");
    stage.write(
        "sessions/2026_11_15_LEXER/state.json",
        &json!({"version": 1, "runs": [
            {"skill": "fix", "currentPhase": {"label": "9", "name": "Old"}},
            {"skill": "implement", "currentPhase": {"label": "2.A", "name": "Build"},
                "phases": [{"label": "0"}, {"label": "1"}, {"label": "2.A"}, {"label": "3"}, {"label": "4"}]},
        ]})
        .to_string(),
    );
    stage.write(
        "session.md",
        "## Pending Tasks\n- [ ] **Tidy docs** —\n- [ ] **Port the lexer to the new grammar at last** —\n",
    );
    stage.hook(&stage.event_with("SessionStart", &json!({"session_id": "another"})));
    let start = |session: &str, task: &str| {
        let mut command = stage.command(&["task", "start", task]);
        command.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", session);
        assert_eq!(run(command, None).code, Some(0));
    };
    start("another", "Tidy docs");
    start(SESSION, "Port the lexer");
    stage.write(TRANSCRIPT, "{}\n");
    stage
}

#[test]
fn shows_where_the_session_stands() {
    let stage = at_work();
    insta::assert_snapshot!(line(&stage, &report(&stage)), @"2026_11_15_LEXER · implement · [3 of 5: Build] · plan login 1/3 · Port the lexer to the new gram… · ░░░░░░░░░░ 3% · $0.06 · ● hooks");
    let coloured = statusline(&stage, &[], &report(&stage).to_string()).stdout.replace('\x1b', "^");
    insta::assert_snapshot!(stage.masked(&coloured), @r"^]8;;file://[TOP]/project/sessions/2026_11_15_LEXER^\2026_11_15_LEXER^]8;;^\ · implement · [3 of 5: Build] · plan login 1/3 · Port the lexer to the new gram… · ^[32m░░░░░░░░░░ 3%^[0m · $0.06 · ^[32m● hooks^[0m");
    let mut quiet = stage.command(&["statusline"]);
    quiet.env("NO_COLOR", "1");
    assert_eq!(run(quiet, Some(report(&stage).to_string().as_bytes())).stdout, line(&stage, &report(&stage)));
    let json = statusline(&stage, &["--json"], &report(&stage).to_string()).stdout;
    insta::assert_snapshot!(json, @r#"{"chain":null,"context":"░░░░░░░░░░ 3%","cost":"$0.06","lamp":"● hooks","phase":"[3 of 5: Build]","plan":"plan login 1/3","session":"2026_11_15_LEXER","skill":"implement","task":"Port the lexer to the new gram…","version":1}"#);
}

#[test]
fn before_the_first_answer_there_is_no_context() {
    let stage = at_work();
    let first = stage.event("statusLine.first");
    insta::assert_snapshot!(line(&stage, &first), @"$0.00");
}

#[test]
fn single_parts_for_a_line_of_ones_own() {
    let stage = at_work();
    let report = report(&stage).to_string();
    let part = |name: &str| statusline(&stage, &["--plain", "--part", name], &report).stdout;
    let all: String = ["session", "skill", "phase", "plan", "task", "context", "cost", "lamp"]
        .iter()
        .map(|name| part(name))
        .collect();
    insta::assert_snapshot!(all, @"
    2026_11_15_LEXER
    implement
    [3 of 5: Build]
    plan login 1/3
    Port the lexer to the new gram…
    ░░░░░░░░░░ 3%
    $0.06
    ● hooks
    ");
    let unknown = statusline(&stage, &["--part", "mood"], &report);
    assert_eq!(unknown.code, Some(2));
    insta::assert_snapshot!(unknown.stderr, @"
    error: invalid value 'mood' for '--part <NAME>': use session, skill, phase, plan, chain, task, context, cost, lamp

    For more information, try '--help'.
    ");
}

#[test]
fn the_parts_are_a_knob() {
    let stage = at_work();
    stage.ok(&["config", "set", "statusline.parts", "cost,skill"]);
    insta::assert_snapshot!(line(&stage, &report(&stage)), @"$0.06 · implement");
    let refused = stage.engine(&["config", "set", "statusline.parts", "cost,mood"]);
    insta::assert_snapshot!(refused.stderr, @r#"engine: statusline.parts takes a list of parts: session, skill, phase, plan, chain, task, context, cost, lamp, not ["cost", "mood"]"#);
}

#[test]
fn garbage_and_foreign_places_never_fail() {
    let stage = at_work();
    let elsewhere = Stage::bare();
    for text in ["", "{", "null", "\u{0}", "{\"session_id\":[1],\"context_window\":\"big\"}"] {
        let output = statusline(&elsewhere, &[], text);
        assert_eq!(
            (output.code, output.stdout.as_str(), output.stderr.as_str()),
            (Some(0), "", ""),
            "{text}"
        );
        let output = statusline(&stage, &["--plain"], text);
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{text}");
    }
    insta::assert_snapshot!(line(&elsewhere, &elsewhere.event("statusLine")), @"░░░░░░░░░░ 3% · $0.06");
    for state in [
        "{",
        "[]",
        "{\"runs\":[7]}",
        "{\"runs\":[{\"skill\":3,\"currentPhase\":{\"label\":\"9\"},\"phases\":[]}]}",
    ] {
        stage.write("sessions/2026_11_15_LEXER/state.json", state);
        let shown = statusline(&stage, &["--plain", "--part", "session"], &report(&stage).to_string());
        assert_eq!(shown.stdout, "2026_11_15_LEXER\n", "{state}");
    }
    for name in ["../../etc", "/etc", "a/b", "", ".."] {
        bind(&stage, name);
        let shown = statusline(&stage, &["--part", "session"], &report(&stage).to_string());
        assert_eq!(shown.stdout, "", "{name}");
    }
}

#[test]
fn the_lamp_is_red_when_hooks_do_not_fire() {
    let stage = Stage::wired();
    let lamp = || statusline(&stage, &["--plain", "--part", "lamp"], &report(&stage).to_string()).stdout;
    assert_eq!(lamp(), "", "no transcript yet");
    stage.write(TRANSCRIPT, "{}\n");
    assert_eq!(lamp(), "○ hooks silent\n", "no event of this session was ever seen");
    let act = |minutes: u64| {
        let at = minutes_ago(minutes).rfc3339();
        let call =
            json!({"type": "assistant", "timestamp": at, "message": {"content": [{"type": "tool_use"}]}});
        stage.write(TRANSCRIPT, &format!("{call}\n"));
    };
    let started = |minutes: u64| {
        stage.write(STATE, &json!({"version": 1, "started": minutes_ago(minutes)}).to_string());
    };
    started(60);
    act(10);
    assert_eq!(lamp(), "○ hooks silent\n", "a tool was called ten minutes ago");
    act(61);
    assert_eq!(lamp(), "● hooks\n", "the transcript grew without a tool call");
    act(10);
    stage.hook(&stage.event("PreToolUse"));
    assert_eq!(lamp(), "● hooks\n", "a hook fired");
    let red = |output: &str| output.contains("\u{1b}[31m");
    std::fs::remove_dir_all(stage.root().join(".engine/journal")).unwrap();
    assert!(red(&statusline(&stage, &["--part", "lamp"], &report(&stage).to_string()).stdout));
    stage.ok(&["config", "set", "rules.journal", "off"]);
    assert_eq!(lamp(), "", "without a journal it cannot be told");
}

#[test]
fn context_use_is_recorded_for_the_rules_when_it_moves() {
    let stage = Stage::wired();
    let with = |tokens: u64| {
        let mut report = report(&stage);
        report["context_window"]["current_usage"]["input_tokens"] = json!(tokens);
        line(&stage, &report);
    };
    with(1200);
    assert!(!stage.exists(STATE), "a session that no hook has told of has no state");
    stage.hook(&stage.event("SessionStart"));
    with(1200);
    let recorded = stage.state()["context"].clone();
    assert_eq!((&recorded["used"], &recorded["window"]), (&json!(31_700), &json!(1_000_000)));
    with(11_199);
    assert_eq!(stage.state()["context"], recorded);
    with(11_200);
    assert_eq!(stage.state()["context"]["used"], 41_700);
    assert!(stage.state()["started"].is_u64(), "the rest of the state stays");
}
