//! From which score on an item is told: learnt, when the index is made, from prompts that it does not answer.
//!
//! A score grows with the number of words that are looked up, so there is a limit for each of some lengths ([`LENGTHS`], counted in the
//! words that some item has), and between them it is a straight line. Two kinds of prompts tell how well an item fits by chance:
//!
//! 1. **The items' own words.** Of up to 200 items, evenly spread over all, so many different words in a row are looked up as a prompt
//!    would be, in all items but those of the same file. What fits best is no answer: the answer was left out. The place where the words
//!    begin follows from the item's number, so the same items give the same limits.
//! 2. **Ordinary requests**: a fixed list in the code, which no project answers. Each counts for the length at or above its own.
//!
//! The limit of a length is the larger of two quantiles of the best scores: 95 % of the first kind, 90 % of the second; and never less than
//! that of a shorter length, nor than one and a half words that only one item has. That is the least for a project with few items, where
//! there is little to learn from.

use std::collections::BTreeSet;

use super::super::{Item, ordinary, words};
use super::Index;

/// In words that some item has.
pub(super) const LENGTHS: [usize; 10] = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48];

/// Items whose words are looked up.
const MOST_SAMPLES: usize = 200;
/// The share of prompts without an answer for which nothing is told.
const QUANTILE_ITEMS: f32 = 0.95;
const QUANTILE_ORDINARY: f32 = 0.90;
/// In words that only one item has.
const LEAST: f32 = 1.5;

/// The limits, by the length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds(pub(super) [f32; LENGTHS.len()]);

impl Thresholds {
    /// The limit for so many words.
    pub fn at(&self, words: usize) -> f32 {
        let above = LENGTHS.iter().position(|length| *length >= words);
        let limit = match above {
            None => self.0[LENGTHS.len() - 1],
            Some(0) => self.0[0],
            Some(at) => {
                let (low, high) = (LENGTHS[at - 1], LENGTHS[at]);
                #[allow(clippy::cast_precision_loss, reason = "at most 48")]
                let part = (words - low) as f32 / (high - low) as f32;
                self.0[at - 1] + part * (self.0[at] - self.0[at - 1])
            }
        };
        limit.max(f32::MIN_POSITIVE)
    }
}

pub(super) fn learn(index: &Index<'_>, items: &[Item], texts: &[Vec<String>]) -> [f32; LENGTHS.len()] {
    let ordinary: Vec<(usize, f32)> = ordinary::REQUESTS
        .iter()
        .map(|request| {
            let scores = index.scores(&words::distinct(request, usize::MAX));
            (scores.known, best(&scores.all, |_| true))
        })
        .collect();
    let mut limits = [0.0; LENGTHS.len()];
    let mut before = least(index);
    for (at, length) in LENGTHS.into_iter().enumerate() {
        let shorter = if at == 0 { 0 } else { LENGTHS[at - 1] };
        let of_items = of_items(index, items, texts, length);
        let of_length = ordinary.iter().filter(|(known, _)| (shorter + 1..=length).contains(known));
        let of_ordinary = of_length.map(|(_, score)| *score).collect();
        before = before.max(quantile(of_items, QUANTILE_ITEMS)).max(quantile(of_ordinary, QUANTILE_ORDINARY));
        limits[at] = before;
    }
    limits
}

/// What a short item gets for words that no other has.
fn least(index: &Index<'_>) -> f32 {
    #[allow(clippy::cast_precision_loss, reason = "at most 2,000 items")]
    let items = index.len() as f32;
    LEAST * (1.0 + (items - 0.5).max(0.0) / 1.5).ln()
}

/// The best scores of other items for so many words of an item.
fn of_items(index: &Index<'_>, items: &[Item], texts: &[Vec<String>], length: usize) -> Vec<f32> {
    let step = items.len().div_ceil(MOST_SAMPLES).max(1);
    let mut scores = Vec::new();
    for at in (0..items.len()).step_by(step) {
        let Some(sample) = sample(&texts[at], length, at) else { continue };
        let is_other = |other: usize| items[other].path != items[at].path;
        scores.push(best(&index.scores(&sample).all, is_other));
    }
    scores
}

/// So many different words in a row; nothing where there are not so many.
fn sample(words: &[String], length: usize, number: usize) -> Option<Vec<String>> {
    let different: BTreeSet<&String> = words.iter().collect();
    if different.len() < length {
        return None;
    }
    let start = number * 7919 % words.len();
    let mut taken: Vec<String> = Vec::with_capacity(length);
    for word in words[start..].iter().chain(&words[..start]) {
        if taken.len() < length && !taken.contains(word) {
            taken.push(word.clone());
        }
    }
    Some(taken)
}

fn best(scores: &[(f32, u32)], counts: impl Fn(usize) -> bool) -> f32 {
    let counting = scores.iter().enumerate().filter(|(at, _)| counts(*at));
    counting.map(|(_, (score, _))| *score).fold(0.0, f32::max)
}

/// The least value that so large a part does not exceed.
fn quantile(mut values: Vec<f32>, part: f32) -> f32 {
    values.sort_by(f32::total_cmp);
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an index below 1,000"
    )]
    let at = ((values.len() as f32 * part).ceil() as usize).saturating_sub(1);
    values.get(at).copied().unwrap_or_default()
}
