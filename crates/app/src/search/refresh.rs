//! Bringing the index up to date: what changed on the disk is read, cut and put.
//!
//! A query gives this 50 ms, the look at the disk included, and says what is left. Whatever cannot be written (another process writes,
//! a folder that is read-only) is left, too: the answer comes from the index as it is.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use engine_core::search::Kind;
use engine_search::{Document, Index, Known, Writer};
use engine_store::told;
use engine_text::stamp::Stamp;
use sha2::{Digest, Sha256};

use super::corpus::{Corpus, Listing, Source};
use super::cut::{Uncut, chunks};
use super::{failed, progress::Progress};
use crate::error::CommandError;

/// What a query may spend before it answers.
pub(super) const LIMIT: Duration = Duration::from_millis(50);
/// A first index of so many files takes a fraction of a second.
const FEW: usize = 300;
/// So long may it take to see that there are no more of them.
const FIRST: Duration = Duration::from_secs(1);
/// Another process that writes the first index is waited for so long.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(20);
/// Raised when files are cut in another way: all are read again then.
const CUT: u8 = 1;
/// The sum of a file that cannot be read: it is known, and nothing of it is found.
pub(super) const UNREAD: [u8; 32] = [0; 32];

/// What the index does not have yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Behind {
    pub files: usize,
    /// Kinds whose files were not compared: the look at the disk took too long.
    pub uncompared: Vec<Kind>,
    /// Another process writes the index.
    pub busy: bool,
}

/// What was done, and what is left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refreshed {
    pub changed: usize,
    pub removed: usize,
    pub behind: Behind,
}

/// How much may be spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Budget {
    /// Of a query, from this moment on; the first index is made to its end.
    Query(Instant),
    /// Of a query beside something else: a first index of many files is left to whoever asks for one.
    Aside(Instant),
    Whole,
    /// Nothing is written, only compared.
    Look,
}

/// What the index knows, by key.
type AllKnown = HashMap<String, Known>;

/// What differs between the disk and the index.
struct Difference {
    changed: Vec<Source>,
    gone: Vec<String>,
}

/// Brings the kinds of the checkout at hand up to date.
pub(super) fn refresh(
    corpus: &Corpus,
    index: &mut Index,
    kinds: &[Kind],
    budget: Budget,
    progress: &mut dyn Progress,
) -> Result<Refreshed, CommandError> {
    let space = corpus.space();
    let known = index.known(&space).map_err(failed)?;
    let is_first = known.is_empty();
    let deadline = match budget {
        Budget::Query(began) if !is_first => Some(began + LIMIT),
        Budget::Aside(began) if is_first => Some(began + FIRST),
        Budget::Aside(began) => Some(began + LIMIT),
        _ => None,
    };
    let is_over = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    // A first index has all kinds: what is asked for next is there then.
    let kinds = if is_first { &Kind::ALL } else { kinds };
    let listing = corpus.list(kinds, &is_over);
    let uncompared = kinds.iter().copied().filter(|kind| !listing.kinds.contains(kind)).collect();
    let mut refreshed =
        Refreshed { behind: Behind { uncompared, ..Behind::default() }, ..Refreshed::default() };
    let difference = compare(&known, listing);
    let total = difference.changed.len() + difference.gone.len();
    refreshed.behind.files = total;
    let is_large = matches!(budget, Budget::Aside(_)) && is_first && (total > FEW || is_over());
    if total == 0 || budget == Budget::Look || is_large {
        return Ok(refreshed);
    }
    // A first index is whole or not there.
    let is_over = || !is_first && is_over();
    let wait = if is_first { PATIENCE } else { Duration::ZERO };
    write(corpus, index, &known, &difference, &mut refreshed, wait, &is_over, progress)?;
    Ok(refreshed)
}

