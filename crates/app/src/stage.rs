//! A throw-away project for tests of use cases. Nothing is set in the environment: what a use case needs is handed to it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use engine_core::approval::{Answer, By};
use engine_core::journal::Entry;
use engine_store::approve::Caller;
use engine_store::project::Project;
use engine_store::session_file::SessionFile;
use engine_store::{clock, journal_file, trust};
use engine_text::stamp::Stamp;

use crate::error::CommandError;
use crate::time::local;

/// The agent session of most tests.
pub(crate) const AGENT: &str = "5acbd66a-d542-418f-9d66-83beead70bd3";

pub(crate) struct Stage {
    folder: tempfile::TempDir,
    user_state: tempfile::TempDir,
}

impl Stage {
    /// A project with an `.engine/` and nothing else.
    pub(crate) fn new() -> Self {
        let stage = Self::bare();
        stage.write(".engine/config.toml", "");
        stage
    }

    /// A folder that is no project.
    pub(crate) fn bare() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), user_state: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn root(&self) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap()
    }

    pub(crate) fn project(&self) -> Project {
        Project::open(None, &self.root()).unwrap().with_user_state(self.user_state.path())
    }

    /// Writes a file. A configuration is written as the person wants it: it is accepted.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        if path == ".engine/config.toml" || path == ".engine/policy.toml" {
            let project = self.project();
            trust::trust_project(&project, &trust::AcceptableFiles::read(&project)).unwrap();
        }
    }

    /// A work session that nobody holds and that has not begun.
    pub(crate) fn work(&self, path: &str) {
        let state = "{\"version\": 1, \"lifecycle\": \"active\", \"runs\": []}";
        self.write(&format!("{path}/state.json"), state);
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.root().join(path).exists()
    }

    /// Every file below the root with its text. What a refusal must leave as it was: all but locks and the caches of the
    /// configuration and of the content, which a look may write.
    pub(crate) fn files(&self) -> BTreeMap<String, String> {
        let root = self.root();
        let mut files = BTreeMap::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let path = entry.path();
                let is_cache = ["state/config.json", "state/.gitignore", "state/content"]
                    .iter()
                    .any(|end| path.ends_with(end));
                let is_lock = path.extension().is_some_and(|end| end == "lock");
                let is_ours = !path.ends_with(".git") && !is_lock && !is_cache;
                if entry.file_type().unwrap().is_dir() && is_ours {
                    folders.push(path);
                } else if is_ours {
                    let text = fs::read(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                    files.insert(self.shown(&path), text.unwrap_or_default());
                }
            }
        }
        files
    }

    /// A path from the root.
    pub(crate) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(self.root()).unwrap_or(path).display().to_string()
    }

    pub(crate) fn session(&self, session: &str) -> SessionFile {
        SessionFile::new(&self.project().sessions_folder(), session)
    }

    /// A person answers, in a terminal, everything that an agent session asks for.
    pub(crate) fn answers(&self, session: &str, yes: bool) {
        let answer = |state: &mut engine_core::session::SessionState| {
            for request in state.approvals.iter_mut().filter(|request| request.answer.is_none()) {
                let words = format!("{} {}", if yes { "ok" } else { "no" }, request.number);
                request.answer = Some(Answer { yes, words, at: Stamp(0), turn: 0, by: By::Terminal });
            }
        };
        self.session(session).update(answer).unwrap();
    }

    /// An agent session ends, so that what it held is free.
    pub(crate) fn ends(&self, session: &str) {
        let ended = engine_core::session::Ended { at: clock::now(), reason: "exit".to_owned() };
        self.session(session).update(|state| state.ended = Some(ended)).unwrap();
    }

    pub(crate) fn git(&self, args: &[&str]) {
        let done = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@t"])
            .args(args)
            .current_dir(self.root())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.root())
            .output()
            .unwrap();
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
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

/// The refusal of what needs a person, whose request has this number.
pub(crate) fn wanted(what: &str, number: u32) -> String {
    format!("Refused: {what} needs a person: approval {number}\n{}", ask(number))
}

/// The hints of such a refusal.
pub(crate) fn ask(number: u32) -> String {
    format!(
        "→ engine asks the person, who types ok {number} or no {number}; wait for it\n\
         → after a yes the same command counts once, until that turn ends\n\
         → or the person runs it in a terminal of their own; `! command` in the client counts as the agent's"
    )
}

/// The record of a yes that [`Stage::answers`] gave.
pub(crate) fn record(number: u32, reading: Option<&str>) -> String {
    let words =
        format!("the person's words: ok {number} in a terminal ({}, approval {number})", local(Stamp(0)));
    reading.map_or(words.clone(), |reading| format!("{words}; the agent's reading: {reading}"))
}

/// A refusal with all that a caller sees: its kind, the sentence, and each hint on a line of its own.
pub(crate) fn refusal<T>(result: Result<T, CommandError>) -> String {
    let Err(error) = result else { return "not refused".to_owned() };
    let hints = error.hints.iter().map(|hint| format!("\n→ {hint}"));
    format!("{:?}: {}{}", error.failure, error.message, hints.collect::<String>())
}
