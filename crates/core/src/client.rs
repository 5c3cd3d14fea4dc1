//! The coding agent's client, as far as the domain must know it: a small set of questions that only its adapter can answer.
//!
//! No client's names stand in this crate. What an adapter answers is typed, or text that is passed on as it is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use engine_text::stamp::Stamp;
use serde::{Deserialize, Serialize};

use crate::approval::Dialog;
use crate::dialect::Dialect;
use crate::runner::Declared;
use crate::skill::{Found, Known};

/// The most context that one hook may add, in UTF-16 units.
pub const CONTEXT_LIMIT: usize = 10_000;

/// What only the client's adapter knows. Asked only when a rule does.
pub trait Client {
    /// Its names.
    fn dialect(&self) -> &'static Dialect;

    /// The settings files that can hold hooks for this project.
    fn settings_files(&self) -> Vec<PathBuf>;

    /// What is known of a skill by its name.
    fn skill(&self, name: &str) -> Option<Known>;

    /// Where the text of a skill is; nothing for those that are part of the client.
    fn skill_files(&self, name: &str) -> Found;

    /// Where the text of an agent is; nothing for those that are part of the client.
    fn agent_files(&self, name: &str) -> Found;

    /// How full the model's context is, by the transcript.
    fn context_use(&self, transcript: &Path) -> Option<ContextUse>;

    /// What the main agent said last, by the transcript.
    fn last_words(&self, transcript: &Path) -> Option<String>;

    /// What a person wrote, by the transcripts of agent sessions, the newest first. `near`: the transcript of one of them. Nothing where none
    /// can be read, so that nobody knows who wrote what.
    fn words(&self, near: Option<&Path>, sessions: &[String], most: usize) -> Option<Vec<Words>> {
        let _ = (near, sessions, most);
        None
    }

    /// Whether the transcript has this very message, sent since a moment. Of one that cannot be read: yes.
    fn has_message(&self, transcript: &Path, message: &str, since: Stamp) -> bool;

    /// Whether the input of the tool that asks is this dialog, and nothing else; with the answer, once there is one.
    fn asks(&self, input: &str, dialog: &Dialog, is_answered: bool) -> bool;

    /// The input of that tool for a dialog.
    fn question(&self, dialog: &Dialog) -> String;

    /// The input of the tool that starts an agent, with another prompt.
    fn with_prompt(&self, input: &str, prompt: &str) -> Option<String>;

    /// Why the answer to a question may be another hook's and no person's, in a session that began then.
    fn other_answerer(&self, began: Stamp, now: Stamp) -> Option<String>;

    /// Whether a process is a coding agent, this one or another.
    fn is_agent(&self, process: &Process) -> bool;

    /// The files that declare what the client runs by itself. `whole`: also its own file, which is large and changes all the time.
    fn runner_files(&self, whole: bool) -> Vec<PathBuf> {
        let _ = whole;
        Vec::new()
    }

    /// What the text of such a file declares.
    fn declared(&self, file: &Path, text: &str) -> Declared {
        let _ = (file, text);
        Declared::default()
    }

    /// The parts of a settings text that switch the engine on or off.
    fn snapshot(&self, settings: &str) -> Snapshot;

    /// Why a settings file must not become `after`, if it must not. `before` is how it stood.
    fn harm(&self, before: &Snapshot, after: &str) -> Option<String>;

    /// The same for a file that has changed already: entries may have come, not gone.
    fn harm_done(&self, before: &Snapshot, now: &str) -> Option<String>;
}

/// What a person wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// RFC 3339.
    pub at: String,
    pub text: String,
}

/// A process of this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    pub parent: u32,
    /// When it began, in ticks since the machine did. With the pid it tells a process from a later one.
    pub started: u64,
    pub name: String,
    /// The first of them; among them the program.
    pub arguments: Vec<String>,
}

/// The process of a client, told from a later one with the same pid.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct ClientProcess {
    pub pid: u32,
    pub started: u64,
    /// The table of processes in which it was seen: that of one boot of one machine, or of one container. In another table the pid means
    /// nothing. Unknown where the system does not tell, and in states of an earlier release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<u64>,
}

/// By pid and start alone: the table only says where the two mean something.
impl PartialEq for ClientProcess {
    fn eq(&self, other: &Self) -> bool {
        (self.pid, self.started) == (other.pid, other.started)
    }
}

impl Eq for ClientProcess {}

/// A client without settings, transcripts or hooks, whose skills are what a function says. For tests of what asks a client.
pub struct NoClient<S = fn(&str) -> Option<Known>> {
    pub dialect: &'static Dialect,
    pub skill: S,
}

impl NoClient {
    /// One without skills, too.
    pub const fn new(dialect: &'static Dialect) -> Self {
        Self { dialect, skill: |_| None }
    }
}

impl<S: Fn(&str) -> Option<Known>> Client for NoClient<S> {
    fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    fn settings_files(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    fn skill(&self, name: &str) -> Option<Known> {
        (self.skill)(name)
    }

    fn skill_files(&self, _: &str) -> Found {
        Found::default()
    }

    fn agent_files(&self, _: &str) -> Found {
        Found::default()
    }

    fn context_use(&self, _: &Path) -> Option<ContextUse> {
        None
    }

    fn last_words(&self, _: &Path) -> Option<String> {
        None
    }

    fn has_message(&self, _: &Path, _: &str, _: Stamp) -> bool {
        true
    }

    fn asks(&self, input: &str, dialog: &Dialog, _: bool) -> bool {
        input == dialog.question
    }

    fn question(&self, dialog: &Dialog) -> String {
        dialog.question.clone()
    }

    fn with_prompt(&self, _: &str, prompt: &str) -> Option<String> {
        Some(prompt.to_owned())
    }

    fn other_answerer(&self, _: Stamp, _: Stamp) -> Option<String> {
        None
    }

    fn is_agent(&self, _: &Process) -> bool {
        false
    }

    fn snapshot(&self, _: &str) -> Snapshot {
        Snapshot::default()
    }

    fn harm(&self, _: &Snapshot, _: &str) -> Option<String> {
        None
    }

    fn harm_done(&self, _: &Snapshot, _: &str) -> Option<String> {
        None
    }
}

/// How much of the model's window is in use, as last reported by the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextUse {
    /// Tokens.
    pub used: u64,
    /// Tokens that fit.
    pub window: u64,
    pub at: Stamp,
}

impl ContextUse {
    /// Whether it differs enough from what was recorded to be recorded anew: by a hundredth of the window.
    pub fn is_news(&self, recorded: Option<&Self>) -> bool {
        recorded.is_none_or(|old| {
            old.window != self.window || old.used.abs_diff(self.used).saturating_mul(100) >= self.window
        })
    }

    /// Rounded, as the client does.
    pub fn percent(&self) -> u64 {
        let hundredfold = self.used.saturating_mul(100).saturating_add(self.window / 2);
        hundredfold.checked_div(self.window).unwrap_or(0)
    }
}

/// The parts of a settings file that switch the engine on or off.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Our hook entries, one text each.
    pub entries: Vec<String>,
    /// Variables that steer the engine.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub env: BTreeMap<String, String>,
}
