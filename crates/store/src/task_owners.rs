//! Who works on which task. Each worktree has a task file of its own, and all of them share this, so that a task is started in one of
//! them only.
//!
//! Kept are the session that took a task and the checkout in which it did. What became of the task is in the task file of that
//! checkout, which is read when another one asks.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use engine_core::status::Holder;
use engine_core::task::{State, Task, TaskFile};
use engine_core::versioned::{self, Unusable};
use serde::{Deserialize, Serialize};

use crate::atomic::Durability;
use crate::links::resolve;
use crate::lock;
use crate::project::Project;
use crate::record::{Layout, Record, Versioned};
use crate::session_file::SessionFile;
use crate::told;
use crate::worktree;

/// Who took a task, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Owner {
    /// A person has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    /// The root of the checkout.
    folder: PathBuf,
}

/// The owners as they are on disk: by the task file, from the root of its checkout, and by the name of the task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Book {
    version: u32,
    tasks: BTreeMap<PathBuf, BTreeMap<String, Owner>>,
}

/// The version that is written now.
const VERSION: u32 = 1;

impl Versioned for Book {
    const LAYOUT: Layout = Layout::Compact;
    const DURABILITY: Durability = Durability::Process;

    fn parse(text: &str) -> Result<Self, Unusable> {
        let book: Self = serde_json::from_str(text).map_err(|error| Unusable::Damaged(error.to_string()))?;
        versioned::readable(book.version, VERSION).map(|()| book)
    }
}

pub(crate) fn record(project: &Project) -> Record<Book> {
    Record::new("tasks.json".to_owned(), project.state_folder().join("tasks.json"), lock::RARE)
}

/// The states of the tasks of one checkout, by their names.
type States = BTreeMap<String, State>;

/// The owners of the tasks of one task file.
#[derive(Debug)]
pub struct Owners<'p> {
    project: &'p Project,
    /// From the root.
    file: PathBuf,
    root: PathBuf,
    book: Book,
    /// Task files of other checkouts that were looked at.
    seen: RefCell<BTreeMap<PathBuf, States>>,
}

impl<'p> Owners<'p> {
    pub fn load(project: &'p Project, file: &Path) -> Self {
        Self::of(project, file, record(project).peek().and_then(Result::ok).unwrap_or_default())
    }

    pub(crate) fn of(project: &'p Project, file: &Path, book: Book) -> Self {
        let root = project.checkout_of(file);
        let file = file.strip_prefix(root).unwrap_or(file).to_owned();
        Self { project, file, root: resolve(root), book, seen: RefCell::default() }
    }

    /// What is to be written.
    pub(crate) fn into_book(self) -> Book {
        Book { version: VERSION, ..self.book }
    }

    pub(crate) fn book(&self) -> &Book {
        &self.book
    }

    fn find(&self, task: &str) -> Option<&Owner> {
        self.book.tasks.get(&self.file)?.get(task)
    }

    /// Whether a session is noted for any task of this file.
    pub(crate) fn has(&self, session: &str) -> bool {
        let owners = self.book.tasks.get(&self.file);
        owners.is_some_and(|tasks| tasks.values().any(|owner| owner.session.as_deref() == Some(session)))
    }

    /// The session that took a task in this checkout.
    pub fn owner(&self, task: &str) -> Option<&str> {
        self.find(task).filter(|owner| owner.folder == self.root)?.session.as_deref()
    }

    /// Notes that a session works on a task, or a person.
    pub fn take(&mut self, task: &str, session: Option<&str>) {
        let owner = Owner { session: session.map(str::to_owned), folder: self.root.clone() };
        self.book.tasks.entry(self.file.clone()).or_default().insert(task.to_owned(), owner);
    }

    /// Notes that nobody works on a task in this checkout.
    pub fn release(&mut self, task: &str) {
        if self.find(task).is_some_and(|owner| owner.folder == self.root) {
            self.forget(task);
        }
    }

    /// Notes that a task is over in this checkout. Other worktrees may have it open for as long as the branches are not merged.
    pub fn end(&mut self, task: &str) {
        if !worktree::has_linked(self.project.main_root()) {
            self.release(task);
        } else if self.find(task).is_none() {
            self.take(task, None);
        }
    }

