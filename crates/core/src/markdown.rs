//! A Markdown text as lines with their places: which of them are no text (code fences,
//! comments, front matter), which are headings.
//!
//! No parser gives back every byte, so this is our own, and small: what tasks and handoff need.

use crate::settings::BYTE_ORDER_MARK;

#[derive(Debug, Clone)]
pub(crate) struct Lines<'a> {
    pub(crate) text: &'a str,
    pub(crate) all: Vec<Line<'a>>,
    /// Where a fence begins that is never closed: what comes behind it is no Markdown any more.
    pub(crate) open_fence: Option<usize>,
    /// The code blocks that are closed.
    pub(crate) blocks: Vec<Block>,
}

/// The lines between two fences, and the word behind the opening one. Indexes count from 0.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) info: String,
    pub(crate) lines: std::ops::Range<usize>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    /// Without its line end.
    pub(crate) text: &'a str,
    pub(crate) start: usize,
    /// Behind its line end.
    pub(crate) end: usize,
    /// In a code fence, a comment or the front matter.
    pub(crate) fenced: bool,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut all = Vec::new();
        let mut start = 0;
        let mut inside = if has_front_matter(text) { Inside::FrontMatter } else { Inside::Text };
        let mut opened_at = None;
        let mut blocks = Vec::new();
        for whole in text.split_inclusive('\n') {
            let line = whole.trim_end_matches('\n').trim_end_matches('\r');
            // A fence in a list item ends with the item.
            if let Inside::Fence(fence) = &inside
                && fence.in_item
                && !line.trim().is_empty()
                && !is_indented(line)
            {
                inside = Inside::Text;
            }
            let hidden = match &inside {
                Inside::Text => {
                    if let Some(fence) = Fence::open(line, all.len() + 1) {
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
            all.push(Line { text: line, start, end: start + whole.len(), fenced: hidden });
            start += whole.len();
        }
        let unclosed = matches!(inside, Inside::Fence(_) | Inside::Comment);
        Self { text, all, open_fence: opened_at.filter(|_| unclosed), blocks }
    }

    /// Level and text of the heading in a line, if it is one.
    pub(crate) fn heading(&self, index: usize) -> Option<(usize, &'a str)> {
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
    pub(crate) fn section_end(&self, heading: usize) -> usize {
        let level = self.heading(heading).map_or(0, |(level, _)| level);
        let closes = |index: &usize| self.heading(*index).is_some_and(|(other, _)| other <= level);
        (heading + 1..self.all.len()).find(closes).unwrap_or(self.all.len())
    }

    /// The line end that the text uses.
    pub(crate) fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }
}

/// Whether the text begins with a block between two `---` lines; one such line alone is only a rule.
fn has_front_matter(text: &str) -> bool {
    let mut lines = text.trim_start_matches(BYTE_ORDER_MARK).lines().map(str::trim_end);
    lines.next() == Some("---") && lines.any(|line| line == "---")
}

/// Two blanks or a tab: the line belongs to the item above it.
pub(crate) fn is_indented(line: &str) -> bool {
    line.starts_with("  ") || line.starts_with('\t')
}

/// What the lines at hand are part of.
enum Inside {
    Text,
    Fence(Fence),
    Comment,
    FrontMatter,
}

/// An open code fence: its character and how many of them, and the first line behind it.
struct Fence {
    mark: char,
    length: usize,
    in_item: bool,
    info: String,
    first: usize,
}

impl Fence {
    fn open(line: &str, first: usize) -> Option<Self> {
        let text = line.trim_start();
        let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let length = text.chars().take_while(|c| *c == mark).count();
        // A line of ticks that ends in ticks is a code span, not a fence.
        let info = &text[length..];
        (length >= 3 && !(mark == '`' && info.contains('`'))).then(|| Self {
            mark,
            length,
            in_item: is_indented(line),
            info: info.trim().to_owned(),
            first,
        })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let text = line.trim();
        text.chars().all(|c| c == self.mark) && text.chars().count() >= self.length
    }
}
