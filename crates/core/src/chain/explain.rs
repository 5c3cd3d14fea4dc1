//! What became of every known skill that a prompt names: for people, who want to know why.

use std::collections::HashSet;

use super::parse::read;
use super::reading::{Note, Reading, Standing, Why};
use super::shield::{code, shielded};
use super::token::{Kind, is_name, tokens};

/// Reads a prompt as [`read`] does, and notes the names, too, that it had no reason to look at.
pub fn explain(prompt: &str, standing: &dyn Fn(&str) -> Standing) -> Reading {
    let mut reading = read(prompt, standing);
    let noted: HashSet<usize> = reading.notes.iter().map(|note| note.at).collect();
    let is_known = |name: &str| standing(name) != Standing::Unknown;
    let rest = if reading.chain.is_some() { Why::FreeText } else { Why::NotAtStart };
    for token in tokens(prompt) {
        let Kind::Name { end } = token.kind else { continue };
        let name = &prompt[token.span.start + 1..end];
        if !noted.contains(&token.span.start) && is_known(name) {
            reading.notes.push(Note { at: token.span.start, name: name.to_owned(), why: rest });
        }
    }
    let code = code(prompt);
    for shield in shielded(prompt) {
        for (at, name) in names(&prompt[shield.clone()]).filter(|(_, name)| is_known(name)) {
            let at = shield.start + at;
            let in_code = code.iter().any(|span| span.contains(&at));
            let why = if in_code { Why::InCode } else { Why::Quoted };
            reading.notes.push(Note { at, name: name.to_owned(), why });
        }
    }
    reading.notes.sort_by_key(|note| note.at);
    reading
}

/// The names in a text, wherever a word begins.
fn names(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices('/').filter_map(|(at, _)| {
        let begins =
            text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '/' && c != '.');
        let rest = &text[at + 1..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
        let name = rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())].trim_end_matches(':');
        let goes_on = rest[name.len()..].starts_with(['/', '.']) && rest.len() > name.len() + 1 && {
            !rest[name.len() + 1..].starts_with(char::is_whitespace)
        };
        (begins && is_name(name) && !goes_on).then_some((at, name))
    })
}
