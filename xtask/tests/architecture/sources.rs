//! The Rust files of a crate, and their code without tests and comments.

use std::fs;
use std::path::{Path, PathBuf};

/// All Rust files below a folder, in a fixed order.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(folder, &mut found);
    found.sort();
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// Whether a file below `src` holds tests only.
pub(crate) fn is_test(src: &Path, file: &Path) -> bool {
    let inside = file.strip_prefix(src).unwrap();
    inside.components().any(|part| matches!(part.as_os_str().to_str(), Some("tests" | "tests.rs")))
}

/// The code of a file: without what is compiled for tests only, and without comments.
pub(crate) fn code(path: &Path) -> String {
    without_tests(&fs::read_to_string(path).unwrap())
}

/// An item behind `#[cfg(test)]` reaches to its closing brace, or to its semicolon if that comes first.
pub(crate) fn without_tests(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            let indent = line.len() - line.trim_start().len();
            for inner in lines.by_ref() {
                let depth = inner.len() - inner.trim_start().len();
                let closes = depth == indent && (inner.trim() == "}" || inner.trim_end().ends_with(';'));
                if closes {
                    break;
                }
            }
            continue;
        }
        let code = line.trim_start();
        if !code.starts_with("//") {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

#[test]
fn tests_and_comments_are_left_out_and_what_follows_them_is_not() {
    let text = "//! crate::a\nuse crate::b;\n#[cfg(test)]\nmod tests {\n    use crate::c;\n}\n\n#[cfg(test)]\nmod more;\nfn d() {}\n";
    assert_eq!(without_tests(text), "use crate::b;\n\nfn d() {}\n");
}
