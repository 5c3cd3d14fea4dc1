//! Where the real client is: installed once into a cache, by version, and never taken from PATH, so
//! that a developer's own Claude Code is neither tested nor touched.

use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::time::Duration;
use std::{env, fs, io};

use anyhow::{Context, Result, bail};

use crate::process::{LEFT_BEHIND, Process};

pub const CLAUDE_VERSION: &str = "2.1.325";

/// A client that works prints its version at once; on a busy machine that takes some seconds.
const START_LIMIT: Duration = Duration::from_mins(1);

/// `$ENGINE_TESTKIT_CACHE`, else `engine-testkit` in `$XDG_CACHE_HOME` or `~/.cache`; without a home in the temporary folder.
pub fn cache_dir() -> PathBuf {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("ENGINE_TESTKIT_CACHE")
        .or_else(|| Some(set("XDG_CACHE_HOME")?.join("engine-testkit")))
        .or_else(|| Some(set("HOME")?.join(".cache/engine-testkit")))
        .unwrap_or_else(|| env::temp_dir().join("engine-testkit"))
}

fn install_dir() -> PathBuf {
    cache_dir().join(format!("claude-{CLAUDE_VERSION}"))
}

fn executable(install_dir: &Path) -> PathBuf {
    install_dir.join("node_modules/.bin/claude")
}

/// The client that `$CLAUDE_BIN` names.
fn named() -> Option<PathBuf> {
    env::var_os("CLAUDE_BIN").filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// `$CLAUDE_BIN`, else the cached client.
pub fn find() -> Option<PathBuf> {
    Some(named().unwrap_or_else(|| executable(&install_dir()))).filter(|path| path.exists())
}

pub(crate) fn missing() -> String {
    format!("needs Claude Code {CLAUDE_VERSION}: run `cargo xtask claude`")
}

/// The client for a test that needs it. Without one the test fails: a test that did not run must not pass.
/// Mark such a test with `#[ignore = "needs the real client: cargo xtask test"]`.
#[track_caller]
pub fn require() -> PathBuf {
    find().unwrap_or_else(|| panic!("{}", missing()))
}

/// Finds or installs the client and starts it once. The error is why its tests cannot run.
pub fn ensure() -> Result<PathBuf> {
    match named() {
        Some(client) if !client.exists() => {
            bail!("CLAUDE_BIN is {}, which does not exist", client.display())
        }
        Some(client) => start(&client, START_LIMIT).map(|()| client),
        None => {
            let client = install()?;
            let remedy = || format!("to install it anew, remove {}", install_dir().display());
            start(&client, START_LIMIT).with_context(remedy).map(|()| client)
        }
    }
}

/// Starts the client once. The caller's own settings are not read, nor changed.
fn start(client: &Path, limit: Duration) -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut command = Command::new(client);
    command.arg("--version").env("HOME", home.path());
    let mut process = Process::spawn(command, Stdio::null())?;
    let Some(status) = process.wait(limit)? else {
        bail!("{} --version did not end within {} s", client.display(), limit.as_secs());
    };
    if !status.success() {
        process.stderr.wait_closed(LEFT_BEHIND);
        let said = process.stderr.text();
        let reason = said.lines().find(|line| line.contains("Error")).or_else(|| said.lines().next());
        bail!("{} --version failed: {}", client.display(), reason.unwrap_or("no reason given"));
    }
    Ok(())
}

/// Installs the client into the cache, unless it is there, and returns its executable.
pub fn install() -> Result<PathBuf> {
    let dir = install_dir();
    if executable(&dir).exists() {
        return Ok(executable(&dir));
    }
    // Made aside and moved into place, so that another process sees all of it or nothing.
    let partial = dir.with_file_name(format!("claude-{CLAUDE_VERSION}.partial-{}", process::id()));
    fs::create_dir_all(&partial).with_context(|| format!("cannot make {}", partial.display()))?;
    let installed = npm_install(&partial).and_then(|()| move_into_place(&partial, &dir));
    if partial.exists() {
        drop(fs::remove_dir_all(&partial));
    }
    installed.map(|()| executable(&dir))
}

fn npm_install(into: &Path) -> Result<()> {
    let package = format!("@anthropic-ai/claude-code@{CLAUDE_VERSION}");
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1", "--prefix"]);
    let output = match npm.arg(into).arg(&package).output() {
        Ok(output) => output,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            bail!("npm is not on PATH; it is needed to install {package}")
        }
        Err(error) => bail!("cannot run npm: {error}"),
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let reason = said.lines().find(|line| line.contains("request to") || line.contains(" 40"));
        let reason = reason.or_else(|| said.lines().next()).unwrap_or("no reason given");
        bail!("npm cannot install {package}: {}", reason.trim());
    }
    if !executable(into).exists() {
        bail!("npm installed {package} without its executable");
    }
    Ok(())
}

fn move_into_place(partial: &Path, dir: &Path) -> Result<()> {
    match fs::rename(partial, dir) {
        // Another process was faster.
        Err(_) if executable(dir).exists() => Ok(()),
        moved => moved.with_context(|| format!("cannot move the client to {}", dir.display())),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_client_that_does_not_start_is_told_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let client = folder.path().join("claude");
        let cases = [
            ("echo 1.2.3", ""),
            ("echo at once >&2; exit 1", "--version failed: at once"),
            (
                "printf 'loader:1\\n\\nError: no module x\\n' >&2; exit 1",
                "--version failed: Error: no module x",
            ),
            ("exit 1", "--version failed: no reason given"),
            ("sleep 60", "--version did not end within 1 s"),
        ];
        for (script, expected) in cases {
            fs::write(&client, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(&client, fs::Permissions::from_mode(0o755)).unwrap();
            let limit = Duration::from_secs(if script.starts_with("sleep") { 1 } else { 60 });
            let said = start(&client, limit).err().map(|error| format!("{error:#}")).unwrap_or_default();
            assert!(said.ends_with(expected) && said.is_empty() == expected.is_empty(), "{script}: {said}");
        }
        fs::remove_file(&client).unwrap();
        assert!(start(&client, START_LIMIT).is_err());
    }
}
