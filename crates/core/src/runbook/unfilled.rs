//! What is left of the template: nobody works from a runbook that still says `…`.

use super::field;
use super::outline::{Document, Head};
use super::read::Problems;

/// What the template has where an author writes. Several words each: `<title>` is also a tag.
pub(super) const PLACEHOLDERS: [&str; 13] = [
    "<a model>",
    "<a command>",
    "<the goal>",
    "<what is decided>",
    "<when to stop>",
    "<name of the phase>",
    "<what its steps build on>",
    "<what it does>",
    "<its files>",
    "<the work>",
    "<the test and its failure>",
    "<the least code>",
    "<what to tidy>",
];

/// Whether a value is still to be written.
pub(super) fn is_open(text: &str) -> bool {
    is_ellipsis(text) || placeholder(text).is_some()
}

fn is_ellipsis(text: &str) -> bool {
    matches!(field::bare(text), "…" | "...")
}

fn placeholder(text: &str) -> Option<&'static str> {
    if !text.contains('<') {
        return None;
    }
    PLACEHOLDERS.into_iter().find(|placeholder| text.contains(placeholder))
}

/// Every line of a document that is still to be written.
pub(super) fn check(document: &Document<'_>, problems: &mut Problems) {
    for line in 0..document.lines.all.len() {
        let in_front = line < document.front;
        if document.lines.all[line].fenced && !in_front {
            continue;
        }
        let text = document.text(line);
        let found = if let Some(placeholder) = placeholder(text) {
            placeholder
        } else if is_ellipsis(value(document, line, in_front)) {
            "…"
        } else {
            continue;
        };
        problems.error(
            document.path,
            line,
            format!("{found} is still to be written: put the text in its place, or take the line out"),
        );
    }
}

/// What a line says, without its heading, key or list mark.
fn value<'a>(document: &Document<'a>, line: usize, in_front: bool) -> &'a str {
    let text = document.text(line);
    if in_front {
        return text.split_once(':').map_or("", |(_, value)| value);
    }
    if let Some((_, text)) = document.lines.heading(line) {
        return match Head::of(text) {
            Head::Phase(_, title) | Head::Step { title, .. } => title,
            _ => text,
        };
    }
    match field::parse(text) {
        Some((_, value)) => value,
        None => text.trim().trim_start_matches(['-', '*', '+', '>']).trim(),
    }
}
