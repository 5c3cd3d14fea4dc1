//! A lock between processes. It ends with its holder, and every wait for one has a limit.
//!
//! The limits are here, side by side:
//!
//! | limit | for |
//! | --- | --- |
//! | [`HOOK`] | what hooks write with most events: journal, state of agent sessions, task file |
//! | [`AUTO_COMMIT`] | one commit at a time; the client gives a hook ten seconds for everything |
//! | [`COMMAND`] | what commands write and hooks write rarely: work sessions, plans, the queue |
//! | [`CROWD`] | files that many agents append to at once: logs, tags, directives |

use std::fs::TryLockError;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use fs_err::{File, OpenOptions};

use crate::project::Project;
use crate::reason::at;

/// Longer than any holder needs, and too short to be noticed in an agent's tool call.
pub(crate) const HOOK: Duration = Duration::from_secs(1);
/// Two calls that end together commit one after the other.
pub(crate) const AUTO_COMMIT: Duration = Duration::from_secs(2);
/// Twenty commands that start together each get their turn.
pub(crate) const COMMAND: Duration = Duration::from_secs(5);
/// Fifty agents that write at once each get their turn.
pub(crate) const CROWD: Duration = Duration::from_secs(10);

/// How often a lock that is taken is tried again.
const PAUSE: Duration = Duration::from_micros(500);

/// Opens the file, making it if need be, and locks it with the patience of a hook. Dropping the file unlocks.
pub fn hold(path: &Path) -> io::Result<File> {
    hold_within(path, HOOK)
}

/// Opens the file, making it if need be, and locks it.
pub(crate) fn hold_within(path: &Path, patience: Duration) -> io::Result<File> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    acquire(&file, patience)?;
    Ok(file)
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
    let deadline = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(at("lock", file.path())(error)),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                let held = io::Error::new(io::ErrorKind::TimedOut, "another process holds the lock");
                return Err(at("lock", file.path())(held));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
}
