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

/// The cargo that started us, in the workspace.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
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

/// Runs a `cargo build` and returns the one executable it made, where cargo says it is.
pub(crate) fn executable(build: &mut Command) -> Result<PathBuf> {
    build.arg("--message-format=json-render-diagnostics").stdout(Stdio::piped());
    let mut child = build.spawn().context("cannot run cargo")?;
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
