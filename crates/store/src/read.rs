//! Reading whole files of bounded size.

use std::io::{self, ErrorKind, Read};
use std::path::Path;

use engine_core::view::Unread;
use fs_err as fs;
use fs_err::File;

use crate::reason::{at, reason};

/// No file that a rule reads has any business being larger.
const READ_LIMIT: u64 = 4 << 20;

/// The text of a file of reasonable kind and size.
pub(crate) fn read_text(path: &Path) -> Result<String, Unread> {
    let unreadable = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => Unread::Missing,
        _ => Unread::Unreadable(reason(&error)),
    };
    // A pipe or device would block or never end.
    let data = fs::metadata(path).map_err(unreadable)?;
    if !data.is_file() {
        return Err(Unread::Unreadable("not a file".into()));
    }
    if data.len() > READ_LIMIT {
        return Err(Unread::Unreadable(format!("larger than {} MB", READ_LIMIT >> 20)));
    }
    let mut text = String::new();
    File::open(path).and_then(|file| file.take(READ_LIMIT).read_to_string(&mut text)).map_err(unreadable)?;
    Ok(text)
}

/// The bytes of a file that a hook reads with most events. `fs_err::read` asks the system for the size twice.
pub(crate) fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| match error.kind() {
        // Nothing to say about it, so nothing is built.
        ErrorKind::NotFound => error,
        _ => at("read file", path)(error),
    })
}

/// The text of a file; `None` if there is none.
pub(crate) fn read_if_there(path: &Path) -> io::Result<Option<String>> {
    match read_text(path) {
        Ok(text) => Ok(Some(text)),
        Err(Unread::Missing) => Ok(None),
        Err(Unread::Unreadable(why)) => Err(at("read file", path)(io::Error::other(why))),
    }
}
