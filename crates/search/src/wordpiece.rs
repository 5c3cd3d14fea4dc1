//! From a text to the token ids of the model: BERT's word pieces without case, over the model's `vocab.txt`.
//!
//! The ids are the ones that the reference tokenizer gives, also where that is odd: `[SEP]` in a text is the special token,
//! and a character that is newer than the reference's tables keeps its accents. A vector made from other ids would be
//! comparable with nothing.
//!
//! A text is read once and only as far as the model can read: 254 tokens between `[CLS]` and `[SEP]`.

mod character;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use unicode_normalization::UnicodeNormalization;

use character::{CHINESE, MARKS, PUNCTUATION, REMOVED, holds};

/// How many tokens the model reads of a text, with `[CLS]` and `[SEP]`.
pub const LONGEST: usize = 256;

/// A word with more characters than this is unknown as a whole.
const LONGEST_WORD: usize = 100;

/// Tokens that stand for themselves where a text contains them.
const SPECIAL: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("the vocabulary has no token {0}")]
pub struct VocabularyError(&'static str);

/// The vocabulary of a model.
pub struct Tokenizer {
    /// The id of a token; the name of one that continues a word begins with `##`.
    ids: HashMap<Box<str>, u32, BuildHasherDefault<Fnv>>,
    special: [u32; 5],
}

impl Tokenizer {
    /// Reads a `vocab.txt`: a token for each line, its id the number of the line from 0.
    pub fn new(vocabulary: &str) -> Result<Self, VocabularyError> {
        let mut ids = HashMap::with_capacity_and_hasher(31_000, BuildHasherDefault::default());
        for (id, token) in (0u32..).zip(vocabulary.lines()) {
            ids.insert(Box::from(token), id);
        }
        let mut special = [0; 5];
        for (id, name) in special.iter_mut().zip(SPECIAL) {
            *id = *ids.get(name).ok_or(VocabularyError(name))?;
        }
        Ok(Self { ids, special })
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The ids of a text, with `[CLS]` in front and `[SEP]` at the end, at most [`LONGEST`].
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let [_, _, first, last, _] = self.special;
        let mut found = Found { tokenizer: self, ids: vec![first], word: String::new() };
        let mut rest = text;
        while !rest.is_empty() && !found.is_full() {
            let next = next_special(rest);
            found.plain(&rest[..next.map_or(rest.len(), |(at, _)| at)]);
            let Some((at, which)) = next else { break };
            found.push(self.special[which]);
            rest = &rest[at + SPECIAL[which].len()..];
        }
        found.ids.truncate(LONGEST - 1);
        found.ids.push(last);
        found.ids
    }
}

/// Where the first special token begins in a text, and which it is.
fn next_special(text: &str) -> Option<(usize, usize)> {
    text.match_indices('[').find_map(|(at, _)| {
        let which = SPECIAL.iter().position(|name| text[at..].starts_with(name))?;
        Some((at, which))
    })
}

/// The ids found so far, and the word being read.
struct Found<'t> {
    tokenizer: &'t Tokenizer,
    ids: Vec<u32>,
    word: String,
}

impl Found<'_> {
    fn is_full(&self) -> bool {
        self.ids.len() >= LONGEST
    }

    fn push(&mut self, id: u32) {
        self.ids.push(id);
    }

    /// Adds the tokens of a text without special tokens.
    fn plain(&mut self, text: &str) {
        let characters = text
            .chars()
            .filter(|&character| !is_removed(character))
            .flat_map(set_apart)
            .nfd()
            .filter(|&character| character.is_ascii() || !holds(MARKS, character))
            .flat_map(char::to_lowercase);
        for character in characters {
            if character.is_whitespace() {
                self.end_word();
            } else if is_punctuation(character) {
                self.end_word();
                self.word.push(character);
                self.end_word();
            } else {
                self.word.push(character);
            }
            if self.is_full() {
                return;
            }
        }
        self.end_word();
    }

    /// Adds the tokens of the word: each the longest that the vocabulary has, or `[UNK]` for all of it.
    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let mut word = std::mem::take(&mut self.word);
        let known = self.ids.len();
        if word.chars().take(LONGEST_WORD + 1).count() > LONGEST_WORD || !self.pieces(&word) {
            self.ids.truncate(known);
            self.ids.push(self.tokenizer.special[1]);
        }
        word.clear();
        self.word = word;
    }

    /// Adds the pieces of a word. False if a part of it is no piece.
    fn pieces(&mut self, word: &str) -> bool {
        let mut piece = String::with_capacity(word.len() + 2);
        let mut start = 0;
        while start < word.len() {
            piece.clear();
            if start > 0 {
                piece.push_str("##");
            }
            let mark = piece.len();
            piece.push_str(&word[start..]);
            let id = loop {
                if let Some(&id) = self.tokenizer.ids.get(piece.as_str()) {
                    break id;
                }
                piece.pop();
                if piece.len() == mark {
                    return false;
                }
            };
            self.ids.push(id);
            start += piece.len() - mark;
        }
        true
    }
}

