//! Markdown cut into chunks: one for each section, long sections in several, nothing left out.
//!
//! The parser is a real one, because a `#` in a code block is no heading and a line of dashes below a paragraph is one. It is
//! for search only: edits of a person's file use the scanner of `engine_text`, which gives back every byte.

use std::ops::Range;
use std::panic::catch_unwind;

use engine_text::{BYTE_ORDER_MARK, yaml};
use pulldown_cmark::{Event, MetadataBlockKind, Options, Parser, Tag, TagEnd};

use crate::{Chunk, Facts};

/// So many characters a chunk has at most, without the blank lines around it.
pub const LARGEST: usize = 1200;
/// So deep a heading may be and still begin a section of its own.
const DEEPEST: usize = 4;
/// A heading is a line; of one that is a page, the beginning tells enough.
const LONGEST_HEADING: usize = 120;
/// Between the parts of a title.
pub const THEN: &str = " > ";

/// One chunk as a range of the text; the ranges of a text follow each other and hold all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    pub range: Range<usize>,
    pub title: String,
    /// Counted from 1, without the blank lines around the text.
    pub lines: Range<u32>,
}

/// The chunks of a page. `file` is how the page is called in titles.
pub fn cut(text: &str, file: &str) -> Vec<Chunk> {
    let chunk = |Cut { range, title, lines }: Cut| Chunk {
        title,
        body: body(&text[range]).to_owned(),
        line: lines.start,
        end_line: lines.end - 1,
        facts: Facts::default(),
    };
    cuts(text, file).into_iter().map(chunk).collect()
}

/// The same as ranges; empty for a text of blanks.
pub fn cuts(text: &str, file: &str) -> Vec<Cut> {
    cuts_with(text, file, Page::read)
}

/// Anybody's file is cut here, and one that the parser cannot bear must not take the answers of all others with it: it is cut as
/// a text without headings.
fn cuts_with(text: &str, file: &str, read: fn(&str) -> Page) -> Vec<Cut> {
    catch_unwind(|| cuts_of(text, file, &read(text)))
        .unwrap_or_else(|_| cuts_of(text, file, &Page::default()))
}

fn cuts_of(text: &str, file: &str, page: &Page) -> Vec<Cut> {
    let mut cuts = Vec::new();
    let mut lines = LineCounter { text, at: 0, line: 1 };
    for Section { range, title } in page.sections(text, file) {
        for range in pieces(text, range, &page.blocks) {
            let blank = text[range.clone()].find(|c: char| !is_blank(c)).unwrap_or(0);
            let end = range.start + text[range.clone()].trim_end_matches(is_blank).len();
            let first = lines.of(range.start + blank);
            let last = lines.of(end);
            cuts.push(Cut { range, title: title.clone(), lines: first..last + 1 });
        }
    }
    cuts
}

/// A chunk's text without the blank lines around it. The indentation of its first line is kept, for code.
fn body(text: &str) -> &str {
    let text = text.trim_start_matches(BYTE_ORDER_MARK).trim_end_matches(is_blank);
    let first = text.find(|c: char| !is_blank(c)).unwrap_or(0);
    &text[text[..first].rfind('\n').map_or(0, |newline| newline + 1)..]
}

fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || letter == BYTE_ORDER_MARK
}

/// Lines of places that come in ascending order.
struct LineCounter<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

impl LineCounter<'_> {
    fn of(&mut self, place: usize) -> u32 {
        let more = self.text[self.at..place].matches('\n').count();
        self.line = self.line.saturating_add(u32::try_from(more).unwrap_or(u32::MAX));
        self.at = place;
        self.line
    }
}

struct Heading {
    /// Where its line begins.
    start: usize,
    /// Behind it.
    end: usize,
    level: usize,
    text: String,
}

struct Section {
    range: Range<usize>,
    title: String,
}

/// What the parser says of a page.
#[derive(Default)]
struct Page {
    headings: Vec<Heading>,
    /// Where paragraphs, lists and their items begin: good places to cut.
    blocks: Vec<usize>,
    /// The title in the front matter.
    title: Option<String>,
}

