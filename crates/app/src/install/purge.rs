//! `uninstall --purge`: what of `.engine/` goes, and what stays because a person wrote it.
//!
//! State and journal are the engine's, and so is a configuration that nobody has changed. All else was written by somebody: context files,
//! the queue, notes, the policy. It goes only if the last commit has it exactly as it is, or with `--purge=all`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{io, thread};

use engine_claude::install::FileChange;
use engine_store::project::Project;
use engine_store::read::read_bytes;
use engine_store::unsaved;
use fs_err as fs;

use crate::error::CommandError;

/// How much of `.engine/` goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purge {
    /// Nothing but what was installed.
    No,
    /// What the engine wrote, and what git has.
    Ours,
    All,
}

impl Purge {
    /// What a person is asked for.
    pub(super) fn deed(self) -> &'static str {
        match self {
            Self::No => "uninstall engine",
            Self::Ours => "uninstall engine, with its configuration and journal",
            Self::All => "uninstall engine, with all that is in .engine/",
        }
    }
}

/// What of `.engine/` goes.
#[derive(Debug, Default)]
pub struct Purged {
    purge: Option<Purge>,
    /// Whether there is an `.engine/` of which something goes.
    pub is_any: bool,
    /// Somebody's words that stay: paths from the root.
    pub words: Vec<PathBuf>,
    /// Somebody's words that go, because git has them.
    pub saved: Vec<PathBuf>,
}

impl Purged {
    pub fn is_asked_for(&self) -> bool {
        self.purge.is_some()
    }
}

/// What engine writes of itself, below `.engine/`.
const STATE: &str = "state";
const JOURNAL: &str = "journal";
/// It keeps a folder out of git, and is made with it.
const IGNORE: &str = ".gitignore";

/// Plans it, for after these changes were carried out.
pub(super) fn plan(project: &Project, purge: Purge, changes: &[FileChange]) -> Purged {
    let folder = project.folder();
    if purge == Purge::No || !folder.is_dir() {
        return Purged::default();
    }
    let purged = Purged { purge: Some(purge), is_any: true, ..Purged::default() };
    if purge == Purge::All || folder.is_symlink() {
        return purged;
    }
    let saved = unsaved::saved(project.root());
    let goes = |path: &Path| changes.iter().any(|change| change.path == path && change.after.is_none());
    let (mut kept, mut gone) = (Vec::new(), Vec::new());
    let mut is_any = false;
    for path in files(&folder) {
        let shown = path.strip_prefix(project.root()).unwrap_or(&path).to_owned();
        match path.strip_prefix(&folder) {
            Ok(name) if is_engines(name, &path) || goes(&path) => is_any = true,
            _ if saved.contains(shown.to_string_lossy().as_ref()) => gone.push(shown),
            _ => kept.push(shown),
        }
    }
    Purged { is_any: is_any || !gone.is_empty() || kept.is_empty(), words: kept, saved: gone, ..purged }
}

/// Carries it out. Words that were written since stay, too.
pub(super) fn carry_out(project: &Project, purged: &Purged) -> Result<(), CommandError> {
    let folder = project.folder();
    if purged.purge.is_none() || !folder.is_dir() {
        return Ok(());
    }
    if folder.is_symlink() {
        // What it leads to may belong to another project.
        return Ok(fs::remove_file(&folder)?);
    }
    if purged.purge == Some(Purge::All) {
        return Ok(again(|| fs::remove_dir_all(&folder))?);
    }
    let saved: BTreeSet<PathBuf> = purged.saved.iter().map(|path| project.root().join(path)).collect();
    again(|| {
        let files = files(&folder);
        let is_ours = |path: &PathBuf| {
            saved.contains(path) || path.strip_prefix(&folder).is_ok_and(|name| is_engines(name, path))
        };
        let (ours, words): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(is_ours);
        for path in ours {
            // It hides words that stay.
            let hides = |word: &PathBuf| {
                path.ends_with(IGNORE) && path.parent().is_some_and(|up| word.starts_with(up))
            };
            if !words.iter().any(hides) {
                fs::remove_file(&path)?;
            }
        }
        remove_empty(&folder)
    })?;
    Ok(())
}

/// Whether the engine has never worked here.
pub(super) fn is_untouched(project: &Project) -> bool {
    ![STATE, JOURNAL].iter().any(|name| project.folder().join(name).exists())
}

/// Whether no file is left in the folder after these changes where the engine has never worked.
pub(super) fn leaves_no_folder(project: &Project, changes: &[FileChange]) -> bool {
    let goes = |path: &PathBuf| changes.iter().any(|change| change.path == *path && change.after.is_none());
    is_untouched(project) && !project.folder().is_symlink() && files(&project.folder()).iter().all(goes)
}

/// Takes away what the removal itself has made where the engine never worked: its lock, and its line in the journal.
pub(super) fn leave_no_trace(project: &Project) -> io::Result<()> {
    let folder = project.folder();
    if folder.is_symlink() || !folder.is_dir() {
        return Ok(());
    }
    for name in [STATE, JOURNAL] {
        let path = folder.join(name);
        if path.is_dir() && !path.is_symlink() {
            again(|| fs::remove_dir_all(&path))?;
        }
    }
    let _ = fs::remove_dir(&folder);
    Ok(())
}

/// Whether the engine wrote a file of its folder.
fn is_engines(name: &Path, path: &Path) -> bool {
    let first = name.components().next().map(std::path::Component::as_os_str);
    let is_journal = || {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        [".jsonl", ".lock", ".tmp"].iter().any(|end| name.ends_with(end)) || name.contains(".jsonl.")
    };
    let is_empty = || path.symlink_metadata().is_ok_and(|data| data.is_file() && data.len() == 0);
    let hides = || path.ends_with(IGNORE) && read_bytes(path).is_ok_and(|bytes| bytes == b"*\n");
    first.is_some_and(|first| first == STATE || (first == JOURNAL && is_journal())) || hides() || is_empty()
}

/// The files and links below a folder. A link is not followed.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder { &mut folders } else { &mut found }.push(entry.path());
        }
    }
    found.sort();
    found
}

/// Removes the folders that hold nothing but folders.
fn remove_empty(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove_empty(&entry.path())?;
        }
    }
    if fs::read_dir(folder)?.next().is_none() { fs::remove_dir(folder) } else { Ok(()) }
}

/// A session that still runs may write into a folder while it is removed.
fn again(mut remove: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    for _ in 0..5 {
        match remove() {
            Err(error) if matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty) => {
                thread::sleep(Duration::from_millis(50));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            done => return done,
        }
    }
    remove()
}
