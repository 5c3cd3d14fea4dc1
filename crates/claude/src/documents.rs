//! The Markdown files of a folder of the client, listed and not read.

use std::path::Path;

use engine_core::skill::Found;
use fs_err as fs;

/// How many entries of folders are looked at, and how deep.
const MOST: usize = 2_000;
const DEEPEST: usize = 8;

/// The Markdown below a folder.
pub(crate) fn markdown(folder: &Path) -> Found {
    let mut found = Found::default();
    let mut left = MOST;
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if left == 0 {
                found.is_cut = true;
                break;
            }
            left -= 1;
            let path = entry.path();
            let is_file = |kind: std::fs::FileType| kind.is_file();
            if path.extension().is_some_and(|end| end == "md") {
                found.files.push(path);
            } else if depth < DEEPEST && !entry.file_type().is_ok_and(is_file) && path.is_dir() {
                folders.push((path, depth + 1));
            }
        }
    }
    found.files.sort();
    found
}
