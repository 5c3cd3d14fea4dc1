//! Names the commit that a release is built from: `0.1.0 (a5a3cfe17c)`, and `0.1.0 (a5a3cfe17c, changed)` if the sources differ from it.
//!
//! A build for development has the plain version, so that a commit rebuilds nothing. So has one from a folder without a repository.

#![allow(clippy::print_stdout, reason = "cargo reads what a build script prints")]

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let commit = (env::var("PROFILE").as_deref() == Ok("release")).then(commit).flatten();
    let commit = commit.map_or(String::new(), |commit| format!(" ({commit})"));
    println!("cargo::rustc-env=ENGINE_VERSION={version}{commit}");
}

/// The commit of the repository whose top is our workspace: an archive may have been unpacked within another one.
fn commit() -> Option<String> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").ok()?).join("../..");
    if !root.join(".git").exists() {
        return None;
    }
    let commit = git(&root, &["rev-parse", "--short=10", "HEAD"])?;
    // A commit and a change of branch write these; in a worktree they are elsewhere.
    for file in ["HEAD", "logs/HEAD"] {
        let path = git(&root, &["rev-parse", "--git-path", file])?;
        println!("cargo::rerun-if-changed={}", root.join(path).display());
    }
    for sources in ["crates", "plugin", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={}", root.join(sources).display());
    }
    let changes =
        git(&root, &["status", "--porcelain", "--", "crates", "plugin", "Cargo.toml", "Cargo.lock"])?;
    Some(if changes.is_empty() { commit } else { format!("{commit}, changed") })
}

fn git(root: &Path, args: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(root).args(args).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
