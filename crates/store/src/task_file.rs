//! `session.md` on disk: where it is, who works on what, and changes under a lock.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine_core::config::Config;
use engine_core::status::Holder;
use engine_core::task::{FILE, State, Task, TaskFile};
use engine_core::versioned::{self, Unusable};
use fs_err::File;
use serde::{Deserialize, Serialize};

use crate::atomic::Durability;
use crate::lock;
use crate::project::Project;
use crate::record::{Layout, Record, Versioned};
use crate::session_file::SessionFile;
use crate::told;

/// Places that are looked at when the configuration names none; the first is made if there is none.
const USUAL: &[&str] = &["session.md", "agents/session.md"];

/// The task file of a project.
pub fn path(project: &Project, config: &Config) -> PathBuf {
    if let Some(configured) = config.path(&FILE) {
        return project.root().join(configured);
    }
    let usual = USUAL.iter().map(|name| project.root().join(name));
    usual.clone().find(|path| path.is_file()).unwrap_or_else(|| project.root().join(USUAL[0]))
}

/// The file with the learnings: beside the task file, so that both are found together.
pub fn learnings(project: &Project, config: &Config) -> PathBuf {
    path(project, config).with_file_name("learnings.md")
}

/// The text of a file; empty if there is none.
pub fn read(project: &Project, path: &Path) -> io::Result<String> {
    Ok(told::read_if_there(project.root(), path)?.unwrap_or_default())
}

/// Which agent session works on which task of a task file. Worktrees have task files of their own and share this.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Owners {
    version: u32,
    files: BTreeMap<PathBuf, BTreeMap<String, String>>,
    #[serde(skip)]
    file: PathBuf,
}

impl Owners {
    pub fn load(project: &Project, file: &Path) -> Self {
        let owners = owners(project).peek().and_then(Result::ok).unwrap_or_default();
        Self { file: file.to_owned(), ..owners }
    }

    /// Notes that a session works on a task; a person's work has no session.
    pub fn take(&mut self, task: &str, session: Option<&str>) {
        let tasks = self.files.entry(self.file.clone()).or_default();
        match session {
            Some(session) => tasks.insert(task.to_owned(), session.to_owned()),
            None => tasks.remove(task),
        };
    }

    pub fn release(&mut self, task: &str) {
        self.take(task, None);
    }

    /// How a task in progress looks to this session; a person sees all tasks alike.
    pub fn holder(&self, project: &Project, task: &Task, session: Option<&str>) -> Holder {
        let (Some(owner), Some(session)) = (self.owner(&task.meta.name), session) else {
            return Holder::Free;
        };
        if owner == session || !SessionFile::new(&project.sessions_folder(), owner).is_alive() {
            Holder::Free
        } else {
            Holder::Elsewhere
        }
    }

    pub fn owner(&self, task: &str) -> Option<&str> {
        self.files.get(&self.file)?.get(task).map(String::as_str)
    }
}

/// The version of the owners that is written now.
const VERSION: u32 = 1;

impl Versioned for Owners {
    const LAYOUT: Layout = Layout::Compact;
    const DURABILITY: Durability = Durability::Process;

    fn parse(text: &str) -> Result<Self, Unusable> {
        let owners: Self =
            serde_json::from_str(text).map_err(|error| Unusable::Damaged(error.to_string()))?;
        versioned::readable(owners.version, VERSION).map(|()| owners)
    }
}

fn owners(project: &Project) -> Record<Owners> {
    Record::new("tasks.json".to_owned(), project.state_folder().join("tasks.json"), lock::HOOK)
}

/// Marks the task that a session works on as blocked, if it works on one.
pub fn block_own(project: &Project, path: &Path, session: &str, reason: &str) -> io::Result<()> {
    // Most sessions have none, and need no lock.
    let owners = Owners::load(project, path);
    if !owners.files.get(path).is_some_and(|tasks| tasks.values().any(|owner| owner == session)) {
        return Ok(());
    }
    edit(project, path, |text, owners| {
        let file = TaskFile::parse(text);
        let is_own =
            |task: &&Task| task.state == State::InProgress && owners.owner(&task.meta.name) == Some(session);
        let Some(task) = file.tasks().find(is_own) else { return Ok((None, ())) };
        owners.release(&task.meta.name);
        Ok((Some(file.with_state(task, State::Blocked, Some(reason))), ()))
    })
}

/// Marks a task that a session works on as done.
pub fn end_own(project: &Project, path: &Path, session: &str, name: &str) -> io::Result<()> {
    edit(project, path, |text, owners| {
        let file = TaskFile::parse(text);
        let is_own = |task: &&Task| {
            task.meta.name == name
                && task.state == State::InProgress
                && owners.owner(name).is_none_or(|owner| owner == session)
        };
        let Some(task) = file.tasks().find(is_own) else { return Ok((None, ())) };
        owners.release(name);
        Ok((Some(file.with_state(task, State::Done, None)), ()))
    })
}

/// The task that was blocked for this reason is at work again, by this session.
pub fn unblock(project: &Project, path: &Path, session: &str, reason: &str) -> io::Result<()> {
    let is_it = |task: &&Task| task.is_blocked_by(reason);
    // Most chains carry no task, and need no lock.
    if !TaskFile::parse(&read(project, path)?).tasks().any(|task| is_it(&task)) {
        return Ok(());
    }
    edit(project, path, |text, owners| {
        let file = TaskFile::parse(text);
        let Some(task) = file.tasks().find(is_it) else { return Ok((None, ())) };
        owners.take(&task.meta.name, Some(session));
        Ok((Some(file.with_state(task, State::InProgress, None)), ()))
    })
}

/// Takes the lock under which commands change the project's Markdown files: a task file may have tags, too.
pub(crate) fn hold(project: &Project, patience: Duration) -> io::Result<File> {
    lock::hold_local(&project.state_folder().join("tasks.lock"), patience)
}

/// Changes the task file under the project's task lock. `change` gets the text as it is then, and gives the new one,
/// if there is one.
pub fn edit<T, E: From<io::Error>>(
    project: &Project,
    path: &Path,
    change: impl FnOnce(&str, &mut Owners) -> Result<(Option<String>, T), E>,
) -> Result<T, E> {
    let record = owners(project);
    let held = record.hold()?;
    let text = read(project, path)?;
    let mut owners = Owners { file: path.to_owned(), ..held.read_or_new()?.0 };
    let before = owners.clone();
    let (new, answer) = change(&text, &mut owners)?;
    if let Some(new) = new.filter(|new| *new != text) {
        told::replace(project.root(), path, new.as_bytes(), Durability::Disk)?;
    }
    if owners != before {
        owners.version = VERSION;
        held.replace(&owners)?;
    }
    Ok(answer)
}
