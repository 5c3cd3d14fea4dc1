//! The queue on disk: a file per item in `.engine/queue/`.
//!
//! A capture takes no lock and waits for nobody: its file is there as a whole or not at all. Changes of items are made
//! one after the other under a lock, each by replacing one file, so that a kill leaves the old state or the new one.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine_core::config::Config;
use engine_core::queue::{Capture, Entry, Item, LARGEST_FRAGMENT, Queue};
use engine_core::task::{State, TaskFile};
use engine_core::view::Unread;
use engine_text::stamp::Stamp;
use fs_err as fs;

use crate::atomic::{self, Durability};
use crate::git;
use crate::lock;
use crate::project::Project;
use crate::read::read_text;
use crate::reason::at;
use crate::task_file::{self, Owners};

/// A small repository answers in a few milliseconds; a huge one does not hold up a capture.
const FOR_GIT: Duration = Duration::from_millis(50);
/// What a killed writer left behind is nobody's any more.
const STRAY: Duration = Duration::from_mins(10);

/// What is to be captured.
#[derive(Debug, Default)]
pub struct Words<'a> {
    pub fragment: &'a str,
    pub title: Option<&'a str>,
    pub after: &'a [String],
    /// The agent session; nothing for a person.
    pub session: Option<&'a str>,
}

/// Writes a new item, with what is known at this moment, and gives its id.
pub fn capture(project: &Project, config: &Config, words: &Words<'_>, now: Stamp) -> io::Result<String> {
    let Words { fragment, title, after, session } = *words;
    if fragment.len() > LARGEST_FRAGMENT {
        return Err(io::Error::other(format!("the text is larger than {} MB", LARGEST_FRAGMENT >> 20)));
    }
    let capture = Capture {
        fragment,
        title,
        after,
        created: now,
        branch: git::branch(project.root()),
        session,
        task: task(project, config, session),
        files: git::recent_files(project.root(), FOR_GIT),
    };
    let text = capture.text();
    let name = |taken| path(project, &capture.id(taken));
    let write = || atomic::create(name, text.as_bytes(), Durability::Soon);
    let taken = match write() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            fs::create_dir_all(project.queue_folder())?;
            write()?
        }
        taken => taken?,
    };
    Ok(capture.id(taken))
}

/// The task in progress: the session's own, or any.
fn task(project: &Project, config: &Config, session: Option<&str>) -> Option<String> {
    let path = task_file::path(project, config);
    let text = task_file::read(&path).ok()?;
    let file = TaskFile::parse(&text);
    let running = || file.tasks().filter(|task| task.state == State::InProgress);
    let owners = Owners::load(project, &path);
    let own = running().find(|task| session.is_some() && owners.owner(&task.meta.name) == session);
    own.or_else(|| running().next()).map(|task| task.meta.name.clone())
}

/// The file of an item.
pub fn path(project: &Project, id: &str) -> PathBuf {
    project.queue_folder().join(format!("{id}.md"))
}

/// All items, and what is wrong with files that are none. A queue that is not there is empty.
pub fn load(project: &Project) -> io::Result<Queue> {
    let files = match fs::read_dir(project.queue_folder()) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Queue::default()),
        files => files?,
    };
    let mut entries = Vec::new();
    for file in files {
        let path = file?.path();
        let is_item = path.extension().is_some_and(|end| end == "md");
        let (true, Some(id)) = (is_item, path.file_stem().and_then(|stem| stem.to_str())) else { continue };
        if let Some(text) = text_of(&path).transpose() {
            entries.push(Entry { id: id.to_owned(), item: text.and_then(|text| Item::read(id, &text)) });
        }
    }
    Ok(Queue::new(entries))
}

/// The text of a file, nothing if it is gone by now, or why it has none. A link is not followed: what it leads to is
/// not the queue's to change.
fn text_of(path: &Path) -> Result<Option<String>, String> {
    if path.is_symlink() {
        return Err("a symbolic link, not a file".into());
    }
    match read_text(path) {
        Ok(text) => Ok(Some(text)),
        Err(Unread::Missing) => Ok(None),
        Err(Unread::Unreadable(why)) => Err(why),
    }
}

/// The text of an item.
pub fn text(project: &Project, id: &str) -> io::Result<String> {
    let path = path(project, id);
    let found = text_of(&path).map_err(|why| at("read file", &path)(io::Error::other(why)))?;
    found.ok_or_else(|| at("read file", &path)(ErrorKind::NotFound.into()))
}

/// Changes at most one item. `change` sees the queue as it is under the lock, and gives the id and the new text.
pub fn change<T, E: From<io::Error>>(
    project: &Project,
    change: impl FnOnce(&Queue) -> Result<(Option<(String, String)>, T), E>,
) -> Result<T, E> {
    let lock_file = project.state_folder().join("queue.lock");
    let held = lock::hold_local(&lock_file, lock::COMMAND)?;
    let folder = project.queue_folder();
    sweep(&folder);
    let (new, answer) = change(&load(project)?)?;
    if let Some((id, text)) = new {
        atomic::replace(&path(project, &id), text.as_bytes(), Durability::Disk)?;
    }
    drop(held);
    Ok(answer)
}

/// Removes what killed writers left.
fn sweep(folder: &Path) {
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_stray = file.path().extension().is_some_and(|end| end == atomic::TEMPORARY)
            && file
                .metadata()
                .and_then(|data| data.modified())
                .is_ok_and(|at| at.elapsed().is_ok_and(|age| age > STRAY));
        if is_stray {
            let _ = fs::remove_file(file.path());
        }
    }
}
