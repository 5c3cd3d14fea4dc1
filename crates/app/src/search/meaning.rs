//! The semantic side of search: chunks get vectors when the index is made, a query gets its own when it is asked.
//!
//! Without an installed model there is no such side, and without vectors neither: then words alone rank, and the answer says so.
//! A query embeds itself and nothing else, so that it takes the same time on a new index.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::path::PathBuf;

use engine_search::convert::DIMENSION;
use engine_search::model::{Model, Purpose};
use engine_search::package::{self, VECTORS_OF};
use engine_search::vectors::{Appender, Ranked, Vectors, compact};
use engine_search::{ChunkKey, Index};
use engine_store::places;

use super::corpus::Corpus;
use super::failed;
use super::progress::Progress;
use crate::error::CommandError;

/// Chunks that are read and embedded at once.
const BATCH: usize = 64;
/// Held by the process that embeds. The index has another lock: embedding takes minutes, and queries refresh meanwhile.
const LOCK: &str = "vectors.lock";
/// Two texts about different things are about this near; nearer is a chunk that is found by its meaning.
const NEAR: f32 = 0.2;

/// The folder of the model. None without a home.
pub(super) fn folder() -> Option<PathBuf> {
    Some(places::user_models()?.join(package::MODEL))
}

/// Whether a model is installed.
pub(super) fn is_installed() -> bool {
    folder().is_some_and(|folder| package::installed(&folder).is_some())
}

fn file(corpus: &Corpus) -> PathBuf {
    corpus.folder().join(format!("{}.vectors", package::MODEL))
}

/// A query by its meaning.
pub(super) struct Near {
    ranked: RefCell<Ranked>,
    pub(super) keys: HashSet<ChunkKey>,
}

impl Near {
    /// The nearest chunks with their cosine.
    pub(super) fn nearest(&self, count: usize) -> Vec<(ChunkKey, f64)> {
        let mut ranked = self.ranked.borrow_mut();
        let near = ranked.nearest(count).iter().take_while(|(score, _)| *score >= NEAR);
        near.map(|(score, key)| (*key, f64::from(*score))).collect()
    }
}

/// The semantic side of a query. The error says why there is none although a model is installed.
pub(super) fn near(corpus: &Corpus, words: &str) -> Result<Option<Near>, String> {
    let Some(folder) = folder().filter(|folder| package::installed(folder).is_some()) else {
        return Ok(None);
    };
    let vectors = Vectors::read(&file(corpus), VECTORS_OF, DIMENSION).map_err(|error| error.to_string())?;
    if vectors.is_empty() {
        return Err("no chunk has a vector yet, so words alone rank: engine search index".to_owned());
    }
    let embedded = Model::open(&folder, Purpose::Query).and_then(|model| model.embed(words));
    let vector = embedded.map_err(|error| format!("words alone rank: {error}"))?;
    Ok(Some(Near { ranked: RefCell::new(vectors.ranked(&vector)), keys: vectors.keys() }))
}

/// How many chunks of an index have no vector. None without a model.
pub(super) fn unembedded(corpus: &Corpus, index: &Index) -> Result<Option<usize>, CommandError> {
    if !is_installed() {
        return Ok(None);
    }
    let vectors = Vectors::read(&file(corpus), VECTORS_OF, DIMENSION).map_err(CommandError::from_error)?;
    let keys = vectors.keys();
    index.count_unembedded(&|key| keys.contains(key)).map(Some).map_err(failed)
}

/// Gives a vector to every chunk that has none, and says to how many; none without a model. What was embedded stays if the
/// process is killed.
pub(super) fn embed(
    corpus: &Corpus,
    index: &Index,
    progress: &mut dyn Progress,
) -> Result<Option<usize>, CommandError> {
    let Some(folder) = folder().filter(|folder| package::installed(folder).is_some()) else {
        return Ok(None);
    };
    let Some(_lock) = lock(corpus)? else {
        return Err(
            CommandError::refused("another process embeds the chunks").hint("try again when it has ended")
        );
    };
    let path = file(corpus);
    forget(index, &path)?;
    let mut appender = Appender::open(&path, VECTORS_OF, DIMENSION).map_err(CommandError::from_error)?;
    let total = index.count_unembedded(&|key| appender.has(key)).map_err(failed)?;
    if total == 0 {
        return Ok(Some(0));
    }
    let model = Model::open(&folder, Purpose::Index).map_err(CommandError::from_error)?;
    let mut done = 0;
    loop {
        let batch = index.unembedded(&|key| appender.has(key), BATCH).map_err(failed)?;
        if batch.is_empty() {
            return Ok(Some(done));
        }
        for (key, text) in batch {
            let vector = model.embed(&text).map_err(CommandError::from_error)?;
            appender.add(key, &vector).map_err(CommandError::from_error)?;
            done += 1;
            progress.at(done, total.max(done));
        }
        appender.flush().map_err(CommandError::from_error)?;
    }
}

/// Drops the vectors of chunks that are gone, once they are more than those that are used.
fn forget(index: &Index, path: &std::path::Path) -> Result<(), CommandError> {
    let vectors = Vectors::read(path, VECTORS_OF, DIMENSION).map_err(CommandError::from_error)?;
    let keys = vectors.keys();
    let used = RefCell::new(HashSet::new());
    let mark = |key: &ChunkKey| {
        let has = keys.contains(key);
        if has {
            used.borrow_mut().insert(*key);
        }
        has
    };
    index.count_unembedded(&mark).map_err(failed)?;
    let used = used.into_inner();
    if vectors.len() > 2 * used.len() {
        compact(path, VECTORS_OF, DIMENSION, &|key| used.contains(key)).map_err(CommandError::from_error)?;
    }
    Ok(())
}

/// The lock of the process that embeds; it ends with the process.
fn lock(corpus: &Corpus) -> Result<Option<File>, CommandError> {
    let path = corpus.folder().join(LOCK);
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(|error| CommandError::at(path.display(), error))?;
    Ok(file.try_lock().is_ok().then_some(file))
}
