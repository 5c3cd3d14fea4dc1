//! A text as clauses: what ends one, what is inserted into one, what is no word of it.

use std::borrow::Cow;
use std::ops::Range;

use super::words::PUTS_OFF;
use super::{Clause, Word};
use crate::chain::shield::quoted;
use crate::chain::talk::{self, forbids};
use crate::chain::token::{Joint, Kind, tokens_between};

/// The text with the same length, in which apostrophes are apostrophes and the marks of an emphasis are blanks.
fn normal(text: &str) -> Cow<'_, str> {
    const TAGS: [&str; 12] = [
        "<b>",
        "</b>",
        "<i>",
        "</i>",
        "<em>",
        "</em>",
        "<u>",
        "</u>",
        "<strong>",
        "</strong>",
        "<mark>",
        "</mark>",
    ];
    if !text.contains(['`', ';', '<', '…', '.', '{', '}', '=', '\u{200b}', '\u{feff}']) {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    for (at, _) in text.match_indices(['`', ';']) {
        let before = text[..at].chars().next_back();
        let mut after = text[at + 1..].chars();
        let is_t = after.next().is_some_and(|c| matches!(c, 't' | 'T'))
            && !after.next().is_some_and(char::is_alphanumeric);
        if before.is_some_and(|c| matches!(c, 'n' | 'N')) && is_t {
            bytes[at] = b'\'';
        }
    }
    let blanks = TAGS.iter().copied().chain(["…", "...", "{", "}", "\u{200b}", "\u{feff}"]);
    for blank in blanks {
        for (at, found) in text.match_indices(blank) {
            bytes[at..at + found.len()].fill(b' ');
        }
    }
    // `commit=no`
    for (at, _) in text.match_indices('=') {
        if text[at + 1..].starts_with(|c: char| c.is_alphabetic())
            && text[..at].ends_with(|c: char| c.is_alphabetic())
        {
            bytes[at] = b' ';
        }
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// A text as clauses.
pub(super) fn clauses(text: &str) -> Vec<Clause<'_>> {
    let normal = normal(text);
    let shields = quoted(&normal);
    let is_shielded = |at: usize| {
        let shield = shields.get(shields.partition_point(|shield| shield.end <= at));
        shield.is_some_and(|shield| shield.contains(&at))
    };
    let mut found = Found { text, clauses: vec![Clause::new(text, 0)], inserted: false };
    for token in tokens_between(&normal, &shields) {
        let span = token.span;
        let word = &normal[span.clone()];
        if is_shielded(span.start) {
            found.named_in_code(span, word);
            continue;
        }
        let is_dash = matches!(word, "-" | "–" | "—");
        match token.kind {
            Kind::Newline if !found.last().is_broken() => found.ends(None),
            Kind::Newline | Kind::Blank | Kind::Indent { .. } => {}
            Kind::Word(Joint::Orders) if !found.last().wants_a_verb() => found.pauses(),
            Kind::Sign(Joint::Ends) | Kind::Marker => found.ends(None),
            Kind::Sign(_) => found.pauses(),
            _ if is_dash => found.pauses(),
            _ if word.eq_ignore_ascii_case("but") && !found.last().is_all() => found.next(None),
            _ => found.word(span, word),
        }
    }
    found.clauses
}

/// The clauses so far.
struct Found<'t> {
    text: &'t str,
    clauses: Vec<Clause<'t>>,
    /// In an insertion: "do not, under any circumstances, commit".
    inserted: bool,
}

impl<'t> Found<'t> {
    fn last(&self) -> &Clause<'t> {
        &self.clauses[self.clauses.len() - 1]
    }

    fn sentence(&self) -> usize {
        self.last().sentence
    }

    fn next(&mut self, mark: Option<char>) {
        let sentence = self.sentence();
        if let Some(last) = self.clauses.last_mut() {
            last.mark = mark;
        }
        self.clauses.push(Clause::new(self.text, sentence));
        self.inserted = false;
    }

    /// The end of a sentence.
    fn ends(&mut self, mark: Option<char>) {
        self.next(mark);
        if let Some(last) = self.clauses.last_mut() {
            last.sentence += 1;
        }
    }

    /// A comma, a dash, `then`.
    fn pauses(&mut self) {
        if self.inserted {
            self.inserted = false;
        } else if self.last().wants_an_act() {
            self.inserted = true;
        } else {
            self.next(None);
        }
    }

    /// A span of code or a quotation that is one word alone: `` do not run `/commit` ``.
    fn named_in_code(&mut self, span: Range<usize>, word: &str) {
        let inside = word.trim_matches(|c: char| !(c.is_alphanumeric() || c == '/'));
        let inside = inside.strip_prefix("git ").unwrap_or(inside).trim();
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '/' | '-' | ':' | '_');
        if inside.is_empty()
            || !inside.chars().all(is_word)
            || forbids(inside)
            || talk::is_among(inside, &PUTS_OFF)
        {
            return;
        }
        let word = Word { text: Cow::Owned(inside.to_owned()), span };
        if let Some(clause) = self.clauses.last_mut() {
            clause.words.push(word);
        }
    }

    fn word(&mut self, span: Range<usize>, word: &str) {
        let opens = word.starts_with(['(', '[']);
        if opens && self.last().wants_an_act() {
            self.inserted = true;
        } else if opens {
            self.next(None);
        }
        let plain = word.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '/' | '-')));
        let plain =
            if plain.starts_with("--") { plain.trim_end_matches('-') } else { plain.trim_matches('-') };
        let plain = if plain.len() > 1 { plain.trim_end_matches('/') } else { plain };
        if !plain.is_empty() {
            let start = span.start + word.find(plain).unwrap_or(0);
            self.parts(start, plain);
        }
        let end = word.trim_end_matches(['*', '_', '"', '”', '’', '\'']);
        if talk::ends_sentence(end) {
            self.ends(end.chars().next_back());
        } else if end.ends_with(':') {
            if !self.last().wants_an_act() {
                self.next(Some(':'));
            }
        } else if end.ends_with([')', ']']) {
            if self.inserted { self.inserted = false } else { self.next(None) }
        }
    }

    /// `handoff/commit` is two words.
    fn parts(&mut self, start: usize, plain: &str) {
        let is_list =
            !plain.starts_with('/') && plain.contains(['/', '+']) && !plain.eq_ignore_ascii_case("w/o") && {
                plain
                    .split(['/', '+'])
                    .all(|part| !part.is_empty() && part.chars().all(|c| c.is_alphabetic() || c == '-'))
            };
        let text = self.text;
        let Some(clause) = self.clauses.last_mut() else { return };
        let mut push = |from: usize, part: &str| {
            let span = from..from + part.len();
            let own = &text[span.clone()];
            // What was normalised is kept as it was read.
            let text = if own == part { Cow::Borrowed(own) } else { Cow::Owned(part.to_owned()) };
            clause.words.push(Word { text, span });
        };
        if !is_list {
            return push(start, plain);
        }
        let mut from = start;
        for part in plain.split(['/', '+']) {
            push(from, part);
            from += part.len() + 1;
        }
    }
}
