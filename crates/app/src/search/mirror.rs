//! What the index has of a checkout, in a file that is read faster than the index: ten thousand work sessions are compared with the disk in
//! milliseconds.
//!
//! The mirror holds size and time of each file, and of each work session when its folder changed last. A folder that did not change has the
//! same files, so they are not listed again; those of a session without a change for two weeks are not even looked at, but for some
//! sessions with each query, in turns. A new moment in a folder or a file of a later day is seen at once.
//!
//! The file belongs to the index as long as both have the same mark. It is a cache of a cache: without it, all is compared.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use engine_core::search::Kind;
use engine_core::work::name;
use engine_search::{Index, Known, Seen};
use engine_store::atomic::{self, Durability};
use engine_store::walk::{Stated, folder_times, stated_file};
use engine_store::{read, work_file};
use engine_text::stamp::Stamp;

use super::corpus::{Corpus, Source};

const MAGIC: &[u8] = b"engine mirror 1\n";
/// A change so soon after a look may have the time of what was looked at.
const SOON: i64 = 2_000_000_000;
/// A session without a change for so long rests.
const RESTS: i64 = 14 * 86_400_000_000_000;
/// One of so many resting sessions is looked at with a query.
const TURNS: u64 = 64;

/// A file of the mirror.
#[derive(Debug, Clone, Copy)]
struct File<'a> {
    kind: Kind,
    key: &'a str,
    seen: Seen,
}

#[derive(Debug)]
struct Session<'a> {
    name: &'a str,
    /// Of its folder; 0 where it is to be looked at again.
    time: i64,
    files: Range<usize>,
}

/// The mirror as it was read.
#[derive(Debug)]
pub(super) struct Mirror<'a> {
    /// When the look at the disk began, in nanoseconds.
    taken: i64,
    /// Of `sessions/`.
    time: i64,
    sessions: Vec<Session<'a>>,
    files: Vec<File<'a>>,
}

/// What differs between the disk and the mirror.
#[derive(Debug, Default)]
pub(super) struct Differing {
    pub(super) changed: Vec<Source>,
    pub(super) gone: Vec<String>,
    pub(super) uncompared: Vec<Kind>,
    /// Times of folders that were looked at anew.
    pub(super) times: Times,
}

/// When folders of work sessions changed last, by name; under no name: `sessions/` itself.
pub(super) type Times = BTreeMap<String, i64>;
/// What the index has, by key.
pub(super) type Mirrored = BTreeMap<String, (Kind, Seen)>;

fn path(corpus: &Corpus) -> PathBuf {
    corpus.folder().join(corpus.named("mirror"))
}

/// The bytes of the mirror, if it belongs to the index as it is.
pub(super) fn load(corpus: &Corpus, index: &Index) -> Option<Vec<u8>> {
    let mark = index.mark(&corpus.space()).ok()??;
    let bytes = read::read_bytes(&path(corpus)).ok()?;
    let rest = bytes.strip_prefix(MAGIC)?;
    (rest.get(..mark.len())? == mark.as_slice()).then_some(bytes)
}

/// Length of a mark.
const MARK: usize = 16;

/// A mark that no other has.
pub(super) fn new_mark() -> Vec<u8> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let process = u128::from(std::process::id()) << 96;
    (now | process).to_le_bytes().to_vec()
}

/// Writes the mirror. What fails is compared again by the next query.
pub(super) fn keep(corpus: &Corpus, mark: &[u8], taken: i64, files: &Mirrored, times: &Times) {
    let mut out = [MAGIC, mark].concat();
    let number = |out: &mut Vec<u8>, number: i64| out.extend(number.to_le_bytes());
    number(&mut out, taken);
    number(&mut out, times.get("").copied().unwrap_or_default());
    let of_session = |key: &str| Some(corpus.session_of(key)?.rsplit('/').next()?.to_owned());
    let mut sessions: BTreeMap<String, Vec<(&String, Seen)>> =
        times.keys().filter(|name| !name.is_empty()).map(|name| (name.clone(), Vec::new())).collect();
    let mut others = Vec::new();
    for (key, (kind, seen)) in files {
        match of_session(key).filter(|_| *kind == Kind::Sessions) {
            Some(name) => sessions.entry(name).or_default().push((key, *seen)),
            None => others.push((*kind, key, *seen)),
        }
    }
    let text = |out: &mut Vec<u8>, text: &str| {
        out.extend(u32::try_from(text.len()).unwrap_or_default().to_le_bytes());
        out.extend(text.as_bytes());
    };
    let file = |out: &mut Vec<u8>, kind: Kind, key: &str, seen: Seen| {
        let kind = Kind::ALL.iter().position(|known| *known == kind).unwrap_or_default();
        out.push(u8::try_from(kind).unwrap_or_default());
        text(out, key);
        number(out, seen.size.cast_signed());
        number(out, seen.modified);
    };
    number(&mut out, i64::try_from(sessions.len()).unwrap_or_default());
    for (name, files) in &sessions {
        text(&mut out, name);
        number(&mut out, times.get(name).copied().unwrap_or_default());
        number(&mut out, i64::try_from(files.len()).unwrap_or_default());
        for (key, seen) in files {
            file(&mut out, Kind::Sessions, key, *seen);
        }
    }
    for (kind, key, seen) in others {
        file(&mut out, kind, key, seen);
    }
    let _ = atomic::replace(&path(corpus), &out, Durability::Process);
}

