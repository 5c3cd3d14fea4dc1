//! Notes on disk: a file per note in `.engine/memory/`, and the person's own in their configuration folder.
//!
//! Whoever changes notes does it under a lock, by one file at a time, so that a kill leaves the old state or the new one. A note that is
//! dropped, or written over, goes to the folder `dropped/` beside it: nothing that somebody wanted to be remembered is deleted.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use engine_core::note::{Entry, Kind, NO_SLUG, Note, Notes, PERSON, Place, is_same, is_slug, slug};
use engine_core::view::Unread;
use engine_text::stamp::Stamp;
use fs_err as fs;

use crate::atomic::{self, Durability};
use crate::git;
use crate::inside;
use crate::lock;
use crate::places;
use crate::project::Project;
use crate::read;
use crate::reason::at;
use crate::told;
use crate::trust;

/// The folder for what is not told any more.
const DROPPED: &str = "dropped";
const END: &str = "md";
/// More notes of a place are not read: nobody looks after so many, and each start of a session reads them.
pub const MOST: usize = 500;
/// A larger file is no note, in bytes.
const LARGEST: u64 = 64 * 1024;
/// So many digits name a commit in any repository that people work in.
const COMMIT: usize = 12;

/// What became of a note that was to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Added {
    /// Its slug.
    New(String),
    /// A note with the same text: its id.
    Same(String),
}

/// Where notes are kept. The person has no place without a home folder.
pub fn folder(project: &Project, place: Place) -> Option<PathBuf> {
    match place {
        Place::Project => Some(project.memory_folder()),
        Place::Person => places::user_memory(),
    }
}

/// The file of a note.
pub fn path(project: &Project, place: Place, slug: &str) -> PathBuf {
    folder(project, place).unwrap_or_default().join(format!("{slug}.{END}"))
}

/// All notes, and what is wrong with files that are none.
pub fn load(project: &Project) -> io::Result<Notes> {
    let mut entries = of_place(project, Place::Project)?;
    // What is wrong in another folder of the person does not keep the project's notes from being told.
    entries.extend(of_place(project, Place::Person).unwrap_or_default());
    Ok(Notes::new(entries))
}

/// Whether there is no file that could be a note.
pub(crate) fn is_empty(project: &Project) -> bool {
    let folders = [Place::Project, Place::Person].into_iter().filter_map(|place| folder(project, place));
    folders.into_iter().all(|folder| files(&folder).is_ok_and(|files| files.is_empty()))
}

fn of_place(project: &Project, place: Place) -> io::Result<Vec<Entry>> {
    let Some(folder) = folder(project, place) else { return Ok(Vec::new()) };
    let mut files = files(&folder)?;
    files.sort();
    let mut entries = Vec::new();
    let mut count = 0;
    for path in files {
        let Some(slug) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        let mut entry = |note| entries.push(Entry { place, slug: slug.to_owned(), note });
        if !is_slug(slug) {
            entry(Err(NO_SLUG.to_owned()));
        } else if count == MOST {
            entry(Err(format!("not read: only the first {MOST} notes of a folder are")));
        } else if let Some(text) = text_of(project, place, &path).transpose() {
            count += 1;
            entry(text.and_then(|text| Note::read(&text)));
        }
    }
    Ok(entries)
}

/// Whether no more notes of a place would be read.
pub fn is_full(notes: &Notes, place: Place) -> bool {
    notes.notes().filter(|(entry, _)| entry.place == place).count() >= MOST
}

/// The Markdown files of a folder; a folder that is not there has none.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let listed = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        listed => listed?,
    };
    let paths = listed.map(|file| file.map(|file| file.path()));
    let is_note = |path: &PathBuf| path.extension().is_some_and(|end| end == END);
    paths.filter(|path| path.as_ref().map_or(true, is_note)).collect()
}

/// The text of a file, nothing if it is gone by now, or why it has none. A link is not followed: what it leads to is not a note's to
/// change.
fn text_of(project: &Project, place: Place, path: &Path) -> Result<Option<String>, String> {
    if path.is_symlink() {
        return Err("a symbolic link, not a file".into());
    }
    if path.metadata().is_ok_and(|data| data.len() > LARGEST) {
        return Err(format!("larger than {} kB", LARGEST / 1024));
    }
    let text = match place {
        Place::Project => told::read(project.root(), path).map(|told| told.text),
        Place::Person => read::read_text(path),
    };
    match text {
        Ok(text) => Ok(Some(text)),
        Err(Unread::Missing) => Ok(None),
        Err(Unread::Unreadable(why)) => Err(why),
    }
}

/// The text of a note's file.
pub fn text(project: &Project, place: Place, slug: &str) -> io::Result<String> {
    let path = path(project, place, slug);
    let found =
        text_of(project, place, &path).map_err(|why| at("read file", &path)(io::Error::other(why)))?;
    found.ok_or_else(|| at("read file", &path)(ErrorKind::NotFound.into()))
}

/// Keeps what a person typed, unless the same text is there.
pub fn remember(project: &Project, kind: Kind, text: &str, now: Stamp) -> io::Result<Added> {
    add(project, &of_person(project, kind, text, now), trust::is_trusted(project))
}

