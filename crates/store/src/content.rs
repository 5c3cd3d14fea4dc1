//! The content of a project's files as one id: equal ids mean equal content, whatever was touched, staged or committed.
//!
//! ```text
//! git:9bc0d8f1…        the tree of the project's folder, as git would commit it
//! git:9bc0d8f1….a1-b2  the same, where a file outside of the project names what git ignores
//! list:71ac93…         without git: names, sizes and times
//! ```
//!
//! With git the id is made by a repository of the engine's own, see [`repository`]: the person's index, references and objects are
//! only read, and their configuration cannot hide a change. The engine's own files do not count, nor does what git ignores or what
//! builds and tests make ([`MADE`]). Of a
//! submodule or another repository inside the project, the commit counts that is checked out, not the files in it. Files are compared
//! as git commits them: line ends that `.gitattributes` normalises make no difference. A file that cannot be read counts as absent.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use engine_core::evidence;
use fs_err as fs;

use crate::git::{self, Failure};
use crate::project::Project;
use crate::{config_file, inside, lock, read, task_file};

mod index;
mod list;
mod repository;

use list::NoList;
use repository::{Repository, Trouble};

/// How long the id may take where a person or an agent waits for something else.
pub const PATIENCE: Duration = Duration::from_secs(1);
/// How long a look at an earlier content may take.
const LOOK: Duration = Duration::from_secs(5);
/// What is kept to compare with may grow so large, in bytes. Then it is begun anew.
const LIMIT: u64 = 200_000_000;
/// Where the pages of plans are written that belong to no work session.
const PLANS: &str = "plans";
/// What builds and tests make anywhere in a project. With git a file counts all the same if it is tracked.
const MADE: &[&str] =
    &["node_modules", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".venv"];
/// The same at the root only: elsewhere the name may be anything's.
const MADE_AT_ROOT: &[&str] = &["target"];

/// Why the content is not known, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unknown(String);

