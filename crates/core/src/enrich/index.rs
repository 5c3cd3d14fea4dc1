//! The index: one file, read in one read and used as it is.
//!
//! All numbers are little-endian and 4 bytes wide if nothing else is said.
//!
//! | part | holds |
//! | --- | --- |
//! | header | `ENRICH\r\n`, version, length of the file, sum of what follows (8 bytes), items, terms, words per item as f32, the offsets of the parts, the thresholds as f32 |
//! | terms | sorted: offset and length of the word in the texts, offset of its postings, items that have it |
//! | postings | per term and item: distance to the item before, how often the word is in it, both as varints |
//! | items | kind, whether it is retired, words, line, offset and length of path and shown line, key |
//! | texts | what terms and items refer to |
//! | sources | a line per file and folder that items were made from: size, time, path |
//!
//! A file of another version, a damaged one and one that was cut are [`Unfit`]: the sum covers every byte, and every read is checked.

use std::collections::{BTreeMap, BTreeSet};

use super::{Item, Key, Kind, Source, words};

mod score;
mod threshold;

pub use score::{Found, Hit};
pub use threshold::Thresholds;

/// Raise it with every change of the form, of the words or of the ranking.
pub const VERSION: u32 = 1;

/// More items are not indexed; the first count.
pub const MOST_ITEMS: usize = 2000;

const MAGIC: &[u8; 8] = b"ENRICH\r\n";
/// What the sum does not cover: magic, version, length, and the sum itself.
const UNSUMMED: usize = 24;
const OFFSETS: usize = UNSUMMED + 12;
const PARTS: usize = 5;
const THRESHOLDS: usize = OFFSETS + 4 * PARTS;
const HEADER: usize = THRESHOLDS + 4 * threshold::LENGTHS.len();
const TERM: usize = 16;
const ITEM: usize = 28;
/// Words of one item that are indexed.
const MOST_WORDS: usize = 600;

/// Why a file is no index that can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// Another release wrote it.
    Version(u32),
    /// It was cut, or something else wrote into it.
    Damaged,
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Version(version) => write!(out, "it has version {version}, this engine reads {VERSION}"),
            Self::Damaged => out.write_str("it is damaged"),
        }
    }
}

/// An index that was checked.
#[derive(Debug, Clone, Copy)]
pub struct Index<'b> {
    bytes: &'b [u8],
    items: u32,
    terms: u32,
    average: f32,
    parts: [usize; PARTS],
}

/// Makes the file. `retired`: items that are kept in it and not told.
pub fn build(items: &[Item], sources: &[Source], retired: &BTreeSet<Key>) -> Vec<u8> {
    let items = &items[..items.len().min(MOST_ITEMS)];
    let texts: Vec<Vec<String>> = items.iter().map(words_of).collect();
    let mut bytes = written(items, &texts, sources, retired);
    seal(&mut bytes);
    if let Ok(index) = Index::open(&bytes) {
        let learnt = threshold::learn(&index, items, &texts);
        for (at, limit) in learnt.iter().enumerate() {
            put(&mut bytes, THRESHOLDS + 4 * at, limit.to_bits());
        }
        seal(&mut bytes);
    }
    bytes
}

/// What an item is about counts twice: its own line, and where it is.
fn words_of(item: &Item) -> Vec<String> {
    let name = item.path.rsplit('/').next().unwrap_or_default();
    let name = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let mut all = words(&item.shown);
    all.extend(words(name));
    all.extend(words(&item.text));
    all.truncate(MOST_WORDS);
    all
}

