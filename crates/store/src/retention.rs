//! Deletes what is older than the person wants to keep. `init` and `doctor` call it, never a reading command and never a
//! hook: cost on the hook path must not depend on history.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use engine_text::stamp::Stamp;
use fs_err as fs;
use fs_err::DirEntry;

use crate::atomic;
use crate::auto_commit;
use crate::cleared_file;
use crate::content;
use crate::inside;
use crate::journal_file;
use crate::mark::Mark;
use crate::project::Project;
use crate::recorder;
use crate::restart_file;
use crate::work_file::{self, WorkFile};

/// Removes journal files, session states, long texts, requests to start again and contents to compare with, untouched for more
/// than `days`.
pub fn apply(project: &Project, now: Stamp, days: u64) {
    let (oldest, journal) = (now.minus_days(days).day(), project.journal_folder());
    let kept = if inside::keeps(&journal).is_ok() { journal_file::days(&journal) } else { Vec::new() };
    for (_, path) in kept.iter().filter(|(day, _)| *day < oldest) {
        let _ = fs::remove_file(path);
    }
    let age = Duration::from_hours(24 * days);
    remove(&project.sessions_folder(), |entry| is_older(entry, age));
    remove(&project.full_text_folder(), |entry| is_older(entry, age));
    // A call that was killed never takes what was kept for its end.
    remove(&auto_commit::folder(project), |entry| is_older(entry, age));
    content::remove_unused(project, age);
    // A run or client that was killed never takes what was left for it.
    let is_request = |entry: &DirEntry| {
        let name = entry.file_name();
        [restart_file::PREFIX, cleared_file::PREFIX]
            .iter()
            .any(|prefix| name.to_string_lossy().starts_with(prefix))
    };
    remove(&project.state_folder(), |entry| is_request(entry) && is_older(entry, age));
    let state = project.state_folder();
    for folder in [state.join("work"), state, project.sessions_folder(), project.plans_folder()] {
        let is_temporary =
            |entry: &DirEntry| entry.path().extension().is_some_and(|end| end == atomic::TEMPORARY);
        remove(&folder, |entry| is_temporary(entry) && atomic::is_abandoned(&entry.path()));
    }
    for name in work_file::names(project) {
        WorkFile::new(project, &name).sweep();
    }
}

fn is_older(entry: &DirEntry, age: Duration) -> bool {
    let changed = entry.metadata().and_then(|data| data.modified()).ok();
    changed.and_then(|time| time.elapsed().ok()).is_some_and(|passed| passed > age)
}

