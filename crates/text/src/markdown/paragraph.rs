//! Paragraphs, and what in them is code: a code span may reach over the lines of its paragraph, never further, so that a stray tick
//! does not hide the rest of a file. Indented code is in no paragraph: four columns more than the text around it, where no paragraph
//! goes on. Below a list item the text of the item counts, not the margin.

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
    /// The lines of text that belong together, without indented code. A line that is `apart` is a paragraph of its own.
    pub fn paragraphs(&self, apart: Option<usize>) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        let mut items = Items::default();
        let mut depth = 0;
        // No paragraph goes on with the next line; indented, it is code.
        let mut alone = true;
        for (index, line) in self.all.iter().enumerate() {
            let (quotes, content) = self.content(index);
            if line.fenced || content.trim().is_empty() {
                alone = true;
                continue;
            }
            if alone && items.is_code(quotes, content) {
                continue;
            }
            let is_alone = self.heading(index).is_some() || apart == Some(index) || is_rule_or_row(content);
            if alone || is_alone || quotes != depth || begins_item(content) {
                items.take(quotes, content);
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

/// The list items that a line may belong to, from the outermost: how many block quotes each is in, and the column at which its text
/// begins.
#[derive(Default)]
struct Items(Vec<(usize, usize)>);

impl Items {
    /// Whether a line that no paragraph goes on with is indented code: four columns more than the text of its item.
    fn is_code(&self, quotes: usize, content: &str) -> bool {
        let column = indent(content);
        let item = self.0.iter().rev().find(|(depth, text)| *depth == quotes && *text <= column);
        column >= item.map_or(0, |(_, text)| *text) + CODE
    }

    /// Notes which items the first line of a paragraph ends, and whether it begins one.
    fn take(&mut self, quotes: usize, content: &str) {
        let column = indent(content);
        self.0.retain(|(depth, text)| *depth < quotes || *depth == quotes && *text <= column);
        if let Some(text) = item_text(content) {
            self.0.push((quotes, text));
        }
    }
}

/// How much farther than the text around it code is indented.
const CODE: usize = 4;

/// The column at which a line's text begins; a tab goes to the next multiple of four.
pub fn indent(content: &str) -> usize {
    let mut column = 0;
    for c in content.chars() {
        column = match c {
            ' ' => column + 1,
            '\t' => column / 4 * 4 + 4,
            _ => break,
        };
    }
    column
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
    item_text(content).is_some()
}

/// The column at which the text of a list item begins, if the line begins one.
fn item_text(content: &str) -> Option<usize> {
    let text = content.trim_start();
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let behind = if number.len() < text.len() {
        number.strip_prefix(['.', ')'])
    } else {
        text.strip_prefix(['-', '*', '+'])
    };
    let behind = behind.filter(|behind| behind.is_empty() || behind.starts_with([' ', '\t']))?;
    let marker = indent(content) + text.len() - behind.len();
    // More blanks than that are the indentation of code, of which one belongs to the marker.
    let blanks =
        Some(indent(behind)).filter(|blanks| (1..=CODE).contains(blanks) && !behind.trim().is_empty());
    Some(marker + blanks.unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indented_code_is_in_no_paragraph() {
        // Lines that say `text` are in one, lines that say `code` are not.
        let cases = [
            "    code\ntext",
            "text\n\n    code\n\n    code\ntext",
            "text\n    text",
            "text\n\n   text\n\n\tcode\n\n  \tcode",
            "# text\n    code\n    - code\n    # code\n\ntext",
            "---\n    code",
            "| text |\n    code",
            "text\n\n    - code\n    - code\n\ntext",
            "- text\n\n  text\n\n    text\n\n      code\n\ntext\n\n    code",
            "- text\n    - text\n\n      text\n\n          code\n\n    text",
            "1. text\n\n   text\n\n       code",
            "10) text\n\n        code",
            "-     text\n\n  text\n\n      code",
            "-\n\n  text\n\n      code",
            "- [ ] text\n\n    text\n\n      code",
            "> text\n>\n>     code\n\n    code",
            "> - text\n>\n>     text\n>\n>       code",
            "- text\n  > text\n\n    text",
            "```\nfence\n```\n    code",
            "<!-- comment -->\n    code",
            "\u{feff}    code\ntext",
        ];
        for case in cases {
            let lines = Lines::new(case);
            let found: Vec<usize> = lines.paragraphs(None).into_iter().flatten().collect();
            for (index, line) in lines.all.iter().enumerate() {
                let is_text = line.text.contains("text") || matches!(line.text, "---" | "-");
                assert_eq!(found.contains(&index), is_text, "{case:?} {}", line.text);
            }
        }
    }

    #[test]
    fn no_paragraph_goes_on_with_what_is_below_a_line_apart() {
        let lines = Lines::new("apart\n    code\ntext\n");
        assert_eq!(lines.paragraphs(Some(0)), [0..1, 2..3]);
    }
}
