//! Notes as search reads them: Markdown with front matter. What a note is otherwise is `engine note`'s business.

use engine_core::queue::body;
use engine_search::{Chunk, markdown};
use engine_text::stamp::Stamp;
use engine_text::yaml::{self, Value};

use super::cut::Uncut;

/// What search asks of a note's front matter.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Front {
    pub(super) kind: Option<String>,
    pub(super) created: Option<Stamp>,
    /// The names of notes that this one replaces.
    pub(super) supersedes: Vec<String>,
}

pub(super) fn front(text: &str) -> Front {
    let body = body(text);
    let above = text.get(..text.len() - body.len()).unwrap_or_default().trim();
    let block = above.strip_prefix("---").and_then(|block| block.strip_suffix("---")).unwrap_or_default();
    let fields = yaml::read(block).unwrap_or_default();
    let field = |name: &str| fields.iter().find(|(key, _)| key == name).map(|(_, node)| &node.value);
    let text = |value: &Value| match value {
        Value::Text { text } => Some(text.clone()),
        _ => None,
    };
    let supersedes = match field("supersedes") {
        Some(Value::List(nodes)) => nodes.iter().filter_map(|node| text(&node.value)).collect(),
        Some(one) => text(one).into_iter().collect(),
        None => Vec::new(),
    };
    Front {
        kind: field("kind").and_then(text),
        created: field("created").and_then(text).and_then(|at| Stamp::parse(&at)),
        supersedes,
    }
}

pub(super) fn chunks(file: &Uncut<'_>) -> Vec<Chunk> {
    let front = front(file.text);
    let body = body(file.text);
    let above = &file.text[..file.text.len() - body.len()];
    let before = u32::try_from(above.matches('\n').count()).unwrap_or(u32::MAX);
    let mut chunks = markdown::cut(body, file.head());
    for chunk in &mut chunks {
        chunk.line = chunk.line.saturating_add(before);
        chunk.end_line = chunk.end_line.saturating_add(before);
        chunk.facts.what.clone_from(&front.kind);
        chunk.facts.at = front.created.map(Stamp::rfc3339);
    }
    chunks
}
