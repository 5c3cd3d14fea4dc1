//! The knobs of the engine: each is defined once, here or beside its rule, and everything else is made from
//! that: defaults, checks, `engine config show`, the commented `config.toml` and the reference page.
//!
//! A [`Config`] holds only what somebody set. What was set wrongly becomes a [`Problem`] and the knob keeps
//! its default: a slip in a file must not stop the agent's work.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::policy::{self, Built, Verdict};
use crate::rules::{Mode, RULES, Rule};
use crate::shortcut::{is_own_name, refused_key};

mod knob;

pub use knob::{Choice, Commands, FilePath, Flag, Knob, Names, Number, Text, TextList};

/// How long journal files and the state of ended sessions are kept.
pub const KEEP_DAYS: Number = Number {
    name: "journal.keep_days",
    default: 30,
    range: (1, 3650),
    about: "Days that journal files and the state of old sessions are kept. Applied by init, doctor and journal.",
};

/// What must pass before a commit.
pub const COMMIT_CHECKS: Commands = Commands {
    name: "commit.checks",
    about: "Shell commands that engine commit-check runs in the project's root; all must end well.",
};

/// What `engine run` starts.
pub const RUN_AGENT: Text =
    Text { name: "run.agent", default: "claude", about: "The program that engine run starts." };

/// Every knob but the rules' modes, in the order of the reference page.
pub static KNOBS: &[&dyn Knob] = &[
    &crate::rules::inject::FILES,
    &crate::rules::inject::BUDGET,
    &crate::rules::inject::STRICT,
    &crate::rules::inject::STANDARDS,
    &crate::rules::reminder::TEXT,
    &crate::rules::heartbeat::WARN,
    &crate::rules::heartbeat::BLOCK,
    &crate::rules::overflow::NOTE,
    &crate::rules::overflow::GATE,
    &crate::task::FILE,
    &crate::shortcut::STATUS,
    &crate::skill::WRAPPED,
    &crate::policy::FAIL,
    &crate::policy::PROTECTED,
    &crate::policy::BRANCHES,
    &crate::statusline::PARTS,
    &crate::tag::TRANSITIONS,
    &crate::rules::directives::BUDGET,
    &crate::rules::directives::WARN,
    &crate::rules::directives::BLOCK,
    &crate::directive::BARE,
    &crate::directive::SKIP,
    &crate::rules::memory::MEMORY,
    &crate::rules::autocommit::PATHS,
    &crate::plan::COMMIT,
    &crate::evidence::known::CHECKS,
    &RUN_AGENT,
    &COMMIT_CHECKS,
    &KEEP_DAYS,
];

/// What the names of policy verdicts begin with.
const POLICY_SECTION: &str = "policy.";

/// The part of a name before the first dot that holds the rules' modes.
const RULES_SECTION: &str = "rules.";

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

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    set: Vec<Assignment>,
    problems: Vec<Problem>,
}

impl Config {
    /// Checks each assignment against its knob. Give the layers in their order.
    pub fn from_assignments(assignments: Vec<Assignment>, mut problems: Vec<Problem>) -> Self {
        let mut set = Vec::with_capacity(assignments.len());
        for assignment in assignments {
            match check(&assignment.name, &assignment.value) {
                Ok(()) => set.push(assignment),
                Err(text) => problems.push(Problem { layer: assignment.layer, line: assignment.line, text }),
            }
        }
        Self { set, problems }
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

    pub fn mode(&self, rule: &Rule) -> Mode {
        let named = |assignment: &&Assignment| assignment.name.strip_prefix(RULES_SECTION) == Some(rule.id);
        match self.set.iter().rev().find(named).map(|assignment| &assignment.value) {
            Some(Value::Text(word)) => Mode::parse(word).unwrap_or(rule.default),
            _ => rule.default,
        }
    }

    /// What a policy rule does.
    pub fn verdict(&self, rule: &Built) -> Verdict {
        let named = |assignment: &&Assignment| assignment.name.strip_prefix(POLICY_SECTION) == Some(rule.id);
        match self.set.iter().rev().find(named).map(|assignment| &assignment.value) {
            Some(Value::Text(word)) => Verdict::parse(word).unwrap_or(rule.verdict),
            _ => rule.verdict,
        }
    }

    /// The value in force as TOML, and the layer that set it.
    pub fn show(&self, name: &str) -> Option<(String, Layer, u32)> {
        if let Some(last) = self.last(name) {
            return Some((last.value.to_string(), last.layer, last.line));
        }
        default_of(name).map(|default| (default, Layer::Default, 0))
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.last(name).map(|assignment| &assignment.value)
    }

    fn last(&self, name: &str) -> Option<&Assignment> {
        self.set.iter().rev().find(|assignment| assignment.name == name)
    }
}

/// The names of all knobs, the rules' modes last.
pub fn names() -> Vec<String> {
    let knobs = KNOBS.iter().map(|knob| knob.name().to_owned());
    let modes = RULES.iter().filter(|rule| !rule.fixed).map(|rule| format!("{RULES_SECTION}{}", rule.id));
    let verdicts = policy::built_in().map(|rule| format!("{POLICY_SECTION}{}", rule.id));
    knobs.chain(verdicts).chain(modes).collect()
}

fn policy_rule(name: &str) -> Option<&'static Built> {
    let id = name.strip_prefix(POLICY_SECTION)?;
    policy::built_in().find(|rule| rule.id == id)
}

