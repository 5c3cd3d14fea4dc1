//! A file holds one idea.

use std::fs;

use crate::sources::files;
use crate::workspace;

const MOST_LINES: usize = 700;

#[test]
fn files_hold_one_idea() {
    for file in files(&workspace().join("crates")) {
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        assert!(lines <= MOST_LINES, "{} has {lines} lines", file.display());
    }
}
