//! A search index over short texts: Markdown is cut into chunks, chunks are ranked by their words, and a hit is shown as a snippet.
//!
//! The crate knows nothing of the product: kinds, types and tags are strings that the caller gives and filters by. It never walks
//! a folder and never decides what is indexed. All it writes is one folder, which is a cache: it may be deleted at any time.

use std::collections::BTreeMap;

use engine_text::stamp::Stamp;
use sha2::{Digest, Sha256};

pub mod convert;
mod dense;
pub mod index;
pub mod markdown;
pub mod model;
pub mod package;
pub mod query;
pub mod rank;
pub mod snippet;
pub mod vectors;
pub mod wheel;
pub mod wordpiece;

pub use index::{Index, IndexError, Opened, Writer};
pub use query::{Meaning, Query};
pub use rank::Side;
pub use snippet::Piece;

/// What is found as one: a section of a page, an entry of a log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chunk {
    /// Where it is, as a person would say it: `docs/queue.md > Items > Order`.
    pub title: String,
    pub body: String,
    /// Counted from 1.
    pub line: u32,
    pub end_line: u32,
    pub facts: Facts,
}

/// What a query can ask of a chunk besides its words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    pub what: Option<String>,
    pub skill: Option<String>,
    pub phase: Option<String>,
    pub tags: Vec<String>,
    /// RFC 3339 in UTC, so that times compare as texts.
    pub at: Option<String>,
}

/// What the file system says of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seen {
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified: i64,
}

impl Seen {
    /// When the file changed, as [`Facts::at`] has it; nothing before 1970.
    pub fn at(self) -> Option<String> {
        u64::try_from(self.modified / 1_000_000).ok().map(|ms| Stamp(ms).rfc3339())
    }
}

/// One file of the index.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// Empty for the files as they are, else the name of a branch.
    pub space: &'a str,
    pub kind: &'a str,
    pub path: &'a str,
    pub seen: Seen,
    /// A hash of all that the chunks are made from: the same sum at the same path is stored once.
    pub sum: [u8; 32],
}

/// What an index knows of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub seen: Seen,
    pub sum: [u8; 32],
    pub kind: String,
}

/// What vectors are kept under: the content of a chunk, wherever it is.
pub type ChunkKey = [u8; 16];

/// The key of a chunk: the first half of the SHA-256 of its title, a zero byte and its body.
pub fn key_of(title: &str, body: &str) -> ChunkKey {
    let mut hash = Sha256::new();
    hash.update(title);
    hash.update([0]);
    hash.update(body);
    let mut key = ChunkKey::default();
    key.copy_from_slice(&hash.finalize()[..16]);
    key
}

/// One answer to a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub kind: String,
    pub space: String,
    pub path: String,
    pub line: u32,
    pub end_line: u32,
    pub title: String,
    pub snippet: Vec<Piece>,
    pub facts: Facts,
    /// Greater is better; comparable within one answer only.
    pub score: f64,
    pub lexical: Option<Side>,
    pub semantic: Option<Side>,
}

/// What an index holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    pub files: u64,
    pub chunks: u64,
    /// By kind and space.
    pub parts: BTreeMap<(String, String), Part>,
    /// Of the files on the disk.
    pub bytes: u64,
}

/// What an index holds of one kind in one space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Part {
    pub files: u64,
    pub chunks: u64,
}
