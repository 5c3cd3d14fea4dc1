//! A Markdown text as lines with their places: which of them are no text (code fences,
//! comments, front matter), which are headings.
//!
//! No parser gives back every byte, so this is our own, and small: what tasks and handoff need.

use crate::BYTE_ORDER_MARK;

mod paragraph;

pub use paragraph::{Inline, begins_item, indent, is_row};

#[derive(Debug, Clone)]
pub struct Lines<'a> {
    pub text: &'a str,
    pub all: Vec<Line<'a>>,
    /// Where a fence begins that is never closed: what comes behind it is no Markdown any more.
    pub open_fence: Option<usize>,
    /// The code blocks that are closed.
    pub blocks: Vec<Block>,
}

/// The lines between two fences, and the word behind the opening one. Indexes count from 0.
#[derive(Debug, Clone)]
pub struct Block {
    pub info: String,
    pub lines: std::ops::Range<usize>,
}

#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// Without its line end.
    pub text: &'a str,
    pub start: usize,
    /// Behind its line end.
    pub end: usize,
    /// In a code fence, a comment or the front matter.
    pub fenced: bool,
}

impl<'a> Lines<'a> {
    pub fn new(text: &'a str) -> Self {
        let mut all = Vec::new();
        let mut start = 0;
        let mut inside = if has_front_matter(text) { Inside::FrontMatter } else { Inside::Text };
        let mut opened_at = None;
        let mut blocks = Vec::new();
        let mut list = List::default();
        for whole in text.split_inclusive('\n') {
            let text_of_line = whole.trim_end_matches('\n').trim_end_matches('\r');
            let line =
                if start == 0 { text_of_line.trim_start_matches(BYTE_ORDER_MARK) } else { text_of_line };
            if let Inside::Fence(fence) = &inside
                && fence.ends_before(line)
            {
                inside = Inside::Text;
                list.has_text = false;
            }
            let hidden = match &inside {
                Inside::Text => {
                    list.read(line);
                    if let Some(fence) = Fence::open(line, all.len() + 1, list.is_open) {
                        inside = Inside::Fence(fence);
                        opened_at = Some(start);
                    } else if line.trim_start().starts_with("<!--") && !line.contains("-->") {
                        inside = Inside::Comment;
                        opened_at = Some(start);
                    }
                    !matches!(inside, Inside::Text) || line.trim_start().starts_with("<!--")
                }
                Inside::Fence(fence) => {
                    if fence.is_closed_by(line) {
                        blocks.push(Block { info: fence.info.clone(), lines: fence.first..all.len() });
                        inside = Inside::Text;
                        list.has_text = false;
                    }
                    true
                }
                Inside::Comment => {
                    if line.contains("-->") {
                        inside = Inside::Text;
                    }
                    true
                }
                Inside::FrontMatter => {
                    if start > 0 && line.trim_end() == "---" {
                        inside = Inside::Text;
                    }
                    true
                }
            };
            all.push(Line { text: text_of_line, start, end: start + whole.len(), fenced: hidden });
            start += whole.len();
        }
        let unclosed = matches!(inside, Inside::Fence(_) | Inside::Comment);
        Self { text, all, open_fence: opened_at.filter(|_| unclosed), blocks }
    }

    /// Level and text of the heading in a line, if it is one.
    pub fn heading(&self, index: usize) -> Option<(usize, &'a str)> {
        let line = &self.all[index];
        let text = line.text.trim_start_matches(BYTE_ORDER_MARK);
        let blanks = text.len() - text.trim_start_matches(' ').len();
        let text = &text[blanks.min(3)..];
        let level = text.len() - text.trim_start_matches('#').len();
        let rest = text[level..].strip_prefix([' ', '\t'])?;
        let is_heading = !line.fenced && (1..=6).contains(&level);
        is_heading.then(|| (level, rest.trim().trim_end_matches('#').trim_end().trim_end_matches(':')))
    }

    /// The first line behind the section that a heading opens.
    pub fn section_end(&self, heading: usize) -> usize {
        let level = self.heading(heading).map_or(0, |(level, _)| level);
        let closes = |index: &usize| self.heading(*index).is_some_and(|(other, _)| other <= level);
        (heading + 1..self.all.len()).find(closes).unwrap_or(self.all.len())
    }

