//! The pure crates cannot touch the world. Clippy checks the calls (`disallowed-methods` in their `clippy.toml`); this checks that
//! the list is in force for each of them, and that clippy catches what a list of words would not.

use std::fs;
use std::process::Command;

use crate::{fixture, workspace};

const PURE: &[&str] = &["text", "shell", "core", "rules"];

#[test]
fn every_pure_crate_has_the_same_list() {
    let lists: Vec<String> = PURE
        .iter()
        .map(|name| fs::read_to_string(workspace().join("crates").join(name).join("clippy.toml")).unwrap())
        .collect();
    assert!(lists.windows(2).all(|pair| pair[0] == pair[1]), "the clippy.toml of the pure crates differ");
    for call in ["std::path::Path::exists", "std::fs::read", "std::env::var", "std::time::SystemTime::now"] {
        assert!(lists[0].contains(call), "{call} is not on the list");
    }
}

/// Impure calls that need no `std::fs` or `std::env` in the text: methods of `Path`, a braced import, an alias.
#[test]
fn clippy_catches_what_words_do_not_show() {
    let target = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["clippy", "--quiet", "--offline", "--target-dir"])
        .arg(target.path())
        .args(["--", "-D", "clippy::disallowed_methods"])
        .current_dir(fixture("impure"))
        .env("CLIPPY_CONF_DIR", workspace().join("crates/core"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let caught: Vec<&str> = said
        .lines()
        .filter_map(|line| line.split("use of a disallowed method `").nth(1)?.split('`').next())
        .collect();
    assert_eq!(
        caught,
        ["std::path::Path::exists", "std::fs::read_to_string", "std::env::var", "std::time::Instant::now"],
        "{said}"
    );
    assert!(!output.status.success());
}
