//! Reading whole files of bounded size.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use engine_core::view::Unread;

/// No file that a rule reads has any business being larger.
const READ_LIMIT: u64 = 4 << 20;

/// The text of a file of reasonable kind and size.
pub(crate) fn read_text(path: &Path) -> Result<String, Unread> {
    let unreadable = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => Unread::Missing,
        _ => Unread::Unreadable(error.to_string()),
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