/// Reads what [`keep`] wrote.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<i64> {
        Some(i64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = u32::from_le_bytes(self.take(4)?.try_into().ok()?);
        std::str::from_utf8(self.take(usize::try_from(length).ok()?)?).ok()
    }

    fn file(&mut self) -> Option<File<'a>> {
        let kind = *Kind::ALL.get(usize::from(*self.take(1)?.first()?))?;
        let key = self.text()?;
        let seen = Seen { size: self.number()?.cast_unsigned(), modified: self.number()? };
        Some(File { kind, key, seen })
    }
}

/// The mark in the bytes of a mirror.
pub(super) fn mark_of(bytes: &[u8]) -> &[u8] {
    bytes.get(MAGIC.len()..MAGIC.len() + MARK).unwrap_or_default()
}

impl<'a> Mirror<'a> {
    pub(super) fn taken(&self) -> i64 {
        self.taken
    }

    /// Nothing if the bytes are none.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader(bytes.strip_prefix(MAGIC)?.get(MARK..)?);
        let (taken, time) = (reader.number()?, reader.number()?);
        let (mut sessions, mut files) = (Vec::new(), Vec::new());
        for _ in 0..reader.number()? {
            let (name, time) = (reader.text()?, reader.number()?);
            let start = files.len();
            for _ in 0..reader.number()? {
                files.push(reader.file()?);
            }
            sessions.push(Session { name, time, files: start..files.len() });
        }
        while !reader.0.is_empty() {
            files.push(reader.file()?);
        }
        Some(Self { taken, time, sessions, files })
    }

    /// All files and times, to be changed.
    pub(super) fn all(&self) -> (Mirrored, Times) {
        let file = |file: &File<'_>| (file.key.to_owned(), (file.kind, file.seen));
        let times = self.sessions.iter().map(|session| (session.name.to_owned(), session.time));
        (self.files.iter().map(file).collect(), times.chain([(String::new(), self.time)]).collect())
    }

    /// Compares some kinds with the disk.
    pub(super) fn compare(
        &self,
        corpus: &Corpus,
        kinds: &[Kind],
        now: Stamp,
        stops: &dyn Fn() -> bool,
    ) -> Differing {
        let mut found = Differing::default();
        let plain: Vec<Kind> = kinds.iter().copied().filter(|kind| *kind != Kind::Sessions).collect();
        let listing = corpus.list(&plain, stops);
        found.uncompared = plain.iter().copied().filter(|kind| !listing.kinds.contains(kind)).collect();
        let known = |file: &&File<'_>| listing.kinds.contains(&file.kind);
        let known: HashMap<&str, &File<'_>> =
            self.files.iter().filter(known).map(|file| (file.key, file)).collect();
        let there: HashSet<&str> = listing.sources.iter().map(|source| source.key.as_str()).collect();
        let is_gone = |key: &str| !there.contains(key) && !listing.is_hidden(key);
        found.gone = known.keys().filter(|key| is_gone(key)).map(|key| (*key).to_owned()).collect();
        let is_same = |source: &Source| {
            let known = known.get(source.key.as_str());
            known.is_some_and(|known| known.seen == source.seen && known.kind == source.kind)
        };
        found.changed = listing.sources.iter().filter(|source| !is_same(source)).cloned().collect();
        if kinds.contains(&Kind::Sessions) && !self.compare_sessions(corpus, now, stops, &mut found) {
            found.uncompared.push(Kind::Sessions);
        }
        found
    }

    /// Whether a time is that of the look, and nothing can have changed since without another one.
    fn is_settled(&self, time: i64, known: i64) -> bool {
        time == known && time < self.taken - SOON
    }

    fn compare_sessions(
        &self,
        corpus: &Corpus,
        now: Stamp,
        stops: &dyn Fn() -> bool,
        found: &mut Differing,
    ) -> bool {
        let folder = work_file::folder(&corpus.project);
        let time = folder_time(&folder);
        if !self.is_settled(time, self.time) {
            let known: HashSet<&str> = self.sessions.iter().map(|session| session.name).collect();
            let new: Vec<String> =
                names(&folder).into_iter().filter(|name| !known.contains(name.as_str())).collect();
            let times = folder_times(&folder, new.iter().map(String::as_str));
            for (name, time) in new.into_iter().zip(times) {
                let Some(listing) = corpus.list_session(&name, stops) else { return false };
                found.changed.extend(listing.sources);
                found.times.insert(name, time.unwrap_or_default());
            }
            found.times.insert(String::new(), time);
        }
        let times = folder_times(&folder, self.sessions.iter().map(|session| session.name));
        let since = i64::try_from(now.0).unwrap_or(i64::MAX).saturating_mul(1_000_000) - RESTS;
        let turn = now.0 % TURNS;
        for ((session, time), number) in self.sessions.iter().zip(times).zip(0_u64..) {
            if number % 64 == 0 && stops() {
                return false;
            }
            let files = &self.files[session.files.clone()];
            let Some(time) = time else {
                found.gone.extend(files.iter().map(|file| file.key.to_owned()));
                continue;
            };
            let is_flat = files.iter().all(|file| file.key.rsplit('/').nth(1) == Some(session.name));
            if !self.is_settled(time, session.time) || !is_flat {
                let Some(listing) = corpus.list_session(session.name, stops) else { return false };
                if !listing.unread.is_empty() {
                    continue;
                }
                differ(files, &listing.sources, found);
                found.times.insert(session.name.to_owned(), time);
                continue;
            }
            let rests = time < since && files.iter().all(|file| file.seen.modified < since);
            if !rests || number % TURNS == turn {
                look(corpus, files, found);
            }
        }
        true
    }
}

