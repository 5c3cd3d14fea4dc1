//! What may be wrong with notes, as far as their texts and scopes tell.
//!
//! Two notes that are near each other and hold for the same files contradict each other, perhaps, if they differ in a number, a name or a
//! negation: `a lock waits 5 s` and `a lock waits 10 s`. A person or an agent decides; nothing is changed by itself.

use std::collections::BTreeSet;

use super::alike::{Known, near};
use super::{Entry, Note, Notes, covers};
use engine_text::glob::lead_and_rest;

/// From so many commits on that changed files of its scope, a note is stale.
pub const STALE: u64 = 20;

/// Of more notes not each is compared with every other.
const MOST: usize = 500;

const NEGATIONS: &[&str] =
    &["not", "no", "never", "none", "nothing", "neither", "nor", "cannot", "without", "nobody"];

/// Why one or two notes should be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// The note that it is about: its id.
    pub id: String,
    /// The other one, if there is one.
    pub other: Option<String>,
    pub why: String,
}

/// Everything that texts, scopes and `supersedes` tell.
pub fn doubts(notes: &Notes) -> Vec<Doubt> {
    let mut found = Vec::new();
    let mut known = Known::default();
    let live = notes.live().take(MOST);
    let live: Vec<(&Entry, &Note, Vec<u32>)> =
        live.map(|(entry, note)| (entry, note, known.numbers(&note.text))).collect();
    for (index, (one, note, words)) in live.iter().enumerate() {
        for (other, that, others) in live.iter().skip(index + 1) {
            let is_near = near(words, others).is_some() && meet(&note.scope, &that.scope);
            if let Some(why) = is_near.then(|| contradiction(note, that)).flatten() {
                found.push(Doubt { id: one.id(), other: Some(other.id()), why });
            }
        }
    }
    for (entry, note) in notes.notes() {
        for slug in &note.supersedes {
            let why = match notes.at(entry.place, slug) {
                _ if *slug == entry.slug => "it supersedes itself",
                None => "it supersedes a note that is not there",
                Some(old) if notes.leads_to(old, entry) => {
                    "they supersede each other, so both are still told"
                }
                Some(_) => continue,
            };
            found.push(Doubt { id: entry.id(), other: Some(slug.clone()), why: why.to_owned() });
        }
        let later: Vec<&Entry> =
            notes.successors(entry).filter(|later| !notes.leads_to(entry, later)).collect();
        if let [one, two, ..] = later[..] {
            found.push(Doubt {
                id: one.id(),
                other: Some(two.id()),
                why: format!("both supersede {}, so one of them may be meant for the other", entry.id()),
            });
        }
    }
    found
}

/// How two notes differ that are near each other.
fn contradiction(one: &Note, other: &Note) -> Option<String> {
    let (numbers, others) = (numbers(&one.text), numbers_of(other));
    if !numbers.is_empty() && !others.is_empty() && numbers != others {
        return Some(format!(
            "they differ in a number: {} and {}",
            only(&numbers, &others),
            only(&others, &numbers)
        ));
    }
    if is_negated(&one.text) != is_negated(&other.text) {
        return Some("one says no, the other does not".to_owned());
    }
    let (names, others) = (names(&one.text), names_of(other));
    let (here, there) = (only(&names, &others), only(&others, &names));
    (!here.is_empty() && !there.is_empty() && here != NONE && there != NONE)
        .then(|| format!("they differ in a name: {here} and {there}"))
}

const NONE: &str = "none";

/// What one has and the other has not.
fn only(one: &BTreeSet<String>, other: &BTreeSet<String>) -> String {
    let own: Vec<&str> = one.difference(other).map(String::as_str).collect();
    if own.is_empty() { NONE.to_owned() } else { own.join(", ") }
}

fn numbers_of(note: &Note) -> BTreeSet<String> {
    numbers(&note.text)
}

fn names_of(note: &Note) -> BTreeSet<String> {
    names(&note.text)
}

/// Numbers with what is written to them: `5`, `0.5`, `40k`.
fn numbers(text: &str) -> BTreeSet<String> {
    let words =
        text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '`' | '"' | '/'));
    let numbers = words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    numbers.map(|word| word.trim_end_matches([',', '.', ';', ':']).to_owned()).collect()
}

fn is_negated(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’'));
    words.any(|word| NEGATIONS.contains(&word) || word.ends_with("n't") || word.ends_with("n’t"))
}

/// What is written as code, or is no plain word: `core::note`, `LAST_ROW`, `rebase.autoStash`.
fn names(text: &str) -> BTreeSet<String> {
    let code = text.split('`').skip(1).step_by(2).map(str::to_owned);
    let is_name = |word: &&str| {
        let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
        let has_upper = inner.chars().skip(1).any(char::is_uppercase);
        let has_sign = inner.contains("::") || inner.contains('_') || inner.contains('/');
        inner.chars().any(char::is_alphabetic) && (has_upper || has_sign)
    };
    let plain = text.split_whitespace().filter(is_name);
    code.chain(plain.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned())).collect()
}

/// Whether two scopes can have a file in common. A note without one holds everywhere.
fn meet(one: &[String], other: &[String]) -> bool {
    let touches = |one: &str, other: &str| {
        let (lead, that) = (lead_and_rest(one).0, lead_and_rest(other).0);
        covers(one, other)
            || covers(other, one)
            || (one.contains('*') && that.starts_with(lead))
            || (other.contains('*') && lead.starts_with(that))
    };
    one.is_empty() || other.is_empty() || one.iter().any(|one| other.iter().any(|other| touches(one, other)))
}
