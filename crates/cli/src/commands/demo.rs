//! `engine demo`: a session played through the real hook, without agent, key or network.
//!
//! Makes a throw-away project with an empty home, installs into it with the real `engine init`, and starts
//! `engine hook` once per event, the way the client does. What is printed is what those processes answered.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use engine_app::error::{CommandError, Outcome};
use fs_err as fs;
use serde_json::{Value, json};

use crate::ui::{Tone, Ui, toned};

const SESSION: &str = "demo-session";

pub(super) fn run(ui: &Ui) -> Outcome {
    let folder = tempfile::tempdir()?;
    let stage = Stage::new(folder.path())?;
    ui.line(toned(Tone::Strong, "A throw-away project, set up by: engine init --with skills"));
    for line in stage.engine(&["init", "--with", "skills"])?.lines() {
        ui.line(format!("    {line}"));
    }
    stage
        .write(".engine/context/AXIOMS.md", "Tests run before a commit.\nNo secrets in the repository.\n")?;
    stage.write(".engine/context/CORE.md", "We build a parser in Rust. Ask before adding a dependency.\n")?;
    stage.write(
        "session.md",
        "# Session\n\n## Pending Tasks\n\n- [ ] **Fix the lexer** — `/fix lexer` | sonnet\n",
    )?;
    stage.engine(&[
        "config",
        "set",
        "reminder.text",
        "Decisions of this turn belong in notes/decisions.md.",
    ])?;
    ui.line("");
    ui.line(toned(Tone::Strong, "A session, event by event"));
    let mut times = Vec::new();
    for (story, event) in stage.script() {
        let (answer, time) = stage.hook(&event)?;
        times.push(time);
        ui.line(format!("{:>6.1} ms  {story}", time.as_secs_f64() * 1000.0));
        for line in told(&answer) {
            ui.line(format!("           {line}"));
        }
    }
    ui.line("");
    ui.line(toned(Tone::Strong, "Why was the first change refused? engine why tells it from the journal"));
    let denied = stage.engine(&["journal", "--denied", "--json"])?;
    let first: Value = serde_json::from_str(denied.lines().next().unwrap_or("{}")).unwrap_or_default();
    for line in stage.engine(&["why", first["id"].as_str().unwrap_or_default()])?.lines() {
        ui.line(format!("    {line}"));
    }
    ui.line("");
    ui.line(toned(Tone::Strong, "Where the project stands: engine"));
    for line in stage.engine(&[])?.lines() {
        ui.line(format!("    {line}"));
    }
    times.sort();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    ui.line("");
    ui.line(format!(
        "{} events, {:.1} ms each (median, process start included). The project is gone again.",
        times.len(),
        median.as_secs_f64() * 1000.0
    ));
    ui.line("In your own: engine init");
    Ok(())
}

/// What the answer says, to whom.
fn told(answer: &str) -> Vec<String> {
    if answer.trim().is_empty() {
        return vec![toned(Tone::Quiet, "no opinion: nothing printed")];
    }
    let Ok(answer) = serde_json::from_str::<Value>(answer) else { return vec![answer.to_owned()] };
    let output = &answer["hookSpecificOutput"];
    let mut lines = Vec::new();
    let mut say = |tone, word: &str, text: &Value| {
        for (n, line) in text.as_str().unwrap_or_default().lines().enumerate() {
            let word = if n == 0 { toned(tone, word) } else { " ".repeat(word.len()) };
            lines.push(format!("{word} {line}"));
        }
    };
    say(Tone::Bad, "denied:", &output["permissionDecisionReason"]);
    say(Tone::Bad, "blocked:", &answer["reason"]);
    say(Tone::Good, "to the model:", &output["additionalContext"]);
    say(Tone::Careful, "to the person:", &answer["systemMessage"]);
    lines
}

struct Stage {
    engine: PathBuf,
    home: PathBuf,
    project: PathBuf,
}

impl Stage {
    fn new(folder: &Path) -> Result<Self, CommandError> {
        let stage = Self {
            engine: std::env::current_exe()?,
            home: folder.join("home"),
            project: folder.join("parser"),
        };
        fs::create_dir_all(&stage.home)?;
        fs::create_dir_all(&stage.project)?;
        Ok(stage)
    }

    fn write(&self, path: &str, text: &str) -> Result<(), CommandError> {
        let path = self.project.join(path);
        fs::create_dir_all(path.parent().unwrap_or(&self.project))?;
        Ok(fs::write(path, text)?)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.engine);
        command
            .args(args)
            .current_dir(&self.project)
            .env_clear()
            .env("HOME", &self.home)
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn engine(&self, args: &[&str]) -> Result<String, CommandError> {
        let output = self.command(args).stdin(Stdio::null()).output()?;
        if !output.status.success() {
            return Err(CommandError::refused(format!(
                "engine {}: {}",
                args.join(" "),
                String::from_utf8_lossy(&output.stderr).trim()
            )));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn hook(&self, event: &Value) -> Result<(String, Duration), CommandError> {
        let started = Instant::now();
        let mut command = self.command(&["hook"]);
        let mut child = command.env("CLAUDE_PROJECT_DIR", &self.project).stdin(Stdio::piped()).spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            writeln!(stdin, "{event}")?;
        }
        let output = child.wait_with_output()?;
        Ok((String::from_utf8_lossy(&output.stdout).into_owned(), started.elapsed()))
    }

    fn script(&self) -> Vec<(&'static str, Value)> {
        let event = |name: &str, fields: Value| {
            let mut event = json!({"session_id": SESSION, "cwd": self.project, "hook_event_name": name, "permission_mode": "auto"});
            for (key, value) in fields.as_object().cloned().unwrap_or_default() {
                event[key] = value;
            }
            event
        };
        let bash = json!({"command": "cargo test", "description": "Run the tests"});
        let config = json!({"file_path": self.project.join(".engine/config.toml"), "content": "[rules]\nprotect = \"off\"\n"});
        let settings = json!({"file_path": self.project.join(".claude/settings.local.json"), "content": "{\"disableAllHooks\": true}\n"});
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
                event(
                    "PreToolUse",
                    json!({"tool_name": "Write", "tool_input": settings, "tool_use_id": "t3"}),
                ),
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
}
