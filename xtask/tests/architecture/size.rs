//! A file holds one idea.

use std::fs;
use std::path::Path;

use crate::sources::files;
use crate::{fixture, workspace};

/// A folder, and how many lines a file below it may have.
type Limit = (&'static str, usize);

const LIMITS: &[Limit] = &[("crates", 700), ("crates/cli/src/commands", 110)];

/// Every file that is longer than a limit allows.
fn too_long(root: &Path, limits: &[Limit]) -> Vec<String> {
    let mut found = Vec::new();
    for (folder, most) in limits {
        for file in files(&root.join(folder)) {
            let lines = fs::read_to_string(&file).unwrap().lines().count();
            if lines > *most {
                let shown = file.strip_prefix(root).unwrap().display();
                found.push(format!("{shown} has {lines} lines, {folder} allows {most}"));
            }
        }
    }
    found
}

#[test]
fn files_hold_one_idea() {
    let found = too_long(&workspace(), LIMITS);
    assert_eq!(found, Vec::<String>::new(), "{}", found.join("\n"));
}

#[test]
fn a_file_that_is_too_long_is_found() {
    assert_eq!(
        too_long(&fixture("size"), &[("crates", 6), ("crates/cli/src/commands", 3)]),
        [
            "crates/text/src/long.rs has 7 lines, crates allows 6",
            "crates/cli/src/commands/long.rs has 4 lines, crates/cli/src/commands allows 3",
        ]
    );
}