fn written(items: &[Item], words: &[Vec<String>], sources: &[Source], retired: &BTreeSet<Key>) -> Vec<u8> {
    let mut postings: BTreeMap<&str, Vec<(u32, u32)>> = BTreeMap::new();
    for (number, words) in (0_u32..).zip(words) {
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        for word in words {
            *counts.entry(word).or_default() += 1;
        }
        for (word, count) in counts {
            postings.entry(word).or_default().push((number, count));
        }
    }
    let mut texts: Vec<u8> = Vec::new();
    let mut text = |text: &str| {
        let at = size(texts.len());
        texts.extend_from_slice(text.as_bytes());
        (at, size(text.len()))
    };
    let (mut terms, mut lists) = (Vec::new(), Vec::new());
    for (word, list) in &postings {
        let (at, length) = text(word);
        extend(&mut terms, [at, length, size(lists.len()), size(list.len())]);
        let mut before = 0;
        for (number, count) in list {
            varint(&mut lists, number - before);
            varint(&mut lists, *count);
            before = *number;
        }
    }
    let mut rows = Vec::new();
    for (item, words) in items.iter().zip(words) {
        let key = item.key();
        let kind = Kind::ALL.iter().position(|kind| *kind == item.kind).unwrap_or_default();
        let flags = size(kind) | u32::from(retired.contains(&key)) << 8 | size(words.len()) << 16;
        let (path, path_length) = text(&item.path);
        let (shown, shown_length) = text(&item.shown);
        extend(&mut rows, [flags, item.line, path, path_length, shown, shown_length, key.0]);
    }
    let lines: Vec<String> = sources
        .iter()
        .map(|source| format!("{} {} {}\n", source.size, source.modified, source.path))
        .collect();
    let sources = lines.concat();
    let all: usize = words.iter().map(Vec::len).sum();
    #[allow(clippy::cast_precision_loss, reason = "far fewer words than an f32 counts")]
    let average = if items.is_empty() { 0.0 } else { all as f32 / items.len() as f32 };
    let mut bytes = vec![0; HEADER];
    bytes[..8].copy_from_slice(MAGIC);
    put(&mut bytes, 8, VERSION);
    put(&mut bytes, UNSUMMED, size(items.len()));
    put(&mut bytes, UNSUMMED + 4, size(postings.len()));
    put(&mut bytes, UNSUMMED + 8, average.to_bits());
    for (at, part) in [&terms, &lists, &rows, &texts, &sources.into_bytes()].into_iter().enumerate() {
        let offset = size(bytes.len());
        put(&mut bytes, OFFSETS + 4 * at, offset);
        bytes.extend_from_slice(part);
    }
    bytes
}

