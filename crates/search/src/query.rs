//! What is asked: words, and what the answers must have besides.
//!
//! The words come from a person or a model and are never syntax: whatever is typed becomes quoted words that are joined by OR, so
//! no input can be an error of the full-text engine.

use std::fmt;

use crate::ChunkKey;
use crate::dense::{is_dense, spaced};

/// A query for [`crate::Index::search`]. An empty list or `None` asks for nothing.
#[derive(Debug, Clone, Default)]
pub struct Query<'a> {
    pub words: String,
    pub kinds: Vec<String>,
    pub types: Vec<String>,
    pub skills: Vec<String>,
    pub tags: Vec<String>,
    /// The earliest time, RFC 3339 in UTC or a beginning of it; what has no time is not found.
    pub since: Option<String>,
    /// The first time that is too late.
    pub until: Option<String>,
    /// A part of the path.
    pub file: Option<String>,
    pub spaces: Vec<String>,
    pub limit: usize,
    pub meaning: Option<Meaning<'a>>,
    pub tuning: Tuning,
}

/// What `cargo xtask evaluate --variants` compares; nobody else changes it. The default is what is in use.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(clippy::struct_excessive_bools, reason = "each is one question to the evaluation")]
pub struct Tuning {
    /// What a word in the title counts, if one in the text counts 1.
    pub title: f64,
    /// Whether the most common words are searched for, too.
    pub stop_words: bool,
    /// Whether the query as a whole is searched for, too.
    pub phrase: bool,
    /// Whether each pair of neighbours is.
    pub pairs: bool,
    /// Whether `lock_file` and `src/lock.rs` are, besides their parts.
    pub identifiers: bool,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { title: 2.0, stop_words: false, phrase: true, pairs: false, identifiers: true }
    }
}

/// The semantic side of a query: gives as many of the nearest chunks as it is asked for, best first, each with its score.
#[derive(Clone, Copy)]
pub struct Meaning<'a>(pub &'a dyn Fn(usize) -> Vec<(ChunkKey, f64)>);

impl fmt::Debug for Meaning<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Meaning")
    }
}

/// More words than this are not asked for: each costs a pass over the index.
const MOST_WORDS: usize = 64;
/// What a person typed may be a file; no more of it is read.
const MOST_BYTES: usize = 100_000;
/// No word of a text is longer that anyone would search for.
const LONGEST_WORD: usize = 64;
/// More words in a row are in no text twice.
const LONGEST_PHRASE: usize = 12;
const LONGEST_IDENTIFIER: usize = 200;

/// The distinct words of a text in lower case, in their order. A pair of letters of a dense script is a word.
pub fn words(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut end = text.len().min(MOST_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = text[..end].to_lowercase();
    for (word, dense) in runs(&text) {
        let letters: Vec<char> = word.chars().take(LONGEST_WORD).collect();
        if dense && letters.len() > 1 {
            letters.windows(2).for_each(|pair| push(&mut found, pair.iter().collect()));
        } else {
            push(&mut found, letters.into_iter().collect());
        }
        if found.len() >= MOST_WORDS {
            break;
        }
    }
    found.truncate(MOST_WORDS);
    found
}

fn push(found: &mut Vec<String>, word: String) {
    if !found.contains(&word) {
        found.push(word);
    }
}

/// The words of a text as the tokenizer sees them, and whether they are of a dense script.
pub(crate) fn runs(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(char::is_alphanumeric)?;
        let word = &rest[start..];
        let dense = word.chars().next().is_some_and(is_dense);
        let ends = |letter: char| is_dense(letter) != dense || !(letter.is_alphanumeric() || is_mark(letter));
        let end = word.find(ends).unwrap_or(word.len());
        rest = &word[end..];
        Some((&word[..end], dense))
    })
}

/// Marks that are written over the letter before them.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}')
}

/// What the full-text engine is asked for: words and phrases in quotes, of which any may be there. Empty without a word.
pub(crate) fn terms(text: &str, tuning: Tuning) -> Vec<String> {
    let all = words(text);
    let mut parts: Vec<String> = all.clone();
    if !tuning.stop_words {
        parts.retain(|word| !STOP_WORDS.contains(&word.as_str()));
    }
    if parts.is_empty() {
        parts.clone_from(&all);
    }
    if tuning.phrase && (2..=LONGEST_PHRASE).contains(&all.len()) {
        push(&mut parts, all.join(" "));
    }
    if tuning.pairs {
        all.windows(2).for_each(|pair| push(&mut parts, pair.join(" ")));
    }
    if tuning.identifiers {
        identifiers(text).for_each(|words| push(&mut parts, words));
    }
    parts.iter().map(|part| format!("\"{}\"", spaced(part))).collect()
}

/// What is written without blanks and has several words: `lock_file`, `src/lock.rs`, `--no-verify`.
fn identifiers(text: &str) -> impl Iterator<Item = String> {
    let parts = |word: &str| {
        let word = word.to_lowercase();
        let parts: Vec<&str> = runs(&word).map(|(run, _)| run).collect();
        ((2..=LONGEST_PHRASE).contains(&parts.len()) && word.len() <= LONGEST_IDENTIFIER)
            .then(|| parts.join(" "))
    };
    text.split_whitespace().take(MOST_WORDS).filter_map(parts)
}

/// Words so common that they cost the most time of a query and say the least. The index has them, for phrases.
const STOP_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "from", "if", "in", "is", "it", "its",
    "not", "of", "on", "or", "that", "the", "this", "to", "was", "what", "when", "which", "with",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_becomes_quoted_words() {
        for (text, wanted) in [
            ("Lock", "\"lock\""),
            ("Lock waits", "\"lock\" \"waits\" \"lock waits\""),
            ("lock LOCK Lock", "\"lock\""),
            // Common words are searched for in phrases, and where there is nothing else.
            ("the lock of it", "\"lock\" \"the lock of it\""),
            ("to be or not", "\"to\" \"be\" \"or\" \"not\" \"to be or not\""),
            ("a AND NOT (b* NEAR c) \"d", "\"b\" \"near\" \"c\" \"d\" \"a and not b near c d\""),
            ("title:x -y ^{w}", "\"title\" \"x\" \"y\" \"w\" \"title x y w\" \"title x\""),
            ("src/lock.rs", "\"src\" \"lock\" \"rs\" \"src lock rs\""),
            ("検索機", "\" 検  索 \" \" 索  機 \" \" 検  索   索  機 \""),
            ("語", "\" 語 \""),
            ("e\u{301}te\u{301}", "\"e\u{301}te\u{301}\""),
            ("?!", ""),
            ("👍 \0 \"\"", ""),
            ("", ""),
        ] {
            assert_eq!(terms(text, Tuning::default()).join(" "), wanted, "{text:?}");
        }
    }

    #[test]
    fn a_huge_query_is_cut() {
        let many: Vec<String> = (0..50_000).map(|n| format!("w{n}")).collect();
        assert_eq!(words(&many.join(" ")).len(), MOST_WORDS);
        assert_eq!(super::words(&"é".repeat(100_000)), ["é".repeat(LONGEST_WORD)]);
    }
}
