//! Reading files. A pipe or a device in the place of a file would block or never end, so it is refused:
//!
//! ```text
//! failed to open file `/p/.engine/policy.toml`: not a file
//! ```
//!
//! Every file of a project, a person or the client is opened here. What a person names on the command line may be a pipe.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use engine_core::view::Unread;
use engine_text::undecoded;
use rustix::fs::OFlags;

use crate::reason::{at, reason};

/// No file that a rule reads has any business being larger.
const READ_LIMIT: u64 = 4 << 20;

/// The text of a file of reasonable kind and size.
pub(crate) fn read_text(path: &Path) -> Result<String, Unread> {
    read_text_if(path, |_, _| Ok(()))
}

/// The same, if nothing speaks against the file that was opened.
pub(crate) fn read_text_if(
    path: &Path,
    check: impl FnOnce(&File, &Metadata) -> Result<(), String>,
) -> Result<String, Unread> {
    let (file, _) = checked(path, check)?;
    let mut text = String::new();
    file.take(READ_LIMIT).read_to_string(&mut text).map_err(|error| unread(&error))?;
    Ok(text)
}

/// The same of a file that may hold bytes that are not UTF-8: they are kept in the text, see [`undecoded`].
pub(crate) fn read_kept_if(
    path: &Path,
    check: impl FnOnce(&File, &Metadata) -> Result<(), String>,
) -> Result<String, Unread> {
    let (file, data) = checked(path, check)?;
    let mut bytes = Vec::with_capacity(usize::try_from(data.len()).unwrap_or_default());
    file.take(READ_LIMIT).read_to_end(&mut bytes).map_err(|error| unread(&error))?;
    Ok(undecoded::decode(bytes))
}

/// The last bytes of a file of any size, from the first whole line on, and whether that is all of it. What is not UTF-8 becomes a mark.
pub(crate) fn read_end_if(
    path: &Path,
    bytes: u64,
    check: impl FnOnce(&File, &Metadata) -> Result<(), String>,
) -> Result<(String, bool), Unread> {
    let (mut file, data) = opened(path).map_err(|error| unread(&error))?;
    if !data.is_file() {
        return Err(Unread::Unreadable(NO_FILE.into()));
    }
    check(&file, &data).map_err(Unread::Unreadable)?;
    let start = data.len().saturating_sub(bytes);
    let mut end = Vec::new();
    file.seek(SeekFrom::Start(start)).map_err(|error| unread(&error))?;
    file.take(bytes).read_to_end(&mut end).map_err(|error| unread(&error))?;
    let from = if start == 0 {
        0
    } else {
        end.iter().position(|byte| *byte == b'\n').map_or(end.len(), |at| at + 1)
    };
    Ok((String::from_utf8_lossy(&end[from..]).into_owned(), start == 0))
}

fn unread(error: &io::Error) -> Unread {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Unread::Missing,
        _ => Unread::Unreadable(reason(error)),
    }
}

fn checked(
    path: &Path,
    check: impl FnOnce(&File, &Metadata) -> Result<(), String>,
) -> Result<(File, Metadata), Unread> {
    let (file, data) = opened(path).map_err(|error| unread(&error))?;
    if !data.is_file() {
        return Err(Unread::Unreadable(NO_FILE.into()));
    }
    if data.len() > READ_LIMIT {
        return Err(Unread::Unreadable(format!("larger than {} MB", READ_LIMIT >> 20)));
    }
    check(&file, &data).map_err(Unread::Unreadable)?;
    Ok((file, data))
}

/// The first bytes of a file, as far as they are text; nothing if there is no such file.
pub(crate) fn read_beginning(path: &Path, bytes: usize) -> Option<String> {
    let (file, data) = opened(path).ok().filter(|(_, data)| data.is_file())?;
    let mut beginning = Vec::with_capacity(bytes.min(usize::try_from(data.len()).ok()?));
    file.take(bytes as u64).read_to_end(&mut beginning).ok()?;
    Some(String::from_utf8_lossy(&beginning).into_owned())
}

/// The files that git writes by itself and that hold one line: `.git` of a worktree, `commondir`, `HEAD`.
const SMALL_LIMIT: u64 = 16 << 10;

/// The text of a file of one line. In its place may lie anything, also a file of gigabytes.
pub(crate) fn read_small(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.take(SMALL_LIMIT + 1).read_to_string(&mut text)?;
    if text.len() as u64 > SMALL_LIMIT { Err(io::Error::other("larger than 16 KB")) } else { Ok(text) }
}

/// Opens a file to read it.
pub fn open(path: &Path) -> io::Result<fs_err::File> {
    let (file, _) = opened(path).map_err(at("open file", path))?;
    Ok(fs_err::File::from_parts(file, path))
}

/// The bytes of a file, however large.
pub fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let read = || {
        let (file, data) = opened(path)?;
        let mut bytes = Vec::with_capacity(usize::try_from(data.len()).unwrap_or_default());
        // A bare file is asked for its size again.
        file.take(u64::MAX).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|error: io::Error| match error.kind() {
        // Nothing to say about it, so nothing is built: a hook asks for files that are not there with most events.
        ErrorKind::NotFound => error,
        _ => at("read file", path)(error),
    })
}

/// The text of a file, however large.
pub fn read_string(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// What is in the place of a file, and would be waited for.
pub(crate) const NO_FILE: &str = "not a file";

/// A pipe is not waited for when it is opened. A folder is left to whoever reads: the system names it.
fn opened(path: &Path) -> io::Result<(File, Metadata)> {
    let nonblocking = i32::try_from(OFlags::NONBLOCK.bits()).map_err(io::Error::other)?;
    let file = File::options().read(true).custom_flags(nonblocking).open(path)?;
    let data = file.metadata()?;
    if data.is_file() || data.is_dir() { Ok((file, data)) } else { Err(io::Error::other(NO_FILE)) }
}

/// The text of a file; `None` if there is none.
pub(crate) fn read_if_there(path: &Path) -> io::Result<Option<String>> {
    match read_text(path) {
        Ok(text) => Ok(Some(text)),
        Err(Unread::Missing) => Ok(None),
        Err(Unread::Unreadable(why)) => Err(at("read file", path)(io::Error::other(why))),
    }
}
