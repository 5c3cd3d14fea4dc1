//! The content of a project without git: name, size, times and number of every file.
//!
//! A file that was written anew with the same bytes counts as changed. Only names are known of what changed.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use engine_text::line::seal;
use fs_err as fs;

use super::{Changed, ChangedKind, LIMIT, MADE, MADE_AT_ROOT};
use crate::atomic::{self, Durability};
use crate::inside;
use crate::read::read_bytes;

/// A project with more files than this needs git.
pub(super) const MOST_FILES: usize = 100_000;
/// Between the files of a list; no name has it.
const END: u8 = 0;

/// Why there is no list.
#[derive(Debug)]
pub(super) enum NoList {
    TooLong,
    TooMany,
    Failed(io::Error),
}

/// Makes the list of the files below a folder and keeps it under its name, which is returned.
pub(super) fn take(root: &Path, own: &[String], lists: &Path, deadline: Instant) -> Result<String, NoList> {
    let mut list = Vec::new();
    for (path, fingerprint) in files(root, own, deadline)? {
        list.extend_from_slice(format!("{fingerprint} ").as_bytes());
        list.extend_from_slice(path.as_os_str().as_bytes());
        list.push(END);
    }
    let name = seal(&list);
    keep(lists, &name, &list).map_err(NoList::Failed)?;
    Ok(name)
}

/// All files by their paths from the root. What is no file and no link is left out: a pipe has no content.
fn files(root: &Path, own: &[String], deadline: Instant) -> Result<BTreeMap<PathBuf, String>, NoList> {
    let is_aside = |path: &Path| {
        let name = path.file_name().unwrap_or_default();
        name == ".git"
            || MADE.iter().any(|made| name == *made)
            || MADE_AT_ROOT.iter().any(|made| path == Path::new(made))
            || own.iter().any(|own| path == Path::new(own))
    };
    let mut found = BTreeMap::new();
    let mut open = vec![PathBuf::new()];
    while let Some(folder) = open.pop() {
        if Instant::now() > deadline {
            return Err(NoList::TooLong);
        }
        let entries = match fs::read_dir(root.join(&folder)) {
            Ok(entries) => entries,
            // The files in it count as deleted, so that none of them changes unseen.
            Err(_) if !folder.as_os_str().is_empty() => continue,
            Err(error) => return Err(NoList::Failed(error)),
        };
        for entry in entries.flatten() {
            let path = folder.join(entry.file_name());
            if is_aside(&path) {
                continue;
            }
            let Ok(data) = entry.metadata() else { continue };
            if data.is_dir() {
                open.push(path);
            } else if data.is_file() || data.is_symlink() {
                let times = [(data.mtime(), data.mtime_nsec()), (data.ctime(), data.ctime_nsec())];
                let [written, changed] = times.map(|(second, nano)| format!("{second}.{nano:09}"));
                found.insert(path, format!("{}-{written}-{changed}-{}", data.size(), data.ino()));
                if found.len() > MOST_FILES {
                    return Err(NoList::TooMany);
                }
            }
        }
    }
    Ok(found)
}

/// A list that is there already is the same list. When all together grow too large, only the newest stays.
fn keep(lists: &Path, name: &str, list: &[u8]) -> io::Result<()> {
    let path = lists.join(name);
    if path.exists() {
        return Ok(());
    }
    inside::keeps(lists)?;
    fs::create_dir_all(lists)?;
    let kept = || fs::read_dir(lists).into_iter().flatten().flatten();
    let size: u64 = kept().filter_map(|entry| entry.metadata().ok()).map(|data| data.len()).sum();
    if size > LIMIT {
        for entry in kept() {
            fs::remove_file(entry.path())?;
        }
    }
    atomic::replace(&path, list, Durability::Process)
}

/// The files that differ between two lists; `None` if one of them is not kept any more.
pub(super) fn changed(lists: &Path, from: &str, to: &str) -> Option<Vec<Changed>> {
    let (before, after) = (read(&lists.join(from))?, read(&lists.join(to))?);
    let mut all = Vec::new();
    let change = |path: &Path, kind| Changed { path: path.display().to_string(), kind, lines: None };
    for (path, fingerprint) in &before {
        match after.get(path) {
            None => all.push(change(path, ChangedKind::Deleted)),
            Some(now) if now != fingerprint => all.push(change(path, ChangedKind::Modified)),
            Some(_) => {}
        }
    }
    let added = after.keys().filter(|path| !before.contains_key(*path));
    all.extend(added.map(|path| change(path, ChangedKind::Added)));
    all.sort();
    Some(all)
}

fn read(path: &Path) -> Option<BTreeMap<PathBuf, String>> {
    let bytes = read_bytes(path).ok()?;
    let entries = bytes.split(|byte| *byte == END).filter(|entry| !entry.is_empty());
    entries
        .map(|entry| {
            let blank = memchr::memchr(b' ', entry)?;
            let path = std::ffi::OsString::from_vec(entry[blank + 1..].to_owned());
            Some((PathBuf::from(path), String::from_utf8_lossy(&entry[..blank]).into_owned()))
        })
        .collect()
}
