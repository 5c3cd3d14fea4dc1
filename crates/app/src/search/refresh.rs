//! Bringing the index up to date: what changed on the disk is read, cut and put.
//!
//! A query gives this 50 ms, the look at the disk included, and says what is left. Whatever cannot be written (another process writes,
//! a folder that is read-only) is left, too: the answer comes from the index as it is.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use engine_core::search::Kind;
use engine_search::{Document, Index, Known, Writer};
use engine_store::{clock, told};
use engine_text::stamp::Stamp;
use sha2::{Digest, Sha256};

use super::corpus::{Corpus, Listing, Source};
use super::cut::{Uncut, chunks};
use super::mirror::{self, Differing, Mirror, Mirrored, Times};
use super::{busy, failed, progress::Progress};
use crate::error::CommandError;

/// What a query may spend before it answers.
pub(super) const LIMIT: Duration = Duration::from_millis(50);
/// A first index of so many files takes a fraction of a second.
const FEW: usize = 300;
/// So long may it take to see that there are no more of them.
const FIRST: Duration = Duration::from_secs(1);
/// So many folders that were looked at anew are worth a new mirror.
const MANY: usize = 16;
/// Another process that writes the first index is waited for so long, by one that is to write all of it.
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
    /// All is read and put again.
    Anew,
    /// Nothing is written, only compared.
    Look,
}

/// What the index knows, by key.
type AllKnown = HashMap<String, Known>;

/// What differs between the disk and the index.
#[derive(Default)]
struct Difference {
    changed: Vec<Source>,
    gone: Vec<String>,
    uncompared: Vec<Kind>,
}

/// What the index had before, for the mirror.
struct Before {
    /// When the look at the disk began, in nanoseconds.
    taken: i64,
    files: Mirrored,
    times: Times,
}

/// Brings the kinds of the checkout at hand up to date.
pub(super) fn refresh(
    corpus: &Corpus,
    index: &mut Index,
    kinds: &[Kind],
    budget: Budget,
    progress: &mut dyn Progress,
) -> Result<Refreshed, CommandError> {
    let now = clock::now();
    let began = match budget {
        Budget::Query(began) | Budget::Aside(began) => Some(began),
        Budget::Whole | Budget::Anew | Budget::Look => None,
    };
    let is_late = || began.is_some_and(|began| began.elapsed() >= LIMIT);
    let bytes = if began.is_some() { mirror::load(corpus, index) } else { None };
    if let Some(mirror) = bytes.as_deref().and_then(Mirror::read) {
        let Differing { changed, gone, uncompared, times } = mirror.compare(corpus, kinds, now, &is_late);
        let difference = Difference { changed, gone, uncompared };
        let is_whole = !difference.uncompared.contains(&Kind::Sessions);
        let taken = if is_whole { nanoseconds(now) } else { mirror.taken() };
        let looked_at = times.len();
        let before = || {
            let (files, mut all) = mirror.all();
            all.extend(times);
            Before { taken, files, times: all }
        };
        if difference.changed.is_empty() && difference.gone.is_empty() && looked_at >= MANY {
            let Before { taken, files, times } = before();
            mirror::keep(
                corpus,
                mirror::mark_of(bytes.as_deref().unwrap_or_default()),
                taken,
                &files,
                &times,
            );
            let behind = Behind { uncompared: difference.uncompared, ..Behind::default() };
            return Ok(Refreshed { behind, ..Refreshed::default() });
        }
        return follow(corpus, index, &difference, before, None, &is_late, Duration::ZERO, false, progress);
    }
    let space = corpus.space();
    let is_anew = budget == Budget::Anew;
    let mut known = if is_anew { AllKnown::new() } else { index.known(&space).map_err(failed)? };
    // Who makes a small one is done soon; of a large one, what is there by then is asked.
    while known.is_empty() && began.is_some() && index.writer().map_err(failed)?.is_none() {
        if is_late() {
            return Err(busy());
        }
        std::thread::sleep(PAUSE);
        known = index.known(&space).map_err(failed)?;
    }
    let is_first = known.is_empty();
    let is_over = || match budget {
        Budget::Aside(began) if is_first => began.elapsed() >= FIRST,
        _ => !is_first && is_late(),
    };
    // A first index has all kinds: what is asked for next is there then.
    let kinds = if is_first { &Kind::ALL } else { kinds };
    if budget == Budget::Whole || (is_first && matches!(budget, Budget::Query(_))) {
        corpus.keep_tracked();
    }
    let times = mirror::times(corpus);
    let difference = compare(&known, corpus.list(kinds, &is_over), kinds);
    let total = difference.changed.len() + difference.gone.len();
    let is_large = matches!(budget, Budget::Aside(_)) && is_first && (total > FEW || is_over());
    if budget == Budget::Look || is_large {
        let behind = Behind { files: total, uncompared: difference.uncompared, busy: false };
        return Ok(Refreshed { behind, ..Refreshed::default() });
    }
    // A first index is whole or not there.
    let is_over = || !is_first && is_over();
    let wait = if is_first && budget == Budget::Whole { PATIENCE } else { Duration::ZERO };
    // Folders whose files were not compared are looked at by the next query.
    let is_whole = kinds.contains(&Kind::Sessions) && !difference.uncompared.contains(&Kind::Sessions);
    let times = if is_whole { times } else { times.into_keys().map(|name| (name, 0)).collect() };
    let before = || Before { taken: nanoseconds(now), files: mirror::mirrored(&known), times };
    follow(corpus, index, &difference, before, Some(&known), &is_over, wait, is_anew, progress)
}

