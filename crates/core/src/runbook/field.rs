//! The field lines of a step: `Files: src/a.rs`, also in bold, as a list item or in a quote, with or without ticks.
//!
//! They are the lines right below its heading; what stands farther down is its text.

use engine_text::markdown::Inline;
use engine_text::markdown::begins_item;

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

/// Each key with its name, and how it may be spelled besides: letters alone, in small ones.
const KEYS: [(Key, &str, &[&str]); 6] = [
    (Key::Model, "Execution Model", &["executionmodel", "model"]),
    (Key::Files, "Files", &["files", "file"]),
    (Key::Needs, "Needs", &["needs", "need"]),
    (Key::Requirements, "Requirements", &["requirements", "requirement"]),
    (Key::Check, "Check", &["check", "checks"]),
    (Key::Turns, "Max Turns", &["maxturns"]),
];

impl Key {
    pub(super) fn name(self) -> &'static str {
        KEYS.iter().find(|(key, ..)| *key == self).map_or("", |(_, name, _)| name)
    }

    /// Its value may go on in the lines below.
    fn is_list(self) -> bool {
        matches!(self, Self::Files | Self::Needs | Self::Requirements)
    }

    /// The key that a name is for, whatever divides its words.
    fn of(name: &str) -> Option<Self> {
        let is_letter = |c: char| c.is_ascii_alphabetic() || matches!(c, ' ' | '-' | '_');
        let letters: String = name.chars().filter(char::is_ascii_alphabetic).collect();
        let letters = letters.to_ascii_lowercase();
        let known = KEYS.iter().find(|(_, _, spelled)| spelled.contains(&letters.as_str()))?;
        name.chars().all(is_letter).then_some(known.0)
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

const EMPHASIS: [char; 3] = ['*', '_', '`'];

/// The key and value of a line.
pub(super) fn parse(line: &str) -> Option<(Key, &str)> {
    let (left, right) = unmarked(line).split_once(':')?;
    let name = left.trim_start_matches(EMPHASIS);
    let marks = &left[..left.len() - name.len()];
    let is_closed = name.trim_end().ends_with(marks);
    let key = Key::of(name.trim_end().trim_end_matches(EMPHASIS).trim())?;
    let value = match right.strip_prefix(marks) {
        _ if is_closed => right,
        Some(value) => value,
        None => right.trim_end().strip_suffix(marks)?,
    };
    Some((key, value.trim()))
}

/// A line without the marks of lists and quotes that it begins with.
fn unmarked(line: &str) -> &str {
    let mut rest = line.trim_start();
    loop {
        let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let behind = if number.len() < rest.len() {
            number.strip_prefix(['.', ')'])
        } else {
            rest.strip_prefix(['-', '*', '+', '>'])
        };
        match behind.filter(|behind| behind.starts_with([' ', '\t'])) {
            Some(behind) => rest = behind.trim_start(),
            None => return rest,
        }
    }
}

/// The key of a line that is written as a field is documented: where no field is read, it may be meant as one.
fn written(line: &str) -> Option<(Key, &str)> {
    let text = line.trim_start_matches(' ');
    let text = text.strip_prefix(['-', '*']).filter(|text| text.starts_with(' ')).unwrap_or(text);
    let name = text.trim_start().trim_start_matches("**");
    let (key, value) = parse(text)?;
    let (name, behind) = name.split_at_checked(key.name().len())?;
    let is_exact = name.eq_ignore_ascii_case(key.name()) && !behind.starts_with(char::is_alphabetic);
    (is_exact && line.len() - line.trim_start_matches(' ').len() <= 3).then_some((key, value))
}

/// A line that is neither in a fence nor in a comment.
fn plain<'a>(documents: &[Document<'a>], (document, line): At) -> Option<&'a str> {
    (!documents[document].lines.all[line].fenced).then(|| documents[document].text(line))
}

