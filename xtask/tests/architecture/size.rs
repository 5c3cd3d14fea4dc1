//! A file holds one idea.

use std::fs;
use std::path::Path;

use crate::sources::files;
use crate::workspace;

/// Folders, and how many lines a Rust file below them may have.
const LIMITS: [(&str, usize); 4] =
    [("crates", 700), ("crates/cli/src/commands", 110), ("xtask", 700), ("fuzz/fuzz_targets", 700)];

fn too_long(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for (folder, most) in LIMITS {
        for file in files(&root.join(folder)) {
            let lines = fs::read_to_string(&file).unwrap().lines().count();
            if lines > most {
                let shown = file.strip_prefix(root).unwrap().display();
                found.push(format!("{shown} has {lines} lines, {folder} allows {most}"));
            }
        }
    }
    found
}

#[test]
fn files_hold_one_idea() {
    let found = too_long(&workspace());
    assert!(found.is_empty(), "a file is too long\n{}", found.join("\n"));
}

#[test]
fn a_file_that_is_too_long_is_found() {
    let root = tempfile::tempdir().unwrap();
    for (file, lines) in [
        ("crates/core/src/plan/a.rs", 700),
        ("crates/core/src/plan/b.rs", 701),
        ("crates/core/tests/c.rs", 800),
        ("crates/cli/src/commands/d.rs", 110),
        ("crates/cli/src/commands/e/f.rs", 111),
        ("xtask/tests/architecture/g.rs", 800),
        ("fuzz/fuzz_targets/h.rs", 800),
    ] {
        let path = root.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "//\n".repeat(lines)).unwrap();
    }
    assert_eq!(
        too_long(root.path()),
        [
            "crates/core/src/plan/b.rs has 701 lines, crates allows 700",
            "crates/core/tests/c.rs has 800 lines, crates allows 700",
            "crates/cli/src/commands/e/f.rs has 111 lines, crates/cli/src/commands allows 110",
            "xtask/tests/architecture/g.rs has 800 lines, xtask allows 700",
            "fuzz/fuzz_targets/h.rs has 800 lines, fuzz/fuzz_targets allows 700",
        ]
    );
}
