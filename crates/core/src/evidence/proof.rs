//! What shows that something is done, fixed before the work begins: a command that passes, one that fails, a file that changes, a
//! commit, a push, or a judgement.
//!
//! A proof is written down beside its text (`{text: all tests pass, proof: pytest -q}`), and looked up later. Nobody names evidence
//! at the end.

use serde::{Deserialize, Serialize};

use crate::step_id::StepId;
use engine_text::redact::redact;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Proof {
    /// A check that passes on the content as it is.
    Passes(Command),
    /// A check that failed once since the work began: a reproduction, or a test written before the code.
    Fails(Command),
    /// A file that has changed since the work began, from the root.
    File(String),
    /// A commit since the work began that changes something.
    Commit,
    /// One that a remote branch has.
    Push,
    Judge(Judge),
    /// Steps of the plan are done, each by its own proof.
    Steps(Vec<StepId>),
}

/// A command line, and the folder that it runs in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    pub line: String,
    /// From the root; empty: the root.
    #[serde(rename = "in", default, skip_serializing_if = "String::is_empty")]
    pub folder: String,
}

/// Who judges what no command can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Judge {
    Qa,
    Person,
}

impl Judge {
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "qa" => Some(Self::Qa),
            "person" => Some(Self::Person),
            _ => None,
        }
    }
}

/// The agent that judges, as its file is named.
pub const QA: &str = "qa";

impl Command {
    /// The journal's commands are redacted, so this is too.
    pub fn new(line: &str, folder: &str) -> Self {
        let folder = folder.trim().trim_start_matches("./").trim_end_matches('/');
        let folder = if folder == "." { "" } else { folder };
        Self { line: redact(line.trim()).into_owned(), folder: folder.to_owned() }
    }

    /// `pytest -q` or `pytest -q in packages/api`.
    pub fn shown(&self) -> String {
        match self.folder.as_str() {
            "" => format!("`{}`", self.line),
            folder => format!("`{}` in {folder}", self.line),
        }
    }
}

impl Proof {
    /// `pytest -q passes`.
    pub fn shown(&self) -> String {
        match self {
            Self::Passes(command) => format!("{} passes", command.shown()),
            Self::Fails(command) => format!("{} fails once", command.shown()),
            Self::File(path) => format!("{path} changes"),
            Self::Commit => "a commit".to_owned(),
            Self::Push => "a pushed commit".to_owned(),
            Self::Judge(Judge::Qa) => "judged by qa".to_owned(),
            Self::Judge(Judge::Person) => "judged by a person".to_owned(),
            Self::Steps(steps) => {
                let named: Vec<String> = steps.iter().map(ToString::to_string).collect();
                let (what, are) = if steps.len() == 1 { ("step", "is") } else { ("steps", "are") };
                format!("{what} {} {are} done", named.join(", "))
            }
        }
    }

    pub fn command(&self) -> Option<&Command> {
        match self {
            Self::Passes(command) | Self::Fails(command) => Some(command),
            _ => None,
        }
    }
}
