//! A prompt as tokens with their places.

use std::ops::Range;

use super::shield::shielded;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `/name`, followed by something that ends a name. A full stop after it belongs to the token, not to the name.
    Name {
        end: usize,
    },
    /// Another word that starts with a slash.
    Path,
    /// A delimiter that is a sign: `,` `;` `→`.
    Sign(Joint),
    /// A delimiter that is a word; at the end of a line also with a colon.
    Word(Joint),
    /// `or`: it joins names, and delimits nothing.
    Or,
    Newline,
    /// The white space at the start of a line. `code`: so wide that the line is code.
    Indent {
        code: bool,
    },
    /// `- `, `1. ` at the start of a line.
    Marker,
    Blank,
    Text,
}

/// How a delimiter joins what is after it to what is before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    /// `,` and `and` join the items of any list.
    Lists,
    /// `then`, `finally`, `followed by`, `→` give an order.
    Orders,
    /// `;` gives an order, and ends the sentence.
    Ends,
}

const WORDS: [(&str, Joint); 3] =
    [("and", Joint::Lists), ("then", Joint::Orders), ("finally", Joint::Orders)];

const SIGNS: [(char, Joint); 4] =
    [(',', Joint::Lists), ('，', Joint::Lists), (';', Joint::Ends), ('→', Joint::Orders)];

/// White space, and characters without a width that editors and web pages leave behind.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}')
}

fn is_sign(c: char) -> bool {
    SIGNS.iter().any(|(sign, _)| *sign == c)
}

pub(super) fn tokens(prompt: &str) -> Vec<Token> {
    tokens_between(prompt, &shielded(prompt))
}

/// The tokens, each of these ranges being one.
pub(super) fn tokens_between(prompt: &str, shields: &[Range<usize>]) -> Vec<Token> {
    let mut found = Vec::new();
    let mut shields = shields.iter().peekable();
    let mut at = 0;
    let mut line_start = true;
    while at < prompt.len() {
        while shields.next_if(|shield| shield.end <= at).is_some() {}
        let shield = shields.peek().filter(|shield| shield.start <= at);
        let (kind, end) = if let Some(shield) = shield {
            (Kind::Text, shield.end)
        } else {
            let limit = shields.peek().map_or(prompt.len(), |shield| shield.start);
            next(prompt, at, limit, line_start)
        };
        line_start = match kind {
            Kind::Newline => true,
            Kind::Indent { .. } => line_start,
            _ => false,
        };
        found.push(Token { kind, span: at..end });
        at = end;
    }
    found
}

/// The token at `at`, which is not shielded; it ends at `limit` at the latest.
fn next(prompt: &str, at: usize, limit: usize, line_start: bool) -> (Kind, usize) {
    let rest = &prompt[at..limit];
    let newline = ["\r\n", "\n", "\r"].iter().find(|end| rest.starts_with(**end));
    if let Some(newline) = newline {
        return (Kind::Newline, at + newline.len());
    }
    let blanks =
        rest.len() - rest.trim_start_matches(|c: char| is_blank(c) && !matches!(c, '\n' | '\r')).len();
    if blanks > 0 {
        let code = rest[..blanks].contains('\t') || rest[..blanks].chars().count() >= 4;
        let kind = if line_start { Kind::Indent { code } } else { Kind::Blank };
        return (kind, at + blanks);
    }
    if let Some((sign, joint)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(*sign)) {
        return (Kind::Sign(*joint), at + sign.len_utf8());
    }
    if line_start && let Some(length) = marker(rest) {
        return (Kind::Marker, at + length);
    }
    let word = &rest[..rest.find(|c: char| is_blank(c) || is_sign(c)).unwrap_or(rest.len())];
    let end = at + word.len();
    let begins = prompt[..at].chars().next_back().is_none_or(is_blank);
    if begins && matches!(word, "s" | "y" | "m" | "tr") {
        let chunk = &rest[..rest.find(is_blank).unwrap_or(rest.len())];
        if is_pattern(chunk) {
            return (Kind::Text, at + chunk.len());
        }
    }
    if word.starts_with('/') {
        // What a shield cuts off is still part of the word: `/design"x"` is not a name.
        let cut = end == limit && limit < prompt.len();
        let marked = word.ends_with(['.', '!']) && prompt[end..].starts_with(is_sign);
        return match name(word).filter(|_| !cut && !marked) {
            Some(length) => (Kind::Name { end: at + length }, end),
            // A slash alone is the root.
            None => (Kind::Path, end),
        };
    }
    delimiter_word(prompt, at, word).unwrap_or((Kind::Text, end))
}

/// The delimiter that a word is, and where it ends.
fn delimiter_word(prompt: &str, at: usize, word: &str) -> Option<(Kind, usize)> {
    // At the end of a line a colon may follow: a list comes.
    let plain = |word: &'_ str, end: usize| {
        let ends_line = prompt[end..].trim_start_matches([' ', '\t', '\r']).starts_with('\n');
        word.len() - usize::from(ends_line && word.ends_with(':'))
    };
    let end = at + word.len();
    if word.eq_ignore_ascii_case("followed") {
        let gap = prompt[end..].trim_start_matches([' ', '\t']);
        let from = prompt.len() - gap.len();
        let by = &gap[..gap.find(|c: char| c.is_whitespace() || is_sign(c)).unwrap_or(gap.len())];
        let is_by = from > end && by[..plain(by, from + by.len())].eq_ignore_ascii_case("by");
        return is_by.then_some((Kind::Word(Joint::Orders), from + by.len()));
    }
    if word.eq_ignore_ascii_case("or") {
        return Some((Kind::Or, end));
    }
    let plain = &word[..plain(word, end)];
    let found = WORDS.iter().find(|(known, _)| plain.eq_ignore_ascii_case(known))?;
    Some((Kind::Word(found.1), end))
}

/// `s,/a,/b,g`: in a pattern the commas belong to it.
fn is_pattern(chunk: &str) -> bool {
    let Some(sign) = chunk.chars().find(|c| is_sign(*c)) else { return false };
    let ends_in_slash = chunk.rsplit(sign).next().is_some_and(|last| last.starts_with('/'));
    chunk.matches(sign).count() >= 2 && !ends_in_slash
}

/// The length of a list marker with its blanks.
fn marker(rest: &str) -> Option<usize> {
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let mark = match digits {
        0 => rest.strip_prefix(['-', '*', '+']),
        1..=3 => rest[digits..].strip_prefix(['.', ')']),
        _ => None,
    }?;
    let behind = mark.trim_start_matches([' ', '\t']);
    (behind.len() < mark.len()).then(|| rest.len() - behind.len())
}

/// The length of `/name` if the word is one, without a full stop after it.
fn name(word: &str) -> Option<usize> {
    let plain = word.strip_suffix(['.', '!']).unwrap_or(word);
    is_name(plain.strip_prefix('/')?).then_some(plain.len())
}

/// Whether a word can name a skill: `design`, `plan-adhoc`, `tools:review`.
pub fn is_name(word: &str) -> bool {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphanumeric())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
    };
    word.split(':').all(part)
}
