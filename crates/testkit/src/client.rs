//! Where the real client is: installed once into a cache, by version, and never taken from PATH, so
//! that a developer's own Claude Code is neither tested nor touched.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::{env, fs, io};

use anyhow::{Context, Result, bail};

/// Set by `cargo xtask test --quick`.
const SKIP: &str = "ENGINE_TESTKIT_SKIP_CLIENT";

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

/// `$CLAUDE_BIN`, else the cached client.
pub fn find() -> Option<PathBuf> {
    let told = env::var_os("CLAUDE_BIN").filter(|value| !value.is_empty()).map(PathBuf::from);
    Some(told.unwrap_or_else(|| executable(&install_dir()))).filter(|path| path.exists())
}

pub(crate) fn missing() -> String {
    format!("needs Claude Code {CLAUDE_VERSION}: run `cargo xtask claude`")
}

/// The client for a test that needs it. Without one the test is skipped, with a line on stderr; but
/// where `CI` is set it fails, since a check that never runs there would look green for ever.
pub fn require(test: &str) -> Option<PathBuf> {
    if env::var_os(SKIP).is_some() {
        drop(writeln!(io::stderr(), "skipped {test}: {SKIP} is set"));
        return None;
    }
    let found = find();
    if found.is_none() {
        assert!(env::var_os("CI").is_none(), "real-client test {test} {}", missing());
        // Straight to stderr: the test runner swallows what `eprintln!` says in a test that passes.
        drop(writeln!(io::stderr(), "skipped {test}: {}", missing()));
    }
    found
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
