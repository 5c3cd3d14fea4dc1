//! A file of state: JSON with a version, changed under a lock of its own and replaced as a whole.
//!
//! Agent sessions, work sessions, plans and owners of tasks are records. This module reads, locks, writes and sets
//! aside; what is in a record, and what to do when it is missing, is up to its owner:
//!
//! ```ignore
//! let held = record.hold()?;
//! let mut state = held.read().transpose()?.unwrap_or_default();
//! state.turn += 1;
//! held.replace(&state)?;
//! ```

use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine_core::versioned::Unusable;
use fs_err as fs;
use fs_err::File;
use serde::Serialize;

use crate::atomic::{self, Durability};
use crate::read::read_bytes;
use crate::reason::reason;
use crate::{clock, lock};

/// What a record can hold.
pub(crate) trait Versioned: Serialize + Sized {
    const LAYOUT: Layout;
    const DURABILITY: Durability;

    fn parse(text: &str) -> Result<Self, Unusable>;
}

/// How the JSON is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// On one line, for programs.
    Compact,
    /// The same with a newline at the end, in a folder that people commit.
    Line,
    /// Indented, with a newline at the end, for people.
    Pretty,
}

/// Why a record that exists cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// Damaged, or written by a newer engine.
    #[error("{0}")]
    Unusable(Unusable),
    #[error("unreadable ({})", reason(.0))]
    Unread(io::Error),
}

/// A record that could not be used and the name under which it was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside(pub String);

/// One file and its lock.
#[derive(Debug, Clone)]
pub(crate) struct Record<T> {
    /// What messages call it.
    name: String,
    path: PathBuf,
    /// Where it is not beside the file.
    lock: Option<PathBuf>,
    /// How long its lock is waited for; see [`crate::lock`].
    patience: Duration,
    holds: PhantomData<fn() -> T>,
}

/// A record whose lock is held, until this is dropped.
pub(crate) struct Held<'r, T> {
    record: &'r Record<T>,
    _lock: File,
}

impl<T: Versioned> Record<T> {
    /// A record whose lock is beside it.
    pub(crate) fn new(name: String, path: PathBuf, patience: Duration) -> Self {
        Self { name, path, lock: None, patience, holds: PhantomData }
    }

    /// The same record with its lock elsewhere.
    pub(crate) fn locked_by(self, lock: PathBuf) -> Self {
        Self { lock: Some(lock), ..self }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn exists(&self) -> bool {
        self.path.is_file()
    }

    /// The record as it is, without the lock; `None` if there is no file.
    pub(crate) fn peek(&self) -> Option<Result<T, Fault>> {
        let bytes = match read_bytes(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => return Some(Err(Fault::Unread(error))),
        };
        let parsed = match std::str::from_utf8(&bytes) {
            Ok(text) => T::parse(text),
            Err(_) => Err(Unusable::Damaged("not UTF-8".to_owned())),
        };
        Some(parsed.map_err(Fault::Unusable))
    }

    /// Waits for the lock. The folder of the lock is made if need be.
    pub(crate) fn hold(&self) -> io::Result<Held<'_, T>> {
        let path = self.lock.clone().unwrap_or_else(|| self.path.with_extension("lock"));
        Ok(Held { record: self, _lock: lock::hold_local(&path, self.patience)? })
    }
}

