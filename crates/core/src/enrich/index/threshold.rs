//! From which fit on an item is told: learnt, when the index is made, from prompts that it does not answer.
//!
//! How well an item fits is its BM25 score times the share of the prompt's words that it has, so a long prompt gains nothing by words that
//! the item does not have. What is left of the length is in the limits: there is one for each of some lengths ([`LENGTHS`], in words that
//! say something), and between them it is a straight line. Two kinds of prompts tell how well an item fits by chance, each at every length:
//!
//! 1. **Ordinary requests**: a fixed list in the code that no project answers ([`ordinary`]). A prompt is one of them, cut to the length, or
//!    made as long by those after it in the list. There are as many prompts as requests.
//! 2. **Half the project's words.** Of up to 200 items, evenly spread over all: so many different words in a row of the item as are half
//!    the length, and behind them words of an ordinary request. All items are asked but those of the same file: the answer is left out.
//!    Where an item's words begin follows from its number.
//!
//! Of each prompt the best fit is kept. The limit is the larger of two quantiles: below it are 90 % of the first kind and half of the
//! second. Half, because what is written down about the same matter is no accident, and often worth a line. It is never less than the
//! limit of a shorter length, nor than an item gets for two words out of four that no other item has: that is what holds for a project
//! with few items. Nothing is drawn by lot, so the same items give the same limits.
//!
//! `cargo xtask evaluate-enrich` shows whether it holds, with requests that are not in the list: docs/enrich.md has the figures.

use super::super::{Item, ordinary, words};
use super::Index;

/// In words that say something.
pub(super) const LENGTHS: [usize; 10] = [3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

const LONGEST: usize = LENGTHS[LENGTHS.len() - 1];
/// Items whose words are looked up.
const MOST_SAMPLES: usize = 200;
/// The share of prompts without an answer for which nothing is told.
const ORDINARY: f32 = 0.9;
const HALF_OWN: f32 = 0.5;

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
                #[allow(clippy::cast_precision_loss, reason = "at most 64")]
                let part = (words - low) as f32 / (high - low) as f32;
                self.0[at - 1] + part * (self.0[at] - self.0[at - 1])
            }
        };
        limit.max(f32::MIN_POSITIVE)
    }
}

pub(super) fn learn(index: &Index<'_>, items: &[Item], texts: &[Vec<String>]) -> [f32; LENGTHS.len()] {
    let requests: Vec<Vec<String>> = ordinary::REQUESTS.iter().map(|request| words(request)).collect();
    let ordinary: Vec<Vec<String>> = (0..requests.len()).map(|at| from(&requests, at)).collect();
    let step = items.len().div_ceil(MOST_SAMPLES).max(1);
    let own: Vec<(usize, Vec<String>)> =
        (0..items.len()).step_by(step).map(|at| (at, in_a_row(&texts[at], at * 7919))).collect();
    let mut limits = [0.0; LENGTHS.len()];
    let mut before = least(index);
    for (at, length) in LENGTHS.into_iter().enumerate() {
        let of_ordinary =
            ordinary.iter().map(|words| best(index, &words[..length.min(words.len())], &|_| true));
        let half = length.div_ceil(2);
        let of_own = own.iter().filter(|(_, words)| words.len() >= half).map(|(number, words)| {
            let others = &ordinary[number % ordinary.len()];
            let mut mixed = words[..half].to_vec();
            mixed.extend(
                others.iter().filter(|word| !words[..half].contains(word)).take(length - half).cloned(),
            );
            best(index, &mixed, &|other| items[other].path != items[*number].path)
        });
        before =
            before.max(quantile(of_ordinary.collect(), ORDINARY)).max(quantile(of_own.collect(), HALF_OWN));
        limits[at] = before;
    }
    limits
}

/// What a short item gets for two words of four that no other has.
fn least(index: &Index<'_>) -> f32 {
    #[allow(clippy::cast_precision_loss, reason = "at most 2,000 items")]
    let items = index.len() as f32;
    (1.0 + (items - 0.5).max(0.0) / 1.5).ln()
}

/// The words of a request and of those after it, each once.
fn from(requests: &[Vec<String>], start: usize) -> Vec<String> {
    let mut found: Vec<String> = Vec::with_capacity(LONGEST);
    for word in requests[start..].iter().chain(&requests[..start]).flatten() {
        if found.len() < LONGEST && !found.contains(word) {
            found.push(word.clone());
        }
    }
    found
}

/// Different words of an item in a row, as many as half the longest prompt has.
fn in_a_row(words: &[String], start: usize) -> Vec<String> {
    let start = start % words.len().max(1);
    let mut found: Vec<String> = Vec::new();
    for word in words[start..].iter().chain(&words[..start]) {
        if found.len() < LONGEST / 2 && !found.contains(word) {
            found.push(word.clone());
        }
    }
    found
}

/// How well the best item fits.
fn best(index: &Index<'_>, words: &[String], counts: &dyn Fn(usize) -> bool) -> f32 {
    let fits = index.fits(words);
    let counting = fits.iter().enumerate().filter(|(at, _)| counts(*at));
    counting.map(|(_, (fit, _))| *fit).fold(0.0, f32::max)
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
