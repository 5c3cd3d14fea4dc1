//! Tags of a file on disk, changed under a lock: of many who swap one tag, one wins.

use std::io;
use std::path::Path;

use crate::atomic::{self, Durability};
use crate::project::Project;
use crate::read::read_if_there;
use crate::reason::at;
use crate::{lock, log_file, task_file};

/// The text of a file that must be there.
pub fn read(path: &Path) -> io::Result<String> {
    let missing = || io::Error::new(io::ErrorKind::NotFound, "there is no such file");
    read_if_there(path)?.ok_or_else(|| at("read file", path)(missing()))
}

/// Changes the file. `change` gets the text as it is then, and gives the new one, if there is one.
pub fn edit<T, E: From<io::Error>>(
    project: &Project,
    path: &Path,
    change: impl FnOnce(&str) -> Result<(Option<String>, T), E>,
) -> Result<T, E> {
    let held = task_file::hold(project, lock::CROWD)?;
    read(path)?;
    // Whoever logs holds the file itself, and must not be overwritten.
    let appending = log_file::locked(path)?;
    let text = read(path)?;
    let (new, answer) = change(&text)?;
    if let Some(new) = new.filter(|new| *new != text) {
        atomic::replace(path, new.as_bytes(), Durability::Disk)?;
    }
    drop((appending, held));
    Ok(answer)
}
