//! The client's names, for the domain.

use engine_core::dialect::{AgentCall, Dialect};

use crate::event_name::EventName;
use crate::launch;
use crate::tool::{CONNECTED, EDIT_TOOLS, SHELL_TOOLS};
use crate::unguarded;

pub static DIALECT: Dialect = Dialect {
    pre_tool: EventName::PreToolUse.as_str(),
    post_tool: EventName::PostToolUse.as_str(),
    post_tool_failure: EventName::PostToolUseFailure.as_str(),
    shell_tools: SHELL_TOOLS,
    edit_tools: EDIT_TOOLS,
    outputs: &["stdout", "stderr"],
    changed_by_person: "userModified",
    skill_tool: "Skill",
    ask_tool: "AskUserQuestion",
    variables: &["CLAUDECODE", "CLAUDE_*", "ENGINE_*", "HOME"],
    pid_variable: "CLAUDE_PID",
    attended_variable: "CLAUDE_CODE_SESSION_ATTENDED",
    entrypoint_variable: "CLAUDE_CODE_ENTRYPOINT",
    interactive: "cli",
    message_variables: &["CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_MESSAGING_TOKEN"],
    programs: &[
        "claude",
        "claude-code",
        "claude-code@*",
        "claude-code/cli.js",
        "claude-code/cli-wrapper.cjs",
        "claude.exe",
        "claude/versions/*",
    ],
    valued: launch::ONE,
    resuming: &["-c", "--continue", "-r", "--resume", "--from-pr", "--teleport"],
    attaching: &["attach"],
    subcommands: &[
        "agents",
        "auth",
        "auto-mode",
        "config",
        "doctor",
        "gateway",
        "import",
        "install",
        "logs",
        "mcp",
        "plugin",
        "plugins",
        "purge",
        "respawn",
        "rm",
        "setup-token",
        "stop",
        "kill",
        "ultrareview",
        "update",
        "upgrade",
    ],
    home: "~/.claude",
    home_variable: "CLAUDE_CONFIG_DIR",
    kept: &["plans", "projects"],
    projects: "projects",
    memory: "memory",
    transcript_end: ".jsonl",
    history: "history.jsonl",
    shells: &["shell-snapshots", "session-env"],
    worktrees: ".claude/worktrees",
    agents: "agents",
    settings: &[".claude/settings.json", ".claude/settings.local.json"],
    settings_prefix: ".claude/settings",
    managed_settings: &[
        "/etc/claude-code/managed-settings.json",
        "/Library/Application Support/ClaudeCode/managed-settings.json",
    ],
    is_unguarded: unguarded::is_unguarded,
    settings_file: unguarded::settings_file,
    edit_words: "the Edit or Write tool",
    agent_words: "Agent tool",
    read_words: "Read",
    skill_call,
    forks: &["fork"],
    swarms: &["Workflow"],
    stops: &["TaskStop"],
    is_cut_off,
    agent_call,
    is_skill_file,
    skill_folder_variable: "CLAUDE_SKILL_DIR",
    tool_words,
};

/// `SKILL.md` anywhere, and Markdown below a folder of commands. Some file systems do not tell case apart.
fn is_skill_file(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    let is_folder = |part: &str| part.eq_ignore_ascii_case("commands");
    let is_markdown = name.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case("md"));
    name.eq_ignore_ascii_case("SKILL.md") || (is_markdown && parts.any(is_folder))
}

/// `mcp__tracker__create_task` is `create task (tracker)`.
fn tool_words(tool: &str) -> String {
    let words = |name: &str| name.replace(['_', '-'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
    match tool.strip_prefix(CONNECTED).and_then(|rest| rest.split_once("__")) {
        Some((server, name)) if !words(name).is_empty() => format!("{} ({server})", words(name)),
        _ => tool.to_owned(),
    }
}

/// In the background the client runs it by itself where a person sits; where nobody does, the call waits.
fn agent_call(call: &AgentCall) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    format!(
        "Agent(subagent_type: {}, model: {}, description: {}, run_in_background: false, prompt: {})",
        quoted(&call.agent_type),
        quoted(&call.model),
        quoted(&call.description),
        quoted(&call.prompt)
    )
}

/// A message of a task that has ended says how: `completed` after the agent's own end, which was an event, and `failed` or `killed` without.
fn is_cut_off(message: &str) -> bool {
    message.starts_with("<task-notification>") && !message.contains("<status>completed</status>")
}

fn skill_call(skill: &str, args: Option<&str>) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    match args {
        Some(args) => format!("Skill(skill: {}, args: {})", quoted(skill), quoted(args)),
        None => format!("Skill(skill: {})", quoted(skill)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connected_tool_in_words() {
        for (tool, words) in [
            ("mcp__tracker__create_task", "create task (tracker)"),
            ("mcp__my-server__list__all-items", "list all items (my-server)"),
            ("mcp__tracker__", "mcp__tracker__"),
            ("mcp__tracker", "mcp__tracker"),
            ("Bash", "Bash"),
        ] {
            assert_eq!(tool_words(tool), words);
        }
    }
}