/// What the disk has that the index has not, the newest first, and the other way round.
fn compare(known: &AllKnown, listing: Listing) -> Difference {
    let Listing { sources, kinds, unread } = listing;
    let found: HashSet<&str> = sources.iter().map(|source| source.key.as_str()).collect();
    let is_looked_at = |kind: &str| Kind::named(kind).is_none_or(|kind| kinds.contains(&kind));
    let is_hidden = |key: &str| {
        unread
            .iter()
            .any(|folder| key.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/')))
    };
    let gone = known
        .iter()
        .filter(|(key, known)| !found.contains(key.as_str()) && is_looked_at(&known.kind) && !is_hidden(key));
    let gone = gone.map(|(key, _)| key.clone()).collect();
    let is_same = |source: &Source| {
        let known = known.get(&source.key);
        known.is_some_and(|known| known.seen == source.seen && known.kind == source.kind.as_str())
    };
    let mut changed: Vec<Source> = sources.into_iter().filter(|source| !is_same(source)).collect();
    changed.sort_by_key(|source| std::cmp::Reverse(source.seen.modified));
    Difference { changed, gone }
}

#[allow(clippy::too_many_arguments, reason = "one caller, and each is one thing")]
fn write(
    corpus: &Corpus,
    index: &mut Index,
    known: &AllKnown,
    difference: &Difference,
    refreshed: &mut Refreshed,
    wait: Duration,
    is_over: &dyn Fn() -> bool,
    progress: &mut dyn Progress,
) -> Result<(), CommandError> {
    let began = Instant::now();
    let mut writer = loop {
        if let Some(writer) = index.writer().map_err(failed)? {
            break writer;
        }
        if began.elapsed() >= wait {
            refreshed.behind.busy = true;
            return Ok(());
        }
        std::thread::sleep(PAUSE);
    };
    let space = corpus.space();
    let total = difference.changed.len() + difference.gone.len();
    let mut done = 0;
    // What is gone takes no time, and is found until then.
    for key in &difference.gone {
        writer.remove(&space, key).map_err(failed)?;
        done += 1;
    }
    refreshed.removed = done;
    for source in &difference.changed {
        if is_over() {
            break;
        }
        refreshed.changed += usize::from(put(corpus, &mut writer, &space, known, source)?);
        done += 1;
        progress.at(done, total);
    }
    refreshed.behind.files = total - done;
    writer.commit().map_err(failed)
}

/// Puts one file, and tells whether its content is another than before.
fn put(
    corpus: &Corpus,
    writer: &mut Writer<'_>,
    space: &str,
    known: &AllKnown,
    source: &Source,
) -> Result<bool, CommandError> {
    let Source { kind, key, seen, .. } = source;
    let text = read(corpus, source);
    let sum = text.as_deref().map_or(UNREAD, |text| sum(*kind, text.as_bytes()));
    let before = known.get(key).filter(|before| before.kind == kind.as_str());
    if before.is_some_and(|before| before.sum == sum) {
        writer.touch(space, key, *seen).map_err(failed)?;
        return Ok(false);
    }
    let document = Document { space, kind: kind.as_str(), path: key, seen: *seen, sum };
    let cut = text.map_or_else(
        |_| Vec::new(),
        |text| {
            let changed = u64::try_from(seen.modified / 1_000_000).ok().map(|ms| Stamp(ms).rfc3339());
            chunks(&Uncut { kind: *kind, key, text: &text, changed })
        },
    );
    writer.put(&document, &cut).map_err(failed)?;
    Ok(true)
}

/// The text of a source, or why it has none.
pub(super) fn read(corpus: &Corpus, source: &Source) -> Result<String, String> {
    if !source.is_file {
        return Err("not a file".to_owned());
    }
    match told::read(corpus.root_of(&source.path), &source.path) {
        Ok(told) => Ok(told.text),
        Err(engine_core::view::Unread::Missing) => Err("it is gone".to_owned()),
        Err(engine_core::view::Unread::Unreadable(why)) => Err(why),
    }
}

/// What stands for the content of a file, and for how it is cut.
pub(super) fn sum(kind: Kind, bytes: &[u8]) -> [u8; 32] {
    let mut sum = Sha256::new();
    sum.update([CUT]);
    sum.update(kind.as_str());
    sum.update([0]);
    sum.update(bytes);
    sum.finalize().into()
}
