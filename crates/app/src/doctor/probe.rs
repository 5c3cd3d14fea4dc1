//! Starting programs to see what they do: the client for its version, the wired hook commands with an event.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use engine_claude::entry::hook_program;
use engine_store::links::resolve;
use engine_store::own_program::{self, is_same_file};
use engine_store::project::Project;
use engine_store::{clock, journal_file, trust};
use engine_text::line::{one_line, printable};
use fs_err as fs;
use serde_json::{Value, json};

use crate::journal::DOCTOR_SESSION;

const PATIENCE: Duration = Duration::from_secs(10);

/// `2.1.325` of the `claude` on PATH.
pub(super) fn client_version() -> Option<String> {
    let mut child = Command::new("claude")
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let output = finish(&mut child).ok()?;
    output.stdout.split_whitespace().next().map(str::to_owned)
}

pub(super) struct Fired {
    pub(super) ms: f64,
    /// The event went the whole way: this project's journal has it.
    pub(super) journalled: bool,
}

/// How much of a command a row shows.
const SHOWN: usize = 200;

/// Why a wired command is not started, if it is not: the settings of a clone name whatever program its author likes.
pub(super) fn withheld(project: &Project, command: &(String, Vec<String>)) -> Option<String> {
    let (program, line) = match command {
        (shell, args) if shell == "sh" => {
            let line = args.last().cloned().unwrap_or_default();
            (hook_program(&line).map(str::to_owned), line)
        }
        (program, args) => (Some(program.clone()), format!("{program} {}", args.join(" "))),
    };
    if program.is_some_and(|program| is_own(project, &program)) || trust::is_trusted(project) {
        return None;
    }
    let line = one_line(&printable(&line), SHOWN);
    Some(format!(
        "not started: `{line}` is not the engine's own program, and this project is not trusted. Look: engine trust --show"
    ))
}

/// Whether a program is this one, or the person's by its name alone.
fn is_own(project: &Project, program: &str) -> bool {
    let root = project.root();
    let is_this = |path: &Path| std::env::current_exe().is_ok_and(|this| is_same_file(path, &this));
    if program.contains('/') {
        return is_this(&root.join(program));
    }
    // A name that starts nothing may be tried.
    own_program::on_path(program, root).is_none_or(|found| {
        is_this(&found) || !(found.starts_with(root) || resolve(&found).starts_with(resolve(root)))
    })
}

/// Runs a wired command the way the client does, with a made-up event.
pub(super) fn fire(project: &Project, event: &str, command: &(String, Vec<String>)) -> Result<Fired, String> {
    let (program, args) = command;
    let session = format!("{DOCTOR_SESSION}-{}-{}", std::process::id(), clock::now().0);
    let started = Instant::now();
    let mut child = Command::new(program)
        .args(args)
        .current_dir(project.root())
        .env("CLAUDE_PROJECT_DIR", project.root())
        .env_remove("CLAUDE_ENV_FILE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{program} cannot be started: {error}. The client goes on without it. Put engine on PATH, or run engine init again"))?;
    if let Some(mut stdin) = child.stdin.take() {
        let _ = writeln!(stdin, "{}", made_up(project, event, &session));
    }
    let output = finish(&mut child)?;
    let ms = started.elapsed().as_secs_f64() * 1000.0;
    if output.code != Some(0) {
        return Err(format!("{program} ended with {:?}: {}", output.code, output.stderr.trim()));
    }
    let silent = output.stdout.trim().is_empty();
    if !silent
        && event != "PreCompact"
        && serde_json::from_str::<serde_json::Map<String, Value>>(&output.stdout).is_err()
    {
        return Err(format!("{program} printed something that is not one JSON object: the client drops it"));
    }
    let journalled = journalled(project, &session);
    let _ = fs::remove_file(project.sessions_folder().join(format!("{session}.json")));
    let _ = fs::remove_file(project.sessions_folder().join(format!("{session}.lock")));
    Ok(Fired { ms, journalled })
}

fn journalled(project: &Project, session: &str) -> bool {
    let mut found = false;
    for (_, path) in journal_file::days(&project.journal_folder()).into_iter().rev().take(2) {
        let _ = journal_file::read_day(&path, |entry| found |= entry.session == session);
    }
    found
}

/// An event that no rule minds: it reads, it stops because a hook made it go on, it changes nothing.
fn made_up(project: &Project, event: &str, session: &str) -> Value {
    let root = project.root();
    json!({"hook_event_name": event, "session_id": session, "transcript_path": "", "cwd": root, "source": "resume",
        "prompt": "engine doctor", "tool_name": "Read", "tool_input": {"file_path": root.join("README.md")},
        "tool_use_id": "", "stop_hook_active": true, "reason": "other", "file_path": "", "trigger": "manual",
        "notification_type": "engine-doctor", "message": "", "error": "none"})
}

struct Output {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Waits for the end, but not for ever.
fn finish(child: &mut Child) -> Result<Output, String> {
    let deadline = Instant::now() + PATIENCE;
    let code = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.code(),
            Ok(None) if Instant::now() > deadline => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("did not end within {} s", PATIENCE.as_secs()));
            }
            Ok(None) => std::thread::sleep(Duration::from_micros(200)),
            Err(error) => return Err(error.to_string()),
        }
    };
    let (mut stdout, mut stderr) = (String::new(), String::new());
    if let Some(mut pipe) = child.stdout.take() {
        let _ = pipe.read_to_string(&mut stdout);
    }
    if let Some(mut pipe) = child.stderr.take() {
        let _ = pipe.read_to_string(&mut stderr);
    }
    Ok(Output { code, stdout, stderr })
}