    /// How many lines the front matter has, with those that enclose it.
    pub fn front_matter(&self) -> usize {
        let is_rule = |line: &Line<'_>| line.text.trim_start_matches(BYTE_ORDER_MARK).trim_end() == "---";
        if !self.all.first().is_some_and(|line| line.fenced && is_rule(line)) {
            return 0;
        }
        self.all.iter().skip(1).position(is_rule).map_or(0, |index| index + 2)
    }

    /// The line end that the text uses.
    pub fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }
}

/// Whether the text begins with a block between two `---` lines; one such line alone is only a rule.
fn has_front_matter(text: &str) -> bool {
    let mut lines = text.trim_start_matches(BYTE_ORDER_MARK).lines().map(str::trim_end);
    lines.next() == Some("---") && lines.any(|line| line == "---")
}

/// Two blanks or a tab: the line belongs to the item above it.
pub fn is_indented(line: &str) -> bool {
    line.starts_with("  ") || line.starts_with('\t')
}

/// What the lines at hand are part of.
enum Inside {
    Text,
    Fence(Fence),
    Comment,
    FrontMatter,
}

/// A line without the marks of the block quotes that it stands in, and how many they are.
pub fn unquoted(line: &str, most: usize) -> (usize, &str) {
    let mut rest = line;
    for depth in 0..most {
        let text = rest.trim_start_matches(' ');
        match text.strip_prefix('>') {
            Some(behind) if rest.len() - text.len() <= 3 => rest = behind.strip_prefix(' ').unwrap_or(behind),
            _ => return (depth, rest),
        }
    }
    (most, rest)
}

/// Whether a line may belong to an item of a list. Blanks alone do not make it: a fence may be indented by itself.
#[derive(Default)]
struct List {
    is_open: bool,
    /// Whether the line before was of a paragraph, with which the next may go on without being indented.
    has_text: bool,
    /// In how many block quotes the line before was.
    quotes: usize,
}

impl List {
    fn read(&mut self, line: &str) {
        let (quotes, line) = unquoted(line, usize::MAX);
        if line.trim().is_empty() {
            self.has_text = false;
            return;
        }
        if begins_item(line) {
            self.is_open = true;
        } else if quotes > self.quotes || (!is_indented(line) && (!self.has_text || begins_block(line))) {
            self.is_open = false;
        }
        self.has_text = !begins_block(line);
        self.quotes = quotes;
    }
}

/// Whether a line is no text that a paragraph could go on with.
fn begins_block(line: &str) -> bool {
    let text = line.trim_start();
    let behind = text.trim_start_matches('#');
    let is_heading = (1..=6).contains(&(text.len() - behind.len())) && behind.starts_with([' ', '\t']);
    is_heading || ["```", "~~~", "<!--"].iter().any(|mark| text.starts_with(mark))
}

/// An open code fence: its character and how many of them, and the first line behind it.
struct Fence {
    mark: char,
    length: usize,
    /// How many block quotes it stands in.
    quotes: usize,
    in_item: bool,
    info: String,
    first: usize,
}

impl Fence {
    fn open(line: &str, first: usize, is_list_open: bool) -> Option<Self> {
        let (quotes, line) = unquoted(line, usize::MAX);
        let text = line.trim_start();
        let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let length = text.chars().take_while(|c| *c == mark).count();
        // A line of ticks that ends in ticks is a code span, not a fence.
        let info = &text[length..];
        (length >= 3 && !(mark == '`' && info.contains('`'))).then(|| Self {
            mark,
            length,
            quotes,
            in_item: is_list_open && is_indented(line),
            info: info.trim().to_owned(),
            first,
        })
    }

    /// A fence in a list item or a block quote ends with it.
    fn ends_before(&self, line: &str) -> bool {
        let (quotes, line) = unquoted(line, self.quotes);
        quotes < self.quotes || (self.in_item && !line.trim().is_empty() && !is_indented(line))
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let text = unquoted(line, self.quotes).1.trim();
        text.chars().all(|c| c == self.mark) && text.chars().count() >= self.length
    }
}
