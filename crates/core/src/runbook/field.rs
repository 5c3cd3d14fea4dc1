//! The field lines of a step: `Files: src/a.rs`, also in bold or as a list item, with or without ticks.

use engine_text::markdown::{Inline, begins_item};

use super::File;
use super::outline::{At, Document};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Model,
    Files,
    Needs,
    Requirements,
    Check,
    Turns,
}

const KEYS: [(Key, &str); 6] = [
    (Key::Model, "Execution Model"),
    (Key::Files, "Files"),
    (Key::Needs, "Needs"),
    (Key::Requirements, "Requirements"),
    (Key::Check, "Check"),
    (Key::Turns, "Max Turns"),
];

impl Key {
    pub(super) fn name(self) -> &'static str {
        KEYS.iter().find(|(key, _)| *key == self).map_or("", |(_, name)| name)
    }

    /// Its value may go on in the lines below.
    fn is_list(self) -> bool {
        matches!(self, Self::Files | Self::Needs | Self::Requirements)
    }
}

/// A field, and the lines that it takes.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) key: Key,
    pub(super) value: String,
    /// The place of its first line among those of the step.
    pub(super) place: usize,
    pub(super) lines: Vec<At>,
}

/// The key and value of a line.
pub(super) fn parse(line: &str) -> Option<(Key, &str)> {
    let text = line.trim_start_matches(' ');
    if line.len() - text.len() > 3 {
        return None;
    }
    let text = text
        .strip_prefix(['-', '*', '+'])
        .and_then(|text| text.strip_prefix(' '))
        .unwrap_or(text)
        .trim_start();
    let (bold, text) = text.strip_prefix("**").map_or((false, text), |text| (true, text));
    let (left, right) = text.split_once(':')?;
    let name = if bold { left.trim_end().trim_end_matches("**") } else { left };
    let right = if bold && !left.contains("**") { right.strip_prefix("**")? } else { right };
    let key = KEYS.iter().find(|(_, known)| known.eq_ignore_ascii_case(name.trim()))?.0;
    Some((key, right.trim()))
}

/// The fields among these lines, in their order.
pub(super) fn fields(documents: &[Document<'_>], lines: &[At]) -> Vec<Field> {
    let text = |index: usize| {
        let (document, line) = lines[index];
        (!documents[document].lines.all[line].fenced).then(|| documents[document].text(line))
    };
    let mut found = Vec::new();
    let mut index = 0;
    while index < lines.len() {
        let here = index;
        index += 1;
        let Some((key, value)) = text(here).and_then(parse) else { continue };
        let mut field = Field { key, value: value.to_owned(), place: here, lines: vec![lines[here]] };
        let below = |index: usize| {
            let text = text(index)?;
            let is_text =
                !text.trim().is_empty() && parse(text).is_none() && !text.trim_start().starts_with('#');
            is_text.then_some(text)
        };
        let is_items = key.is_list() && value.is_empty();
        while key.is_list() && index < lines.len() {
            let Some(text) = below(index) else { break };
            if is_items && begins_item(text) {
                let item = text.trim_start().trim_start_matches(['-', '*', '+']).trim();
                let comma = if field.value.is_empty() { "" } else { ", " };
                field.value.push_str(&format!("{comma}{item}"));
            } else if field.value.ends_with(',') {
                field.value.push_str(&format!(" {}", text.trim()));
            } else {
                break;
            }
            field.lines.push(lines[index]);
            index += 1;
        }
        found.push(field);
    }
    found
}

/// The command of a check, and whether the line says more: the first code span, else all of it.
pub(super) fn command(value: &str) -> (String, bool) {
    let mut rest = value.trim();
    while let Some(next) = Inline::next(rest) {
        let length = match next {
            Inline::Code(length) => {
                let ticks = rest[..length].len() - rest[..length].trim_start_matches('`').len();
                let inner = rest[ticks..length - ticks].trim();
                if !inner.is_empty() {
                    return (inner.to_owned(), length < value.trim().len());
                }
                length
            }
            Inline::Stray(length) | Inline::Escaped(length) => length,
            Inline::Plain(c) => c.len_utf8(),
        };
        rest = &rest[length..];
    }
    (value.trim().to_owned(), false)
}

/// A list parted by commas, without ticks and empty parts. `none` is an empty one.
pub(super) fn list(value: &str) -> Vec<&str> {
    let parts = value.split(',').map(bare).filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.collect();
    let is_none = matches!(parts.as_slice(), [one] if one.eq_ignore_ascii_case("none") || matches!(*one, "-" | "–" | "—"));
    if is_none { Vec::new() } else { parts }
}

/// A word without blanks and ticks around it.
pub(super) fn bare(text: &str) -> &str {
    text.trim().trim_matches('`').trim()
}

/// The files of a step: `src/a.rs, tests/a.rs (new)`.
pub(super) fn files(value: &str) -> Vec<File> {
    let file = |part: &str| {
        let (path, remark) =
            part.strip_suffix(')').and_then(|part| part.rsplit_once(" (")).unwrap_or((part, ""));
        let path = bare(path).trim_start_matches("./");
        let first = remark.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let new = ["new", "create", "created"].iter().any(|word| first.eq_ignore_ascii_case(word));
        File { path: path.to_owned(), new }
    };
    list(value).into_iter().map(file).filter(|file| !file.path.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_read_in_every_notation() {
        let cases = [
            ("Execution Model: opus", Some((Key::Model, "opus"))),
            ("**Execution Model**: opus", Some((Key::Model, "opus"))),
            ("**Execution Model:** opus", Some((Key::Model, "opus"))),
            ("- execution model: `opus`", Some((Key::Model, "`opus`"))),
            ("* **FILES**: a, b", Some((Key::Files, "a, b"))),
            ("   Max turns : 30", Some((Key::Turns, "30"))),
            ("Check: `a: b`", Some((Key::Check, "`a: b`"))),
            ("    Check: indented", None),
            ("**Check: open", None),
            ("Checks: a", None),
            ("To check: a", None),
            ("", None),
            (":", None),
        ];
        for (line, expected) in cases {
            assert_eq!(parse(line), expected, "{line:?}");
        }
    }

    #[test]
    fn the_command_of_a_check_is_its_first_code_span() {
        let cases = [
            ("cargo test", ("cargo test", false)),
            ("`cargo test`", ("cargo test", false)),
            ("`cargo test`, and 3 tests run", ("cargo test", true)),
            ("run `cargo test a` then `b`", ("cargo test a", true)),
            ("``echo `date` ``", ("echo `date`", false)),
            ("echo `date", ("echo `date", false)),
            ("``", ("``", false)),
        ];
        for (value, (line, more)) in cases {
            assert_eq!(command(value), (line.to_owned(), more), "{value:?}");
        }
    }

    #[test]
    fn files_are_read_with_their_remarks() {
        let shown = |value| files(value).iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        let cases = [
            ("src/a.rs, tests/a.rs (new)", "src/a.rs; tests/a.rs (new)"),
            ("`src/a.rs`, `tests/a.rs` (new),", "src/a.rs; tests/a.rs (new)"),
            ("`tests/a.rs (new)`", "tests/a.rs (new)"),
            ("./src/a.rs (lines 1 to 3)", "src/a.rs"),
            ("a b.md (New file)", "a b.md (new)"),
            ("app/(group)/page.tsx", "app/(group)/page.tsx"),
            ("none", ""),
            ("–", ""),
        ];
        for (value, expected) in cases {
            assert_eq!(shown(value), expected, "{value:?}");
        }
    }
}
