//! From the tree to values, with everything that is wrong on the way.

use serde::de::DeserializeOwned;

use super::{Node, Value};
use crate::Problem;

pub struct Reader {
    /// Lines above the block.
    above: usize,
    problems: Vec<Problem>,
}

impl Reader {
    pub fn new(above: usize) -> Self {
        Self { above, problems: Vec::new() }
    }

    /// Everything that is wrong, by lines.
    pub fn done(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|problem| problem.line);
        self.problems
    }

    /// How much is wrong so far.
    pub fn count(&self) -> usize {
        self.problems.len()
    }

    /// A line of the block as a line of the text.
    pub fn place(&self, line: usize) -> usize {
        line + self.above
    }

    pub fn problem(&mut self, line: usize, text: impl Into<String>) {
        let line = self.place(line);
        self.problems.push(Problem { line, text: text.into() });
    }

    /// The fields of a mapping, each known and given once.
    pub fn fields(&mut self, what: &str, node: Node, known: &[&str]) -> Vec<(String, Node)> {
        let line = node.line;
        let Value::Map(fields) = node.value else {
            self.problem(line, format!("{what} is no mapping"));
            return Vec::new();
        };
        let mut kept: Vec<(String, Node)> = Vec::new();
        for (key, node) in fields {
            if !known.contains(&key.as_str()) {
                self.problem(node.line, format!("{what}: {key} is not known; known: {}", known.join(", ")));
            } else if kept.iter().any(|(other, _)| *other == key) {
                self.problem(node.line, format!("{what}: {key} stands twice"));
            } else {
                kept.push((key, node));
            }
        }
        kept
    }

    pub fn list(&mut self, what: &str, node: Node) -> Vec<Node> {
        match node.value {
            Value::List(items) => items,
            Value::Empty => Vec::new(),
            _ => {
                self.problem(node.line, format!("{what} is no list"));
                Vec::new()
            }
        }
    }

    pub fn text(&mut self, what: &str, node: Node) -> Option<String> {
        match node.value {
            Value::Text { text } if !text.trim().is_empty() => Some(text),
            Value::Text { .. } | Value::Empty => {
                self.problem(node.line, format!("{what} is empty"));
                None
            }
            _ => {
                self.problem(node.line, format!("{what} is no text"));
                None
            }
        }
    }

    pub fn texts(&mut self, what: &str, node: Node, form: &Form) -> Vec<String> {
        let mut kept = Vec::new();
        for node in self.list(what, node) {
            let line = node.line;
            match self.text(what, node) {
                Some(text) if (form.fits)(&text) => kept.push(text),
                Some(text) => self.problem(line, format!("{what}: {text} is not {}", form.is)),
                None => {}
            }
        }
        kept
    }

    pub fn flag(&mut self, what: &str, node: Node) -> bool {
        let line = node.line;
        match self.text(what, node).as_deref() {
            Some("true") => true,
            Some("false") | None => false,
            Some(_) => {
                self.problem(line, format!("{what} is neither true nor false"));
                false
            }
        }
    }

    /// One of the words that a type is written as.
    pub fn word<T: DeserializeOwned>(&mut self, what: &str, node: Node, known: &str) -> Option<T> {
        let line = node.line;
        let text = self.text(what, node)?;
        let word = serde_json::from_value(serde_json::Value::String(text.clone())).ok();
        if word.is_none() {
            self.problem(line, format!("{what}: {text} is not one of {known}"));
        }
        word
    }
}

/// How the items of a list are written.
pub struct Form {
    pub is: &'static str,
    pub fits: fn(&str) -> bool,
}

pub const ANY: Form = Form { is: "a text", fits: |_| true };