fn nanoseconds(now: Stamp) -> i64 {
    i64::try_from(now.0).unwrap_or(i64::MAX).saturating_mul(1_000_000)
}

/// What the disk has that the index has not, and the other way round.
fn compare(known: &AllKnown, listing: Listing, kinds: &[Kind]) -> Difference {
    let found: HashSet<&str> = listing.sources.iter().map(|source| source.key.as_str()).collect();
    let is_looked_at = |kind: &str| Kind::named(kind).is_none_or(|kind| listing.kinds.contains(&kind));
    let is_gone =
        |key: &str, kind: &str| !found.contains(key) && is_looked_at(kind) && !listing.is_hidden(key);
    let gone = known.iter().filter(|(key, known)| is_gone(key, &known.kind));
    let gone = gone.map(|(key, _)| key.clone()).collect();
    let uncompared = kinds.iter().copied().filter(|kind| !listing.kinds.contains(kind)).collect();
    let is_same = |source: &Source| {
        let known = known.get(&source.key);
        known.is_some_and(|known| known.seen == source.seen && known.kind == source.kind.as_str())
    };
    let changed = listing.sources.into_iter().filter(|source| !is_same(source)).collect();
    Difference { changed, gone, uncompared }
}

/// Writes what differs into the index, the newest first, and the mirror of it.
#[allow(clippy::too_many_arguments, reason = "each is one thing, and there are two callers")]
fn follow(
    corpus: &Corpus,
    index: &mut Index,
    difference: &Difference,
    before: impl FnOnce() -> Before,
    known: Option<&AllKnown>,
    is_over: &dyn Fn() -> bool,
    wait: Duration,
    is_anew: bool,
    progress: &mut dyn Progress,
) -> Result<Refreshed, CommandError> {
    let Difference { changed, gone, uncompared } = difference;
    let total = changed.len() + gone.len();
    let behind = Behind { files: total, uncompared: uncompared.clone(), busy: false };
    let mut refreshed = Refreshed { behind, ..Refreshed::default() };
    // Without a mirror, one is made also where nothing differs.
    if total == 0 && known.is_none() {
        return Ok(refreshed);
    }
    let began = Instant::now();
    let mut writer = loop {
        if let Some(writer) = index.writer().map_err(failed)? {
            break writer;
        }
        if began.elapsed() >= wait {
            refreshed.behind.busy = total > 0;
            return Ok(refreshed);
        }
        std::thread::sleep(PAUSE);
    };
    let space = corpus.space();
    if is_anew {
        writer.clear().map_err(failed)?;
    }
    let mark = mirror::new_mark();
    // Set first: a kill leaves an index that no mirror belongs to.
    writer.set_mark(&space, &mark).map_err(failed)?;
    let mut done = 0;
    // What is gone takes no time, and is found until then.
    for key in gone {
        writer.remove(&space, key).map_err(failed)?;
        done += 1;
    }
    refreshed.removed = done;
    let mut changed: Vec<&Source> = changed.iter().collect();
    changed.sort_by_key(|source| std::cmp::Reverse(source.seen.modified));
    let mut left = changed.as_slice();
    while let [source, rest @ ..] = left
        && !is_over()
    {
        refreshed.changed += usize::from(put(corpus, &mut writer, &space, known, source)?);
        left = rest;
        done += 1;
        progress.at(done, total);
    }
    refreshed.behind.files = left.len();
    writer.commit().map_err(failed)?;
    let Before { taken, mut files, mut times } = before();
    for key in gone {
        files.remove(key);
    }
    for source in &changed[..changed.len() - left.len()] {
        files.insert(source.key.clone(), (source.kind, source.seen));
    }
    for source in left {
        let session = corpus.session_of(&source.key).and_then(|folder| folder.rsplit('/').next());
        times.extend(session.map(|session| (session.to_owned(), 0)));
    }
    mirror::keep(corpus, &mark, taken, &files, &times);
    Ok(refreshed)
}

/// Puts one file, and tells whether its content is another than before.
fn put(
    corpus: &Corpus,
    writer: &mut Writer<'_>,
    space: &str,
    known: Option<&AllKnown>,
    source: &Source,
) -> Result<bool, CommandError> {
    let Source { kind, key, seen, .. } = source;
    let text = read(corpus, source);
    let sum = text.as_deref().map_or(UNREAD, |text| sum(*kind, text.as_bytes()));
    let before = known.and_then(|known| known.get(key)).filter(|before| before.kind == kind.as_str());
    if before.is_some_and(|before| before.sum == sum) {
        writer.touch(space, key, *seen).map_err(failed)?;
        return Ok(false);
    }
    let document = Document { space, kind: kind.as_str(), path: key, seen: *seen, sum };
    let cut = text.map_or_else(
        |_| Vec::new(),
        |text| chunks(&Uncut { kind: *kind, key, text: &text, changed: seen.at() }),
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