fn size(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn extend<const N: usize>(bytes: &mut Vec<u8>, numbers: [u32; N]) {
    for number in numbers {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
}

fn put(bytes: &mut [u8], at: usize, number: u32) {
    bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
}

fn varint(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push((number & 0x7f) as u8);
}

/// Writes length and sum.
fn seal(bytes: &mut [u8]) {
    let length = size(bytes.len());
    put(bytes, 12, length);
    let sum = sum(&bytes[UNSUMMED..]);
    bytes[16..24].copy_from_slice(&sum.to_le_bytes());
}

/// Finds what breaks by itself, not what somebody forges; eight bytes at a time, because every prompt pays for it.
fn sum(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut sum = PRIME ^ bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        sum = (sum ^ u64::from_le_bytes(word)).wrapping_mul(PRIME).rotate_left(29);
    }
    sum
}

impl<'b> Index<'b> {
    /// Checks the file as a whole.
    pub fn open(bytes: &'b [u8]) -> Result<Self, Unfit> {
        if bytes.get(..8) != Some(MAGIC) {
            return Err(Unfit::Damaged);
        }
        let number = |at: usize| number(bytes, at).ok_or(Unfit::Damaged);
        match number(8)? {
            VERSION => {}
            other => return Err(Unfit::Version(other)),
        }
        let sealed = bytes.get(16..24).and_then(|sealed| sealed.try_into().ok()).map(u64::from_le_bytes);
        if number(12)? as usize != bytes.len()
            || bytes.len() < HEADER
            || sealed != Some(sum(&bytes[UNSUMMED..]))
        {
            return Err(Unfit::Damaged);
        }
        let mut parts = [0; PARTS];
        for (at, part) in parts.iter_mut().enumerate() {
            *part = number(OFFSETS + 4 * at)? as usize;
        }
        let (items, terms) = (number(UNSUMMED)?, number(UNSUMMED + 4)?);
        let average = f32::from_bits(number(UNSUMMED + 8)?);
        let [first, lists, rows, texts, sources] = parts;
        let is_whole = first == HEADER
            && lists.checked_sub(first) == Some(terms as usize * TERM)
            && texts.checked_sub(rows) == Some(items as usize * ITEM)
            && [lists, rows, texts, sources, bytes.len()].is_sorted();
        if is_whole { Ok(Self { bytes, items, terms, average, parts }) } else { Err(Unfit::Damaged) }
    }

    /// How many items it has.
    pub fn len(&self) -> usize {
        self.items as usize
    }

    pub fn is_empty(&self) -> bool {
        self.items == 0
    }

    /// What items were made from, and how it was then.
    pub fn sources(&self) -> Vec<Source> {
        let text = std::str::from_utf8(&self.bytes[self.parts[4]..]).unwrap_or_default();
        let source = |line: &str| {
            let mut parts = line.splitn(3, ' ');
            let (size, modified) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
            Some(Source { size, modified, path: parts.next()?.to_owned() })
        };
        text.lines().filter_map(source).collect()
    }

    /// The items, without the texts by which they are found: kind, path, line, shown line, key, and whether it is retired.
    pub fn rows(&self) -> impl Iterator<Item = Row<'b>> + '_ {
        (0..self.items).filter_map(|number| self.row(number))
    }

    pub(super) fn row(&self, item: u32) -> Option<Row<'b>> {
        let at = self.parts[2] + item as usize * ITEM;
        let field = |index: usize| number(self.bytes, at + 4 * index);
        let flags = field(0)?;
        Some(Row {
            kind: *Kind::ALL.get((flags & 0xff) as usize)?,
            is_retired: flags >> 8 & 1 == 1,
            line: field(1)?,
            path: self.text(field(2)?, field(3)?)?,
            shown: self.text(field(4)?, field(5)?)?,
            key: Key(field(6)?),
        })
    }

    /// How many words an item has.
    fn words_in(&self, item: u32) -> f32 {
        let flags = number(self.bytes, self.parts[2] + item as usize * ITEM).unwrap_or_default();
        #[allow(clippy::cast_precision_loss, reason = "at most 600")]
        let words = (flags >> 16) as f32;
        words
    }

    fn text(&self, at: u32, length: u32) -> Option<&'b str> {
        let start = self.parts[3] + at as usize;
        std::str::from_utf8(self.bytes.get(start..start + length as usize)?).ok()
    }

    /// In how many items a word is, and where its postings begin.
    fn term(&self, word: &str) -> Option<(u32, usize)> {
        let (mut low, mut high) = (0, self.terms as usize);
        while low < high {
            let middle = usize::midpoint(low, high);
            let at = self.parts[0] + middle * TERM;
            let field = |index: usize| number(self.bytes, at + 4 * index);
            match self.text(field(0)?, field(1)?)?.cmp(word) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some((field(3)?, self.parts[1] + field(2)? as usize)),
            }
        }
        None
    }

    /// The items of a term, and how often it is in each.
    fn postings(&self, count: u32, at: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (mut at, mut item) = (at, 0_u32);
        (0..count).map_while(move |_| {
            let distance = self.varint(&mut at)?;
            item = item.checked_add(distance).filter(|item| *item < self.items)?;
            Some((item, self.varint(&mut at)?))
        })
    }

    fn varint(&self, at: &mut usize) -> Option<u32> {
        let mut number = 0_u32;
        for shift in (0..32).step_by(7) {
            let byte = *self.bytes.get(*at)?;
            *at += 1;
            number |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub fn thresholds(&self) -> Thresholds {
        let limit = |at: usize| f32::from_bits(number(self.bytes, THRESHOLDS + 4 * at).unwrap_or_default());
        Thresholds(std::array::from_fn(limit))
    }
}

/// An item as the index has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row<'b> {
    pub kind: Kind,
    pub is_retired: bool,
    pub line: u32,
    pub path: &'b str,
    pub shown: &'b str,
    pub key: Key,
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

#[cfg(test)]
mod tests;
