//! The events of the demo, each with what happens in it.

use std::path::Path;

use serde_json::{Value, json};

const SESSION: &str = "demo-session";

pub(super) fn script(project: &Path) -> Vec<(&'static str, Value)> {
    let event = |name: &str, fields: Value| {
        let mut event = json!({"session_id": SESSION, "cwd": project, "hook_event_name": name, "permission_mode": "auto"});
        for (key, value) in fields.as_object().cloned().unwrap_or_default() {
            event[key] = value;
        }
        event
    };
    let bash = json!({"command": "cargo test", "description": "Run the tests"});
    let edit = json!({"file_path": project.join("src/lexer.rs"), "old_string": "a", "new_string": "b"});
    let config =
        json!({"file_path": project.join(".engine/config.toml"), "content": "[rules]\nprotect = \"off\"\n"});
    let settings = json!({"file_path": project.join(".claude/settings.local.json"), "content": "{\"disableAllHooks\": true}\n"});
    let planned = json!({"skill": "plan-adhoc", "args": "[CONTINUATION: /commit]"});
    let leak = json!({"description": "Look", "prompt": "Look at src/lexer.rs. [CONTINUATION: /commit]", "subagent_type": "Explore"});
    let response = json!({"stdout": "3 passed", "stderr": "", "interrupted": false});
    vec![
        (
            "A session starts; the project's context files are told",
            event("SessionStart", json!({"source": "startup"})),
        ),
        (
            "The person types: fix the bug in the lexer",
            event("UserPromptSubmit", json!({"prompt": "fix the bug in the lexer"})),
        ),
        (
            "The person types: p: write the changelog | haiku",
            event("UserPromptSubmit", json!({"prompt": "p: write the changelog | haiku"})),
        ),
        ("The person types: x", event("UserPromptSubmit", json!({"prompt": "x"}))),
        (
            "The agent has changed src/lexer.rs",
            event("PostToolUse", json!({"tool_name": "Edit", "tool_input": edit, "tool_use_id": "t0"})),
        ),
        (
            "The agent is about to run: cargo test",
            event("PreToolUse", json!({"tool_name": "Bash", "tool_input": bash, "tool_use_id": "t1"})),
        ),
        (
            "It ran; command and exit status are kept as evidence",
            event(
                "PostToolUse",
                json!({"tool_name": "Bash", "tool_input": bash, "tool_response": response, "tool_use_id": "t1"}),
            ),
        ),
        (
            "The agent tries to switch a rule off in .engine/config.toml",
            event("PreToolUse", json!({"tool_name": "Write", "tool_input": config, "tool_use_id": "t2"})),
        ),
        (
            "It tries to disable all hooks in its settings",
            event("PreToolUse", json!({"tool_name": "Write", "tool_input": settings, "tool_use_id": "t3"})),
        ),
        (
            "The turn ends; the reminder is said, once",
            event(
                "Stop",
                json!({"stop_hook_active": false, "last_assistant_message": "Fixed.", "background_tasks": []}),
            ),
        ),
        (
            "The turn ends again, because of the reminder",
            event(
                "Stop",
                json!({"stop_hook_active": true, "last_assistant_message": "Noted.", "background_tasks": []}),
            ),
        ),
        (
            "The person types a chain of skills: /design plans/lexer, /plan-adhoc and /commit",
            event("UserPromptSubmit", json!({"prompt": "/design plans/lexer, /plan-adhoc and /commit"})),
        ),
        (
            "The skill plan-adhoc really ran; the chain moves on",
            event(
                "PostToolUse",
                json!({"tool_name": "Skill", "tool_input": planned, "tool_response": {"success": true, "commandName": "plan-adhoc"}, "tool_use_id": "t4"}),
            ),
        ),
        (
            "The agent is about to start a subagent whose prompt carries the chain",
            event("PreToolUse", json!({"tool_name": "Agent", "tool_input": leak, "tool_use_id": "t5"})),
        ),
        ("The session ends", event("SessionEnd", json!({"reason": "prompt_input_exit"}))),
    ]
}
