//! The front matter of files that people and the engine write by turns: items of the queue, notes. Read as YAML, and changed line by line, so
//! that what nobody meant to change stays as it is.
//!
//! ```text
//! ---
//! state: open
//! after: [20261115-203000-name-the-colours]
//! ---
//! ```

use std::ops::Range;

use engine_text::yaml::{self, Node, Value};

/// The fields of a block. Those that nobody asks for are no concern of the engine.
pub(crate) struct Fields(Vec<(String, Node)>);

impl Fields {
    /// The fields of a file, or why there are none.
    pub(crate) fn of(text: &str) -> Result<Self, String> {
        let block = block(text).ok_or("no front matter between two lines ---")?;
        yaml::read(&text[block])
            .map(Self)
            .map_err(|problem| format!("front matter, line {}: {}", problem.line + 1, problem.text))
    }

    fn one(&self, key: &str) -> Result<Option<&Node>, String> {
        let mut found = self.0.iter().filter(|(name, _)| name == key).map(|(_, node)| node);
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(format!("{key} stands twice")),
            (found, None) => Ok(found),
        }
    }

    pub(crate) fn text(&self, key: &str) -> Result<Option<String>, String> {
        match self.one(key)?.map(|node| &node.value) {
            None | Some(Value::Empty) => Ok(None),
            Some(Value::Text { text }) => Ok(Some(text.clone())),
            Some(_) => Err(format!("{key} is no text")),
        }
    }

    /// A list of texts, or one. `of` says what they are.
    pub(crate) fn list(&self, key: &str, of: &str) -> Result<Vec<String>, String> {
        let no_list = || format!("{key} is no list of {of}");
        match self.one(key)?.map(|node| &node.value) {
            None | Some(Value::Empty) => Ok(Vec::new()),
            Some(Value::Text { text }) => Ok(vec![text.clone()]),
            Some(Value::List(nodes)) => nodes
                .iter()
                .map(|node| match &node.value {
                    Value::Text { text } => Ok(text.clone()),
                    _ => Err(no_list()),
                })
                .collect(),
            Some(Value::Map(_)) => Err(no_list()),
        }
    }
}

/// Where the front matter stands, without its two lines of dashes.
pub(crate) fn block(text: &str) -> Option<Range<usize>> {
    let mark = text.len() - text.trim_start_matches(engine_text::BYTE_ORDER_MARK).len();
    let first = text[mark..].split_inclusive('\n').next().filter(|line| line.trim_end() == "---")?;
    let start = mark + first.len();
    let mut end = start;
    for line in text[start..].split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some(start..end);
        }
        end += line.len();
    }
    None
}

/// Everything behind the front matter.
pub(crate) fn body(text: &str) -> &str {
    let behind = block(text).map_or(0, |block| block.end);
    let rest = &text[behind..];
    let closing = if behind == 0 { 0 } else { rest.find('\n').map_or(rest.len(), |at| at + 1) };
    rest[closing..].trim_start_matches(['\r', '\n'])
}

/// One field: in its place, or at the end, or gone.
pub(crate) fn with_field(text: &str, key: &str, value: Option<&str>) -> String {
    let Some(block) = block(text) else { return text.to_owned() };
    let newline = if text[..block.start].ends_with("\r\n") { "\r\n" } else { "\n" };
    let line = value.map_or_else(String::new, |value| format!("{key}: {value}{newline}"));
    let span = span(&text[block.clone()], key)
        .map_or(block.end..block.end, |span| block.start + span.start..block.start + span.end);
    format!("{}{line}{}", &text[..span.start], &text[span.end..])
}

/// The lines of a field: that of its key, and those below that belong to it.
fn span(block: &str, key: &str) -> Option<Range<usize>> {
    let mut found: Option<Range<usize>> = None;
    let mut at = 0;
    for line in block.split_inclusive('\n') {
        let end = at + line.len();
        match &mut found {
            Some(span) if line.starts_with([' ', '\t', '-']) && !line.trim().is_empty() => span.end = end,
            Some(_) => break,
            None if line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')) => found = Some(at..end),
            None => {}
        }
        at = end;
    }
    found
}

/// Without what a line of YAML or of a table cannot hold.
pub(crate) fn visible(text: &str) -> String {
    let odd = |c: char| {
        c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
    };
    let plain: String = text.chars().map(|c| if odd(c) { ' ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A value of the front matter: as it is where YAML reads it so, else in quotes.
pub(crate) fn scalar(text: &str) -> String {
    let text = visible(text);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '/');
    let is_word =
        matches!(text.to_ascii_lowercase().as_str(), "null" | "true" | "false" | "yes" | "no" | "on" | "off");
    // A colon between digits is the time of day.
    let colons = text.split(':').skip(1).all(|behind| behind.starts_with(|c: char| c.is_ascii_digit()));
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| plain(c) || c == ':')
        && colons
        && !is_word;
    if is_plain { text } else { serde_json::Value::String(text).to_string() }
}

pub(crate) fn list(ids: &[String]) -> String {
    format!("[{}]", ids.iter().map(|id| scalar(id)).collect::<Vec<_>>().join(", "))
}
