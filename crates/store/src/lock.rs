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
