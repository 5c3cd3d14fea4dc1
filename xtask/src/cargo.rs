//! Cargo as the chores call it: always on this workspace, whatever the current folder is.

use std::env;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// The folder of the workspace that cargo runs us in. Not the one we were compiled in, if cargo tells: checkouts
/// that share a target folder share this program.
pub(crate) fn root() -> PathBuf {
    let here = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let here = Path::new(&here);
    here.parent().unwrap_or(here).to_owned()
}

/// The cargo that started us, in the workspace, without what would change the outcome of a test.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(is_foreign) {
            command.env_remove(name);
        }
    }
    // What the caller's git is told to sign, to run or to ignore.
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    command
}

/// Variables that belong to whoever calls us: the session of the client or of the engine in which we run, another
/// repository, the size of the screen; and those that make a test pass or a lint silent.
fn is_foreign(name: &str) -> bool {
    const MEANT_FOR_TESTS: [&str; 2] = ["CLAUDE_BIN", "ENGINE_TESTKIT_CACHE"];
    const NAMES: [&str; 12] = [
        "BASH_ENV",
        "CLIPPY_CONF_DIR",
        "COLUMNS",
        "EDITOR",
        "ENV",
        "LINES",
        "PAGER",
        "TZ",
        "UPDATE_DOCS",
        "VISUAL",
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
    ];
    const BEGINNINGS: [&str; 8] =
        ["ANTHROPIC_", "CLAUDE", "ENGINE_", "GIT_", "INSTA_", "NEXTEST", "PROPTEST_", "RUST_TEST_"];
    let begins = BEGINNINGS.iter().any(|begin| name.starts_with(begin));
    (begins || NAMES.contains(&name)) && !MEANT_FOR_TESTS.contains(&name)
}

/// Where cargo puts what it builds, by whatever setting.
pub(crate) fn target_dir() -> Result<PathBuf> {
    let output = cargo().args(["metadata", "--format-version", "1", "--no-deps"]).output()?;
    if !output.status.success() {
        bail!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata is not JSON")?;
    let folder = metadata["target_directory"].as_str().context("cargo metadata names no target directory")?;
    Ok(folder.into())
}

/// Has cargo tell what it makes.
pub(crate) const MESSAGES: &str = "--message-format=json-render-diagnostics";

/// Runs a `cargo build` and returns the one executable it made, where cargo says it is.
pub(crate) fn executable(build: &mut Command) -> Result<PathBuf> {
    made(build.arg(MESSAGES))
}

/// The same of a command that has [`MESSAGES`] already.
pub(crate) fn made(build: &mut Command) -> Result<PathBuf> {
    let mut child = build.stdout(Stdio::piped()).spawn().context("cannot run cargo")?;
    let mut executable = None;
    if let Some(messages) = child.stdout.take() {
        for line in BufReader::new(messages).lines() {
            let message: Value = serde_json::from_str(&line?).unwrap_or_default();
            executable = message["executable"].as_str().map(PathBuf::from).or(executable);
        }
    }
    if !child.wait()?.success() {
        bail!("the build failed");
    }
    executable.context("the build made no executable")
}

#[cfg(test)]
mod tests {
    use super::is_foreign;

    #[test]
    fn the_callers_session_repository_and_switches_are_foreign() {
        let foreign = [
            "CLAUDECODE",
            "CLAUDE_PROJECT_DIR",
            "ANTHROPIC_BASE_URL",
            "ENGINE_OFF",
            "GIT_DIR",
            "INSTA_FORCE_PASS",
            "NEXTEST_RETRIES",
            "CLIPPY_CONF_DIR",
            "COLUMNS",
        ];
        let kept =
            ["PATH", "HOME", "TMPDIR", "CI", "RUSTFLAGS", "CLAUDE_BIN", "ENGINE_TESTKIT_CACHE", "NO_COLOR"];
        assert_eq!(foreign.into_iter().filter(|name| !is_foreign(name)).collect::<Vec<_>>(), [""; 0]);
        assert_eq!(kept.into_iter().filter(|name| is_foreign(name)).collect::<Vec<_>>(), [""; 0]);
    }
}
