//! Conflict markers that a merge has left in a task file. Until somebody resolves them, both sides stand in the file, and no task is
//! what it seems to be.
//!
//! ```text
//! session.md has conflict markers in lines 4–10
//! ```
//!
//! Markers inside one closed code block are a text about markers. A line of `=` alone underlines a heading.

use std::ops::RangeInclusive;

use engine_text::markdown::Lines;

/// The lines of each conflict, counted from 1.
pub fn ranges(text: &str) -> Vec<RangeInclusive<usize>> {
    // Nearly no file has one.
    if !text.contains(&OURS.repeat(SIZE)) && !text.contains(&THEIRS.repeat(SIZE)) {
        return Vec::new();
    }
    of_lines(&Lines::new(text))
}

/// `session.md has conflict markers in lines 4–10`; nothing for a file that has none.
pub fn report(file: &str, text: &str) -> Option<String> {
    let ranges = ranges(text);
    let shown: Vec<String> = ranges.iter().map(shown).collect();
    let word = if ranges.len() == 1 && ranges[0].start() == ranges[0].end() { "line" } else { "lines" };
    (!ranges.is_empty()).then(|| format!("{file} has conflict markers in {word} {}", shown.join(", ")))
}

/// The same for whoever wanted to change the file, with what to do.
pub fn refusal(file: &str, text: &str) -> Option<String> {
    report(file, text).map(|report| format!("{report}; {REMEDY}, then try again"))
}

/// What ends a conflict.
pub const REMEDY: &str = "edit the file: keep the lines that hold and delete the marker lines";

const OURS: &str = "<";
const MIDDLE: &str = "=";
const THEIRS: &str = ">";
/// How often the character of a marker stands there; git may be told to use more.
const SIZE: usize = 7;

/// `lines 4–10`.
pub(super) fn lines(range: &RangeInclusive<usize>) -> String {
    let word = if range.start() == range.end() { "line" } else { "lines" };
    format!("{word} {}", shown(range))
}

fn shown(range: &RangeInclusive<usize>) -> String {
    if range.start() == range.end() {
        range.start().to_string()
    } else {
        format!("{}–{}", range.start(), range.end())
    }
}

fn is_marker(line: &str, sign: &str) -> bool {
    let rest = line.trim_start_matches(sign);
    line.len() - rest.len() >= SIZE && (rest.is_empty() || (rest.starts_with(' ') && sign != MIDDLE))
}

pub(super) fn of_lines(lines: &Lines<'_>) -> Vec<RangeInclusive<usize>> {
    let mut found = Vec::new();
    let (mut first, mut middle): (Option<usize>, Option<usize>) = (None, None);
    // A first half that nobody ended is one all the same: somebody resolved it by half.
    let unended = |first: Option<usize>, found: &mut Vec<RangeInclusive<usize>>| {
        if let Some(first) = first.filter(|first| !is_quoted(lines, *first, *first)) {
            found.push(first + 1..=first + 1);
        }
    };
    for (index, line) in lines.all.iter().enumerate() {
        if is_marker(line.text, OURS) {
            unended(first, &mut found);
            (first, middle) = (Some(index), None);
        } else if is_marker(line.text, MIDDLE) {
            middle = Some(middle.unwrap_or(index));
        } else if is_marker(line.text, THEIRS)
            && let Some(begin) = first.or(middle)
        {
            if !is_quoted(lines, begin, index) {
                found.push(begin + 1..=index + 1);
            }
            (first, middle) = (None, None);
        }
    }
    unended(first, &mut found);
    found
}

/// Whether these lines stand in one code block.
fn is_quoted(lines: &Lines<'_>, first: usize, last: usize) -> bool {
    lines.blocks.iter().any(|block| block.lines.contains(&first) && block.lines.contains(&last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_of_a_merge_and_nothing_that_looks_like_them() {
        let cases = [
            ("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> branch\nd\n", Some("2–6")),
            ("<<<<<<< ours\r\nb\r\n||||||| base\r\no\r\n=======\r\nc\r\n>>>>>>> theirs\r\n", Some("1–7")),
            ("<<<<<<<<< a\nb\n=========\nc\n>>>>>>>>> b\n", Some("1–5")),
            ("<<<<<<< a\n=======\n>>>>>>> b\nx\n<<<<<<< a\n=======\n>>>>>>> b", Some("1–3, 5–7")),
            ("x\n<<<<<<< HEAD\nb\n", Some("2")),
            ("b\n=======\nc\n>>>>>>> branch\n", Some("2–4")),
            ("Heading\n=======\n\ntext\n", None),
            ("=======\n", None),
            (">>>>>>> deep quote\n", None),
            ("```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n```\n", None),
            ("```\n<<<<<<< HEAD\na\n```\n=======\nb\n>>>>>>> x\n", Some("2–7")),
            ("  <<<<<<< HEAD\n", None),
            ("<<<<<< six\n", None),
            ("<<<<<<<no blank\n", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let word = if expected == Some("2") { "line" } else { "lines" };
            let expected = expected.map(|lines| format!("f has conflict markers in {word} {lines}"));
            assert_eq!(report("f", text), expected, "{text:?}");
        }
    }
}
