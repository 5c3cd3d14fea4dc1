//! Deletes what is older than the person wants to keep. Called by `init`, `doctor` and `journal`, never by a
//! hook: cost on the hook path must not depend on history.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use engine_text::stamp::Stamp;
use fs_err as fs;
use fs_err::DirEntry;

use crate::atomic;
use crate::cleared_file;
use crate::journal_file;
use crate::mark::Mark;
use crate::project::Project;
use crate::restart_file;

/// A temporary file of that age was left by a process that was killed while it wrote.
const ABANDONED: Duration = Duration::from_hours(1);

/// Removes journal files, session states, long texts and requests to start again untouched for more than `days`.
pub fn apply(project: &Project, now: Stamp, days: u64) {
    let oldest = now.minus_days(days).day();
    for (_, path) in journal_file::days(&project.journal_folder()).iter().filter(|(day, _)| *day < oldest) {
        let _ = fs::remove_file(path);
    }
    let age = Duration::from_hours(24 * days);
    remove(&project.sessions_folder(), |entry| is_older(entry, age));
    remove(&project.full_text_folder(), |entry| is_older(entry, age));
    // A run or client that was killed never takes what was left for it.
    let is_request = |entry: &DirEntry| {
        let name = entry.file_name();
        [restart_file::PREFIX, cleared_file::PREFIX]
            .iter()
            .any(|prefix| name.to_string_lossy().starts_with(prefix))
    };
    remove(&project.state_folder(), |entry| is_request(entry) && is_older(entry, age));
    for folder in [project.state_folder(), project.sessions_folder(), project.plans_folder()] {
        let is_temporary =
            |entry: &DirEntry| entry.path().extension().is_some_and(|end| end == atomic::TEMPORARY);
        remove(&folder, |entry| is_temporary(entry) && is_older(entry, ABANDONED));
    }
}

fn is_older(entry: &DirEntry, age: Duration) -> bool {
    let changed = entry.metadata().and_then(|data| data.modified()).ok();
    changed.and_then(|time| time.elapsed().ok()).is_some_and(|passed| passed > age)
}

fn remove(folder: &Path, which: impl Fn(&DirEntry) -> bool) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    // Locks and marks are touched by nobody, so their age says nothing; they go with the state that they belong to.
    let guards = |path: &Path| {
        let is_guard = |end: &OsStr| end == "lock" || Mark::ALL.iter().any(|mark| end == mark.extension());
        path.extension().is_some_and(is_guard) && path.with_extension("json").exists()
    };
    let ours = |entry: &DirEntry| entry.file_name() != ".gitignore" && !guards(&entry.path());
    for entry in entries.flatten().filter(|entry| ours(entry) && which(entry)) {
        let _ = fs::remove_file(entry.path());
    }
}
