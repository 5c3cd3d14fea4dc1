//! The client's names, for the domain.

use engine_core::dialect::Dialect;

use crate::event_name::EventName;
use crate::tool::{EDIT_TOOLS, SHELL_TOOLS};

pub static DIALECT: Dialect = Dialect {
    pre_tool: EventName::PreToolUse.as_str(),
    post_tool: EventName::PostToolUse.as_str(),
    post_tool_failure: EventName::PostToolUseFailure.as_str(),
    shell_tools: SHELL_TOOLS,
    edit_tools: EDIT_TOOLS,
    skill_tool: "Skill",
    ask_tool: "AskUserQuestion",
    variables: &["CLAUDECODE", "CLAUDE_*", "ENGINE_*"],
    pid_variable: "CLAUDE_PID",
    attended_variable: "CLAUDE_CODE_SESSION_ATTENDED",
    entrypoint_variable: "CLAUDE_CODE_ENTRYPOINT",
    interactive: "cli",
    home: "~/.claude",
    home_variable: "CLAUDE_CONFIG_DIR",
    kept: &["plans", "projects"],
    projects: "projects",
    memory: "memory",
    worktrees: ".claude/worktrees",
    settings: &[".claude/settings.json", ".claude/settings.local.json"],
    settings_prefix: ".claude/settings",
    edit_words: "the Edit or Write tool",
    agent_words: "Agent tool",
    read_words: "Read",
    skill_call,
};

fn skill_call(skill: &str, args: Option<&str>) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    match args {
        Some(args) => format!("Skill(skill: {}, args: {})", quoted(skill), quoted(args)),
        None => format!("Skill(skill: {})", quoted(skill)),
    }
}
