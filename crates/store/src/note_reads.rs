//! How often each note reached somebody: told by its scope, shown or found by a command. A count, for `engine note review`; what it lacks is
//! told nobody, so a file that cannot be written is passed over.

use std::collections::BTreeMap;

use engine_text::stamp::Stamp;
use serde::{Deserialize, Serialize};

use crate::atomic::{self, Durability};
use crate::lock;
use crate::project::Project;
use crate::read::read_string;

/// How a note reached somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// An agent worked on a file of its scope.
    Told,
    /// A command printed it.
    Shown,
}

/// All counts of a checkout.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reads {
    /// Since when is counted, as a moment in UTC.
    pub since: String,
    /// By the note's id.
    pub notes: BTreeMap<String, Read>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Read {
    pub told: u32,
    pub shown: u32,
    /// The last time, of either.
    pub last: String,
}

fn path(project: &Project) -> std::path::PathBuf {
    project.own_state_folder().join("notes-reads.json")
}

/// What was counted; nothing where nothing can be read.
pub fn load(project: &Project) -> Reads {
    let text = read_string(&path(project)).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Counts notes, by their ids.
pub fn count<'i>(project: &Project, ids: impl IntoIterator<Item = &'i str>, how: Reach, now: Stamp) {
    let ids: Vec<&str> = ids.into_iter().collect();
    if ids.is_empty() {
        return;
    }
    let path = path(project);
    let Ok(_held) = lock::hold_local(&path.with_extension("lock"), lock::HOOK) else { return };
    let mut reads = load(project);
    if reads.since.is_empty() {
        reads.since = now.rfc3339();
    }
    for id in ids {
        let read = reads.notes.entry(id.to_owned()).or_default();
        match how {
            Reach::Told => read.told = read.told.saturating_add(1),
            Reach::Shown => read.shown = read.shown.saturating_add(1),
        }
        read.last = now.rfc3339();
    }
    if let Ok(text) = serde_json::to_string(&reads) {
        let _ = atomic::replace(&path, text.as_bytes(), Durability::Process);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up_and_a_damaged_file_begins_anew() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        assert_eq!(load(&project), Reads::default());
        let at = |second: u64| Stamp(1_794_774_881_000 + second * 1000);
        count(&project, ["a", "b"], Reach::Told, at(0));
        count(&project, ["a"], Reach::Shown, at(1));
        count(&project, [], Reach::Shown, at(2));
        let reads = load(&project);
        assert_eq!(reads.since, at(0).rfc3339());
        assert_eq!(reads.notes["a"], Read { told: 1, shown: 1, last: at(1).rfc3339() });
        assert_eq!(reads.notes["b"], Read { told: 1, shown: 0, last: at(0).rfc3339() });
        fs_err::write(path(&project), "{").unwrap();
        count(&project, ["b"], Reach::Told, at(3));
        assert_eq!(load(&project).notes.len(), 1);
    }
}
