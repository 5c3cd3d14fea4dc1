//! The front matter of a runbook: the defaults of its steps.

use engine_text::yaml::{self, Node, Value};

use super::field::{bare, command};
use super::outline::Document;
use super::read::{Facts, Problems};
use super::unfilled;

/// What kind of steps a phase has, unless their headings say otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    General,
    Tdd,
    Inline,
}

impl Type {
    fn parse(text: &str) -> Option<Self> {
        match bare(text).to_lowercase().as_str() {
            // A mixed runbook has no default; each phase says its own.
            "general" | "mixed" => Some(Self::General),
            "tdd" => Some(Self::Tdd),
            "inline" => Some(Self::Inline),
            _ => None,
        }
    }

    /// The type that a text names; one that nobody knows is general.
    pub(super) fn read(text: &str, path: &str, line: usize, problems: &mut Problems) -> Self {
        Self::parse(text).unwrap_or_else(|| {
            let text =
                format!("type {text:?} is not known and counts as general: write general, tdd or inline");
            problems.warning(path, line, text);
            Self::General
        })
    }
}

/// The front matter of one file.
#[derive(Debug, Clone, Default)]
pub(super) struct Front {
    /// With its line.
    pub(super) name: Option<(String, usize)>,
    pub(super) model: Option<String>,
    pub(super) check: Option<String>,
    pub(super) kind: Option<Type>,
    /// Values that are there and cannot be used, which is reported where they stand.
    pub(super) model_is_open: bool,
    pub(super) check_is_open: bool,
}

impl Front {
    pub(super) fn read(document: &Document<'_>, facts: &Facts<'_>, problems: &mut Problems) -> Self {
        let mut front = Self::default();
        if document.front < 2 {
            if document.lines.all.first().is_some_and(|_| document.text(0).trim_end() == "---") {
                problems.error(document.path, 0, "the front matter is not closed: put a line --- behind it");
                return Self::broken();
            }
            if let Some(line) = late(document) {
                let text =
                    "the front matter is not read here: put its first --- into the first line of the file";
                problems.error(document.path, line, text);
                return Self::broken();
            }
            return front;
        }
        let block: String = (1..document.front - 1).flat_map(|line| [document.text(line), "\n"]).collect();
        let fields =
            match yaml::read(&block).or_else(|error| yaml::read(&yaml::quoted(&block)).map_err(|_| error)) {
                Ok(fields) => fields,
                Err(problem) => {
                    let line = problem.line.min(document.front - 1);
                    problems.error(
                        document.path,
                        line,
                        format!("the front matter is not valid YAML: {}", problem.text),
                    );
                    return front;
                }
            };
        let mut seen: Vec<&str> = Vec::new();
        for (written, node) in fields {
            // The opening line is not part of the block, and lines are counted from 1 there.
            let (line, path) = (node.line, document.path);
            let Some(key) = known(&written) else {
                let text = format!(
                    "{written:?} of the front matter is not known and not read: known are {}",
                    KEYS.join(", ")
                );
                problems.warning(path, line, text);
                continue;
            };
            if seen.contains(&key) {
                let text =
                    format!("{key} is there twice in the front matter, and the first counts: take one out");
                problems.warning(path, line, text);
                continue;
            }
            seen.push(key);
            let Some(text) = value(key, node, path, problems) else {
                front.model_is_open |= key == "model";
                front.check_is_open |= key == "check";
                continue;
            };
            let is_open = unfilled::is_open(&text);
            match key {
                "name" if !is_open => front.name = Some((text, line)),
                "model" if is_open => front.model_is_open = true,
                "model" => match facts.tier(&text) {
                    Some(model) => front.model = Some(model),
                    None => {
                        problems.warning(
                            path,
                            line,
                            format!(
                                "model {text:?} is not known and not used: write one of {}",
                                facts.known()
                            ),
                        );
                    }
                },
                "check" if is_open => front.check_is_open = true,
                "check" => front.check = Some(command(&text).0),
                "type" if !is_open => front.kind = Some(Type::read(&text, path, line, problems)),
                _ => {}
            }
        }
        front
    }

    /// Front matter that cannot be read: what it lacks is not reported as well.
    fn broken() -> Self {
        Self { model_is_open: true, check_is_open: true, ..Self::default() }
    }

    /// The defaults of a file behind the first: what it does not say, the first one says.
    pub(super) fn or(self, first: &Self) -> Self {
        Self {
            name: self.name,
            model: self.model.or_else(|| first.model.clone()),
            check: self.check.or_else(|| first.check.clone()),
            kind: self.kind.or(first.kind),
            model_is_open: self.model_is_open || first.model_is_open,
            check_is_open: self.check_is_open || first.check_is_open,
        }
    }
}

const KEYS: [&str; 4] = ["name", "model", "check", "type"];

/// The key that a word is for, however it is spelled.
fn known(written: &str) -> Option<&'static str> {
    let letters: String = written.chars().filter(char::is_ascii_alphabetic).collect();
    let letters = letters.to_ascii_lowercase();
    let name = if letters == "executionmodel" { "model" } else { &letters };
    KEYS.into_iter().find(|key| *key == name)
}

/// Where front matter begins that has empty lines above it.
fn late(document: &Document<'_>) -> Option<usize> {
    let text = |line: usize| document.text(line).trim();
    let begun = (0..document.lines.all.len()).find(|line| !text(*line).is_empty())?;
    let is_field = |line: usize| text(line).split_once(':').is_some_and(|(key, _)| known(key).is_some());
    let is_one =
        begun > 0 && text(begun) == "---" && begun + 1 < document.lines.all.len() && is_field(begun + 1);
    is_one.then_some(begun)
}

/// The text of a field that we know.
fn value(key: &str, node: Node, path: &str, problems: &mut Problems) -> Option<String> {
    match node.value {
        Value::Text { text } if text.trim().contains('\n') => {
            problems.error(path, node.line, format!("{key} has several lines: write it in one"));
            None
        }
        Value::Text { text } if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Text { .. } | Value::Empty => {
            problems.error(path, node.line, format!("{key} is empty: write its value, or take the line out"));
            None
        }
        _ => {
            problems.error(path, node.line, format!("{key} is no text: write {key}: VALUE"));
            None
        }
    }
}
