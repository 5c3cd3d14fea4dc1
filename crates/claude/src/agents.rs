//! Which processes are coding agents.

use engine_core::client::Process;

/// The programs, by the last part of their path.
const PROGRAMS: &[&str] = &[
    "claude",
    "codex",
    "gemini",
    "cursor-agent",
    "copilot",
    "opencode",
    "aider",
    "goose",
    "amp",
    "qwen",
    "crush",
    "droid",
    "auggie",
];

/// Parts of the path of a script that an interpreter runs.
const PACKAGES: &[&str] = &[
    "@anthropic-ai/claude-code",
    "@openai/codex",
    "@google/gemini-cli",
    "@github/copilot",
    "@sourcegraph/amp",
    "@qwen-code/qwen-code",
    "@charmland/crush",
    "opencode-ai",
    "cursor-agent",
];

/// Whether a process is a coding agent: by its name, by its program, or by the script that it runs.
pub fn is_agent(process: &Process) -> bool {
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let is_program = |name: &str| PROGRAMS.contains(&name);
    if is_program(&process.name) {
        return true;
    }
    // `node /…/bin/claude`, `python -m aider`: what stands first is the interpreter.
    let words = process.arguments.iter().enumerate();
    words.into_iter().any(|(index, word)| {
        let is_path = index == 0 || word.contains('/') || index == 1;
        (is_path && is_program(&last(word))) || PACKAGES.iter().any(|package| word.contains(package))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_known_by_program_or_script() {
        let process = |name: &str, arguments: &[&str]| Process {
            name: name.to_owned(),
            arguments: arguments.iter().map(|&word| word.to_owned()).collect(),
            ..Process::default()
        };
        let cases = [
            (process("claude", &[]), true),
            (process("2.1.325", &["claude"]), true),
            (
                process("node", &["node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js", "-p"]),
                true,
            ),
            (process("node", &["node", "/usr/local/bin/claude"]), true),
            (process("MainThread", &["node", "--no-warnings", "/opt/bin/codex"]), true),
            (process("python3", &["/usr/bin/python3", "/home/x/.local/bin/aider"]), true),
            (process("bash", &["-bash"]), false),
            (process("bash", &["bash", "-c", "claude --version"]), false),
            (process("vim", &["vim", "notes.md", "claude"]), false),
            (process("node", &["node", "server.js"]), false),
            (process("tmux: server", &["tmux"]), false),
            (process("claude-notes", &["/usr/bin/claude-notes"]), false),
        ];
        for (process, expected) in cases {
            assert_eq!(is_agent(&process), expected, "{process:?}");
        }
    }
}
