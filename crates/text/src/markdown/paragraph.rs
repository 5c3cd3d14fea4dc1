//! Paragraphs, and what in them is code: a code span may reach over the lines of its paragraph, never further, so that a stray tick
//! does not hide the rest of a file.

use std::ops::Range;

use super::{Lines, unquoted};
use crate::BYTE_ORDER_MARK;

/// What a paragraph goes on with; the numbers are bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inline {
    /// A code span with its ticks.
    Code(usize),
    /// Ticks that nothing closes.
    Stray(usize),
    /// A backslash and what it takes the meaning from.
    Escaped(usize),
    Plain(char),
}

impl Inline {
    /// What the rest of a paragraph begins with; nothing at its end.
    pub fn next(rest: &str) -> Option<Self> {
        Some(match rest.chars().next()? {
            '`' => {
                let ticks = run(rest);
                closing(&rest[ticks..], ticks).map_or(Self::Stray(ticks), |end| Self::Code(ticks + end))
            }
            '\\' => Self::Escaped(1 + usize::from(rest[1..].starts_with(|c: char| c.is_ascii_punctuation()))),
            plain => Self::Plain(plain),
        })
    }
}

/// How many ticks a text begins with.
fn run(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}

/// The end of the first run of exactly so many ticks.
fn closing(text: &str, ticks: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(next) = text[at..].find('`') {
        let length = run(&text[at + next..]);
        at += next + length;
        if length == ticks {
            return Some(at);
        }
    }
    None
}

impl<'a> Lines<'a> {
    /// The lines of text that belong together. A line that is `apart` is a paragraph of its own.
    pub fn paragraphs(&self, apart: Option<usize>) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        let mut depth = 0;
        // A line that no paragraph goes on behind.
        let mut alone = true;
        for (index, line) in self.all.iter().enumerate() {
            let (quotes, content) = self.content(index);
            if line.fenced || content.trim().is_empty() {
                alone = true;
                continue;
            }
            let is_alone = self.heading(index).is_some() || apart == Some(index) || is_rule_or_row(content);
            if alone || is_alone || quotes != depth || begins_item(content) {
                found.push(index..index + 1);
            } else if let Some(last) = found.last_mut() {
                last.end = index + 1;
            }
            (depth, alone) = (quotes, is_alone);
        }
        found
    }

    /// How many block quotes a line stands in, and what it says there.
    pub fn content(&self, index: usize) -> (usize, &'a str) {
        unquoted(self.all[index].text.trim_start_matches(BYTE_ORDER_MARK), usize::MAX)
    }
}

/// A line below a heading, a rule, a row of a table, a heading in a quote.
fn is_rule_or_row(content: &str) -> bool {
    let text = content.trim();
    let is_heading = text.trim_start_matches('#').starts_with(' ') && text.starts_with('#');
    let is_rule = text.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | ' '));
    is_heading || is_rule || is_row(content)
}

/// A row of a table.
pub fn is_row(content: &str) -> bool {
    content.trim_start().starts_with('|')
}

pub fn begins_item(content: &str) -> bool {
    let text = content.trim_start();
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let behind = if number.len() < text.len() {
        number.strip_prefix(['.', ')'])
    } else {
        text.strip_prefix(['-', '*', '+'])
    };
    behind.is_some_and(|behind| behind.is_empty() || behind.starts_with([' ', '\t']))
}
