//! A file holds one idea.

use std::fs;
use std::path::Path;

use crate::sources::files;
use crate::workspace;

const MOST_LINES: usize = 700;

fn too_long(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for folder in ["crates", "xtask", "fuzz/fuzz_targets"].map(|name| root.join(name)) {
        for file in files(&folder) {
            let lines = fs::read_to_string(&file).unwrap().lines().count();
            if lines > MOST_LINES {
                found.push(format!("{} has {lines} lines", file.strip_prefix(root).unwrap().display()));
            }
        }
    }
    found
}

#[test]
fn files_hold_one_idea() {
    let found = too_long(&workspace());
    assert!(found.is_empty(), "a file has at most {MOST_LINES} lines\n{}", found.join("\n"));
}

#[test]
fn a_file_that_is_too_long_is_found() {
    let root = tempfile::tempdir().unwrap();
    for (file, lines) in [
        ("crates/core/src/plan/a.rs", MOST_LINES),
        ("crates/core/src/plan/b.rs", MOST_LINES + 1),
        ("crates/core/tests/c.rs", 800),
        ("xtask/tests/architecture/d.rs", 800),
        ("fuzz/fuzz_targets/e.rs", 800),
    ] {
        let path = root.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "//\n".repeat(lines)).unwrap();
    }
    assert_eq!(
        too_long(root.path()),
        [
            "crates/core/src/plan/b.rs has 701 lines",
            "crates/core/tests/c.rs has 800 lines",
            "xtask/tests/architecture/d.rs has 800 lines",
            "fuzz/fuzz_targets/e.rs has 800 lines",
        ]
    );
}