impl<T: Versioned> Held<'_, T> {
    /// The record as it is under the lock; `None` if there is no file.
    pub(crate) fn read(&self) -> Option<Result<T, Fault>> {
        self.record.peek()
    }

    /// The record, where it must exist and be usable. `missing` is what the error says if there is no file.
    pub(crate) fn existing(&self, missing: impl FnOnce() -> String) -> io::Result<T> {
        match self.read() {
            Some(Ok(value)) => Ok(value),
            Some(Err(fault)) => Err(io::Error::other(format!("{} is {fault}", self.record.name))),
            None => Err(io::Error::other(missing())),
        }
    }

    /// The record, or a new one in the place of one that is missing or unusable. The unusable file is kept under
    /// another name.
    pub(crate) fn read_or_new(&self) -> io::Result<(T, Option<SetAside>)>
    where
        T: Default,
    {
        match self.read() {
            Some(Ok(value)) => Ok((value, None)),
            None => Ok((T::default(), None)),
            Some(Err(Fault::Unread(error))) => Err(error),
            Some(Err(fault)) => Ok((T::default(), Some(self.set_aside(&fault)?))),
        }
    }

    pub(crate) fn replace(&self, value: &T) -> io::Result<()> {
        self.put(&Self::bytes(value)?)
    }

    /// A record as it is written.
    pub(crate) fn bytes(value: &T) -> io::Result<Vec<u8>> {
        Ok(match T::LAYOUT {
            Layout::Compact => serde_json::to_vec(value)?,
            Layout::Line => [serde_json::to_vec(value)?, b"\n".to_vec()].concat(),
            Layout::Pretty => [serde_json::to_vec_pretty(value)?, b"\n".to_vec()].concat(),
        })
    }

    /// Writes what [`Self::bytes`] gave.
    pub(crate) fn put(&self, bytes: &[u8]) -> io::Result<()> {
        atomic::replace(&self.record.path, bytes, T::DURABILITY)
    }

    /// Keeps the file under another name.
    pub(crate) fn set_aside(&self, fault: &Fault) -> io::Result<SetAside> {
        let Record { name, path, .. } = self.record;
        let mut aside = path.file_name().unwrap_or_default().to_owned();
        aside.push(format!(".bad-{}", clock::now().0));
        fs::rename(path, path.with_file_name(&aside))?;
        Ok(SetAside(format!("{name} was {fault}; it is kept as {}", aside.display())))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    struct Count {
        version: u32,
        count: u32,
    }

    impl Versioned for Count {
        const LAYOUT: Layout = Layout::Compact;
        const DURABILITY: Durability = Durability::Process;

        fn parse(text: &str) -> Result<Self, Unusable> {
            let count: Self =
                serde_json::from_str(text).map_err(|error| Unusable::Damaged(error.to_string()))?;
            engine_core::versioned::readable(count.version, 1).map(|()| count)
        }
    }

    fn record(folder: &Path) -> Record<Count> {
        Record::new("the count".to_owned(), folder.join("made/later/count.json"), lock::HOOK)
    }

    #[test]
    fn many_threads_that_change_it_at_once_lose_nothing() {
        // Nobody knows when a thread gets its turn.
        lock::wait_at_least(Duration::from_mins(10));
        let folder = tempfile::tempdir().unwrap();
        let record = record(folder.path());
        let add = || {
            for _ in 0..20 {
                let held = record.hold().unwrap();
                let (mut count, aside) = held.read_or_new().unwrap();
                count.count += 1;
                held.replace(&count).unwrap();
                assert_eq!(aside, None);
            }
        };
        std::thread::scope(|scope| (0..8).for_each(|_| drop(scope.spawn(add))));
        assert_eq!(record.peek().unwrap().unwrap().count, 160);
    }

    #[test]
    fn one_that_cannot_be_used_is_kept_under_another_name() {
        for (bytes, why) in [
            (&b"{\"version\":1"[..], "damaged (EOF while parsing an object at line 1 column 12)"),
            (b"\xff", "damaged (not UTF-8)"),
            (br#"{"version":2,"count":1}"#, "written by a newer engine (format 2, this one knows 1)"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let record = record(folder.path());
            let held = record.hold().unwrap();
            fs::write(record.path(), bytes).unwrap();
            let refused = held.existing(String::new).unwrap_err();
            assert_eq!(refused.to_string(), format!("the count is {why}"));
            let (count, aside) = held.read_or_new().unwrap();
            assert_eq!(count, Count::default());
            let SetAside(text) = aside.unwrap();
            let kept = text.strip_prefix(&format!("the count was {why}; it is kept as ")).unwrap();
            assert!(kept.starts_with("count.json.bad-"), "{kept}");
            assert_eq!(fs::read(record.path().with_file_name(kept)).unwrap(), bytes);
            assert!(!record.exists());
        }
    }

    #[test]
    fn what_cannot_be_read_is_not_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let record = record(folder.path());
        let held = record.hold().unwrap();
        fs::create_dir(record.path()).unwrap();
        assert!(held.read_or_new().is_err());
        assert!(held.existing(String::new).unwrap_err().to_string().starts_with("the count is unreadable ("));
        assert!(record.path().is_dir());
    }
}