/// The fields right below a heading, in their order, and the place of the first line behind them.
pub(super) fn block(documents: &[Document<'_>], lines: &[At]) -> (Vec<Field>, usize) {
    let text = |index: usize| plain(documents, lines[index]);
    let mut found = Vec::new();
    let mut end = 0;
    let mut index = 0;
    while index < lines.len() {
        let here = index;
        index += 1;
        let Some(line) = text(here) else { break };
        if line.trim().is_empty() {
            continue;
        }
        let Some((key, value)) = parse(line) else { break };
        let mut field = Field { key, value: value.to_owned(), place: here, lines: vec![lines[here]] };
        let below = |index: usize| {
            let text = text(index)?;
            let is_text =
                !text.trim().is_empty() && parse(text).is_none() && !text.trim_start().starts_with('#');
            is_text.then_some(text)
        };
        let is_items = key.is_list() && value.is_empty();
        let first =
            (index..lines.len()).find(|index| text(*index).is_none_or(|text| !text.trim().is_empty()));
        if let Some(first) = first.filter(|first| is_items && below(*first).is_some_and(begins_item)) {
            // An empty line may divide a list from its name.
            index = first;
        }
        while key.is_list() && index < lines.len() {
            let Some(text) = below(index) else { break };
            if is_items && begins_item(text) {
                field.value.push_str(&format!("\n{}", unmarked(text)));
            } else if field.value.ends_with(',') {
                field.value.push_str(&format!(" {}", text.trim()));
            } else {
                break;
            }
            field.lines.push(lines[index]);
            index += 1;
        }
        end = index;
        found.push(field);
    }
    (found, end)
}

/// Lines farther down that are written as fields are.
pub(super) fn strays(documents: &[Document<'_>], lines: &[At], from: usize) -> Vec<Field> {
    let stray = |place: usize| {
        let (key, value) = plain(documents, lines[place]).and_then(written)?;
        Some(Field { key, value: value.to_owned(), place, lines: vec![lines[place]] })
    };
    (from..lines.len()).filter_map(stray).filter(|field| !field.value.is_empty()).collect()
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

/// A list parted by commas, or of items, without ticks and empty parts. `none` is an empty one.
pub(super) fn list(value: &str) -> Vec<&str> {
    let parts = value.split([',', '\n']).map(bare).filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.collect();
    let is_none = matches!(parts.as_slice(), [one] if one.eq_ignore_ascii_case("none") || matches!(*one, "-" | "–" | "—"));
    if is_none { Vec::new() } else { parts }
}

/// A word without blanks and ticks around it.
pub(super) fn bare(text: &str) -> &str {
    text.trim().trim_matches('`').trim()
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
            ("    Check: indented", Some((Key::Check, "indented"))),
            ("\t- Files: a", Some((Key::Files, "a"))),
            ("File: a", Some((Key::Files, "a"))),
            ("*Files*: a", Some((Key::Files, "a"))),
            ("__Files__: a", Some((Key::Files, "a"))),
            ("`Files`: a", Some((Key::Files, "a"))),
            ("**Files: a**", Some((Key::Files, "a"))),
            ("1. Files: a", Some((Key::Files, "a"))),
            ("> - Files: a", Some((Key::Files, "a"))),
            ("Checks: a", Some((Key::Check, "a"))),
            ("Model: opus", Some((Key::Model, "opus"))),
            ("execution-model: opus", Some((Key::Model, "opus"))),
            ("ExecutionModel: opus", Some((Key::Model, "opus"))),
            ("max_turns: 3", Some((Key::Turns, "3"))),
            ("**Check: open", None),
            ("To check: a", None),
            ("Check 1: a", None),
            ("", None),
            (":", None),
        ];
        for (line, expected) in cases {
            assert_eq!(parse(line), expected, "{line:?}");
        }
        // Farther down only the notation of the documentation is taken for one.
        let strays: Vec<&str> =
            cases.iter().map(|(line, _)| *line).filter(|line| written(line).is_some()).collect();
        assert_eq!(
            strays,
            [
                "Execution Model: opus",
                "**Execution Model**: opus",
                "**Execution Model:** opus",
                "- execution model: `opus`",
                "* **FILES**: a, b",
                "   Max turns : 30",
                "Check: `a: b`",
                "**Files: a**",
            ]
        );
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
}
