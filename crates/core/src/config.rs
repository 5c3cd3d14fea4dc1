//! What somebody set: values, the layers they come from, and the kinds of knobs that read them.
//!
//! A [`Config`] holds only what was set and checked. Which knobs there are, and the checks, is the registry's business
//! (`engine-rules`). A value that was set wrongly becomes a [`Problem`] and the knob keeps its default: a slip in a file must not
//! stop the agent's work.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

mod knob;

pub use knob::{Choice, Commands, FilePath, Flag, Knob, Names, Number, Text, TextList};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Value {
    Flag(bool),
    Number(i64),
    Text(String),
    List(Vec<String>),
    /// Something no knob takes; kept so that the message can say what stood there.
    Other(String),
}

impl std::fmt::Display for Value {
    /// As TOML.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flag(flag) => write!(out, "{flag}"),
            Self::Number(number) => write!(out, "{number}"),
            Self::Text(text) => out.write_str(&quoted(text)),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(|item| quoted(item)).collect();
                write!(out, "[{}]", items.join(", "))
            }
            Self::Other(text) => out.write_str(text),
        }
    }
}

/// A TOML basic string. Its escapes are a superset of JSON's.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Where a setting was made. Later layers win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    Default,
    User,
    Project,
    Environment,
}

impl Layer {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::User => "user",
            Self::Project => "project",
            Self::Environment => "environment",
        }
    }
}

/// One `name = value` as it was read, not yet checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    pub name: String,
    pub value: Value,
    pub layer: Layer,
    /// Line in its file; 0 for the environment.
    pub line: u32,
}

/// Something that somebody should mend; the rest of the configuration counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    pub layer: Layer,
    pub line: u32,
    pub text: String,
}

/// An entry of a file that differs from what the person accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub layer: Layer,
    pub name: String,
    /// What the file says; nothing if the entry was removed.
    pub now: Option<Value>,
    /// What was accepted, else what the layers below say.
    pub accepted: Option<Value>,
    /// The accepted value counts. Otherwise the file's does, because it is stricter.
    pub held: bool,
}

impl Difference {
    /// As a line of the file: `rules.policy = "off"`.
    pub fn entry(&self) -> String {
        match &self.now {
            Some(value) => format!("{} = {value}", self.name),
            None => format!("{} removed", self.name),
        }
    }

    /// The same with what was accepted.
    pub fn change(&self) -> String {
        format!("{} (accepted: {})", self.entry(), value_or_none(self.accepted.as_ref()))
    }
}

/// A value as TOML, or that there is none.
pub fn value_or_none(value: Option<&Value>) -> String {
    value.map_or_else(|| "not set".to_owned(), Value::to_string)
}

/// How the files that were read compare with what the person accepted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Acceptance {
    /// The person has not trusted the project.
    pub is_untrusted: bool,
    /// The person has accepted rules of a `policy.toml`.
    pub has_policy: bool,
    pub differences: Vec<Difference>,
    /// Variables of the process that settings files of an untrusted project set, which do not count.
    pub variables: Vec<ProjectVariable>,
}

/// A variable that a settings file of the project sets, or did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectVariable {
    pub name: String,
    pub value: String,
    /// From the project's root.
    pub file: String,
}

impl Problem {
    /// Nothing of its file was read.
    pub fn is_of_whole_file(&self) -> bool {
        matches!(self.layer, Layer::User | Layer::Project)
            && (self.line == 0 || self.text.ends_with(WHOLE_FILE))
    }
}

/// How the problem of a file ends of which nothing counts.
pub const WHOLE_FILE: &str = "the whole file is ignored";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    set: Vec<Assignment>,
    problems: Vec<Problem>,
    acceptance: Acceptance,
}

impl Config {
    /// A configuration of assignments that were checked, in the order of their layers.
    pub fn new(set: Vec<Assignment>, problems: Vec<Problem>) -> Self {
        Self { set, problems, acceptance: Acceptance::default() }
    }

    /// The same with how it compares with what was accepted.
    #[must_use]
    pub fn with_acceptance(self, acceptance: Acceptance) -> Self {
        Self { acceptance, ..self }
    }

    pub fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }

    /// The entries of the files that do not count until the person accepts them.
    pub fn held(&self) -> impl Iterator<Item = &Difference> {
        self.acceptance.differences.iter().filter(|difference| difference.held)
    }

    /// What was set, in the order of the layers.
    pub fn assignments(&self) -> &[Assignment] {
        &self.set
    }

    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    pub fn flag(&self, knob: &Flag) -> bool {
        match self.value(knob.name) {
            Some(Value::Flag(flag)) => *flag,
            _ => knob.default,
        }
    }

    pub fn number(&self, knob: &Number) -> u64 {
        match self.value(knob.name) {
            Some(Value::Number(number)) => u64::try_from(*number).unwrap_or(knob.default),
            _ => knob.default,
        }
    }

    pub fn text<'a>(&'a self, knob: &Text) -> &'a str {
        match self.value(knob.name) {
            Some(Value::Text(text)) => text,
            _ => knob.default,
        }
    }

    pub fn commands(&self, knob: &Commands) -> Vec<&str> {
        match self.value(knob.name) {
            Some(Value::List(commands)) => commands.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }

    pub fn names(&self, knob: &Names) -> Vec<&str> {
        match self.value(knob.name) {
            Some(Value::List(names)) => names.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }

    pub fn choice<'a>(&'a self, knob: &Choice) -> &'a str {
        match self.value(knob.name) {
            Some(Value::Text(word)) => word,
            _ => knob.default,
        }
    }

    /// What the person's own entry `key` of a section stands for.
    pub fn own(&self, section: &str, key: &str) -> Option<&str> {
        let named = |assignment: &&Assignment| assignment.name.strip_prefix(section) == Some(key);
        match self.set.iter().rev().find(named).map(|assignment| &assignment.value) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// All entries of the person's own in a section, the last one of a key.
    pub fn all_own(&self, section: &str) -> BTreeMap<&str, &str> {
        let entries = self.set.iter().filter_map(|assignment| match &assignment.value {
            Value::Text(text) => Some((assignment.name.strip_prefix(section)?, text.as_str())),
            _ => None,
        });
        entries.collect()
    }

    /// The path, or nothing.
    pub fn path<'a>(&'a self, knob: &FilePath) -> Option<&'a str> {
        match self.value(knob.name) {
            Some(Value::Text(path)) if !path.is_empty() => Some(path),
            _ => None,
        }
    }

    /// The list and whether somebody set it.
    pub fn list(&self, knob: &TextList) -> (Vec<&str>, bool) {
        match self.value(knob.name) {
            Some(Value::List(items)) => (items.iter().map(String::as_str).collect(), true),
            _ => (knob.default.to_vec(), false),
        }
    }

    /// The last assignment of a name, which is the one in force.
    pub fn last(&self, name: &str) -> Option<&Assignment> {
        self.set.iter().rev().find(|assignment| assignment.name == name)
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.last(name).map(|assignment| &assignment.value)
    }
}
