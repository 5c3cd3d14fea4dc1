//! What the index holds, and bringing all of it up to date.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use engine_core::search::Kind;
use engine_search::{Index, Part};
use engine_store::git::tree;

use super::ask::Mode;
use super::corpus::{Corpus, Listing};
use super::progress::{Progress, Unwatched};
use super::refresh::{Behind, Budget, Refreshed, UNREAD, read, refresh};
use super::{MADE_ANEW, OpenIndex, Place, busy, failed, meaning, mended, note, open};
use crate::error::CommandError;

pub use super::corpus::Skipped;

#[derive(Debug)]
pub struct Status {
    pub mode: Mode,
    /// By kind, of the checkout at hand.
    pub kinds: BTreeMap<Kind, Part>,
    /// Chunks of branches and other worktrees.
    pub others: u64,
    pub bytes: u64,
    pub behind: Behind,
    /// How many chunks have no vector; none without a model.
    pub unembedded: Option<usize>,
    pub skipped: Vec<Skipped>,
    pub note: Option<String>,
}

/// What bringing the index up to date came to.
#[derive(Debug)]
pub struct Indexed {
    pub files: u64,
    pub chunks: u64,
    pub refreshed: Refreshed,
    /// How many chunks were given a vector; none without a model.
    pub embedded: Option<usize>,
    pub skipped: usize,
    pub took: Duration,
    pub note: Option<String>,
}

/// What the index holds of some kinds, compared with the disk. Nothing is written; a damaged index is removed.
pub fn status(corpus: &Corpus, kinds: &[Kind]) -> Result<Status, CommandError> {
    let (mut status, was_damaged) = mended(corpus, || status_once(corpus, kinds))?;
    if was_damaged {
        status.note = Some("the search index was damaged and is removed: engine search index".to_owned());
    }
    Ok(status)
}

fn status_once(corpus: &Corpus, kinds: &[Kind]) -> Result<Status, CommandError> {
    let folder = corpus.folder();
    let (index, note) = match Index::open_to_read(&folder).map_err(failed)? {
        Some(index) => (index, None),
        None => (
            Index::in_memory().map_err(failed)?,
            Some("there is no index yet: engine search index".to_owned()),
        ),
    };
    let mut index = index;
    let behind = refresh(corpus, &mut index, kinds, Budget::Look, &mut Unwatched)?.behind;
    let counts = index.counts().map_err(failed)?;
    let space = corpus.space();
    let mut of_kinds: BTreeMap<Kind, Part> = kinds.iter().map(|kind| (*kind, Part::default())).collect();
    let mut others = 0;
    for ((kind, of), part) in counts.parts.clone() {
        match Kind::named(&kind).filter(|kind| kinds.contains(kind)) {
            Some(kind) if of == space => _ = of_kinds.insert(kind, part),
            _ if of != space => others += part.chunks,
            _ => {}
        }
    }
    let skipped = skipped(corpus, &index, kinds)?;
    let unembedded = meaning::unembedded(corpus, &index)?;
    // With no vector at all, words alone rank.
    let is_hybrid = unembedded.is_some_and(|count| counts.chunks == 0 || (count as u64) < counts.chunks);
    let mode = if is_hybrid { Mode::Hybrid } else { Mode::Lexical };
    Ok(Status { mode, kinds: of_kinds, others, bytes: counts.bytes, behind, unembedded, skipped, note })
}

/// The files that cannot be read, are not followed or not told, each with the reason as it is now.
fn skipped(corpus: &Corpus, index: &Index, kinds: &[Kind]) -> Result<Vec<Skipped>, CommandError> {
    let known = index.known(&corpus.space()).map_err(failed)?;
    let is_skipped = |key: &String| known.get(key).is_some_and(|known| known.sum == UNREAD);
    let Listing { sources, left_out, .. } = corpus.list(kinds, &|| false);
    let damaged = if kinds.contains(&Kind::Notes) { note::damaged(corpus) } else { Vec::new() };
    let skipped = sources.into_iter().filter_map(|source| {
        let is_file_of = |(path, _): &&(PathBuf, String)| source.kind == Kind::Notes && *path == source.path;
        let why = match damaged.iter().find(is_file_of) {
            Some((_, why)) => why.clone(),
            None if is_skipped(&source.key) => read(corpus, &source).err()?,
            None => return None,
        };
        Some(Skipped { kind: source.kind, path: source.key, why })
    });
    let left_out = left_out.into_iter().filter(|skipped| kinds.contains(&skipped.kind));
    let mut skipped: Vec<Skipped> = skipped.chain(left_out).collect();
    skipped.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(skipped)
}

/// Brings some kinds up to date; with `rebuild` the index is made anew.
pub fn index(
    corpus: &Corpus,
    kinds: &[Kind],
    rebuild: bool,
    progress: &mut dyn Progress,
    embedding: &mut dyn Progress,
) -> Result<Indexed, CommandError> {
    let (mut indexed, is_new) = mended(corpus, || index_once(corpus, kinds, rebuild, progress, embedding))?;
    if is_new {
        indexed.note = Some(MADE_ANEW.to_owned());
    }
    Ok(indexed)
}

fn index_once(
    corpus: &Corpus,
    kinds: &[Kind],
    rebuild: bool,
    progress: &mut dyn Progress,
    embedding: &mut dyn Progress,
) -> Result<Indexed, CommandError> {
    let began = Instant::now();
    let OpenIndex { mut index, place, note } = open(corpus)?;
    if place != Place::File {
        return Err(CommandError::refused(note.unwrap_or_default()));
    }
    index.check().map_err(failed)?;
    let budget = if rebuild { Budget::Anew } else { Budget::Whole };
    let refreshed = refresh(corpus, &mut index, kinds, budget, progress)?;
    if refreshed.behind.busy {
        return Err(busy());
    }
    forget_spaces(corpus, &mut index)?;
    let counts = index.counts().map_err(failed)?;
    let space = corpus.space();
    let is_meant = |kind: &str| Kind::named(kind).is_some_and(|kind| kinds.contains(&kind));
    let parts = counts.parts.iter().filter(|((kind, of), _)| *of == space && is_meant(kind));
    let (files, chunks) =
        parts.fold((0, 0), |(files, chunks), (_, part)| (files + part.files, chunks + part.chunks));
    let skipped = skipped(corpus, &index, kinds)?.len();
    let embedded = meaning::embed(corpus, &index, embedding)?;
    Ok(Indexed { files, chunks, refreshed, embedded, skipped, took: began.elapsed(), note })
}

/// Removes what branches and worktrees left that are gone.
fn forget_spaces(corpus: &Corpus, index: &mut Index) -> Result<(), CommandError> {
    let spaces = index.spaces().map_err(failed)?;
    let own = corpus.space();
    let others: Vec<&String> = spaces.iter().filter(|space| !space.is_empty() && **space != own).collect();
    if others.is_empty() {
        return Ok(());
    }
    let Ok(branches) = tree::branches(corpus.project.tree()) else { return Ok(()) };
    let is_gone = |space: &str| {
        if space.starts_with('/') {
            !Path::new(space).is_dir()
        } else {
            !branches.iter().any(|branch| branch == space)
        }
    };
    for space in others.into_iter().filter(|space| is_gone(space)) {
        let keys: Vec<String> = index.known(space).map_err(failed)?.into_keys().collect();
        let Some(mut writer) = index.writer().map_err(failed)? else { return Ok(()) };
        for key in keys {
            writer.remove(space, &key).map_err(failed)?;
        }
        writer.commit().map_err(failed)?;
    }
    Ok(())
}
