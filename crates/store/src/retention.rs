//! Deletes what is older than the person wants to keep. Called by `init`, `doctor` and `journal`, never by a
//! hook: cost on the hook path must not depend on history.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use engine_core::stamp::Stamp;

use crate::journal_file;
use crate::project::Project;

/// Removes journal files and session states untouched for more than `days`; how many of each.
pub fn apply(project: &Project, now: Stamp, days: u64) -> (usize, usize) {
    let oldest = now.minus_days(days).day();
    let journal = journal_file::days(&project.journal_folder())
        .iter()
        .filter(|(day, path)| *day < oldest && fs::remove_file(path).is_ok())
        .count();
    let age = Duration::from_secs(days * 86_400);
    let states =
        remove_older(&project.sessions_folder(), age) + remove_older(&project.full_text_folder(), age);
    (journal, states)
}

fn remove_older(folder: &Path, age: Duration) -> usize {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let old = |entry: &fs::DirEntry| {
        let changed = entry.metadata().and_then(|data| data.modified()).ok();
        changed
            .and_then(|time| SystemTime::now().duration_since(time).ok())
            .is_some_and(|passed| passed > age)
    };
    entries.flatten().filter(|entry| old(entry) && fs::remove_file(entry.path()).is_ok()).count()
}