/// Whether a character is not read at all. A line break and a tab are spaces, not controls.
fn is_removed(character: char) -> bool {
    if character.is_ascii() {
        character.is_ascii_control() && !matches!(character, '\t' | '\n' | '\r')
    } else {
        holds(REMOVED, character)
    }
}

/// A character that is a word of its own gets a space on either side.
fn set_apart(character: char) -> impl Iterator<Item = char> {
    let space = (!character.is_ascii() && holds(CHINESE, character)).then_some(' ');
    space.into_iter().chain([character]).chain(space)
}

fn is_punctuation(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_punctuation() } else { holds(PUNCTUATION, character) }
}

/// FNV-1a: the vocabulary is fixed and read at every query, and nobody chooses its tokens.
#[derive(Clone)]
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A vocabulary of a few words.
    const WORDS: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nlock\n##s\n##ed\n.\n/\nun\n##lock\ncafe\n漢\n!";

    fn tokens(text: &str) -> String {
        let tokenizer = Tokenizer::new(WORDS).unwrap();
        let words: Vec<&str> = WORDS.lines().collect();
        let ids = tokenizer.encode(text);
        ids.iter().map(|id| words[*id as usize]).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_text_becomes_pieces() {
        for (text, wanted) in [
            ("", "[CLS] [SEP]"),
            ("Locks", "[CLS] lock ##s [SEP]"),
            ("unlocked.lock", "[CLS] un ##lock ##ed . lock [SEP]"),
            ("lock\tlock\n\u{a0}lock", "[CLS] lock lock lock [SEP]"),
            ("lo\u{ad}ck\u{200b}", "[CLS] lock [SEP]"),
            ("CAFÉ cafe\u{301}", "[CLS] cafe cafe [SEP]"),
            ("lock漢lock", "[CLS] lock 漢 lock [SEP]"),
            ("key lock", "[CLS] [UNK] lock [SEP]"),
            ("lockx", "[CLS] [UNK] [SEP]"),
            ("!!", "[CLS] ! ! [SEP]"),
            ("lock[SEP]lock [mask]", "[CLS] lock [SEP] lock [UNK] [UNK] [UNK] [SEP]"),
        ] {
            assert_eq!(tokens(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn what_is_too_long_is_cut() {
        let tokenizer = Tokenizer::new(WORDS).unwrap();
        for count in [253, 254, 255, 50_000] {
            let ids = tokenizer.encode(&"lock ".repeat(count));
            assert_eq!((ids.len(), ids.last()), (LONGEST.min(count + 2), Some(&3)));
        }
        assert_eq!(tokenizer.encode(&format!("lock{}", "s".repeat(96))).len(), 99);
        assert_eq!(tokenizer.encode(&format!("lock{}", "s".repeat(97))), [2, 1, 3]);
    }

    #[test]
    fn a_vocabulary_without_a_special_token_is_refused() {
        let error = Tokenizer::new("[PAD]\n[UNK]\n[CLS]\nlock").err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some("the vocabulary has no token [SEP]"));
    }

    proptest! {
        #[test]
        fn any_text_has_tokens(text in "\\PC*") {
            let ids = Tokenizer::new(WORDS).unwrap().encode(&text);
            prop_assert!((2..=LONGEST).contains(&ids.len()));
            prop_assert_eq!((ids[0], ids[ids.len() - 1]), (2, 3));
        }
    }
}