impl Page {
    fn read(text: &str) -> Self {
        let mark = text.len() - text.trim_start_matches(BYTE_ORDER_MARK).len();
        let options = Options::ENABLE_YAML_STYLE_METADATA_BLOCKS | Options::ENABLE_TABLES;
        let mut page = Self::default();
        let mut depth = 0;
        // The heading that is being read, and what was read of the front matter.
        let mut heading: Option<Heading> = None;
        let mut front: Option<String> = None;
        for (event, range) in Parser::new_ext(&text[mark..], options).into_offset_iter() {
            let (start, end) = (range.start + mark, range.end + mark);
            match event {
                Event::Start(tag) => {
                    match tag {
                        Tag::Heading { level, .. } if depth == 0 && level as usize <= DEEPEST => {
                            let start = line_start(text, start);
                            heading =
                                Some(Heading { start, end, level: level as usize, text: String::new() });
                        }
                        Tag::MetadataBlock(MetadataBlockKind::YamlStyle) => front = Some(String::new()),
                        Tag::Item if depth == 1 => page.block(text, start),
                        _ if depth == 0 => page.block(text, start),
                        _ => {}
                    }
                    depth += 1;
                }
                Event::End(tag) => {
                    depth -= 1;
                    match tag {
                        TagEnd::Heading(_) if depth == 0 => page.headings.extend(
                            heading
                                .take()
                                .map(|heading| Heading { text: shortened(&heading.text), ..heading }),
                        ),
                        TagEnd::MetadataBlock(_) => {
                            page.title = front.take().and_then(|text| front_title(&text));
                        }
                        _ => {}
                    }
                }
                Event::Text(words) | Event::Code(words) => {
                    if let Some(text) = front.as_mut().or(heading.as_mut().map(|heading| &mut heading.text)) {
                        text.push_str(&words);
                    }
                }
                Event::SoftBreak | Event::HardBreak => {
                    if let Some(heading) = &mut heading {
                        heading.text.push(' ');
                    }
                }
                Event::Rule => page.block(text, start),
                _ => {}
            }
        }
        page
    }

    fn block(&mut self, text: &str, start: usize) {
        let start = line_start(text, start);
        if self.blocks.last().is_none_or(|last| *last < start) {
            self.blocks.push(start);
        }
    }

    /// The sections in their order. One that is only a heading begins the section below it.
    fn sections(&self, text: &str, file: &str) -> Vec<Section> {
        let mut sections = Vec::new();
        let mut above: Vec<(usize, &str)> = Vec::new();
        let page = self.title.as_deref();
        let title = |above: &[(usize, &str)]| {
            let has_own = above.first().is_some_and(|(level, _)| *level == 1);
            let front = page.filter(|_| !has_own);
            let parts = std::iter::once(file).chain(front).chain(above.iter().map(|(_, text)| *text));
            parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(THEN)
        };
        // Where the section at hand begins, and where its text does.
        let (mut start, mut text_start) = (0, 0);
        for heading in &self.headings {
            // Each begins behind the one before, whatever the parser takes for a line.
            if heading.start < text_start {
                continue;
            }
            let is_bare = text[text_start..heading.start].trim_matches(is_blank).is_empty();
            let goes_down = above.last().is_none_or(|(level, _)| *level < heading.level);
            if !(is_bare && goes_down) {
                sections.push(Section { range: start..heading.start, title: title(&above) });
                start = heading.start;
            }
            above.retain(|(level, _)| *level < heading.level);
            above.push((heading.level, &heading.text));
            text_start = heading.end;
        }
        if !text[start..].trim_matches(is_blank).is_empty() {
            sections.push(Section { range: start..text.len(), title: title(&above) });
        } else if let Some(last) = sections.last_mut() {
            last.range.end = text.len();
        }
        sections
    }
}

/// To the parser, a carriage return ends a line also without a newline.
fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind(['\n', '\r']).map_or(0, |newline| newline + 1)
}

fn front_title(front: &str) -> Option<String> {
    let fields = yaml::read(front).ok()?;
    let (_, node) = fields.into_iter().find(|(name, _)| name == "title")?;
    match node.value {
        yaml::Value::Text { text } => Some(shortened(&text)),
        _ => None,
    }
}

/// A heading as one short line.
fn shortened(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(LONGEST_HEADING).collect()
}

/// A section in parts that are short enough.
fn pieces(text: &str, range: Range<usize>, blocks: &[usize]) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = range.start;
    loop {
        let rest = &text[start..range.end];
        let blank = rest.find(|c: char| !is_blank(c)).unwrap_or(0);
        let Some(too_far) = rest[blank..].char_indices().nth(LARGEST).map(|(at, _)| start + blank + at)
        else {
            break;
        };
        if text[too_far..range.end].trim_start_matches(is_blank).is_empty() {
            break;
        }
        let at = behind_blanks(text, best_place(text, start + blank, too_far, blocks), range.end);
        pieces.push(start..at);
        start = at;
    }
    pieces.push(start..range.end);
    pieces
}

/// Where to cut: before a paragraph, else a line, else a word, else where it must be. Not in the first half, if another place does.
fn best_place(text: &str, start: usize, too_far: usize, blocks: &[usize]) -> usize {
    let half = start + (too_far - start) / 2;
    let block = blocks[..blocks.partition_point(|block| *block <= too_far)].last().copied();
    let within = |place: &usize| *place > half;
    let part = &text.as_bytes()[start..too_far];
    let behind = |is: fn(&u8) -> bool| part.iter().rposition(is).map(|at| start + at + 1);
    block
        .filter(within)
        .or_else(|| behind(|byte| *byte == b'\n').filter(within))
        .or_else(|| behind(|byte| *byte == b' ').filter(within))
        .unwrap_or(too_far)
}

/// Blank lines belong to what is before them.
fn behind_blanks(text: &str, at: usize, end: usize) -> usize {
    let rest = &text[at..end];
    let blank = rest.find(|c: char| !is_blank(c)).unwrap_or(rest.len());
    rest[..blank].rfind('\n').map_or(at, |newline| at + newline + 1)
}

#[cfg(test)]
mod tests;
