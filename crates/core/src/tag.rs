//! Tags: `#[A-Za-z][A-Za-z0-9-]*`, in the line `**Tags**: #a #b` of a file or bare in its text.
//!
//! A tag in code (span, fence, indented block), in a comment or behind a backslash is a mention. A tag is compared as a whole: `#needs-review` is no part of
//! `#needs-review-later`.

use std::ops::Range;

use engine_text::BYTE_ORDER_MARK;
use engine_text::glob;
use engine_text::markdown::{Inline, Lines, indent};

mod edit;
mod feed;

pub use edit::{Escaped, EscapedLine, NotSwapped, add, escape, remove, swap};
pub use feed::{FEEDS, Feed, Feeds, TRANSITIONS, is_persons};

/// What the line with a file's tags begins with.
const LEAD: &str = "**Tags**:";

/// A tag that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundTag<'a> {
    pub tag: &'a str,
    /// From 1.
    pub line: usize,
    /// In the line of the file's tags, not in the text.
    pub of_file: bool,
    range: Range<usize>,
}

/// Whether a word is a tag.
pub fn is_tag(word: &str) -> bool {
    length(word) == Some(word.len())
}

/// Whether a word is a tag in which stars stand for any letters.
pub fn is_pattern(word: &str) -> bool {
    is_tag(&word.replace('*', "x"))
}

/// Whether a tag is one of those that a pattern means.
pub fn fits(pattern: &str, tag: &str) -> bool {
    glob::matches(pattern, tag)
}

/// The bare tags of a text, in order.
pub fn bare(text: &str) -> Vec<FoundTag<'_>> {
    // Most files have none.
    if !text.contains('#') {
        return Vec::new();
    }
    let lines = Lines::new(text);
    let of_file = tags_line(&lines);
    let mut found = Vec::new();
    for block in lines.paragraphs(of_file) {
        scan(&lines, &block, of_file == Some(block.start), &mut found);
    }
    found
}

/// The bare tags of a text that a pattern means.
pub fn find<'a>(pattern: &str, text: &'a str) -> Vec<FoundTag<'a>> {
    let sure = pattern.split('*').next().unwrap_or_default();
    if !text.contains(sure) {
        return Vec::new();
    }
    let mut found = bare(text);
    found.retain(|found| fits(pattern, found.tag));
    found
}

/// The line of the file's tags: below the first heading if that is a title, before any other.
fn tags_line(lines: &Lines<'_>) -> Option<usize> {
    let mut headings = (0..lines.all.len()).filter_map(|index| Some((index, lines.heading(index)?.0)));
    let end = match headings.next() {
        Some((_, 1)) => headings.next().map(|(index, _)| index),
        other => other.map(|(index, _)| index),
    };
    let above = &lines.all[..end.unwrap_or(lines.all.len())];
    above.iter().position(|line| !line.fenced && is_tags_line(line.text))
}

fn is_tags_line(line: &str) -> bool {
    let line = line.trim_start_matches(BYTE_ORDER_MARK);
    indent(line) < 4 && line.trim_start().starts_with(LEAD)
}

/// Adds the bare tags of one block, and gives the lengths of its stray runs of ticks.
fn scan<'a>(
    lines: &Lines<'a>,
    block: &Range<usize>,
    of_file: bool,
    found: &mut Vec<FoundTag<'a>>,
) -> Vec<usize> {
    let mut stray = Vec::new();
    let (mut at, end) = (lines.all[block.start].start, lines.all[block.end - 1].end);
    let mut line = block.start;
    let mut before = ' ';
    while let Some(next) = Inline::next(&lines.text[at..end]) {
        let rest = &lines.text[at..end];
        let step = match next {
            Inline::Stray(ticks) => {
                stray.push(ticks);
                ticks
            }
            Inline::Code(length) | Inline::Escaped(length) => length,
            Inline::Plain('#') if may_begin(before, &lines.text[..at]) => match length(rest) {
                Some(length) if may_end(&rest[length..]) => {
                    while lines.all[line].end <= at {
                        line += 1;
                    }
                    let range = at..at + length;
                    found.push(FoundTag { tag: &rest[..length], line: line + 1, of_file, range });
                    length
                }
                _ => 1,
            },
            Inline::Plain(c) => c.len_utf8(),
        };
        before = rest[..step].chars().next_back().unwrap_or(' ');
        at += step;
    }
    stray
}

/// Not within a word, a path, an anchor of a link or an entity.
fn may_begin(before: char, text: &str) -> bool {
    !(before.is_alphanumeric() || matches!(before, '/' | '#' | '&' | '_' | '-' | '`') || text.ends_with("]("))
}

/// The word goes no further, and touches no code.
fn may_end(behind: &str) -> bool {
    !behind.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '#' | '`'))
}

/// How long the tag is that a text begins with.
fn length(text: &str) -> Option<usize> {
    let name = text.strip_prefix('#').filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))?;
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(name.len());
    Some(1 + end)
}

#[cfg(test)]
mod tests;
