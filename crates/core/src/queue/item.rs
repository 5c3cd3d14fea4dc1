//! Reading an item's file.

use super::{FRAGMENT, State};
use engine_text::markdown::Lines;
use engine_text::yaml::{self, Node, Value};

/// What the front matter of an item says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub id: String,
    pub title: String,
    pub state: State,
    /// As it is written: `2026-11-15T20:34:41.000Z`.
    pub created: String,
    /// Items that must be done before it.
    pub after: Vec<String>,
    /// The branch on which it was captured.
    pub branch: Option<String>,
    /// The agent session in which it was captured.
    pub session: Option<String>,
    /// Who claimed it, and when.
    pub pulled_by: Option<String>,
    pub pulled: Option<String>,
    /// When it was done or dropped, and why it was dropped.
    pub closed: Option<String>,
    pub why: Option<String>,
}

impl Item {
    /// The item of this id, or what is wrong with its text. Fields that are not known are nobody's business here.
    pub fn read(id: &str, text: &str) -> Result<Self, String> {
        let block = block(text).ok_or("no front matter between two lines ---")?;
        let fields = yaml::read(&text[block.clone()])
            .map_err(|problem| format!("front matter, line {}: {}", problem.line + 1, problem.text))?;
        let one = |key: &str| -> Result<Option<&Node>, String> {
            let mut found = fields.iter().filter(|(name, _)| name == key).map(|(_, node)| node);
            match (found.next(), found.next()) {
                (_, Some(_)) => Err(format!("{key} stands twice")),
                (found, None) => Ok(found),
            }
        };
        let text_of = |key: &str| match one(key)?.map(|node| &node.value) {
            None | Some(Value::Empty) => Ok(None),
            Some(Value::Text { text }) => Ok(Some(text.clone())),
            Some(_) => Err(format!("{key} is no text")),
        };
        let states = State::ALL.map(State::as_str).join(", ");
        let state = text_of("state")?.ok_or_else(|| format!("no state: one of {states}"))?;
        Ok(Self {
            id: id.to_owned(),
            title: text_of("title")?.unwrap_or_else(|| id.to_owned()),
            state: State::parse(&state).ok_or_else(|| format!("state {state:?} is none of {states}"))?,
            created: text_of("created")?.unwrap_or_default(),
            after: list(one("after")?)?,
            branch: text_of("branch")?,
            session: text_of("session")?,
            pulled_by: text_of("pulled-by")?,
            pulled: text_of("pulled")?,
            closed: text_of("closed")?,
            why: text_of("why")?,
        })
    }
}

/// A list of ids, or one.
fn list(node: Option<&Node>) -> Result<Vec<String>, String> {
    let texts = |nodes: &[Node]| {
        nodes
            .iter()
            .map(|node| match &node.value {
                Value::Text { text } => Ok(text.clone()),
                _ => Err("after is no list of ids".to_owned()),
            })
            .collect()
    };
    match node.map(|node| &node.value) {
        None | Some(Value::Empty) => Ok(Vec::new()),
        Some(Value::Text { text }) => Ok(vec![text.clone()]),
        Some(Value::List(nodes)) => texts(nodes),
        Some(Value::Map(_)) => Err("after is no list of ids".to_owned()),
    }
}

/// Where the front matter stands, without its two lines of dashes.
pub(super) fn block(text: &str) -> Option<std::ops::Range<usize>> {
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

/// Everything behind the front matter: the prompt.
pub fn body(text: &str) -> &str {
    let behind = block(text).map_or(0, |block| block.end);
    let rest = &text[behind..];
    let closing = if behind == 0 { 0 } else { rest.find('\n').map_or(rest.len(), |at| at + 1) };
    rest[closing..].trim_start_matches(['\r', '\n'])
}

/// The text below a heading of this name, without blank lines around it.
pub fn section<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let lines = Lines::new(text);
    let heading = heading(&lines, name)?;
    let end = lines.section_end(heading);
    let last = lines.all.get(end.checked_sub(1)?)?;
    Some(text[lines.all[heading].end..last.end].trim_matches(['\r', '\n']))
}

/// The line with the heading of a section.
pub(super) fn heading(lines: &Lines<'_>, name: &str) -> Option<usize> {
    (0..lines.all.len()).rev().find(|index| lines.heading(*index) == Some((2, name)))
}

/// What was typed, byte for byte; nothing where its section or its fence is gone.
pub fn fragment(text: &str) -> Option<&str> {
    let lines = Lines::new(text);
    let heading = heading(&lines, FRAGMENT)?;
    let block = lines.blocks.iter().find(|block| block.lines.start > heading)?;
    let opening = lines.all[block.lines.start - 1];
    let written = &text[opening.end..lines.all[block.lines.end].start];
    // The line end before the closing fence is not part of it; an editor may have changed them all.
    let crlf = text[opening.start..opening.end].ends_with("\r\n");
    written.strip_suffix(if crlf { "\r\n" } else { "\n" })
}
