//! The words of a text, as items and prompts are compared by them.
//!
//! | text | words |
//! | --- | --- |
//! | `The parser cached its results` | `pars` `cach` `result` |
//! | `SessionFile::peek_all` | `session` `fil` `sessionfile` `peek` `all` `peekall` |
//! | `データ保存` | `デー` `ータ` `タ保` `保存` |
//!
//! The stemming is light and made for English: endings of number, tense and of who does it. It may cut too much, which costs a wrong
//! match now and then; prompt and item are cut alike.

use std::collections::BTreeSet;

/// Longer runs of letters are data, not words.
const LONGEST: usize = 40;

/// A text is looked at so far, in bytes: what a prompt is about is in its beginning.
const MOST_BYTES: usize = 16 << 10;

/// Words that say nothing of what a text is about: those of the grammar, those by which people ask for something, and those by which
/// they go on. Sorted.
const EMPTY: &[&str] = &[
    "a",
    "able",
    "about",
    "above",
    "add",
    "added",
    "adding",
    "after",
    "again",
    "all",
    "already",
    "alright",
    "also",
    "always",
    "am",
    "an",
    "and",
    "another",
    "any",
    "anything",
    "are",
    "aren",
    "around",
    "as",
    "at",
    "away",
    "back",
    "be",
    "because",
    "been",
    "before",
    "being",
    "below",
    "best",
    "better",
    "between",
    "both",
    "but",
    "by",
    "bye",
    "can",
    "cannot",
    "change",
    "changed",
    "changes",
    "check",
    "come",
    "continue",
    "could",
    "couldn",
    "create",
    "did",
    "didn",
    "different",
    "do",
    "does",
    "doesn",
    "doing",
    "don",
    "done",
    "down",
    "during",
    "each",
    "either",
    "else",
    "etc",
    "even",
    "ever",
    "every",
    "everything",
    "few",
    "find",
    "fine",
    "first",
    "fix",
    "fixed",
    "for",
    "from",
    "further",
    "get",
    "gets",
    "getting",
    "give",
    "given",
    "go",
    "goes",
    "going",
    "good",
    "got",
    "great",
    "had",
    "hadn",
    "has",
    "hasn",
    "have",
    "haven",
    "having",
    "he",
    "hello",
    "help",
    "her",
    "here",
    "hers",
    "hey",
    "hi",
    "him",
    "his",
    "hm",
    "how",
    "however",
    "i",
    "if",
    "implement",
    "in",
    "instead",
    "into",
    "is",
    "isn",
    "it",
    "its",
    "just",
    "keep",
    "know",
    "last",
    "later",
    "let",
    "lets",
    "like",
    "ll",
    "look",
    "looks",
    "made",
    "make",
    "makes",
    "making",
    "many",
    "may",
    "maybe",
    "me",
    "might",
    "more",
    "most",
    "much",
    "must",
    "my",
    "need",
    "needs",
    "never",
    "new",
    "next",
    "nice",
    "no",
    "nope",
    "nor",
    "not",
    "nothing",
    "now",
    "of",
    "off",
    "ok",
    "okay",
    "on",
    "once",
    "one",
    "only",
    "or",
    "other",
    "otherwise",
    "our",
    "ours",
    "out",
    "over",
    "own",
    "perfect",
    "please",
    "possible",
    "proceed",
    "put",
    "rather",
    "re",
    "really",
    "remove",
    "right",
    "run",
    "said",
    "same",
    "say",
    "see",
    "seems",
    "she",
    "should",
    "shouldn",
    "show",
    "since",
    "so",
    "some",
    "somehow",
    "something",
    "still",
    "such",
    "sure",
    "take",
    "tell",
    "than",
    "thank",
    "thanks",
    "that",
    "the",
    "their",
    "theirs",
    "them",
    "then",
    "there",
    "these",
    "they",
    "thing",
    "things",
    "think",
    "this",
    "those",
    "though",
    "through",
    "to",
    "together",
    "too",
    "try",
    "two",
    "under",
    "until",
    "up",
    "update",
    "us",
    "use",
    "used",
    "uses",
    "using",
    "ve",
    "very",
    "via",
    "want",
    "wants",
    "was",
    "wasn",
    "way",
    "we",
    "well",
    "were",
    "what",
    "when",
    "where",
    "whether",
    "which",
    "while",
    "who",
    "whole",
    "whom",
    "why",
    "will",
    "with",
    "within",
    "without",
    "won",
    "work",
    "works",
    "would",
    "wouldn",
    "write",
    "yeah",
    "yep",
    "yes",
    "yet",
    "you",
    "your",
    "yours",
];

/// The words of a text in their order, without those that say nothing.
pub fn words(text: &str) -> Vec<String> {
    let text = &text[..text.floor_char_boundary(MOST_BYTES)];
    let mut found = Vec::new();
    let mut run = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() || (c == '_' && !run.is_empty()) {
            run.push(c);
        } else if !run.is_empty() {
            take(run.trim_end_matches('_'), &mut found);
            run.clear();
        }
    }
    found
}

/// The same, each once, the first so many.
pub fn distinct(text: &str, most: usize) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut found = words(text);
    found.retain(|word| seen.insert(word.clone()));
    found.truncate(most);
    found
}

