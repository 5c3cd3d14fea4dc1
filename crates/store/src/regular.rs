//! Opening files to write. A pipe in the place of a file would wait for a reader, so it is refused, as [`crate::read`] refuses it:
//!
//! ```text
//! failed to open file `/p/.engine/state/journal/2026-02-07.jsonl`: not a file
//! ```
//!
//! Every file that a hook writes is opened here or made anew by [`crate::atomic`].

use std::io::{self, Write};
use std::path::Path;

use fs_err::os::unix::fs::OpenOptionsExt;
use fs_err::{File, OpenOptions};
use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::read::NO_FILE;
use crate::reason::at;

/// Opens a file as the options say. Nothing is waited for.
pub(crate) fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    open_with(options, OFlags::NONBLOCK, path)
}

/// The same, where a link in the place of the file is not followed.
pub(crate) fn open_itself(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    open_with(options, OFlags::NONBLOCK | OFlags::NOFOLLOW, path)
}

fn open_with(options: &mut OpenOptions, flags: OFlags, path: &Path) -> io::Result<File> {
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    let no_file = || at("open file", path)(io::Error::other(NO_FILE));
    let file = options.custom_flags(flags).open(path).map_err(|error| {
        // A pipe without a reader, a socket.
        let is_pipe = error.raw_os_error() == Some(Errno::NXIO.raw_os_error());
        if is_pipe { no_file() } else { error }
    })?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(no_file()) }
}

/// Writes a file, in place of what it holds.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    create(path)?.write_all(bytes)
}

/// Opens a file that is empty then.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    open(OpenOptions::new().write(true).create(true).truncate(true), path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn only_a_file_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("folder")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), rustix::fs::Mode::RWXU).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("zero")).unwrap();
        let _socket = UnixListener::bind(at("socket")).unwrap();
        for name in ["folder", "pipe", "zero", "socket"] {
            assert!(write(&at(name), b"x").is_err(), "{name}");
            let mut appending = OpenOptions::new();
            appending.read(true).append(true).create(true);
            assert!(open(&mut appending, &at(name)).is_err(), "{name}");
        }
        write(&at("file"), b"one").unwrap();
        write(&at("file"), b"2").unwrap();
        assert_eq!(std::fs::read(at("file")).unwrap(), b"2");
    }
}
