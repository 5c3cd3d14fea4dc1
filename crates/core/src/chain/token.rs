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
    /// `/name`, followed by something that ends a name. A full stop behind it belongs to the token, not to the name.
    Name {
        end: usize,
    },
    Comma,
    /// `and`, `then`, `finally`; at the end of a line also with a colon. The last two give an order.
    Joint {
        orders: bool,
    },
    Newline,
    /// The blanks at the start of a line, and how wide they are.
    Indent {
        code: bool,
    },
    /// `- `, `1. ` at the start of a line.
    Marker,
    Blank,
    Text,
}

const JOINTS: [&str; 3] = ["and", "then", "finally"];

pub(super) fn tokens(prompt: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut shields = shielded(prompt).into_iter().peekable();
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
        // A shielded block takes its line end with it.
        line_start = match kind {
            Kind::Newline => true,
            Kind::Indent { .. } => line_start,
            Kind::Text => prompt[at..end].ends_with('\n'),
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
        rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() && !matches!(c, '\n' | '\r')).len();
    if blanks > 0 {
        let code = rest[..blanks].contains('\t') || rest[..blanks].chars().count() >= 4;
        let kind = if line_start { Kind::Indent { code } } else { Kind::Blank };
        return (kind, at + blanks);
    }
    if rest.starts_with(',') {
        return (Kind::Comma, at + 1);
    }
    if line_start && let Some(length) = marker(rest) {
        return (Kind::Marker, at + length);
    }
    let word = &rest[..rest.find(|c: char| c.is_whitespace() || c == ',').unwrap_or(rest.len())];
    let end = at + word.len();
    if word.starts_with('/') {
        // What a shield cuts off is still part of the word: `/design"x"` is no name.
        let cut = end == limit && limit < prompt.len();
        if let Some(length) = name(word).filter(|_| !cut) {
            return (Kind::Name { end: at + length }, end);
        }
    }
    let ends_line = || prompt[end..].trim_start_matches([' ', '\t', '\r']).starts_with('\n');
    let plain = word.strip_suffix(':').filter(|_| ends_line()).unwrap_or(word);
    let joint = JOINTS.iter().find(|joint| plain.eq_ignore_ascii_case(joint));
    (joint.map_or(Kind::Text, |joint| Kind::Joint { orders: *joint != "and" }), end)
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

/// The length of `/name` if the word is one, without a full stop behind it.
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
