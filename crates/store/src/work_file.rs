//! Work sessions on disk: `sessions/NAME/state.json`, changed under a lock of their own.
//!
//! The folder may be a link to another disk, shared between machines; the locks are with the rest of the local state.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use engine_core::work::{WorkState, name};

use crate::atomic::{self, Durability};
use crate::project::Project;
use crate::{clock, lock};

/// One work session.
pub struct WorkFile {
    pub name: String,
    folder: PathBuf,
    locks: PathBuf,
}

/// A state file that could not be used and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside(pub String);

impl WorkFile {
    pub fn new(project: &Project, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            folder: folder(project).join(name),
            locks: project.state_folder().join("work"),
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// As the agent writes it: from the project's root.
    pub fn shown(&self) -> String {
        format!("{}/{}", name::FOLDER, self.name)
    }

    fn path(&self) -> PathBuf {
        self.folder.join("state.json")
    }

    /// Whether there is such a session.
    pub fn exists(&self) -> bool {
        self.path().is_file()
    }

    /// The state as it is, without the lock; nothing if there is none that can be used.
    pub fn peek(&self) -> Option<WorkState> {
        let text = fs::read_to_string(self.path()).ok()?;
        WorkState::parse(&text).ok()
    }

    /// Makes the folder.
    pub fn make(&self) -> io::Result<()> {
        fs::create_dir_all(&self.folder)
    }

    /// Changes the state under the lock. If `change` fails, nothing is written. A file that cannot be used is kept under
    /// another name, and told.
    pub fn update<T, E: From<io::Error>>(
        &self,
        change: impl FnOnce(&mut WorkState) -> Result<T, E>,
    ) -> Result<(T, Option<SetAside>), E> {
        Project::make_local(&self.locks)?;
        let held = lock::hold(&self.locks.join(format!("{}.lock", self.name)))?;
        let path = self.path();
        let (mut state, set_aside) = match fs::read(&path) {
            Ok(bytes) => match std::str::from_utf8(&bytes).map(WorkState::parse) {
                Ok(Ok(state)) => (state, None),
                Ok(Err(unusable)) => (WorkState::default(), Some(self.set_aside(&unusable.to_string())?)),
                Err(_) => (WorkState::default(), Some(self.set_aside("damaged (not UTF-8)")?)),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => (WorkState::default(), None),
            Err(error) => return Err(error.into()),
        };
        let before = state.clone();
        let answer = change(&mut state)?;
        if state != before || !path.exists() {
            let mut bytes = serde_json::to_vec_pretty(&state).map_err(io::Error::from)?;
            bytes.push(b'\n');
            atomic::replace(&path, &bytes, Durability::Disk)?;
        }
        drop(held);
        Ok((answer, set_aside))
    }

    fn set_aside(&self, why: &str) -> io::Result<SetAside> {
        let aside = format!("state.json.bad-{}", clock::now().0);
        fs::rename(self.path(), self.folder.join(&aside))?;
        Ok(SetAside(format!("{}/state.json was {why}; it is kept as {aside}", self.shown())))
    }
}

/// Where they lie.
pub fn folder(project: &Project) -> PathBuf {
    project.root().join(name::FOLDER)
}

/// The names of all work sessions, newest day first.
pub fn names(project: &Project) -> Vec<String> {
    let entries = fs::read_dir(folder(project)).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|found| name::check(found).is_ok())
        .collect();
    names.sort_by(|a, b| b.cmp(a));
    names
}
