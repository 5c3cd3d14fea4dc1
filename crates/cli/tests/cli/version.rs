//! `engine --version`, and how the build script names a commit.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::stage::Stage;

#[test]
fn a_build_for_development_has_the_plain_version() {
    let stage = Stage::bare();
    assert_eq!(stage.ok(&["--version"]), format!("engine {}\n", env!("CARGO_PKG_VERSION")));
}

/// The build script as a program of its own.
fn script(folder: &Path) -> PathBuf {
    let program = folder.join("script");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs");
    let mut compile = Command::new(rustc);
    compile.args(["--edition", "2024", "-o"]).arg(&program).arg(source);
    assert!(compile.status().unwrap().success());
    program
}

/// The version that it gives to a build in a workspace.
fn version(script: &Path, workspace: &Path, profile: &str) -> String {
    let mut command = Command::new(script);
    command.env("PROFILE", profile).env("CARGO_PKG_VERSION", "1.2.3");
    command.env("CARGO_MANIFEST_DIR", workspace.join("crates/cli"));
    let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let line = output.lines().find_map(|line| line.strip_prefix("cargo::rustc-env=ENGINE_VERSION="));
    line.unwrap().to_owned()
}

#[test]
fn a_release_from_git_names_its_commit() {
    let stage = Stage::bare();
    let script = script(&stage.home());
    stage.write_from_elsewhere("crates/cli/src/main.rs", "fn main() {}\n");
    let root = stage.root();
    assert_eq!(version(&script, &root, "release"), "1.2.3", "an archive");
    stage.git(&["init", "-q", "-b", "main"]);
    assert_eq!(version(&script, &root, "release"), "1.2.3", "no commit");
    stage.git(&["add", "-A"]);
    stage.git(&["commit", "-qm", "x"]);
    let commit = stage.git(&["rev-parse", "--short=10", "HEAD"]).trim().to_owned();
    assert_eq!(version(&script, &root, "release"), format!("1.2.3 ({commit})"));
    assert_eq!(version(&script, &root, "debug"), "1.2.3");
    stage.git(&["worktree", "add", "-q", "../tree"]);
    assert_eq!(version(&script, &root.with_file_name("tree"), "release"), format!("1.2.3 ({commit})"));
    // Notes beside the sources change no program.
    stage.write_from_elsewhere("notes.md", "x");
    assert_eq!(version(&script, &root, "release"), format!("1.2.3 ({commit})"));
    stage.write_from_elsewhere("crates/cli/src/main.rs", "fn main() { todo!() }\n");
    assert_eq!(version(&script, &root, "release"), format!("1.2.3 ({commit}, changed)"));
    // An archive that was unpacked in somebody's repository.
    let inner = root.join("vendor/engine");
    fs::create_dir_all(inner.join("crates/cli")).unwrap();
    assert_eq!(version(&script, &inner, "release"), "1.2.3");
}
