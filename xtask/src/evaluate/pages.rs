//! The pages of this repository, as the search would index them.

use std::fs;

use anyhow::Result;
use engine_search::{Chunk, markdown};

use super::history::git;
use crate::cargo;

#[derive(Clone)]
pub(super) struct Page {
    pub(super) path: String,
    pub(super) chunks: Vec<Chunk>,
}

/// Trees for tests: a page in them says nothing of this project.
const FIXTURES: &str = "/fixtures/";
/// It names whatever was done and would answer every question.
pub(super) const CHANGELOG: &str = "CHANGELOG.md";

/// All Markdown that git knows, but the changelog.
pub(super) fn all() -> Result<Vec<Page>> {
    let names = git(&["ls-files", "-z", "*.md"])?;
    let names =
        names.split('\0').filter(|name| !name.is_empty() && *name != CHANGELOG && !name.contains(FIXTURES));
    // A page that was deleted and not committed is not there.
    let read =
        |name: &str| fs::read_to_string(cargo::root().join(name)).ok().map(|text| (name.to_owned(), text));
    let page = |(path, text): (String, String)| Page { chunks: markdown::cut(&text, &path), path };
    Ok(names.filter_map(read).map(page).collect())
}