/// Looks at the files of a folder that has the same ones as before.
fn look(corpus: &Corpus, files: &[File<'_>], found: &mut Differing) {
    for file in files {
        match stated_file(&corpus.file(file.key)) {
            None => found.gone.push(file.key.to_owned()),
            Some(stated) if seen(&stated) != file.seen => found.changed.push(Source {
                kind: Kind::Sessions,
                key: file.key.to_owned(),
                seen: seen(&stated),
                is_file: stated.is_file,
                path: stated.path,
            }),
            Some(_) => {}
        }
    }
}

fn seen(stated: &Stated) -> Seen {
    Seen { size: stated.size, modified: stated.modified }
}

/// Compares the files of a session with those that are there.
fn differ(files: &[File<'_>], sources: &[Source], found: &mut Differing) {
    let is_there = |file: &&File<'_>| sources.iter().any(|source| source.key == file.key);
    found.gone.extend(files.iter().filter(|file| !is_there(file)).map(|file| file.key.to_owned()));
    let is_same =
        |source: &&Source| files.iter().any(|file| file.key == source.key && file.seen == source.seen);
    found.changed.extend(sources.iter().filter(|source| !is_same(source)).cloned());
}

fn folder_time(folder: &Path) -> i64 {
    let (above, name) =
        (folder.parent().unwrap_or(folder), folder.file_name().and_then(|name| name.to_str()));
    // `sessions/` may be a link: what it leads to counts.
    let real = std::fs::canonicalize(folder).ok();
    let place = real.as_deref().and_then(|real| Some((real.parent()?, real.file_name()?.to_str()?)));
    let (above, name) = place.unwrap_or((above, name.unwrap_or_default()));
    folder_times(above, [name].into_iter()).first().copied().flatten().unwrap_or_default()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|found| name::check(found).is_ok()).collect()
}

/// The times of all folders of work sessions.
pub(super) fn times(corpus: &Corpus) -> Times {
    let folder = work_file::folder(&corpus.project);
    let time = folder_time(&folder);
    let names = names(&folder);
    let times = folder_times(&folder, names.iter().map(String::as_str));
    let times = names.iter().cloned().zip(times.iter().map(|time| time.unwrap_or_default()));
    times.chain([(String::new(), time)]).collect()
}

/// What the index knows, as the mirror has it.
pub(super) fn mirrored(known: &HashMap<String, Known>) -> Mirrored {
    let file = |(key, known): (&String, &Known)| Some((key.clone(), (Kind::named(&known.kind)?, known.seen)));
    known.iter().filter_map(file).collect()
}
