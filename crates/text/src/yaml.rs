//! Front matter as a small tree with lines, built from the events of a real YAML parser.
//!
//! A tree of our own, because a loader would follow aliases (a few lines can stand for gigabytes) and nest as deep as it
//! is told to; both are refused here.

use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::Problem;

mod reader;

pub use reader::{ANY, Form, Reader};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Counted from 1, within the block.
    pub line: usize,
    pub value: Value,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Text { text: String },
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
    Empty,
}

const DEEPEST: usize = 20;

/// A list or mapping that is not closed yet.
struct Open {
    line: usize,
    map: bool,
    items: Vec<Node>,
}

/// The fields of the block; of a key that stands twice, both.
pub fn read(block: &str) -> Result<Vec<(String, Node)>, Problem> {
    let mut open: Vec<Open> = Vec::new();
    for event in Parser::new_from_str(block) {
        let (event, span) =
            event.map_err(|error| Problem { line: error.marker().line(), text: error.info().to_owned() })?;
        let line = span.start.line();
        let refused = |text: &str| Problem { line, text: text.to_owned() };
        let done = match event {
            Event::Scalar(text, style, ..) => {
                let empty = style == ScalarStyle::Plain && matches!(&*text, "" | "~" | "null");
                Some(if empty { Value::Empty } else { Value::Text { text: text.into_owned() } })
            }
            Event::Alias(_) => return Err(refused("aliases are not read")),
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                if open.len() == DEEPEST {
                    return Err(refused("nested too deep"));
                }
                open.push(Open { line, map: matches!(event, Event::MappingStart(..)), items: Vec::new() });
                None
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(closed) if open.is_empty() => {
                    let begun = closed.line;
                    return match closed.into_value() {
                        Value::Map(fields) => Ok(fields),
                        _ => Err(Problem { line: begun, text: "not a mapping".to_owned() }),
                    };
                }
                Some(closed) => {
                    let line = closed.line;
                    push(&mut open, Node { line, value: closed.into_value() });
                    None
                }
                None => None,
            },
            _ => None,
        };
        if let Some(value) = done {
            if open.is_empty() {
                return match value {
                    Value::Empty => Ok(Vec::new()),
                    _ => Err(refused("not a mapping")),
                };
            }
            push(&mut open, Node { line, value });
        }
    }
    Ok(Vec::new())
}

/// The block with every plain value in quotes that YAML could stumble over, as the client does it before it gives up:
/// `description: Use it: now` is common, and no YAML.
pub fn quoted(block: &str) -> String {
    let doubtful = |value: &str| {
        let is_quoted = value.starts_with(['"', '\'']);
        let is_flow = (value.starts_with('[') && value.ends_with(']'))
            || (value.starts_with('{') && value.ends_with('}'));
        !is_quoted && !is_flow && (value.contains(": ") || value.contains(|c| "{}[]*&#!|>%@`".contains(c)))
    };
    let mut out = String::with_capacity(block.len() + 16);
    for line in block.split_inclusive('\n') {
        let text = line.trim_end_matches(['\n', '\r']);
        let tabs = text.len() - text.trim_start_matches('\t').len();
        let text = format!("{}{}", "  ".repeat(tabs), &text[tabs..]);
        let field = text.split_once(':').filter(|(key, value)| {
            let is_key =
                !key.is_empty() && key.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '_' | '-'));
            is_key && value.starts_with(char::is_whitespace) && doubtful(value.trim())
        });
        match field {
            Some((key, value)) => {
                let escaped = value.trim().replace('\\', "\\\\").replace('"', "\\\"");
                out.push_str(&format!("{key}: \"{escaped}\"\n"));
            }
            None => out.push_str(&format!("{text}\n")),
        }
    }
    out
}

fn push(open: &mut [Open], node: Node) {
    if let Some(last) = open.last_mut() {
        last.items.push(node);
    }
}

impl Open {
    /// Keys and values of a mapping come one after the other.
    fn into_value(self) -> Value {
        if !self.map {
            return Value::List(self.items);
        }
        let mut fields = Vec::new();
        let mut items = self.items.into_iter();
        while let (Some(key), Some(value)) = (items.next(), items.next()) {
            if let Value::Text { text } = key.value {
                // A field is where its key is.
                fields.push((text, Node { line: key.line, ..value }));
            }
        }
        Value::Map(fields)
    }
}
