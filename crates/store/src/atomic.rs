//! Replacing a file so that a reader sees the old bytes or the new ones, never a part.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::links::resolve;

/// How much the loss of the newest bytes in a power cut would matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// State that can be made anew: a crash of the process loses nothing, a power cut may. A new file is for its owner
    /// only: state holds what was typed, and copies of settings may hold keys.
    Process,
    /// The person's own files.
    Disk,
    /// A person's own file that they wait for: a busy disk would take longer than they do. The system writes it within seconds.
    Soon,
}

/// Writes beside the file, then renames. The old file's permissions and, through a symbolic link, its place
/// are kept. A failure leaves no temporary file.
pub fn replace(path: &Path, bytes: &[u8], durability: Durability) -> io::Result<()> {
    let target = followed(path);
    let temporary = beside(&target);
    let written = write_new(&temporary, bytes, durability).and_then(|()| {
        if let Ok(old) = fs::metadata(&target) {
            fs::set_permissions(&temporary, old.permissions())?;
        }
        fs::rename(&temporary, &target)
    });
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Makes a new file under the first name that is free, there as a whole or not at all, and tells how many names were taken.
/// Of several who make one at once each gets a name of its own.
pub fn create(name: impl Fn(usize) -> PathBuf, bytes: &[u8], durability: Durability) -> io::Result<usize> {
    let temporary = beside(&name(0));
    let made = write_new(&temporary, bytes, durability).and_then(|()| {
        let mut taken = 0;
        loop {
            let path = name(taken);
            match fs::hard_link(&temporary, &path) {
                Ok(()) => return Ok(taken),
                Err(_) if path.symlink_metadata().is_ok() => taken += 1,
                // A file system without links.
                Err(_) => return fs::rename(&temporary, &path).map(|()| taken),
            }
        }
    });
    let _ = fs::remove_file(&temporary);
    made
}

/// The file that a symbolic link stands for, also if it is not there yet; renaming over the link itself would replace
/// the link.
fn followed(path: &Path) -> PathBuf {
    if path.is_symlink() { resolve(path) } else { path.to_owned() }
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}

fn write_new(path: &Path, bytes: &[u8], durability: Durability) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    if durability == Durability::Process {
        own_only(&mut options);
    }
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    if durability == Durability::Disk {
        file.sync_all()?;
    }
    Ok(())
}

/// A new file is for its owner only: journal and state hold what was typed.
#[cfg(unix)]
pub(crate) fn own_only(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600);
}

#[cfg(not(unix))]
pub(crate) fn own_only(_: &mut OpenOptions) {}
