//! Whether two texts say the same, or nearly.
//!
//! Nearly is a share of words: no model is asked, and whoever gets a wrong hint reads two lines. What a word stands for is not known here, so
//! the same fact in other words is not found.

use std::collections::{BTreeSet, HashMap};

/// From this share of the words of both on, two notes are near.
const NEAR: f64 = 0.5;
/// From this share of the words of the shorter one on, too, if these are enough words.
const WITHIN: f64 = 0.8;
const ENOUGH: usize = 4;

const FILLING: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "because", "been", "but", "by", "can", "do", "does", "for",
    "from", "has", "have", "if", "in", "is", "it", "its", "of", "on", "only", "or", "so", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "this", "to", "was", "we", "were", "which",
    "will", "with",
];

/// Whether two texts are the same, but for blanks, letter case and the point at the end.
pub fn is_same(one: &str, other: &str) -> bool {
    let plain = |text: &str| {
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        words.trim_end_matches(['.', '!', ' ']).to_owned()
    };
    plain(one) == plain(other)
}

/// How near two texts are, from 0 to 1, if they are near enough to be about the same.
pub fn likeness(one: &str, other: &str) -> Option<f64> {
    Known::default().of(one, other)
}

/// The words of texts, each word with a number: many texts are compared by numbers.
#[derive(Default)]
pub(super) struct Known(HashMap<String, u32>);

impl Known {
    /// The numbers of a text's words, in order.
    pub(super) fn numbers(&mut self, text: &str) -> Vec<u32> {
        let mut numbers = Vec::new();
        for word in words(text) {
            let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
            numbers.push(*self.0.entry(word).or_insert(next));
        }
        numbers.sort_unstable();
        numbers
    }

    fn of(mut self, one: &str, other: &str) -> Option<f64> {
        let one = self.numbers(one);
        near(&one, &self.numbers(other))
    }
}

/// The same of numbers.
pub(super) fn near(one: &[u32], other: &[u32]) -> Option<f64> {
    let least = one.len().min(other.len());
    let mut others = other.iter().peekable();
    let mut shared = 0;
    for number in one {
        while others.next_if(|other| *other < number).is_some() {}
        shared += usize::from(others.next_if_eq(&number).is_some());
    }
    let share = |of: usize| if of == 0 { 0.0 } else { ratio(shared, of) };
    let (of_both, of_shorter) = (share(one.len() + other.len() - shared), share(least));
    let is_near = of_both >= NEAR || (least >= ENOUGH && of_shorter >= WITHIN);
    is_near.then_some(of_both)
}

fn ratio(part: usize, whole: usize) -> f64 {
    let of = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    of(part) / of(whole)
}

/// The words that a text is about, each in one form.
pub(super) fn words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let pieces = lower.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    pieces.filter(|word| !FILLING.contains(word)).flat_map(parts).collect()
}

/// A word in its plain form; of a script without blanks, two characters each.
fn parts(word: &str) -> Vec<String> {
    let characters: Vec<char> = word.chars().collect();
    if characters.iter().any(|c| *c >= '\u{2e80}') {
        let pairs = characters.windows(2.min(characters.len()));
        return pairs.map(|pair| pair.iter().collect()).collect();
    }
    vec![plain(word)]
}

/// `locks`, `locked` and `locking` are one word.
fn plain(word: &str) -> String {
    let cut = |end: &str| word.strip_suffix(end).filter(|rest| rest.len() >= 3 && rest.is_ascii());
    let ends = ["ing", "ies", "ed", "es", "s"];
    let is_word = !word.contains('_') && !word.ends_with("ss");
    let stem = if is_word { ends.iter().find_map(|end| cut(end)) } else { None };
    stem.unwrap_or(word).trim_end_matches('e').to_owned()
}