/// A file that differs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Changed {
    /// From the project's root. What is no UTF-8 in it is replaced.
    pub path: String,
    pub kind: ChangedKind,
    /// How many lines were added and removed, if that is known and the file has lines.
    pub lines: Option<(u64, u64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangedKind {
    Added,
    Modified,
    Deleted,
}

/// The content of the project's files now.
pub fn take(project: &Project, patience: Duration) -> Result<String, Unknown> {
    let limit = Limit::new(patience);
    let failed = |error: io::Error| Unknown(error.to_string());
    let root = fs::canonicalize(project.root()).map_err(failed)?;
    let own = own_files(project);
    let held = lock::hold_local_until(&lock_file(project), limit.deadline).map_err(|error| {
        let is_held = error.kind() == io::ErrorKind::TimedOut;
        if is_held { limit.passed("another reading of the project's content") } else { failed(error) }
    })?;
    let folder = folder(project);
    inside::keeps(&folder).and_then(|()| fs::create_dir_all(&folder)).map_err(failed)?;
    // Its age tells how long it was not used.
    let used = read::open(&folder).and_then(|folder| folder.file().set_modified(SystemTime::now()));
    used.map_err(failed)?;
    if let Some(top) = git::top_of(&root) {
        let repository = Repository { root: &root, top, own: &own, folder: folder.join(REPOSITORY) };
        match repository.take(held.file(), &limit) {
            Ok(id) => return Ok(Id::Git(id).to_string()),
            Err(Trouble::NothingToSee) => {}
            Err(Trouble::Git(Failure::NotRun(error))) if error.kind() == io::ErrorKind::NotFound => {}
            Err(Trouble::Git(Failure::TooLong { command, .. })) => {
                return Err(limit.passed(&format!("git {command}")));
            }
            Err(Trouble::Git(failure)) => return Err(Unknown(failure.to_string())),
            Err(Trouble::Files(error)) => return Err(failed(error)),
        }
    }
    match list::take(&root, &own, &folder.join(LISTS), limit.deadline) {
        Ok(name) => Ok(Id::List(name).to_string()),
        Err(NoList::TooLong) => Err(limit.passed("listing the files")),
        Err(NoList::TooMany) => {
            Err(Unknown(format!("there are more than {} files and no git", list::MOST_FILES)))
        }
        Err(NoList::Failed(error)) => Err(failed(error)),
    }
}

/// The files that differ between two ids, in the order of their paths. `None` if one of them is not known any more, or the two
/// were not made in the same way.
pub fn changed(project: &Project, from: &str, to: &str) -> Option<Vec<Changed>> {
    let folder = folder(project);
    match (Id::parse(from)?, Id::parse(to)?) {
        (Id::Git(from), Id::Git(to)) => repository::changed(&folder.join(REPOSITORY), &from, &to),
        (Id::List(from), Id::List(to)) => list::changed(&folder.join(LISTS), &from, &to),
        _ => None,
    }
}

/// The text of a file at an id; `None` if it is not known, not there or no text.
pub fn text_at(project: &Project, id: &str, path: &str) -> Option<String> {
    let Id::Git(id) = Id::parse(id)? else { return None };
    repository::text_at(&folder(project).join(REPOSITORY), &id, path)
}

/// Removes what is kept if no id was made for so long.
pub(crate) fn remove_unused(project: &Project, age: Duration) {
    let folder = folder(project);
    let used = fs::metadata(&folder).and_then(|data| data.modified());
    let is_old = used.ok().and_then(|used| used.elapsed().ok()).is_some_and(|passed| passed > age);
    // Whoever has the lock uses it.
    if is_old && let Ok(_held) = lock::hold_local_until(&lock_file(project), Instant::now()) {
        let _ = fs::remove_dir_all(folder);
    }
}

/// Below the folder of this very checkout: worktrees differ in content.
fn folder(project: &Project) -> PathBuf {
    let state = project.own_state_folder();
    // Git runs in another folder.
    std::path::absolute(&state).unwrap_or(state).join("content")
}

const REPOSITORY: &str = "repository";
const LISTS: &str = "lists";

/// Beside the folder, since the folder may be removed.
fn lock_file(project: &Project) -> PathBuf {
    project.own_state_folder().join("content.lock")
}

/// What engine itself writes into a project, from its root.
fn own_files(project: &Project) -> Vec<String> {
    let config = config_file::load(project);
    let written = [task_file::path(project, &config), task_file::learnings(project, &config)];
    let below = |path: &PathBuf| Some(path.strip_prefix(project.root()).ok()?.to_str()?.to_owned());
    let folders = evidence::FREE.iter().chain([&PLANS]).map(|folder| (*folder).to_owned());
    folders.chain(written.iter().filter_map(below)).collect()
}

/// The time for everything together.
struct Limit {
    patience: Duration,
    deadline: Instant,
}

impl Limit {
    fn new(patience: Duration) -> Self {
        Self { patience, deadline: Instant::now() + patience }
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    fn passed(&self, what: &str) -> Unknown {
        let seconds = self.patience.as_secs_f64();
        let unit = if self.patience == Duration::from_secs(1) { "second" } else { "seconds" };
        Unknown(format!("{what} took more than {seconds} {unit}"))
    }
}

/// An id, read.
#[derive(Debug, PartialEq, Eq)]
enum Id {
    Git(GitId),
    List(String),
}

#[derive(Debug, PartialEq, Eq)]
struct GitId {
    tree: String,
    /// Short names of what the repository's `info/exclude` and the person's own file make git ignore; empty if nothing.
    ignored: [String; 2],
}

impl Id {
    fn parse(id: &str) -> Option<Self> {
        // Git gets it as an argument.
        let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_hexdigit());
        match id.split_once(':')? {
            ("git", rest) => {
                let (tree, ignored) = rest.split_once('.').unwrap_or((rest, "-"));
                let (repository, person) = ignored.split_once('-')?;
                let all = [tree, repository, person];
                let is_id = all.into_iter().all(is_name) && !tree.is_empty();
                let ignored = [repository.to_owned(), person.to_owned()];
                is_id.then(|| Self::Git(GitId { tree: tree.to_owned(), ignored }))
            }
            ("list", name) => (is_name(name) && !name.is_empty()).then(|| Self::List(name.to_owned())),
            _ => None,
        }
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Git(GitId { tree, ignored: [repository, person] }) => {
                write!(out, "git:{tree}")?;
                let is_short = repository.is_empty() && person.is_empty();
                if is_short { Ok(()) } else { write!(out, ".{repository}-{person}") }
            }
            Self::List(name) => write!(out, "list:{name}"),
        }
    }
}
