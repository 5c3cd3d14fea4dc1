//! The vectors of chunks: one file for each model, to which records are appended.
//!
//! A record has the key of a chunk, a factor and a whole number of 8 bits for each dimension. The key is the content's, so
//! a chunk that moves to another file or branch keeps its vector, and an order of records means nothing. All of it is read at
//! once and each vector compared: that takes less time than an index of them would take to load.
//!
//! Who appends holds the lock of the index. A process that is killed while it appends leaves the beginning of a record at the
//! end: who reads ignores it, and who appends cuts it off.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::ChunkKey;

/// The first bytes of a file of this version.
const MAGIC: &[u8; 8] = b"engvec\x01\0";
/// Magic, dimension, and a name of a model that may have this many bytes.
const NAME: usize = 52;
const HEADER: usize = MAGIC.len() + 4 + NAME;
const KEY: usize = 16;
const SCALE: usize = 4;
/// The largest whole number in a vector.
const LARGEST: f32 = 127.0;
/// Records that are written at once. A process that is killed loses no more than this.
const BATCH: usize = 64;

#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {source}", path.display())]
pub struct VectorsError {
    action: &'static str,
    path: PathBuf,
    source: io::Error,
}

/// What is made of a vector to compare it: a factor, and whole numbers from -127 to 127.
#[derive(Debug, Clone, PartialEq)]
pub struct Rounded {
    scale: f32,
    numbers: Vec<i8>,
}

impl Rounded {
    pub fn new(vector: &[f32]) -> Self {
        let most = vector.iter().fold(0.0f32, |most, number| most.max(number.abs()));
        let scale = if most > 0.0 { most / LARGEST } else { 1.0 };
        #[allow(clippy::cast_possible_truncation, reason = "the quotient is 127 at most")]
        let numbers = vector.iter().map(|number| (number / scale).round_ties_even() as i8).collect();
        Self { scale, numbers }
    }
}

/// The vectors of a file in memory.
pub struct Vectors {
    dimension: usize,
    /// Whole records.
    records: Vec<u8>,
}

impl Vectors {
    /// Reads the vectors that a model made. A file of another model, or none, has no vector.
    pub fn read(path: &Path, model: &str, dimension: usize) -> Result<Self, VectorsError> {
        let failed = |source| VectorsError { action: "read", path: path.to_owned(), source };
        let mut records = Vec::new();
        match File::open(path) {
            Ok(mut file) => {
                let mut found = [0; HEADER];
                if file.read_exact(&mut found).is_ok() && found == header(model, dimension) {
                    let size = file.metadata().map_or(0, |data| data.len());
                    records.reserve_exact(usize::try_from(size).unwrap_or(0));
                    file.read_to_end(&mut records).map_err(failed)?;
                }
            }
            Err(source) if source.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(failed(source)),
        }
        records.truncate(records.len() / record_size(dimension) * record_size(dimension));
        Ok(Self { dimension, records })
    }

    pub fn len(&self) -> usize {
        self.records.len() / record_size(self.dimension)
    }

    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The chunks that have a vector.
    pub fn keys(&self) -> HashSet<ChunkKey> {
        self.records().map(|record| record.key).collect()
    }

    /// All chunks with the cosine of their vector to a vector, nearest first; of the same cosine in the order of their keys.
    pub fn ranked(&self, vector: &[f32]) -> Ranked {
        let asked = Rounded::new(vector);
        let score = |record: Record<'_>| (record.score(&asked), record.key);
        Ranked { scores: self.records().map(score).collect(), sorted: 0 }
    }

    fn records(&self) -> impl Iterator<Item = Record<'_>> {
        self.records.chunks_exact(record_size(self.dimension)).map(Record::new)
    }
}

/// Chunks by nearness. Only as many are put in order as are asked for.
pub struct Ranked {
    scores: Vec<(f32, ChunkKey)>,
    /// How many at the front are in order.
    sorted: usize,
}

impl Ranked {
    /// The nearest chunks.
    pub fn nearest(&mut self, count: usize) -> &[(f32, ChunkKey)] {
        let count = count.min(self.scores.len());
        if count > self.sorted {
            if count < self.scores.len() {
                self.scores.select_nth_unstable_by(count, nearer);
            }
            self.scores[..count].sort_unstable_by(nearer);
            self.sorted = count;
        }
        &self.scores[..count]
    }
}

fn nearer(one: &(f32, ChunkKey), other: &(f32, ChunkKey)) -> Ordering {
    other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1))
}

/// One record of a file.
struct Record<'b> {
    key: ChunkKey,
    scale: f32,
    numbers: &'b [u8],
}

