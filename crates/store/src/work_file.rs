//! Work sessions on disk: `sessions/NAME/state.json`, changed under a lock of their own.
//!
//! The folder may be a link to another disk, shared between machines; the locks and seals are with the rest of the local state.

use std::io;
use std::path::{Path, PathBuf};

use engine_core::restored::Found;
use engine_core::versioned::Unusable;
use engine_core::work::{WorkState, name};
use fs_err as fs;

use crate::atomic::{self, Durability};
use crate::lock;
use crate::project::Project;
use crate::record::{Fault, Held, Layout, Record, SetAside, Versioned};
use crate::work_seal::{Breach, Seal};

impl Versioned for WorkState {
    const LAYOUT: Layout = Layout::Line;
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
    seal: Seal,
}

impl WorkFile {
    pub fn new(project: &Project, name: &str) -> Self {
        let folder = folder(project).join(name);
        let lock = project.state_folder().join("work").join(format!("{name}.lock"));
        let record = Record::new(state_file(name), folder.join("state.json"), lock::RARE).locked_by(lock);
        let seal = Seal::new(project, name, &folder);
        Self { name: name.to_owned(), folder, record, seal }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// As the agent writes it: from the project's root.
    pub fn shown(&self) -> String {
        shown(&self.name)
    }

    /// The same of its state.
    pub fn state_file(&self) -> String {
        state_file(&self.name)
    }

    /// Whether there is such a session.
    pub fn exists(&self) -> bool {
        self.record.exists()
    }

    /// The state as it is, without the lock; `None` if there is none that can be used.
    pub fn peek(&self) -> Option<WorkState> {
        self.record.peek()?.ok()
    }

    /// The state for a new context of an agent session, or of one whose holder it may speak for.
    pub(crate) fn found(&self, is_ours: impl Fn(&str) -> bool) -> Found {
        if let Ok(Some(breach)) = self.breach() {
            return Found::Unusable(breach.told(&self.state_file()));
        }
        let Some(state) = self.peek() else {
            let why = self.unusable().map_or("is missing".to_owned(), |why| format!("is {why}"));
            return Found::Unusable(format!("{} {why}", self.state_file()));
        };
        match state.agent_session.as_ref().filter(|holder| !is_ours(&holder.id)) {
            Some(holder) => Found::Others(holder.id.clone()),
            None => Found::Ours(Box::new(state)),
        }
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

    /// What something else than the engine has done to the state since it was written last.
    pub fn breach(&self) -> io::Result<Option<Breach>> {
        if self.seal.breach().is_none() {
            return Ok(None);
        }
        // It may have been written between two looks.
        let _held = self.record.hold()?;
        Ok(self.seal.breach())
    }

    /// From now on the state counts as it was found.
    pub fn accept(&self, breach: &Breach) -> io::Result<()> {
        let _held = self.record.hold()?;
        self.seal.accept(breach)
    }

    /// Changes a state that exists and that the engine wrote, under the lock. If `change` fails or changes nothing, nothing is written.
    pub fn update<T, E: From<io::Error>>(
        &self,
        change: impl FnOnce(&mut WorkState) -> Result<T, E>,
    ) -> Result<T, E> {
        self.sweep();
        let held = self.record.hold()?;
        let breach = self.seal.breach().map(|breach| breach.told(&self.state_file()));
        let missing = || breach.clone().unwrap_or_else(|| format!("{} has no state", self.shown()));
        let mut state = held.existing(missing)?;
        if let Some(breach) = &breach {
            return Err(io::Error::other(breach.as_str()).into());
        }
        let before = state.clone();
        let answer = change(&mut state)?;
        if state != before {
            self.write(&held, &state)?;
        }
        Ok(answer)
    }

    /// Changes a state that may not exist yet. One that cannot be used is set aside; one that the engine did not write is refused.
    pub fn begin<T, E: From<io::Error>>(
        &self,
        change: impl FnOnce(&mut WorkState) -> Result<T, E>,
    ) -> Result<(T, Option<SetAside>), E> {
        self.sweep();
        let held = self.record.hold()?;
        if let Some(breach) = self.seal.breach() {
            return Err(io::Error::other(breach.told(&self.state_file())).into());
        }
        let (mut state, set_aside) = held.read_or_new()?;
        let before = state.clone();
        let answer = change(&mut state)?;
        if state != before || !self.exists() {
            self.write(&held, &state)?;
        }
        Ok((answer, set_aside))
    }

    fn write(&self, held: &Held<'_, WorkState>, state: &WorkState) -> io::Result<()> {
        let bytes = Held::bytes(state)?;
        self.seal.around(&bytes, || held.put(&bytes))
    }
}

fn shown(name: &str) -> String {
    format!("{}/{name}", name::FOLDER)
}

fn state_file(name: &str) -> String {
    format!("{}/state.json", shown(name))
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
