//! What a skill declares of its work: phases and the proof that leaves them, what comes next, its templates and modes.
//!
//! It stands in the front matter as `engine:`, or as the first JSON block of SKILL.md. Both are read by the YAML parser
//! (JSON is YAML), because it knows lines and keeps `label: 4.10` as it is written; so an author sees everything that is
//! wrong at once, each with its place.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Problem, front_matter};
use engine_text::markdown::Lines;
use engine_text::yaml::{self, Node, Value};

mod evidence;
mod label;
mod read;

pub use evidence::Evidence;
pub use label::{Label, Move, Refusal, transition};
use read::Reader;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Protocol {
    pub task_type: Option<String>,
    /// In the order of their labels.
    pub phases: Vec<Phase>,
    /// With their slashes.
    pub next_skills: Vec<String>,
    /// Names of directive files that the skill wants besides the core ones.
    pub directives: Vec<String>,
    /// Templates and mode files: paths from the skill's folder.
    pub log_template: Option<String>,
    pub plan_template: Option<String>,
    pub debrief_template: Option<String>,
    pub request_template: Option<String>,
    pub response_template: Option<String>,
    pub modes: BTreeMap<String, ModeOfWork>,
    /// The phases of a small run. Without any the skill has no small runs.
    pub small: Vec<Label>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    pub label: Label,
    #[serde(default)]
    pub name: String,
    /// Commands of the standards, as `§CMD_X`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// What must be shown to leave the phase.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proof: Vec<ProofField>,
    /// Whether a person decides that it goes on.
    #[serde(default)]
    pub gate: bool,
    /// The skill does not declare it: the work turned out to need it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub added: bool,
}

impl std::fmt::Display for Phase {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}: {}", self.label, self.name)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofField {
    pub name: String,
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ProofType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// A type of JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProofType {
    String,
    Number,
    Integer,
    Boolean,
    Array,
    Object,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModeOfWork {
    pub label: String,
    pub description: String,
    pub file: String,
}

/// The mode that is mixed from the others; every skill with modes has it, beside three named ones.
pub const CUSTOM: &str = "custom";

impl Protocol {
    /// What SKILL.md declares; nothing if the skill has no protocol.
    pub fn of_skill(text: &str) -> Result<Option<Self>, Vec<Problem>> {
        match read(text) {
            None => Ok(None),
            Some(read) if read.problems.is_empty() => Ok(Some(read.protocol)),
            Some(read) => Err(read.problems),
        }
    }

    /// The files that are named, each with the key that names it.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let templates = [
            ("logTemplate", &self.log_template),
            ("planTemplate", &self.plan_template),
            ("debriefTemplate", &self.debrief_template),
            ("requestTemplate", &self.request_template),
            ("responseTemplate", &self.response_template),
        ];
        let templates = templates.into_iter().filter_map(|(key, file)| Some((key, file.as_deref()?)));
        templates.chain(self.modes.values().map(|mode| ("modes", mode.file.as_str())))
    }
}

/// A protocol with everything that is wrong with it.
pub(super) struct Read {
    pub(super) protocol: Protocol,
    /// What keeps it from being used.
    pub(super) problems: Vec<Problem>,
    /// What only its author needs to hear.
    pub(super) remarks: Vec<Problem>,
}

pub(super) fn read(text: &str) -> Option<Read> {
    let (above, node) = match block(text)? {
        Ok(found) => found,
        Err(problem) => {
            let problems = vec![problem];
            return Some(Read { protocol: Protocol::default(), problems, remarks: Vec::new() });
        }
    };
    let mut reader = Reader::new(above);
    let protocol = reader.protocol(node);
    let (problems, remarks) = reader.done();
    Some(Read { protocol, problems, remarks })
}

/// The block, and how many lines stand above it.
fn block(text: &str) -> Option<Result<(usize, Node), Problem>> {
    if let Ok(Some((block, _))) = front_matter(text) {
        // What is wrong with the whole front matter is told where that is read.
        let fields = yaml::read(block).or_else(|_| yaml::read(&yaml::quoted(block))).unwrap_or_default();
        if let Some((_, node)) = fields.into_iter().find(|(key, _)| key == "engine") {
            return Some(Ok((1, node)));
        }
    }
    let lines = Lines::new(text);
    let block = lines.blocks.iter().find(|block| block.info == "json")?;
    let inner = block.lines.clone();
    let json = &text[lines.all.get(inner.start)?.start..lines.all.get(inner.end)?.start];
    // Any other JSON is an example, not a declaration.
    let is_ours = json.contains("\"phases\"") || json.contains("\"taskType\"");
    is_ours.then(|| json_block(json, inner.start))
}

fn json_block(json: &str, above: usize) -> Result<(usize, Node), Problem> {
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(json) {
        let text = error.to_string();
        let text = text.split(" at line").next().unwrap_or_default();
        let text = format!("the JSON block with the phases is not valid: {text}");
        return Err(Problem { line: above + error.line(), text });
    }
    // A tab in JSON is never part of a text, and YAML does not indent with it.
    match yaml::read(&json.replace('\t', " ")) {
        Ok(fields) => Ok((above, Node { line: 1, value: Value::Map(fields) })),
        Err(Problem { line, text }) => Err(Problem { line: above + line, text }),
    }
}

#[cfg(test)]
mod tests;
