//! Files of the project that come into a model's context or are written for a person: one reader and one writer. Both refuse what
//! [`crate::inside`] refuses, and name what, where and what to do instead:
//!
//! ```text
//! .engine/context/CORE.md: it is a link that leads out of the project; put a file of its own in its place
//! ```
//!
//! | file | read | written |
//! | --- | --- | --- |
//! | `.engine/context/*` | rule inject | |
//! | `session.md`, `learnings.md` | `task_file` | `task_file` |
//! | directives | rule directives, `directive_file` | `directive_file` |
//! | logs, plans and dialogue of work sessions | rule restore, review of directives | `commit` |
//! | files with tags | | `tag_file` |
//! | items of the queue | `queue_file` | `queue_file` |
//! | notes | `note_file` | `note_file` |
//! | pages of plans | | `plan_file` |
//! | presets in `.engine/workflows/` | `app::plan::presets` | |
//! | `.engine/config.toml`, `.engine/policy.toml` and its tests | `config_file`, `policy_file` | `config_file` |
//!
//! The engine's state is only kept from being written elsewhere (`inside::keeps`). What a rule reads to judge a call is not injected,
//! and the client's settings files may be links: both are read by [`crate::read`].

use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use engine_core::view::{Told, Unread};

use crate::atomic::{self, Durability};
use crate::inside::{has_other_names, project_of, refusal};
use crate::links::resolve;
use crate::read::{read_end_if, read_kept_if, read_text_if};
use crate::reason::at;

/// What the person should know about a file that something else may be able to change.
const OTHER_NAMES: &str = "it is a hard link: whoever writes to its other name changes it";

/// The text of a file below the project's root.
pub fn read(root: &Path, path: &Path) -> Result<Told, Unread> {
    let mut remark = None;
    let text = read_text_if(path, |file, data| checked(root, path, file, data, &mut remark))?;
    Ok(Told { text, remark })
}

/// The same of a file that may hold bytes that are not UTF-8: they are kept in the text.
pub fn read_kept(root: &Path, path: &Path) -> Result<Told, Unread> {
    let mut remark = None;
    let text = read_kept_if(path, |file, data| checked(root, path, file, data, &mut remark))?;
    Ok(Told { text, remark })
}

/// The end of a file that may be long, and whether that is all of it.
pub fn read_end(root: &Path, path: &Path, bytes: u64) -> Result<(String, bool), Unread> {
    read_end_if(path, bytes, |file, data| checked(root, path, file, data, &mut None))
}

/// Why a file that was opened is not read, and what there is to say about it.
fn checked(
    root: &Path,
    path: &Path,
    file: &File,
    data: &Metadata,
    remark: &mut Option<&'static str>,
) -> Result<(), String> {
    let why = refusal(root, path, &real_path(file, path), Some(data));
    *remark = has_other_names(data).then_some(OTHER_NAMES);
    why.map_or(Ok(()), Err)
}

/// The text of a file below the project's root; `None` if there is none.
pub fn read_if_there(root: &Path, path: &Path) -> io::Result<Option<String>> {
    if_there(read(root, path), path)
}

/// The same of a file that may hold bytes that are not UTF-8.
pub fn read_kept_if_there(root: &Path, path: &Path) -> io::Result<Option<String>> {
    if_there(read_kept(root, path), path)
}

fn if_there(told: Result<Told, Unread>, path: &Path) -> io::Result<Option<String>> {
    match told {
        Ok(told) => Ok(Some(told.text)),
        Err(Unread::Missing) => Ok(None),
        Err(Unread::Unreadable(why)) => Err(at("read file", path)(io::Error::other(why))),
    }
}

/// The same for a file that may be the person's own: one that lies in no `.engine/` is read wherever it leads.
pub(crate) fn read_own(path: &Path) -> Result<String, Unread> {
    match project_of(path) {
        Some(root) => read(root, path).map(|told| told.text),
        None => crate::read::read_text(path),
    }
}

/// Puts a text in the place of a file below the project's root. Its folder is made. The other names of a hard link keep the old text.
pub fn replace(root: &Path, path: &Path, bytes: &[u8], durability: Durability) -> io::Result<()> {
    may_write(root, path)?;
    if let Some(folder) = path.parent().filter(|folder| !folder.is_dir()) {
        fs_err::create_dir_all(folder)?;
    }
    atomic::replace(path, bytes, durability)
}

/// Refuses a file below the project's root that is not to be written.
pub fn may_write(root: &Path, path: &Path) -> io::Result<()> {
    let real = resolve(path);
    let why = refusal(root, path, &real, fs::metadata(&real).ok().as_ref());
    why.map_or(Ok(()), |why| Err(at("write file", path)(io::Error::other(why))))
}

/// The same for a file that may be the person's own.
pub(crate) fn may_write_own(path: &Path) -> io::Result<()> {
    project_of(path).map_or(Ok(()), |root| may_write(root, path))
}

/// The path of the file that was opened: what the name leads to may have changed since.
fn real_path(file: &File, path: &Path) -> PathBuf {
    let real = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok();
    let Some(real) = real.filter(|real| real.is_absolute()) else { return resolve(path) };
    // So the system names a file that was replaced just now.
    let replaced = real.to_str().and_then(|real| real.strip_suffix(" (deleted)")).map(PathBuf::from);
    replaced.unwrap_or(real)
}
