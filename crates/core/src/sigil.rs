//! Sigils: `¶NAME` defines, `§NAME` refers. A name is capitals, digits and underscores, its first word the kind: `CMD_LOG`, `INV_LINKS`,
//! `FEED_REVIEW`. A kind alone (`CMD_`) is none.
//!
//! What stands in code (span, fence, indented block) or in a comment is only talked about. References in the front matter count: a skill
//! names its steps there.
//!
//! [`resolve`] gathers what a text refers to; [`Texts`] looks names up; [`Index`] tells what is wrong among many.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use engine_text::markdown::{Inline, Lines};

mod body;
mod index;

pub use index::{Defined, Document, Duplicate, Home, Index, Referred};

pub const DEFINES: char = '¶';
pub const REFERS: char = '§';

/// Where a name is defined, and what that says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition<'a> {
    pub name: &'a str,
    /// From 1.
    pub line: usize,
    /// The section if it stands in a heading, the list item with what is below it, the row of a table, else its part of the paragraph
    /// with the code that this announces.
    pub body: &'a str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference<'a> {
    pub name: &'a str,
    /// From 1.
    pub line: usize,
}

/// A definition that was looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// `path:line`.
    pub place: String,
    pub text: String,
}

/// What a text refers to, in the order of first mention; then what that refers to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resolution {
    /// Names with their definitions.
    pub resolved: Vec<(String, Resolved)>,
    pub unresolved: Vec<String>,
}

/// The definitions in a text, in order.
pub fn definitions<'a>(text: &'a str) -> Vec<Definition<'a>> {
    if !text.contains(DEFINES) {
        return Vec::new();
    }
    let lines = Lines::new(text);
    let found = mentions(&lines);
    let marks: Vec<&Mention<'a>> = found.iter().filter(|mention| mention.mark == DEFINES).collect();
    let define = |(index, mention): (usize, &&Mention<'a>)| {
        let next = marks.get(index + 1).filter(|next| next.paragraph == mention.paragraph);
        let is_first = index == 0 || marks[index - 1].paragraph != mention.paragraph;
        let body = body::of(&lines, mention, is_first, next.copied());
        Definition { name: mention.name, line: mention.line + 1, body }
    };
    marks.iter().enumerate().map(define).collect()
}

/// The references in a text, in order.
pub fn references<'a>(text: &'a str) -> Vec<Reference<'a>> {
    if !text.contains(REFERS) {
        return Vec::new();
    }
    let lines = Lines::new(text);
    let of_mention = |mention: &Mention<'a>| {
        (mention.mark == REFERS).then_some(Reference { name: mention.name, line: mention.line + 1 })
    };
    in_front_matter(&lines).iter().chain(&mentions(&lines)).filter_map(of_mention).collect()
}

/// Texts with their paths in which names are looked up. Each is read once at most, and only if it names what is looked for.
pub struct Texts<'a> {
    texts: Vec<Source<'a>>,
}

struct Source<'a> {
    path: &'a str,
    text: &'a str,
    defined: Option<HashMap<&'a str, Definition<'a>>>,
}

impl<'a> Texts<'a> {
    pub fn new(documents: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let texts = documents.into_iter().map(|(path, text)| Source { path, text, defined: None }).collect();
        Self { texts }
    }

    /// The first definition of a name.
    pub fn find(&mut self, name: &str) -> Option<Resolved> {
        self.texts.iter_mut().find_map(|Source { path, text, defined }| {
            if defined.is_none() && !text.contains(name) {
                return None;
            }
            // Of several in one text the first stays.
            let all = || definitions(text).into_iter().rev().map(|found| (found.name, found)).collect();
            let found = defined.get_or_insert_with(all).get(name)?;
            Some(Resolved { place: format!("{path}:{}", found.line), text: found.body.to_owned() })
        })
    }
}

