//! Transcripts made by hand, and the events that come of them.

use super::*;
use crate::decode;

const SESSION: &str = "5acbd66a-d542-418f-9d66-83beead70bd3";

fn write(path: &Path, lines: &[&str]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, lines.join("\n")).unwrap();
}

/// Each event on a line: time, name, who, what.
fn told(folder: &Path) -> (Vec<String>, Damage) {
    let mut out = Vec::new();
    let mut damage = Damage::default();
    for session in sessions(folder).unwrap() {
        damage = session.events(|rebuilt| {
            let event = decode(&rebuilt.json).unwrap();
            assert_eq!(event.session, SESSION);
            out.push(format!("{} {} {:?} {:?}", &rebuilt.at[17..19], event.name, event.actor, event.kind));
        });
    }
    (out, damage)
}

#[test]
fn a_session_with_a_subagent_comes_back_in_the_order_of_time() {
    let folder = tempfile::tempdir().unwrap();
    let line = |second: &str, rest: &str| {
        format!(
            r#"{{"parentUuid":null,"isSidechain":false,"sessionId":"{SESSION}","cwd":"/p","timestamp":"2026-11-15T11:00:{second}.000Z",{rest}}}"#
        )
    };
    let main = [
        line(
            "00",
            r#""type":"user","promptSource":"sdk","permissionMode":"default","promptId":"p1","message":{"role":"user","content":"go"}"#,
        ),
        line(
            "01",
            r#""message":{"role":"assistant","content":[{"type":"text","text":"Looking."}]},"type":"assistant""#,
        ),
        line(
            "01",
            r#""message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Agent","input":{"prompt":"look"}}]},"type":"assistant""#,
        ),
        line(
            "02",
            r#""message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Agent","input":{"prompt":"look"}}]},"type":"assistant""#,
        ),
        line(
            "05",
            r#""type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]},"toolUseResult":{"status":"completed"}"#,
        ),
        "no json".to_owned(),
        line(
            "06",
            r#""message":{"role":"assistant","content":[{"type":"text","text":"Done."}]},"type":"assistant""#,
        ),
        line(
            "07",
            r#""type":"user","message":{"role":"user","content":"<task-notification>x</task-notification>"},"origin":{"kind":"task-notification"}"#,
        ),
        line(
            "08",
            r#""type":"user","message":{"role":"user","content":"<command-name>/clear</command-name>\n<command-args></command-args>"}"#,
        ),
        line("09", r#""type":"system","subtype":"compact_boundary""#),
    ];
    write(
        &folder.path().join(format!("{SESSION}.jsonl")),
        &main.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    let sub = [
        line("02", r#""type":"user","agentId":"a1","message":{"role":"user","content":"look"}"#),
        line(
            "03",
            r#""message":{"role":"assistant","content":[{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"exit 3"}}]},"type":"assistant""#,
        ),
        line(
            "04",
            r#""type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"Exit code 3","is_error":true}]},"toolUseResult":"Error: Exit code 3""#,
        ),
        line(
            "04",
            r#""message":{"role":"assistant","content":[{"type":"tool_use","id":"t3","name":"Bash","input":{"command":"git reset --hard"}}]},"type":"assistant""#,
        ),
        line(
            "04",
            r#""type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t3","content":"PreToolUse:Bash hook error: no","is_error":true}]}"#,
        ),
    ];
    let beside = folder.path().join(SESSION).join("subagents/agent-a1.jsonl");
    write(&beside, &sub.iter().map(String::as_str).collect::<Vec<_>>());
    fs::write(beside.with_extension("meta.json"), r#"{"agentType":"Explore"}"#).unwrap();
    let (events, damage) = told(folder.path());
    insta::assert_snapshot!(events.join("\n"), @r#"
    00 SessionStart Main SessionStart { source: Startup, model: None }
    00 UserPromptSubmit Main Prompt { text: "go", by_person: true }
    01 PreToolUse Main PreTool(ToolCall { name: "Agent", id: "t1", input: "{\"prompt\":\"look\"}", tool: Agent { agent_type: "", name: None, model: None, prompt: "look" } })
    03 PreToolUse Subagent { id: "a1", agent_type: "Explore" } PreTool(ToolCall { name: "Bash", id: "t2", input: "{\"command\":\"exit 3\"}", tool: Shell { command: "exit 3", background: false } })
    04 PostToolUseFailure Subagent { id: "a1", agent_type: "Explore" } PostToolFailure { call: ToolCall { name: "Bash", id: "t2", input: "{\"command\":\"exit 3\"}", tool: Shell { command: "exit 3", background: false } }, error: "Exit code 3", exit: Some(3), interrupted: false, duration_ms: None }
    04 PreToolUse Subagent { id: "a1", agent_type: "Explore" } PreTool(ToolCall { name: "Bash", id: "t3", input: "{\"command\":\"git reset --hard\"}", tool: Shell { command: "git reset --hard", background: false } })
    05 PostToolUse Main PostTool { call: ToolCall { name: "Agent", id: "t1", input: "{\"prompt\":\"look\"}", tool: Agent { agent_type: "", name: None, model: None, prompt: "look" } }, result: ToolResult { ended: false, background: false, skill: None, agent: None, model: None, tokens: None, answers: None, questions: [], listed: None, response: "{\"status\":\"completed\"}" }, duration_ms: None }
    07 UserPromptSubmit Main Prompt { text: "<task-notification>x</task-notification>", by_person: false }
    09 SessionStart Main SessionStart { source: Compact, model: None }
    09 Stop Main Stop(Stop { active: false, last_message: "Done.", subagent_running: false, background_running: false })
    "#);
    assert_eq!(damage, Damage { lines: 1, files: Vec::new() });
}

#[test]
fn a_folder_name_is_the_root_in_letters_and_digits() {
    let folder = folder_of(Path::new("/home/dev/my_project.x/äb")).unwrap();
    assert_eq!(folder.file_name().unwrap(), "-home-dev-my-project-x--b");
}
