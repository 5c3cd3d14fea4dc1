//! Work sessions on disk: `sessions/NAME/state.json`, changed under a lock of their own.
//!
//! The folder may be a link to another disk, shared between machines; the locks are with the rest of the local state.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine_core::work::{WorkState, name};

use crate::atomic::{self, Durability};
use crate::project::Project;
use crate::{clock, lock};

/// Many who write at once each get their turn; no hook waits so long, since none of them is that busy.
const PATIENCE: Duration = Duration::from_secs(5);

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
        parsed(&fs::read(self.path()).ok()?).ok()
    }

    /// Makes the folder.
    pub fn make(&self) -> io::Result<()> {
        fs::create_dir_all(&self.folder)
    }

    /// Why there is a state that cannot be used.
    pub fn unusable(&self) -> Option<String> {
        parsed(&fs::read(self.path()).ok()?).err()
    }

    /// Changes a state that is there, under the lock. If `change` fails, nothing is written.
    pub fn update<T, E: From<io::Error>>(
        &self,
        change: impl FnOnce(&mut WorkState) -> Result<T, E>,
    ) -> Result<T, E> {
        let (_held, state) = self.locked()?;
        let mut state = match state {
            Some(Ok(state)) => state,
            Some(Err(unusable)) => {
                return Err(io::Error::other(format!("{}/state.json is {unusable}", self.shown())).into());
            }
            None => return Err(io::Error::other(format!("{} has no state", self.shown())).into()),
        };
        self.changed(&mut state, change)
    }

    /// The same, where a state may not be there yet. One that cannot be used is kept under another name, and told.
    pub fn begin<T, E: From<io::Error>>(
        &self,
        change: impl FnOnce(&mut WorkState) -> Result<T, E>,
    ) -> Result<(T, Option<SetAside>), E> {
        let (_held, state) = self.locked()?;
        let (mut state, unusable) = match state {
            Some(Ok(state)) => (state, None),
            Some(Err(unusable)) => (WorkState::default(), Some(unusable)),
            None => (WorkState::default(), None),
        };
        let set_aside = unusable.map(|why| self.set_aside(&why)).transpose()?;
        Ok((self.changed(&mut state, change)?, set_aside))
    }

    /// The lock, and what is there: nothing, a state, or something that is none.
    #[allow(clippy::type_complexity, reason = "used twice, above")]
    fn locked(&self) -> io::Result<(fs::File, Option<Result<WorkState, String>>)> {
        Project::make_local(&self.locks)?;
        let held = lock::hold_within(&self.locks.join(format!("{}.lock", self.name)), PATIENCE)?;
        let state = match fs::read(self.path()) {
            Ok(bytes) => Some(parsed(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        Ok((held, state))
    }

    fn changed<T, E: From<io::Error>>(
        &self,
        state: &mut WorkState,
        change: impl FnOnce(&mut WorkState) -> Result<T, E>,
    ) -> Result<T, E> {
        let before = state.clone();
        let answer = change(state)?;
        if *state != before || !self.exists() {
            let mut bytes = serde_json::to_vec_pretty(state).map_err(io::Error::from)?;
            bytes.push(b'\n');
            atomic::replace(&self.path(), &bytes, Durability::Disk)?;
        }
        Ok(answer)
    }

    fn set_aside(&self, why: &str) -> io::Result<SetAside> {
        let aside = format!("state.json.bad-{}", clock::now().0);
        fs::rename(self.path(), self.folder.join(&aside))?;
        Ok(SetAside(format!("{}/state.json was {why}; it is kept as {aside}", self.shown())))
    }
}

fn parsed(bytes: &[u8]) -> Result<WorkState, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "damaged (not UTF-8)".to_owned())?;
    WorkState::parse(text).map_err(|unusable| unusable.to_string())
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