/// What a text refers to, and what the definitions refer to in turn. Each name is looked up once, so circles end; what the text or a
/// definition that is already there defines itself is not repeated.
pub fn resolve(text: &str, lookup: &mut dyn FnMut(&str) -> Option<Resolved>) -> Resolution {
    let mut resolution = Resolution::default();
    let mut queue: VecDeque<String> = VecDeque::new();
    let mut queued: HashSet<String> = HashSet::new();
    let mut defined: HashSet<String> = HashSet::new();
    let mut take = |text: &str, queue: &mut VecDeque<String>, defined: &mut HashSet<String>| {
        defined.extend(definitions(text).iter().map(|definition| definition.name.to_owned()));
        for Reference { name, .. } in references(text) {
            if queued.insert(name.to_owned()) {
                queue.push_back(name.to_owned());
            }
        }
    };
    take(text, &mut queue, &mut defined);
    while let Some(name) = queue.pop_front() {
        if defined.contains(&name) {
            continue;
        }
        match lookup(&name) {
            Some(found) => {
                take(&found.text, &mut queue, &mut defined);
                resolution.resolved.push((name, found));
            }
            None => resolution.unresolved.push(name),
        }
    }
    resolution
}

/// Whether a word is a name: `[A-Z][A-Z0-9]*(_[A-Z0-9]+)+`.
pub fn is_name(word: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part.bytes().all(is_letter);
    word.starts_with(|c: char| c.is_ascii_uppercase()) && word.contains('_') && word.split('_').all(is_part)
}

/// The kind of a name: `CMD` of `CMD_LOG`.
pub fn kind(name: &str) -> &str {
    name.split('_').next().unwrap_or(name)
}

/// A name as it was typed: with or without its sigil, in any case.
pub fn typed(word: &str) -> String {
    word.trim_start_matches([DEFINES, REFERS]).to_ascii_uppercase()
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

/// A sigil with a name that counts.
#[derive(Debug)]
struct Mention<'a> {
    mark: char,
    name: &'a str,
    /// Where the sigil stands.
    at: usize,
    /// From 0.
    line: usize,
    /// The lines of its paragraph.
    paragraph: Range<usize>,
}

/// All that stands in the text, in order.
fn mentions<'a>(lines: &Lines<'a>) -> Vec<Mention<'a>> {
    let mut found = Vec::new();
    for paragraph in lines.paragraphs(None) {
        scan(lines, &paragraph, &mut found);
    }
    found
}

/// What the front matter names, line by line.
fn in_front_matter<'a>(lines: &Lines<'a>) -> Vec<Mention<'a>> {
    let mut found = Vec::new();
    for line in 0..lines.front_matter() {
        scan(lines, &(line..line + 1), &mut found);
    }
    found
}

fn scan<'a>(lines: &Lines<'a>, paragraph: &Range<usize>, found: &mut Vec<Mention<'a>>) {
    let (mut at, end) = (lines.all[paragraph.start].start, lines.all[paragraph.end - 1].end);
    let mut line = paragraph.start;
    while let Some(next) = Inline::next(&lines.text[at..end]) {
        at += match next {
            Inline::Code(length) | Inline::Stray(length) | Inline::Escaped(length) => length,
            Inline::Plain(mark @ (DEFINES | REFERS)) => {
                let name = name_behind(&lines.text[..at], &lines.text[at + mark.len_utf8()..end]);
                if let Some(name) = name {
                    while lines.all[line].end <= at {
                        line += 1;
                    }
                    found.push(Mention { mark, name, at, line, paragraph: paragraph.clone() });
                }
                mark.len_utf8() + name.map_or(0, str::len)
            }
            Inline::Plain(c) => c.len_utf8(),
        };
    }
}

/// The name that a text begins with, by what stands before the sigil: underscores there make those at the end emphasis.
fn name_behind<'a>(before: &str, text: &'a str) -> Option<&'a str> {
    let end = text.bytes().position(|byte| !is_letter(byte) && byte != b'_').unwrap_or(text.len());
    let goes_on = text[end..].starts_with(char::is_alphanumeric);
    let word = if before.ends_with('_') { text[..end].trim_end_matches('_') } else { &text[..end] };
    (!goes_on && is_name(word)).then_some(word)
}

#[cfg(test)]
mod tests;
