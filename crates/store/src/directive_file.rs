//! Directive files on disk: made anew, changed under a lock, found.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use engine_core::directive::{FOLDER, Type};
use engine_core::work::name;
use fs_err as fs;
use fs_err::OpenOptions;

use crate::atomic::Durability;
use crate::project::{self, Project};
use crate::{lock, regular, task_file, told, walk};

/// Makes a file that must not be there yet, and its folder.
pub fn make(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = regular::open(OpenOptions::new().write(true).create_new(true), path)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}

/// The text of a file; nothing if there is none.
pub fn read(project: &Project, path: &Path) -> io::Result<Option<String>> {
    told::read_if_there(project.root(), path)
}

/// Changes a file. `change` gets the text as it is then, nothing if there is none, and gives the new one.
pub fn edit<T, E: From<io::Error>>(
    project: &Project,
    path: &Path,
    change: impl FnOnce(Option<&str>) -> Result<(String, T), E>,
) -> Result<T, E> {
    let held = task_file::hold(project, lock::CROWD)?;
    let text = read(project, path)?;
    let (new, answer) = change(text.as_deref())?;
    if text.as_ref() != Some(&new) {
        told::replace(project.root(), path, new.as_bytes(), Durability::Disk)?;
    }
    drop(held);
    Ok(answer)
}

/// The folders of a project that have directive files, from the root, in the order of their names. Those of `skipped` names and the
/// work sessions are not looked into where they lie at the root: there are the most files, and no directives.
pub fn folders(root: &Path, skipped: impl Fn(&Path) -> bool) -> walk::Walked {
    let not_ours = [name::FOLDER, project::FOLDER];
    let entries = fs::read_dir(root).into_iter().flatten().flatten().map(|entry| entry.path());
    let starts: Vec<PathBuf> = entries
        .filter(|path| path.is_dir() && !skipped(path))
        .filter(|path| path.file_name().is_none_or(|name| !not_ours.iter().any(|other| name == *other)))
        .collect();
    let mut walked = walk::files(&starts, usize::MAX, is_directive);
    let mut folders: Vec<PathBuf> =
        walked.files.iter().filter_map(|file| Some(file.parent()?.parent()?.to_owned())).collect();
    folders.sort();
    folders.dedup();
    walked.files = folders;
    walked
}

pub(crate) fn is_directive(path: &Path) -> bool {
    let is_in = path.parent().and_then(Path::file_name).is_some_and(|folder| folder == FOLDER);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    is_in && Type::find(&name).is_some_and(|kind| kind.file() == name)
}
