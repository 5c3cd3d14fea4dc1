//! A throw-away project for tests of use cases. Nothing is set in the environment: what a use case needs is handed to it.

use std::fs;
use std::path::PathBuf;

use engine_core::journal::Entry;
use engine_store::approve::Caller;
use engine_store::project::Project;
use engine_store::{clock, journal_file};
use engine_text::stamp::Stamp;

/// The agent session of most tests.
pub(crate) const AGENT: &str = "5acbd66a-d542-418f-9d66-83beead70bd3";

pub(crate) struct Stage(tempfile::TempDir);

impl Stage {
    /// A project with an `.engine/` and nothing else.
    pub(crate) fn new() -> Self {
        let stage = Self::bare();
        stage.write(".engine/config.toml", "");
        stage
    }

    /// A folder that is no project.
    pub(crate) fn bare() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn root(&self) -> PathBuf {
        fs::canonicalize(self.0.path()).unwrap()
    }

    pub(crate) fn project(&self) -> Project {
        Project::open(None, &self.root()).unwrap()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.root().join(path).exists()
    }

    /// Appends to the journal of the day.
    pub(crate) fn journal(&self, at: Stamp, entry: Entry) {
        let entry = Entry { id: clock::decision_id(at).as_str().to_owned(), at: at.rfc3339(), ..entry };
        journal_file::append(&self.project().journal_folder(), at, &entry).unwrap();
    }
}

pub(crate) fn agent(session: &str) -> Caller {
    Caller::Agent { session: session.to_owned() }
}