/// The default of a knob as TOML.
pub fn default_of(name: &str) -> Option<String> {
    if let Some(knob) = KNOBS.iter().find(|knob| knob.name() == name) {
        return Some(knob.default_value().to_string());
    }
    if let Some(rule) = policy_rule(name) {
        return Some(Value::Text(rule.verdict.as_str().to_owned()).to_string());
    }
    let rule = switchable(name.strip_prefix(RULES_SECTION)?)?;
    Some(Value::Text(rule.default.as_str().to_owned()).to_string())
}

/// What a knob is for.
pub fn about(name: &str) -> Option<&'static str> {
    if let Some(knob) = KNOBS.iter().find(|knob| knob.name() == name) {
        return Some(knob.about());
    }
    if let Some(rule) = policy_rule(name) {
        return Some(rule.about);
    }
    Some(switchable(name.strip_prefix(RULES_SECTION)?)?.about)
}

/// Whether the knob takes the value; if not, why, in one line.
pub fn check(name: &str, value: &Value) -> Result<(), String> {
    if let Some(knob) = KNOBS.iter().find(|knob| knob.name() == name) {
        return knob.check(value).map_err(|wanted| format!("{name} takes {wanted}, not {value}"));
    }
    if let Some(why) = refused_key(name) {
        return Err(why);
    }
    if is_own_name(name) {
        let is_text = matches!(value, Value::Text(text) if !text.trim().is_empty());
        return if is_text { Ok(()) } else { Err(format!("{name} takes a text in quotes, not {value}")) };
    }
    if policy_rule(name).is_some() {
        return match value {
            Value::Text(word) if Verdict::parse(word).is_some() => Ok(()),
            _ => {
                Err(format!("{name} takes \"block\", \"ask\", \"warn\", \"shadow\" or \"off\", not {value}"))
            }
        };
    }
    let Some(id) = name.strip_prefix(RULES_SECTION) else { return Err(unknown(name)) };
    if RULES.iter().any(|rule| rule.id == id && rule.fixed) {
        return Err(format!("rule {id} keeps the session's state and cannot be switched"));
    }
    if switchable(id).is_none() {
        return Err(unknown(name));
    }
    match value {
        Value::Text(word) if Mode::parse(word).is_some() => Ok(()),
        _ => Err(format!("{name} takes \"on\", \"shadow\" or \"off\", not {value}")),
    }
}

fn switchable(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id && !rule.fixed)
}

fn unknown(name: &str) -> String {
    match nearest(name) {
        Some(known) => format!("unknown key {name}; did you mean {known}?"),
        None => format!("unknown key {name}"),
    }
}

/// The known name most like this one, if any is like it at all.
fn nearest(name: &str) -> Option<String> {
    let score = |known: &String| strsim::jaro_winkler(name, known);
    let best = names().into_iter().max_by(|a, b| score(a).total_cmp(&score(b)))?;
    (score(&best) > 0.8).then_some(best)
}

/// Reads a value typed on the command line or in the environment, in the way its knob reads it: a text needs
/// no quotes, a list is split at commas.
pub fn parse_word(name: &str, word: &str) -> Value {
    match KNOBS.iter().find(|knob| knob.name() == name) {
        Some(knob) => knob.parse_word(word),
        None => Value::Text(word.to_owned()),
    }
}

/// The environment variable of a knob: `journal.keep_days` → `ENGINE_JOURNAL_KEEP_DAYS`.
pub fn variable_of(name: &str) -> String {
    format!("ENGINE_{}", name.replace(['.', '-'], "_").to_uppercase())
}

/// The commented file that `engine init` writes: every knob at its default, commented out.
pub fn template() -> String {
    let mut out = String::from(
        "# engine's configuration for this project. Every knob stands here with its default, commented out.\n\
         # `engine config show` tells what is in force and where it comes from.\n",
    );
    let mut section = "";
    for knob in KNOBS {
        let (its_section, key) = knob.name().split_once('.').unwrap_or(("", knob.name()));
        if its_section != section {
            section = its_section;
            out.push_str(&format!("\n[{section}]\n"));
        }
        out.push_str(&format!("# {}\n# {key} = {}\n", knob.about(), knob.default_value()));
    }
    out.push_str(
        "\n# Shortcuts of your own: the whole message, or its beginning with a colon.\n\
         # [shortcuts.commands]\n# t = \"run the tests and tell what fails\"\n\
         # [shortcuts.directives]\n# e = \"explain it, with an example\"\n",
    );
    out.push_str("\n# What a policy rule does: \"block\", \"ask\", \"warn\", \"shadow\" or \"off\". Your own rules: .engine/policy.toml\n");
    let mut pack = "";
    for rule in policy::built_in() {
        let (its_pack, key) = rule.id.split_once('.').unwrap_or(("", rule.id));
        if its_pack != pack {
            pack = its_pack;
            out.push_str(&format!("# [policy.{pack}]\n"));
        }
        out.push_str(&format!("# {key} = \"{}\"\n", rule.verdict.as_str()));
    }
    out.push_str(
        "\n# Each rule: \"on\", \"shadow\" (judged and counted, without effect) or \"off\".\n[rules]\n",
    );
    for rule in RULES.iter().filter(|rule| !rule.fixed) {
        out.push_str(&format!("# {}\n# {} = \"{}\"\n", rule.about, rule.id, rule.default.as_str()));
    }
    out
}

#[cfg(test)]
mod tests;
