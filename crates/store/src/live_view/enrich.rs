//! What the project has written down, found by the words of a prompt.

use engine_core::enrich::{Found, Index};
use engine_core::view::Enrich;

use super::LiveView;
use crate::enrich_file;

/// Items that are ranked: some of them may have been told before.
const MOST: usize = 30;

impl Enrich for LiveView<'_> {
    fn fitting(&self, words: &[String]) -> Result<Found, String> {
        let bytes = enrich_file::read(self.project)?;
        let index = Index::open(&bytes).map_err(|why| why.to_string())?;
        Ok(index.search(words, MOST))
    }
}
