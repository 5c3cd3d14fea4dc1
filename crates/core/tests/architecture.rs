//! Rules of the project that no compiler checks.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

use std::fs;
use std::path::{Path, PathBuf};

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|end| end == "rs") {
            out.push(path);
        }
    }
}

/// The code above the tests of a file.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.split("#[cfg(test)]").next().unwrap().to_owned()
}

#[test]
fn core_never_touches_the_world() {
    let mut files = Vec::new();
    sources(&crates().join("core/src"), &mut files);
    assert!(files.len() > 15);
    let words = [
        "std::fs",
        "std::env",
        "std::process",
        "std::net",
        "std::io",
        "SystemTime",
        "Instant::",
        "println!",
        "thread::",
    ];
    for file in files {
        let code = code(&file);
        for word in words {
            assert!(!code.contains(word), "{} uses {word}", file.display());
        }
    }
    let manifest = fs::read_to_string(crates().join("core/Cargo.toml")).unwrap();
    let dependencies =
        manifest.split("[dependencies]").nth(1).unwrap().split("[dev-dependencies]").next().unwrap();
    let names: Vec<&str> = dependencies
        .lines()
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty())
        .collect();
    assert_eq!(
        names,
        ["engine-shell", "engine-text", "serde", "serde_json", "strsim"],
        "a new dependency of the core must be as pure as it"
    );
}

#[test]
fn dependencies_point_one_way() {
    let allowed: &[(&str, &[&str])] = &[
        ("text", &[]),
        ("shell", &["text"]),
        ("core", &["shell", "text"]),
        ("store", &["core", "text"]),
        ("agents", &["core", "store", "text"]),
        ("cli", &["agents", "core", "shell", "store", "text"]),
        ("testkit", &[]),
    ];
    for (name, expected) in allowed {
        let manifest = fs::read_to_string(crates().join(name).join("Cargo.toml")).unwrap();
        let dependencies =
            manifest.split("\n[dependencies]").nth(1).unwrap().split("[dev-dependencies]").next().unwrap();
        let ours: Vec<&str> = dependencies
            .lines()
            .filter_map(|line| line.strip_prefix("engine-")?.split(['.', ' ']).next())
            .collect();
        assert_eq!(ours, *expected, "{name}");
    }
}

#[test]
fn files_hold_one_idea() {
    let mut files = Vec::new();
    sources(&crates(), &mut files);
    for file in files {
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        assert!(lines <= 700, "{} has {lines} lines", file.display());
    }
}
