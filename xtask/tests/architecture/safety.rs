//! Unsafe code is in one crate: every other has the workspace's lints, which forbid it.

use std::fs;
use std::path::Path;

use crate::map::crates;
use crate::workspace;

/// The crate whose code a signal interrupts; see decision 047.
const UNSAFE: &str = "crates/alarm";

/// The crates that do not have the workspace's lints.
fn without_lints(root: &Path) -> Vec<String> {
    let inherits = |folder: &String| {
        let manifest = fs::read_to_string(root.join(folder).join("Cargo.toml")).unwrap();
        manifest.contains("[lints]\nworkspace = true\n")
    };
    crates(root).into_iter().filter(|folder| !inherits(folder)).collect()
}

#[test]
fn unsafe_code_is_in_one_crate() {
    let root = workspace();
    assert_eq!(without_lints(&root), [UNSAFE]);
    assert!(fs::read_to_string(root.join("Cargo.toml")).unwrap().contains("unsafe_code = \"forbid\"\n"));
}

#[test]
fn a_crate_without_the_lints_is_found() {
    let root = tempfile::tempdir().unwrap();
    for (name, manifest) in
        [("a", "[lints]\nworkspace = true\n"), ("b", "[lints.rust]\nunsafe_code = \"warn\"\n")]
    {
        let folder = root.path().join("crates").join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    }
    assert_eq!(without_lints(root.path()), ["crates/b"]);
}