/// Removes files of a folder. Where a link leads out of the project they are not ours.
fn remove(folder: &Path, which: impl Fn(&DirEntry) -> bool) {
    let Ok(entries) = inside::keeps(folder).and_then(|()| fs::read_dir(folder)) else { return };
    // Locks, marks and recorders are touched by hardly anybody, so their age says nothing; they go with the state that they belong to.
    let guards = |path: &Path| {
        let is_guard = |end: &OsStr| {
            end == "lock"
                || Mark::ALL.iter().any(|mark| end == mark.extension())
                || recorder::EXTENSIONS.iter().any(|extension| end == *extension)
        };
        path.extension().is_some_and(is_guard) && path.with_extension("json").exists()
    };
    let ours = |entry: &DirEntry| entry.file_name() != ".gitignore" && !guards(&entry.path());
    for entry in entries.flatten().filter(|entry| ours(entry) && which(entry)) {
        let _ = fs::remove_file(entry.path());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs::File;
    use std::time::SystemTime;

    use super::*;

    const HOUR: u64 = 60 * 60;
    const DAY: u64 = 24 * HOUR;

    /// All files below a folder, by their path from it.
    fn files(folder: &Path) -> BTreeSet<String> {
        let mut open = vec![folder.to_owned()];
        let mut found = BTreeSet::new();
        while let Some(next) = open.pop() {
            for entry in fs::read_dir(next).unwrap().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    found.insert(path.strip_prefix(folder).unwrap().display().to_string());
                }
            }
        }
        found
    }

    /// Writes files of an age in seconds below `.engine/`, applies the retention of ten days, and tells which of them are gone.
    fn gone(made: &[(&str, u64)]) -> Vec<String> {
        let root = tempfile::tempdir().unwrap();
        let project = Project::at(root.path());
        let folder = project.folder();
        for (name, age) in made {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let file = File::create(path).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(*age)).unwrap();
        }
        let before = files(&folder);
        // 11 January 1970.
        apply(&project, Stamp(10 * DAY * 1000 + 5), 10);
        before.difference(&files(&folder)).cloned().collect()
    }

    #[test]
    fn a_temporary_file_goes_when_it_is_abandoned() {
        let made: Vec<(String, u64)> = ["state", "state/sessions", "state/plans"]
            .iter()
            .flat_map(|folder| {
                [
                    (format!("{folder}/old.json.4711.tmp"), HOUR + 60),
                    (format!("{folder}/new.json.abcdef.tmp"), HOUR - 60),
                    // It names its process, which is gone.
                    (format!("{folder}/of.json.4194305-abcdef.tmp"), 61),
                    (format!("{folder}/of.json.4194305-ghijkl.tmp"), 30),
                    (format!("{folder}/old.json"), HOUR + 60),
                    (format!("{folder}/tmp"), HOUR + 60),
                ]
            })
            .collect();
        let made: Vec<(&str, u64)> = made.iter().map(|(name, age)| (name.as_str(), *age)).collect();
        let both = ["of.json.4194305-abcdef.tmp", "old.json.4711.tmp"];
        let expected = ["state", "state/plans", "state/sessions"];
        let mut expected: Vec<String> =
            expected.iter().flat_map(|folder| both.map(|name| format!("{folder}/{name}"))).collect();
        expected.sort();
        assert_eq!(gone(&made), expected);
    }

    #[test]
    fn what_was_not_touched_for_long_goes() {
        let (old, new) = (10 * DAY + 60, 10 * DAY - 60);
        let made = [
            ("state/sessions/a.json", old),
            ("state/sessions/b.json", new),
            ("state/sessions/c.json.bad-1", old),
            ("state/full/a.txt", old),
            ("state/full/b.txt", new),
            ("state/restart-a.json", old),
            ("state/restart-b.json", new),
            ("state/cleared-1.json", old),
            ("state/cleared-2.json", new),
            ("state/autocommit/4711", old),
            ("state/autocommit/4712", new),
            // Neither age nor name makes these anybody's to remove.
            ("state/wiring.json", old),
            ("state/config.json", old),
            ("state/.gitignore", old),
            ("state/sessions/.gitignore", old),
            ("state/plans/p.json", old),
            ("state/work/w.lock", old),
            ("queue/q.md", old),
            ("config.toml", old),
        ];
        assert_eq!(
            gone(&made),
            [
                "state/autocommit/4711",
                "state/cleared-1.json",
                "state/full/a.txt",
                "state/restart-a.json",
                "state/sessions/a.json",
                "state/sessions/c.json.bad-1",
            ]
        );
    }

    #[test]
    fn what_belongs_to_a_state_stays_as_long_as_the_state() {
        let old = 10 * DAY + 60;
        let made = [
            ("state/sessions/a.json", 60),
            ("state/sessions/a.lock", old),
            ("state/sessions/a.work", old),
            ("state/sessions/a.plan", old),
            ("state/sessions/a.sh", old),
            ("state/sessions/a.ran", old),
            ("state/sessions/a.read", old),
            ("state/sessions/b.lock", old),
            ("state/sessions/b.work", old),
            ("state/sessions/b.plan", old),
            ("state/sessions/b.sh", old),
            ("state/sessions/b.ran", old),
            ("state/sessions/b.read", old),
            ("state/sessions/c.lock", 60),
            ("state/sessions/c.sh", 60),
        ];
        let of_b = ["lock", "plan", "ran", "read", "sh", "work"].map(|end| format!("state/sessions/b.{end}"));
        assert_eq!(gone(&made), of_b);
    }

    #[test]
    fn a_journal_goes_by_the_day_in_its_name() {
        let made = [
            ("journal/1969-12-31.jsonl", 0),
            ("journal/1970-01-01.jsonl", 100 * DAY),
            ("journal/1970-01-10.jsonl", 100 * DAY),
            ("journal/README.md", 100 * DAY),
            ("journal/1969.jsonl", 100 * DAY),
        ];
        assert_eq!(gone(&made), ["journal/1969-12-31.jsonl"]);
    }

    #[test]
    fn a_project_without_state_is_left_as_it_is() {
        let root = tempfile::tempdir().unwrap();
        apply(&Project::at(root.path()), Stamp(0), 1);
        assert_eq!(files(root.path()), BTreeSet::new());
    }
}
