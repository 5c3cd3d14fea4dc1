//! The files of agents, skills and commands in a folder of the client, listed and not read.

use std::path::{Path, PathBuf};

use engine_core::skill::Found;
use fs_err as fs;

use crate::dialect::DIALECT;

/// How many entries of folders are looked at, and how deep.
const MOST: usize = 2_000;
const DEEPEST: usize = 8;

/// The files of agents, skills and commands in a folder of the client.
pub(crate) fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let mut found = markdown(&folder.join(DIALECT.agents)).files;
    let skills = fs::read_dir(folder.join("skills")).into_iter().flatten().flatten();
    found.extend(skills.map(|entry| entry.path().join("SKILL.md")));
    found.extend(markdown(&folder.join("commands")).files);
    found
}

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