    fn forget(&mut self, task: &str) {
        if let Some(tasks) = self.book.tasks.get_mut(&self.file) {
            tasks.remove(task);
            if tasks.is_empty() {
                self.book.tasks.remove(&self.file);
            }
        }
    }

    /// Removes what says nothing any more: of checkouts that are gone, and of tasks of this one that nobody works on.
    pub(crate) fn prune(&mut self, text: &str) {
        let states = states(text);
        let has_linked = worktree::has_linked(self.project.main_root());
        let is_stale = |(task, owner): &(&String, &Owner)| {
            if owner.folder != self.root {
                return !owner.folder.is_dir();
            }
            match states.get(*task) {
                Some(State::InProgress) => false,
                Some(State::Done | State::Cancelled) => !has_linked,
                Some(State::Pending | State::Blocked | State::Failed) => true,
                // Another branch may be checked out for a while.
                None => !owner.session.as_deref().is_some_and(|session| self.is_alive(session)),
            }
        };
        let owners = self.book.tasks.get(&self.file).into_iter().flatten();
        let stale: Vec<String> = owners.filter(is_stale).map(|(task, _)| task.clone()).collect();
        for task in &stale {
            self.forget(task);
        }
    }

    fn is_alive(&self, session: &str) -> bool {
        SessionFile::new(&self.project.sessions_folder(), session).is_alive()
    }

    /// Who works on a task that is pending or in progress, as this session sees it. What is in progress in this checkout is a person's
    /// to go on with, whoever holds it.
    pub fn holder(&self, task: &Task, session: Option<&str>) -> Holder {
        let Some(owner) = self.find(&task.meta.name) else { return Holder::Free };
        if owner.folder == self.root {
            let is_theirs = task.state == State::InProgress && session.is_some();
            return if is_theirs { self.held(owner, session) } else { Holder::Free };
        }
        match self.state_in(&owner.folder, &task.meta.name) {
            Some(State::InProgress) => self.held(owner, session),
            Some(State::Done | State::Cancelled) => Holder::Over(self.worktree(&owner.folder)),
            _ => Holder::Free,
        }
    }

    /// The same for a person who looks at the tasks: each that a session holds is held.
    pub fn holder_for_a_person(&self, task: &Task) -> Holder {
        self.holder(task, Some(""))
    }

    fn held(&self, owner: &Owner, session: Option<&str>) -> Holder {
        let is_here = owner.folder == self.root;
        let place = if is_here { String::new() } else { format!(", {}", self.worktree(&owner.folder)) };
        match owner.session.as_deref() {
            Some(own) if Some(own) == session => Holder::Free,
            Some(other) if self.is_alive(other) => {
                Holder::Elsewhere(format!("session {}{place}", short(other)))
            }
            // A person's work in this checkout is whoever's that goes on with it.
            None if !is_here => Holder::Elsewhere(format!("a person{place}")),
            _ => Holder::Free,
        }
    }

    /// A checkout in words.
    fn worktree(&self, folder: &Path) -> String {
        let main = resolve(self.project.main_root());
        match folder.strip_prefix(&main) {
            Ok(below) if below.as_os_str().is_empty() => "the main checkout".to_owned(),
            Ok(below) => format!("worktree {}", below.display()),
            Err(_) => format!("worktree {}", folder.display()),
        }
    }

    /// How a task stands in the file of another checkout; nothing if it is not there.
    fn state_in(&self, folder: &Path, task: &str) -> Option<State> {
        if let Some(states) = self.seen.borrow().get(folder) {
            return states.get(task).copied();
        }
        let text = told::read_if_there(folder, &folder.join(&self.file)).ok().flatten();
        let states = states(&text.unwrap_or_default());
        let found = states.get(task).copied();
        self.seen.borrow_mut().insert(folder.to_owned(), states);
        found
    }
}

/// Of several tasks of one name the one that is open counts.
fn states(text: &str) -> States {
    let mut states = States::new();
    for task in TaskFile::parse(text).tasks() {
        let known = states.entry(task.meta.name.clone()).or_insert(task.state);
        if task.is_open() {
            *known = task.state;
        }
    }
    states
}

/// The beginning of a session's id, which names it. It is written into files: whatever a client calls its sessions, it is one word.
pub fn short(session: &str) -> String {
    let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let short: String = session.chars().filter(plain).take(8).collect();
    if short.is_empty() { "unnamed".to_owned() } else { short }
}
