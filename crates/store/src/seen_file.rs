//! What a person knows of what the client runs by itself, one file per project in their own state folder: `seen/<root>.json`.
//!
//! The files that declare it are compared by size and time of change; only those that differ are read.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use engine_core::client::Client;
use engine_core::runner::{Declared, FileStamp, Look, LookedAt, Seen};
use engine_core::versioned::Unusable;
use engine_core::view::Unread;
use engine_text::line::fingerprint;

use crate::atomic::Durability;
use crate::project::Project;
use crate::read::read_text;
use crate::record::{Layout, Record, Versioned};
use crate::{lock, places};

impl Versioned for Seen {
    const LAYOUT: Layout = Layout::Compact;
    const DURABILITY: Durability = Durability::Process;

    fn parse(text: &str) -> Result<Self, Unusable> {
        Self::parse(text)
    }
}

fn record(project: &Project) -> Option<Record<Seen>> {
    let name = format!("seen/{}.json", fingerprint(&project.root().to_string_lossy()));
    let path = places::user_state()?.join(&name);
    Some(Record::new(name, path, lock::HOOK))
}

/// What the files declare that changed since they were seen; nothing where none did, or where nothing can be remembered.
pub fn look(project: &Project, client: &dyn Client, whole: bool) -> Option<Look> {
    let before = record(project)?.peek().and_then(Result::ok);
    // The first look is at everything.
    let mut files = client.runner_files(whole || before.is_none());
    files.sort();
    files.dedup();
    let changed: Vec<LookedAt> = files
        .iter()
        .filter_map(|path| {
            let file = path.to_string_lossy().into_owned();
            let now = stamp(path);
            let known = before.as_ref().and_then(|before| before.files.get(&file));
            if known.and_then(|known| known.stamp) == now {
                return None;
            }
            let declared = match read_text(path) {
                Ok(text) => client.declared(path, &text),
                Err(Unread::Missing) => Declared::default(),
                // The client does not read it either.
                Err(Unread::Unreadable(_)) if !path.is_file() => Declared::no_file(),
                Err(Unread::Unreadable(_)) => return None,
            };
            Some(LookedAt { file, stamp: now, declared })
        })
        .collect();
    (before.is_none() || !changed.is_empty()).then_some(Look { before, changed })
}

fn stamp(path: &Path) -> Option<FileStamp> {
    let data = std::fs::metadata(path).ok()?;
    Some((data.len(), data.ctime(), data.ctime_nsec()))
}

/// Remembers what a person was told.
pub fn keep(project: &Project, seen: &Seen) -> io::Result<()> {
    let Some(record) = record(project) else { return Ok(()) };
    let held = record.hold()?;
    held.read_or_new()?;
    held.replace(seen)
}
