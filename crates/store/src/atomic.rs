//! Replacing a file so that a reader sees the old bytes or the new ones, never a part.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::live_view::resolve;

/// How much the loss of the newest bytes in a power cut would matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// State that can be made anew: a crash of the process loses nothing, a power cut may. A new file is for its owner
    /// only: state holds what was typed, and copies of settings may hold keys.
    Process,
    /// The person's own files.
    Disk,
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

/// A new file, there as a whole or not at all. Of several who make it at once one does; the others are told that it exists.
pub fn create(path: &Path, bytes: &[u8], durability: Durability) -> io::Result<()> {
    let temporary = beside(path);
    let made =
        write_new(&temporary, bytes, durability).and_then(|()| match fs::hard_link(&temporary, path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            // A file system without links cannot tell who was first, but what is there stays.
            Err(_) if path.exists() => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(&temporary, path),
            Ok(()) => Ok(()),
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
