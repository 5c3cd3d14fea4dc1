//! A lock between processes. It ends with its holder, and every wait for one has a limit.
//!
//! The limits are here, side by side:
//!
//! | limit | for |
//! | --- | --- |
//! | [`HOOK`] | what hooks write with most events: journal, state of agent sessions |
//! | [`AUTO_COMMIT`] | one commit at a time; the client gives a hook ten seconds for everything |
//! | [`RARE`] | what hooks write rarely: tasks, work sessions, plans, the queue |
//! | [`CROWD`] | files that many agents append to at once: logs, tags, directives |
//! | [`FOR_A_COMMAND`] | anything, where a command waits and not a hook |

use std::fs::TryLockError;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fs_err::{File, OpenOptions};

use crate::inside;
use crate::project::Project;
use crate::read;
use crate::reason::at;
use crate::regular;

/// Longer than any holder needs, and too short to be noticed in an agent's tool call.
pub(crate) const HOOK: Duration = Duration::from_secs(1);
/// Calls that end together commit one after the other.
pub(crate) const AUTO_COMMIT: Duration = Duration::from_secs(4);
/// Twenty that start together each get their turn.
pub(crate) const RARE: Duration = Duration::from_secs(5);
/// Fifty agents that write at once each get their turn.
pub(crate) const CROWD: Duration = Duration::from_secs(10);

/// A lock that is taken is tried again after the first of these, then after twice as long, and at last in steps of the second.
const PAUSES: (Duration, Duration) = (Duration::from_micros(500), Duration::from_millis(8));

/// The least time that a command waits for any lock: among many that write at once, a refusal costs its caller more than the wait.
/// A hook does not wait so long: it holds up a tool call.
pub const FOR_A_COMMAND: Duration = Duration::from_secs(10);

/// In milliseconds.
static LEAST: AtomicU64 = AtomicU64::new(0);

/// Makes this process wait at least so long for any lock.
pub fn wait_at_least(least: Duration) {
    LEAST.store(u64::try_from(least.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
}

/// Opens the file, making it if need be, and locks it with the patience of a hook. Dropping the file unlocks.
pub fn hold(path: &Path) -> io::Result<File> {
    hold_within(path, HOOK)
}

/// Opens the file, making it if need be, and locks it.
pub(crate) fn hold_within(path: &Path, patience: Duration) -> io::Result<File> {
    inside::keeps_file(path)?;
    let file = regular::open(OpenOptions::new().create(true).truncate(false).write(true), path)?;
    acquire(&file, patience)?;
    Ok(file)
}

/// Locks a folder, and leaves no trace in it. Nothing where the disk locks no folders.
pub fn hold_folder(folder: &Path) -> io::Result<Option<File>> {
    let file = read::open(folder)?;
    match acquire(&file, RARE) {
        Ok(()) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::TimedOut => Err(error),
        Err(_) => Ok(None),
    }
}

/// The same in a folder for local state, which is made if it is missing.
pub(crate) fn hold_local(path: &Path, patience: Duration) -> io::Result<File> {
    match hold_within(path, patience) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Project::make_local(path.parent().unwrap_or(Path::new(".")))?;
            hold_within(path, patience)
        }
        held => held,
    }
}

/// Locks an open file, for as long as it stays open.
pub(crate) fn acquire(file: &File, patience: Duration) -> io::Result<()> {
    let least = Duration::from_millis(LEAST.load(Ordering::Relaxed));
    acquire_until(file, Instant::now() + patience.max(least))
}

/// Opens a file in a folder for local state and locks it by a deadline, which a command has too: the wait is part of a longer one
/// with a limit of its own.
pub(crate) fn hold_local_until(path: &Path, deadline: Instant) -> io::Result<File> {
    Project::make_local(path.parent().unwrap_or(Path::new(".")))?;
    let file = regular::open(OpenOptions::new().create(true).truncate(false).read(true).write(true), path)?;
    acquire_until(&file, deadline)?;
    Ok(file)
}

fn acquire_until(file: &File, deadline: Instant) -> io::Result<()> {
    let (mut pause, longest) = PAUSES;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(at("lock", file.path())(error)),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                let held = io::Error::new(io::ErrorKind::TimedOut, "another process holds the lock");
                return Err(at("lock", file.path())(held));
            }
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(longest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_held_by_one_and_nothing_is_left_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let held = hold_folder(folder.path()).unwrap();
        assert!(held.is_some());
        let other = File::open(folder.path()).unwrap();
        assert_eq!(acquire(&other, Duration::ZERO).unwrap_err().kind(), io::ErrorKind::TimedOut);
        drop(held);
        acquire(&other, Duration::ZERO).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_lock_is_held_by_one_and_let_go_with_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lock");
        std::fs::write(&path, "mine").unwrap();
        let held = hold(&path).unwrap();
        let refused = hold_within(&path, Duration::ZERO).unwrap_err();
        assert_eq!(
            (refused.kind(), refused.to_string()),
            (
                io::ErrorKind::TimedOut,
                format!("failed to lock `{}`: another process holds the lock", path.display())
            )
        );
        let other = File::open(&path).unwrap();
        assert_eq!(acquire(&other, Duration::ZERO).unwrap_err().kind(), io::ErrorKind::TimedOut);
        drop(held);
        acquire(&other, Duration::ZERO).unwrap();
        assert_eq!(hold_within(&path, Duration::ZERO).unwrap_err().kind(), io::ErrorKind::TimedOut);
        drop(other);
        hold_within(&path, Duration::ZERO).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"mine", "what is in the file is nobody's business");
    }

    #[test]
    fn a_lock_is_made_if_its_folder_is_there() {
        let folder = tempfile::tempdir().unwrap();
        drop(hold(&folder.path().join("new.lock")).unwrap());
        assert_eq!(std::fs::read(folder.path().join("new.lock")).unwrap(), b"");
        assert_eq!(hold(&folder.path().join("none/x.lock")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_lock_is_waited_for_and_not_without_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lock");
        let held = hold(&path).unwrap();
        let waited = |wait: &dyn Fn() -> io::Result<()>| {
            let start = Instant::now();
            (wait().unwrap_err().kind(), start.elapsed())
        };
        let (kind, time) = waited(&|| hold_within(&path, Duration::from_millis(30)).map(drop));
        assert!(kind == io::ErrorKind::TimedOut && time >= Duration::from_millis(30), "{kind} {time:?}");
        // Those who name no time wait for the usual one.
        let other = File::open(&path).unwrap();
        std::thread::scope(|scope| {
            let usual = |wait: &dyn Fn() -> io::Result<()>| {
                let (kind, time) = waited(wait);
                assert!(kind == io::ErrorKind::TimedOut && time >= HOOK, "{kind} {time:?}");
            };
            scope.spawn(move || usual(&|| acquire(&other, HOOK)));
            usual(&|| hold(&path).map(drop));
        });
        // Whoever waits gets it when it is let go.
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| hold_within(&path, Duration::from_mins(1)).map(drop));
            drop(held);
            waiting.join().unwrap().unwrap();
        });
    }
}