impl<'b> Record<'b> {
    fn new(bytes: &'b [u8]) -> Self {
        let (mut key, mut scale) = (ChunkKey::default(), [0; SCALE]);
        key.copy_from_slice(&bytes[..KEY]);
        scale.copy_from_slice(&bytes[KEY..KEY + SCALE]);
        Self { key, scale: f32::from_le_bytes(scale), numbers: &bytes[KEY + SCALE..] }
    }

    /// The product with a vector. A record of zeros, which a power failure can leave, is near nothing.
    fn score(&self, asked: &Rounded) -> f32 {
        let pairs = self.numbers.iter().zip(&asked.numbers);
        let sum: i32 = pairs.map(|(one, other)| i32::from(one.cast_signed()) * i32::from(*other)).sum();
        #[allow(clippy::cast_precision_loss, reason = "384 products of 127 by 127 are below 2^24")]
        let score = sum as f32 * self.scale * asked.scale;
        if score.is_finite() { score } else { 0.0 }
    }
}

/// Appends to a file of vectors. Its owner holds the lock of the index.
pub struct Appender {
    path: PathBuf,
    file: File,
    dimension: usize,
    known: HashSet<ChunkKey>,
    waiting: Vec<u8>,
}

impl Appender {
    /// Opens the file of a model, or begins a new one: if there is none, or if the one that is there is of another model.
    pub fn open(path: &Path, model: &str, dimension: usize) -> Result<Self, VectorsError> {
        let failed = |action| move |source| VectorsError { action, path: path.to_owned(), source };
        let vectors = Vectors::read(path, model, dimension)?;
        if !has_header(path, model, dimension) {
            begin(path, &header(model, dimension), &[]).map_err(failed("make"))?;
        }
        let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(failed("open"))?;
        let whole = (HEADER + vectors.records.len()) as u64;
        file.set_len(whole).and_then(|()| file.seek(SeekFrom::Start(whole))).map_err(failed("write"))?;
        Ok(Self { path: path.to_owned(), file, dimension, known: vectors.keys(), waiting: Vec::new() })
    }

    /// Whether a chunk has a vector.
    pub fn has(&self, key: &ChunkKey) -> bool {
        self.known.contains(key)
    }

    /// Adds the vector of a chunk that has none.
    pub fn add(&mut self, key: ChunkKey, vector: &[f32]) -> Result<(), VectorsError> {
        if vector.len() != self.dimension || !self.known.insert(key) {
            return Ok(());
        }
        let rounded = Rounded::new(vector);
        self.waiting.extend(key);
        self.waiting.extend(rounded.scale.to_le_bytes());
        self.waiting.extend(rounded.numbers.iter().map(|number| number.cast_unsigned()));
        if self.waiting.len() >= BATCH * record_size(self.dimension) { self.flush() } else { Ok(()) }
    }

    /// Writes what was added.
    pub fn flush(&mut self) -> Result<(), VectorsError> {
        let waiting = std::mem::take(&mut self.waiting);
        let written = self.file.write_all(&waiting);
        written.map_err(|source| VectorsError { action: "write", path: self.path.clone(), source })
    }
}

/// Writes the file anew with the vectors of the chunks that are `kept`, and says how many were dropped.
pub fn compact(
    path: &Path,
    model: &str,
    dimension: usize,
    kept: &dyn Fn(&ChunkKey) -> bool,
) -> Result<usize, VectorsError> {
    let vectors = Vectors::read(path, model, dimension)?;
    let mut seen = HashSet::new();
    let mut records = Vec::with_capacity(vectors.records.len());
    for bytes in vectors.records.chunks_exact(record_size(dimension)) {
        let key = Record::new(bytes).key;
        if kept(&key) && seen.insert(key) {
            records.extend(bytes);
        }
    }
    if records.len() < vectors.records.len() {
        let failed = |source| VectorsError { action: "write", path: path.to_owned(), source };
        begin(path, &header(model, dimension), &records).map_err(failed)?;
    }
    Ok(vectors.len() - seen.len())
}

/// Puts a file in the place of the one that may be there: who reads that one keeps it.
fn begin(path: &Path, header: &[u8], records: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(header)?;
    file.write_all(records)?;
    file.persist(path)?;
    Ok(())
}

fn has_header(path: &Path, model: &str, dimension: usize) -> bool {
    let mut found = [0; HEADER];
    File::open(path).and_then(|mut file| file.read_exact(&mut found)).is_ok()
        && found == header(model, dimension)
}

fn header(model: &str, dimension: usize) -> [u8; HEADER] {
    let dimension = u32::try_from(dimension).unwrap_or(u32::MAX).to_le_bytes();
    let mut header = [0; HEADER];
    let bytes = MAGIC.iter().chain(&dimension).chain(model.as_bytes().iter().take(NAME));
    header.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    header
}

fn record_size(dimension: usize) -> usize {
    KEY + SCALE + dimension
}

#[cfg(test)]
mod tests;
