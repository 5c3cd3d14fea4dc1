//! A lock between processes that dies with its holder and is never waited for without end.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Longer than any honest holder needs, shorter than anyone would notice in an agent's tool call.
pub(crate) const PATIENCE: Duration = Duration::from_secs(1);

/// A command may wait for its turn among many that write at once: a refusal costs its caller more than the wait.
const FOR_A_COMMAND: Duration = Duration::from_secs(10);

static IS_COMMAND: AtomicBool = AtomicBool::new(false);

/// Makes this process wait for locks as a command does. A hook does not: it holds up a tool call.
pub fn wait_as_a_command() {
    IS_COMMAND.store(true, Ordering::Relaxed);
}

/// Opens the file, making it if need be, and locks it. Dropping the file unlocks.
pub fn hold(path: &Path) -> io::Result<File> {
    hold_within(path, PATIENCE)
}

/// The same for those who can wait.
pub fn hold_within(path: &Path, patience: Duration) -> io::Result<File> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    acquire_within(&file, patience)?;
    Ok(file)
}

/// Locks an open file, for as long as it stays open.
pub fn acquire(file: &File) -> io::Result<()> {
    acquire_within(file, PATIENCE)
}

/// The same for those who can wait.
pub fn acquire_within(file: &File, patience: Duration) -> io::Result<()> {
    let least = if IS_COMMAND.load(Ordering::Relaxed) { FOR_A_COMMAND } else { Duration::ZERO };
    let deadline = Instant::now() + patience.max(least);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "another process holds the lock"));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_micros(500)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_by_one_and_let_go_with_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lock");
        std::fs::write(&path, "mine").unwrap();
        let held = hold(&path).unwrap();
        let refused = hold_within(&path, Duration::ZERO).unwrap_err();
        assert_eq!(
            (refused.kind(), refused.to_string()),
            (io::ErrorKind::TimedOut, "another process holds the lock".into())
        );
        let other = File::open(&path).unwrap();
        assert_eq!(acquire_within(&other, Duration::ZERO).unwrap_err().kind(), io::ErrorKind::TimedOut);
        drop(held);
        acquire_within(&other, Duration::ZERO).unwrap();
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
                assert!(kind == io::ErrorKind::TimedOut && time >= PATIENCE, "{kind} {time:?}");
            };
            scope.spawn(move || usual(&|| acquire(&other)));
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