fn of_person(project: &Project, kind: Kind, text: &str, now: Stamp) -> Note {
    Note {
        kind,
        scope: Vec::new(),
        source: Some(PERSON.to_owned()),
        created: now.rfc3339(),
        checked: commit(project),
        supersedes: Vec::new(),
        text: text.to_owned(),
    }
}

/// The commit that is checked out, as notes name it.
pub fn commit(project: &Project) -> Option<String> {
    git::head(project.root()).map(|head| head.chars().take(COMMIT).collect())
}

/// Adds a note, unless the same text is there. What a clone brought is not told before it is trusted, so it does not take the place of
/// what a person says.
fn add(project: &Project, note: &Note, is_trusted: bool) -> io::Result<Added> {
    let held = hold(project, Place::Project)?;
    let notes = held.notes()?;
    let mut beside = notes.live().filter(|(entry, _)| is_trusted && entry.place == Place::Project);
    if let Some((same, _)) = beside.find(|(_, old)| is_same(&old.text, &note.text)) {
        return Ok(Added::Same(same.id()));
    }
    held.create(note).map(Added::New)
}

/// The notes of one place, while nobody else changes them.
pub struct Held<'p> {
    project: &'p Project,
    place: Place,
    folder: PathBuf,
    _locks: Vec<fs::File>,
}

/// Keeps others from changing notes for as long as the value is there.
pub fn hold(project: &Project, place: Place) -> io::Result<Held<'_>> {
    let folder = folder(project, place).ok_or_else(|| io::Error::other("no home folder: HOME is not set"))?;
    let locks = match place {
        Place::Project => {
            inside::keeps(&folder)?;
            vec![lock::hold_local(&project.own_state_folder().join("notes.lock"), lock::RARE)?]
        }
        Place::Person => {
            fs::create_dir_all(&folder)?;
            lock::hold_folder(&folder)?.into_iter().collect()
        }
    };
    for swept in [&folder, &folder.join(DROPPED)] {
        atomic::sweep_folder(swept);
    }
    Ok(Held { project, place, folder, _locks: locks })
}

impl Held<'_> {
    pub fn notes(&self) -> io::Result<Notes> {
        load(self.project)
    }

    /// Makes a new file under the first name that is free, and gives its slug.
    pub fn create(&self, note: &Note) -> io::Result<String> {
        let name = |taken| self.folder.join(format!("{}.{END}", slug(&note.text, taken)));
        let text = note.render();
        let taken = self.written(&self.folder, || atomic::create(name, text.as_bytes(), Durability::Soon))?;
        Ok(slug(&note.text, taken))
    }

    /// Puts a text in the place of a note's.
    pub fn replace(&self, slug: &str, text: &str) -> io::Result<()> {
        let path = path(self.project, self.place, slug);
        match self.place {
            Place::Project => told::replace(self.project.root(), &path, text.as_bytes(), Durability::Disk),
            Place::Person => atomic::replace(&path, text.as_bytes(), Durability::Disk),
        }
    }

    /// Keeps a copy of a note among those that were dropped, with the reason.
    pub fn keep_copy(&self, slug: &str, why: &str, now: Stamp) -> io::Result<PathBuf> {
        let text = text(self.project, self.place, slug)?;
        let text = Note::dropped(&text, &now.rfc3339(), why);
        let folder = self.folder.join(DROPPED);
        let name = |taken| dropped(&folder, slug, taken);
        let write = || atomic::create(name, text.as_bytes(), Durability::Disk);
        self.written(&folder, write).map(name)
    }

    /// Puts a note away. A file that cannot be read goes as it is. Where it is now comes back.
    pub fn put_away(&self, slug: &str, why: &str, now: Stamp) -> io::Result<PathBuf> {
        let path = path(self.project, self.place, slug);
        if text_of(self.project, self.place, &path).is_ok() {
            let kept = self.keep_copy(slug, why, now)?;
            fs::remove_file(&path)?;
            return Ok(kept);
        }
        let folder = self.folder.join(DROPPED);
        inside::keeps(&folder)?;
        fs::create_dir_all(&folder)?;
        let mut taken = 0;
        while dropped(&folder, slug, taken).symlink_metadata().is_ok() {
            taken += 1;
        }
        let kept = dropped(&folder, slug, taken);
        fs::rename(&path, &kept)?;
        Ok(kept)
    }

    /// Writes into a folder, which is made if it is missing.
    fn written<T>(&self, folder: &Path, write: impl Fn() -> io::Result<T>) -> io::Result<T> {
        match write() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if self.place == Place::Project {
                    inside::keeps(folder)?;
                }
                fs::create_dir_all(folder)?;
                write()
            }
            written => written,
        }
    }
}

fn dropped(folder: &Path, slug: &str, taken: usize) -> PathBuf {
    let again = if taken == 0 { String::new() } else { format!("-{}", taken + 1) };
    folder.join(format!("{slug}{again}.{END}"))
}

#[cfg(test)]
mod tests;
