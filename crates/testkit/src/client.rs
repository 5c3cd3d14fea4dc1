//! Where the real client is: installed once into a cache, by version, and never taken from PATH, so
//! that a developer's own Claude Code is neither tested nor touched.

use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::{env, fs, io};

use anyhow::{Context, Result, bail};

pub const CLAUDE_VERSION: &str = "2.1.325";

/// `$ENGINE_TESTKIT_CACHE`, else `engine-testkit` in `$XDG_CACHE_HOME` or `~/.cache`.
pub fn cache_dir() -> PathBuf {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("ENGINE_TESTKIT_CACHE")
        .or_else(|| Some(set("XDG_CACHE_HOME")?.join("engine-testkit")))
        .unwrap_or_else(|| set("HOME").unwrap_or_default().join(".cache/engine-testkit"))
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
    let client = match named() {
        Some(client) if !client.exists() => {
            bail!("CLAUDE_BIN is {}, which does not exist", client.display())
        }
        Some(client) => client,
        None => install()?,
    };
    // The caller's own settings are not read, nor changed.
    let home = tempfile::tempdir()?;
    let output = Command::new(&client).arg("--version").env("HOME", home.path()).output();
    let output = output.with_context(|| format!("cannot start {}", client.display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{} --version failed: {}", client.display(), said.lines().next().unwrap_or("no reason given"));
    }
    Ok(client)
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