/// A run of letters, digits and underscores.
fn take(run: &str, found: &mut Vec<String>) {
    if run.chars().any(is_ideograph) {
        return pairs(run, found);
    }
    let parts = parts(run);
    for part in &parts {
        push(part, found);
    }
    if parts.len() > 1 {
        push(&parts.concat(), found);
    }
}

fn push(word: &str, found: &mut Vec<String>) {
    let word = word.to_lowercase();
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    let is_short = word.len() < 2 || (is_number && word.len() < 3);
    if !is_short && word.len() <= LONGEST && EMPTY.binary_search(&word.as_str()).is_err() {
        found.push(stem(word));
    }
}

/// The parts of an identifier: `peek_all`, `SessionFile`, `HTTPServer`, `fooBar2`.
fn parts(run: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for piece in run.split('_').filter(|piece| !piece.is_empty()) {
        let chars: Vec<(usize, char)> = piece.char_indices().collect();
        let mut start = 0;
        for at in 1..chars.len() {
            let (before, here) = (chars[at - 1].1, chars[at].1);
            let after = chars.get(at + 1).map(|(_, c)| *c);
            let is_cut = (before.is_lowercase() && here.is_uppercase())
                || (before.is_uppercase() && here.is_uppercase() && after.is_some_and(char::is_lowercase));
            if is_cut {
                parts.push(&piece[start..chars[at].0]);
                start = chars[at].0;
            }
        }
        parts.push(&piece[start..]);
    }
    parts
}

/// Scripts that put no blank between words: each two signs count as one.
fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c), 0x0E00..=0x0E7F | 0x3040..=0x30FF | 0x3400..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

fn pairs(run: &str, found: &mut Vec<String>) {
    let signs: Vec<char> = run.chars().filter(|c| *c != '_').collect();
    if signs.len() == 1 {
        found.push(signs.into_iter().collect());
    } else {
        found.extend(signs.windows(2).map(|pair| pair.iter().collect::<String>().to_lowercase()));
    }
}

/// A word without its ending. A stem keeps three letters and a vowel.
fn stem(word: String) -> String {
    if !word.is_ascii() || word.bytes().any(|byte| byte.is_ascii_digit()) {
        return word;
    }
    let mut word = word;
    let is_stem = |rest: &str| rest.len() >= 3 && rest.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    if let Some(rest) = word.strip_suffix("ies").filter(|rest| rest.len() >= 3) {
        word = format!("{rest}y");
    } else if let Some(rest) =
        word.strip_suffix('s').filter(|rest| is_stem(rest) && !rest.ends_with(['s', 'u', 'i']))
    {
        let length = rest.len();
        word.truncate(length);
    }
    for ending in ["ingly", "edly", "ing", "ed", "er", "or", "ly"] {
        if let Some(rest) = word.strip_suffix(ending).filter(|rest| is_stem(rest)) {
            let mut letters = rest.bytes().rev();
            let (last, before) = (letters.next(), letters.next());
            let is_doubled = last == before && last.is_some_and(|last| !b"aeiouslz".contains(&last));
            let length = rest.len() - usize::from(is_doubled);
            word.truncate(length);
            break;
        }
    }
    match word.strip_suffix('e').filter(|rest| rest.len() >= 3) {
        Some(rest) => rest.to_owned(),
        None => word,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_cut_and_stemmed() {
        for (text, expected) in [
            ("", ""),
            ("Fix the thing, please!", ""),
            ("The parser cached its results", "pars cach result"),
            ("caches caching cache", "cach cach cach"),
            ("commits committed committing commit", "commit commit commit commit"),
            ("policies policy", "policy policy"),
            ("status class process", "status class process"),
            ("decision decides decided", "decision decid decid"),
            ("SessionFile::peek_all", "session fil sessionfil peek peekall"),
            ("HTTPServer fooBar2", "http serv httpserv foo bar2 foobar2"),
            ("crates/store/src/plan_file.rs", "crat stor src plan fil planfil rs"),
            ("don't --no-verify 42 500", "verify 500"),
            ("Größe ÄRGER ärger", "größe ärger ärger"),
            ("データ保存 猫", "デー ータ タ保 保存 猫"),
            ("🦀 _ __ -- \u{0}", ""),
            ("_private__name_", "privat nam privatenam"),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
        assert_eq!(words(&"x".repeat(41)), Vec::<String>::new());
        assert_eq!(distinct("lock the lock file of locks", 2), ["lock", "fil"]);
        assert!(EMPTY.is_sorted());
    }

    #[test]
    fn a_long_text_is_looked_at_to_a_limit() {
        let text = "lock ".repeat(1 << 20);
        assert_eq!(words(&text).len(), MOST_BYTES.div_ceil(5));
        assert_eq!(words(&"é".repeat(1 << 20)).len(), 0);
    }

    proptest! {
        #[test]
        fn any_text_has_words_without_a_panic(text in ".{0,300}") {
            for word in words(&text) {
                prop_assert!(!word.is_empty() && word.len() <= 4 * LONGEST, "{word:?}");
            }
        }
    }
}
