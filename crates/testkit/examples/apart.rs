//! Starts a program apart from everything above: for tests of who stands behind a call, which may run below a coding agent themselves.
//!
//! `apart SPAWNER HOW INPUT OUT PROGRAM ARGS…` waits until SPAWNER, the shell that started it, has ended, so that nothing but the first
//! process is above it. HOW is `socket` (stdin is a socket whose other end is held here, as the client does it) or `terminal`. OUT gets
//! code, stdout and stderr as JSON.

use std::io::Write;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, fs, thread};

use anyhow::{Context, Result, bail};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use serde_json::{Value, json};

fn main() -> Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [spawner, how, input, out, program, rest @ ..] = args.as_slice() else {
        bail!("apart SPAWNER HOW INPUT OUT PROGRAM ARGS…")
    };
    let spawner: u32 = spawner.parse()?;
    while std::os::unix::process::parent_id() == spawner {
        thread::sleep(Duration::from_millis(1));
    }
    let done = match how.as_str() {
        "socket" => by_socket(program, rest, &fs::read(input)?),
        "terminal" => on_terminal(program, rest, out),
        how => bail!("{how}: socket or terminal"),
    };
    let done = done.unwrap_or_else(|error| json!({"stderr": format!("{error:#}"), "stdout": ""}));
    // Whoever waits for it never sees half of it.
    let part = format!("{out}.part");
    fs::write(&part, done.to_string())?;
    fs::rename(part, out).context("the answer is not wanted any more")
}

fn by_socket(program: &str, args: &[String], input: &[u8]) -> Result<Value> {
    let (mut ours, theirs) = UnixStream::pair()?;
    let child = Command::new(program)
        .args(args)
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    // Who does not read to the end has what it wants.
    let _ = ours.write_all(input);
    let _ = ours.shutdown(Shutdown::Write);
    let output = child.wait_with_output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(json!({"code": output.status.code(), "stdout": text(&output.stdout), "stderr": text(&output.stderr)}))
}

/// The program has a terminal and reads from it. What it writes is kept apart, which a terminal would mix.
fn on_terminal(program: &str, args: &[String], out: &str) -> Result<Value> {
    let pty =
        native_pty_system().openpty(PtySize { rows: 50, cols: 200, pixel_width: 0, pixel_height: 0 })?;
    let mut command = CommandBuilder::new("/bin/sh");
    let (stdout, stderr) = (format!("{out}.stdout"), format!("{out}.stderr"));
    command.args(["-c", "o=$1 e=$2; shift 2; exec \"$@\" >\"$o\" 2>\"$e\"", "sh", &stdout, &stderr, program]);
    command.args(args);
    command.cwd(env::current_dir()?);
    let mut child = pty.slave.spawn_command(command)?;
    drop(pty.slave);
    let code = child.wait()?.exit_code();
    Ok(json!({"code": code, "stdout": fs::read_to_string(stdout)?, "stderr": fs::read_to_string(stderr)?}))
}
