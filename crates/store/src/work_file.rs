//! Work sessions on disk: `sessions/NAME/state.json`, changed under a lock of their own.
//!
//! The folder may be a link to another disk, shared between machines; the locks are with the rest of the local state.

use std::io;
use std::path::{Path, PathBuf};

use engine_core::versioned::Unusable;
use engine_core::work::{WorkState, name};
use fs_err as fs;

use crate::atomic::{self, Durability};
use crate::lock;
use crate::project::Project;
use crate::record::{Fault, Layout, Record, SetAside, Versioned};

impl Versioned for WorkState {
    const LAYOUT: Layout = Layout::Pretty;
    const DURABILITY: Durability = Durability::Disk;

    fn parse(text: &str) -> Result<Self, Unusable> {
        Self::parse(text)
    }
}

/// One work session.
pub struct WorkFile {
    pub name: String,
    folder: PathBuf,
    record: Record<WorkState>,
}

impl WorkFile {
    pub fn new(project: &Project, name: &str) -> Self {
        let folder = folder(project).join(name);
        let lock = project.state_folder().join("work").join(format!("{name}.lock"));
        let shown = format!("{}/state.json", shown(name));
        let record = Record::new(shown, folder.join("state.json"), lock::RARE).locked_by(lock);
        Self { name: name.to_owned(), folder, record }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// As the agent writes it: from the project's root.
    pub fn shown(&self) -> String {
        shown(&self.name)
    }

    /// Whether there is such a session.
    pub fn exists(&self) -> bool {
        self.record.exists()
    }

    /// The state as it is, without the lock; `None` if there is none that can be used.
    pub fn peek(&self) -> Option<WorkState> {
        self.record.peek()?.ok()
    }

    /// Makes the folder.
    pub fn make(&self) -> io::Result<()> {
        fs::create_dir_all(&self.folder)
    }

    /// Why a state that exists cannot be used.
    pub fn unusable(&self) -> Option<Unusable> {
        match self.record.peek()? {
            Err(Fault::Unusable(why)) => Some(why),
            _ => None,
        }
    }

    /// Temporary files of the state: of a process that is writing it, or of one that was killed.
    pub fn temporaries(&self) -> usize {
        atomic::temporaries(self.record.path()).len()
    }

    /// Removes what killed processes left. People commit this folder.
    pub(crate) fn sweep(&self) {
        atomic::sweep(self.record.path());
    }

    /// Changes a state that exists, under the lock. If `change` fails, nothing is written.
    pub fn update<T, E: From<io::Error>>(
        &self,
        change: impl FnOnce(&mut WorkState) -> Result<T, E>,
    ) -> Result<T, E> {
        self.sweep();
        self.record.update(|| format!("{} has no state", self.shown()), change)
    }

    /// Changes a state that may not exist yet. One that cannot be used is set aside.
    pub fn begin<T, E: From<io::Error>>(
        &self,
        change: impl FnOnce(&mut WorkState) -> Result<T, E>,
    ) -> Result<(T, Option<SetAside>), E> {
        self.sweep();
        let held = self.record.hold()?;
        let (mut state, set_aside) = held.read_or_new()?;
        let before = state.clone();
        let answer = change(&mut state)?;
        if state != before || !self.exists() {
            held.replace(&state)?;
        }
        Ok((answer, set_aside))
    }
}

fn shown(name: &str) -> String {
    format!("{}/{name}", name::FOLDER)
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
