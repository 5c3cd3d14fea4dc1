//! How well items fit words: BM25, times the share of the words that an item has.

use super::super::{Key, Kind};
use super::Index;

/// How soon another occurrence of a word counts for little, and how much long items lose.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.6;
/// One word in common is chance.
const FEWEST_MATCHES: u32 = 2;

/// An item that fits.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub kind: Kind,
    pub path: String,
    pub line: u32,
    pub shown: String,
    pub key: Key,
    /// In thresholds: from 1.0 on it is told.
    pub score: f32,
    /// Words that it has in common with the prompt.
    pub matches: u32,
    pub is_retired: bool,
}

/// What was found for the words of a prompt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// Items in the index.
    pub items: usize,
    /// Words of the prompt that were looked up.
    pub words: usize,
    /// The best of each file, the best first.
    pub hits: Vec<Hit>,
}

impl Index<'_> {
    /// The best items for the words of a prompt, whether they are told or not, one per file.
    pub fn search(&self, words: &[String], most: usize) -> Found {
        let limit = self.thresholds().at(words.len());
        let mut ranked: Vec<(u32, f32, u32)> = (0_u32..)
            .zip(self.fits(words))
            .filter(|(_, (_, matches))| *matches > 0)
            .map(|(item, (fit, matches))| (item, fit, matches))
            .collect();
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        let mut hits: Vec<Hit> = Vec::new();
        for (item, fit, matches) in ranked {
            if hits.len() == most {
                break;
            }
            let Some(row) = self.row(item).filter(|row| hits.iter().all(|hit| hit.path != row.path)) else {
                continue;
            };
            let score = if matches < FEWEST_MATCHES { 0.0 } else { fit / limit };
            hits.push(Hit {
                kind: row.kind,
                path: row.path.to_owned(),
                line: row.line,
                shown: row.shown.to_owned(),
                key: row.key,
                score,
                matches,
                is_retired: row.is_retired,
            });
        }
        hits.sort_by(|one, other| other.score.total_cmp(&one.score));
        Found { items: self.len(), words: words.len(), hits }
    }

    /// How well each item fits, and how many of the words it has.
    pub(super) fn fits(&self, words: &[String]) -> Vec<(f32, u32)> {
        let mut all = vec![(0.0, 0_u32); self.len()];
        #[allow(clippy::cast_precision_loss, reason = "at most 2,000 items")]
        let items = self.len() as f32;
        for word in words {
            let Some((count, at)) = self.term(word) else { continue };
            #[allow(clippy::cast_precision_loss, reason = "at most 2,000 items")]
            let having = count as f32;
            let rarity = (1.0 + (items - having + 0.5) / (having + 0.5)).ln();
            for (item, times) in self.postings(count, at) {
                #[allow(clippy::cast_precision_loss, reason = "at most 600 words")]
                let times = times as f32;
                let length = 1.0 - LENGTH + LENGTH * self.words_in(item) / self.average.max(1.0);
                let weight = rarity * times * (SATURATION + 1.0) / (times + SATURATION * length);
                if let Some((score, matches)) = all.get_mut(item as usize) {
                    *score += weight;
                    *matches += 1;
                }
            }
        }
        #[allow(clippy::cast_precision_loss, reason = "at most 64 words")]
        let share = |matches: u32| matches as f32 / words.len().max(1) as f32;
        for (score, matches) in &mut all {
            *score *= share(*matches);
        }
        all
    }
}
