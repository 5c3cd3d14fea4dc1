//! A way to search, as the evaluation sees it.

use anyhow::{Context, Result};
use engine_search::query::Tuning;
use engine_search::{Document, Hit, Index, Query, Seen};

use super::pages::Page;

pub(super) trait Searcher {
    fn name(&self) -> &str;
    /// Makes an index of some pages.
    fn index(&self, pages: &[Page]) -> Result<Box<dyn Indexed>>;
}

pub(super) trait Indexed {
    fn ask(&self, words: &str, limit: usize) -> Result<Vec<Hit>>;
}

/// Words alone, as `engine search --lexical` does it.
pub(super) struct Lexical {
    name: String,
    tuning: Tuning,
}

impl Default for Lexical {
    fn default() -> Self {
        Self { name: "lexical".to_owned(), tuning: Tuning::default() }
    }
}

impl Lexical {
    /// Other weights, each changed alone.
    pub(super) fn variants() -> impl Iterator<Item = Box<dyn Searcher>> {
        let now = Tuning::default();
        let titles =
            [0.0, 1.0, 3.0, 5.0].map(|title| (format!("title weight {title}"), Tuning { title, ..now }));
        let others = [
            ("stop words", Tuning { stop_words: !now.stop_words, ..now }),
            ("the query as a phrase", Tuning { phrase: !now.phrase, ..now }),
            ("pairs of neighbours", Tuning { pairs: !now.pairs, ..now }),
            ("identifiers as phrases", Tuning { identifiers: !now.identifiers, ..now }),
            ("identifiers, without stop words", Tuning { identifiers: true, stop_words: false, ..now }),
            ("identifiers, phrase", Tuning { identifiers: true, phrase: true, ..now }),
            (
                "identifiers, phrase, without stop words",
                Tuning { identifiers: true, phrase: true, stop_words: false, ..now },
            ),
        ];
        let others = others.map(|(name, tuning)| (name.to_owned(), tuning));
        titles
            .into_iter()
            .chain(others)
            .map(|(name, tuning)| Box::new(Self { name, tuning }) as Box<dyn Searcher>)
    }
}

impl Searcher for Lexical {
    fn name(&self) -> &str {
        &self.name
    }

    fn index(&self, pages: &[Page]) -> Result<Box<dyn Indexed>> {
        Ok(Box::new(LexicalIndex { index: indexed(pages)?, tuning: self.tuning }))
    }
}

struct LexicalIndex {
    index: Index,
    tuning: Tuning,
}

impl Indexed for LexicalIndex {
    fn ask(&self, words: &str, limit: usize) -> Result<Vec<Hit>> {
        let query = Query { words: words.to_owned(), limit, tuning: self.tuning, ..Query::default() };
        Ok(self.index.search(&query)?)
    }
}

/// An index in memory of all chunks of some pages.
pub(super) fn indexed(pages: &[Page]) -> Result<Index> {
    let mut index = Index::in_memory()?;
    let mut writer = index.writer()?.context("an index in memory has no other writer")?;
    for Page { path, chunks } in pages {
        // Each path is there once, so that no sum is compared.
        let document = Document { space: "", kind: "docs", path, seen: Seen::default(), sum: [0; 32] };
        writer.put(&document, chunks)?;
    }
    writer.commit()?;
    Ok(index)
}

/// Words and meaning, where a model is installed.
pub(super) fn hybrid() -> Result<Option<Box<dyn Searcher>>> {
    Ok(None)
}
