//! The index: one SQLite file with a full-text table, in the folder that the caller names.
//!
//! It is a cache. What is damaged or of another version is put away and made anew; nothing is migrated. One process writes at a
//! time, by a lock of the operating system; readers never wait, because the file has a write-ahead log.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::{ChunkKey, Counts, Hit, Known, Part, Query};

mod lexical;
mod mark;
mod reader;
mod schema;
mod writer;

pub use writer::Writer;

/// The file of an index in its folder.
pub const FILE: &str = "index.db";
/// Held by the process that writes.
pub const LOCK: &str = "lock";

/// Why an index cannot answer.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("the query has no word to search for: type at least one letter or digit")]
    NoWord,
    /// [`Index::discard`] helps.
    #[error("the search index {0} is damaged: {1}")]
    Damaged(String, String),
    /// There is none, and another process holds the lock.
    #[error("another process writes the search index")]
    Busy,
    #[error("the disk is full: the search index cannot grow")]
    Full,
    #[error("cannot {action} {}: {source}", path.display())]
    File { action: &'static str, path: PathBuf, source: io::Error },
    #[error("the search index failed: {0}")]
    Failed(rusqlite::Error),
}

impl From<rusqlite::Error> for IndexError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged(FILE.to_owned(), error.to_string())
            }
            Some(ErrorCode::DiskFull) => Self::Full,
            // A row that is not as it was written.
            _ if matches!(
                error,
                rusqlite::Error::FromSqlConversionFailure(..)
                    | rusqlite::Error::IntegralValueOutOfRange(..)
                    | rusqlite::Error::InvalidColumnType(..)
                    | rusqlite::Error::Utf8Error(..)
                    | rusqlite::Error::QueryReturnedNoRows
            ) =>
            {
                Self::Damaged(FILE.to_owned(), error.to_string())
            }
            _ => Self::Failed(error),
        }
    }
}

pub(crate) type Result<T> = std::result::Result<T, IndexError>;

/// An open index.
#[derive(Debug)]
pub struct Index {
    connection: Connection,
    /// `None` in memory, where nobody else writes.
    folder: Option<PathBuf>,
}

/// An index that was opened to be written, and what a person should know about how that went.
#[derive(Debug)]
pub struct Opened {
    pub index: Index,
    pub note: Option<String>,
}

impl Index {
    /// Opens the index in a folder, and makes both if they are missing.
    pub fn open(folder: &Path) -> Result<Opened> {
        schema::open(folder)
    }

    /// Opens an index that is there, and changes nothing; the folder may be read only. `None`: there is none that can be used.
    pub fn open_to_read(folder: &Path) -> Result<Option<Self>> {
        schema::open_to_read(folder)
    }

    /// An index that ends with the process, for folders in which nothing can be written.
    pub fn in_memory() -> Result<Self> {
        let connection =
            Connection::open_in_memory_with_flags(OpenFlags::default() | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        schema::make(&connection)?;
        Ok(Self { connection, folder: None })
    }

    /// Removes an index, so that the next [`Self::open`] makes a new one. `false`: another process writes to it.
    pub fn discard(folder: &Path) -> Result<bool> {
        schema::discard(folder)
    }

    /// Reads all of the file to find damage that no query has met yet.
    pub fn check(&self) -> Result<()> {
        let found: String = self.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if found == "ok" { Ok(()) } else { Err(IndexError::Damaged(FILE.to_owned(), found)) }
    }

    /// The files of a space by their paths.
    pub fn known(&self, space: &str) -> Result<HashMap<String, Known>> {
        reader::known(&self.connection, space)
    }

    /// The mark that was set last for a space, see [`Writer::set_mark`].
    pub fn mark(&self, space: &str) -> Result<Option<Vec<u8>>> {
        mark::get(&self.connection, space)
    }

    /// The spaces that hold a file.
    pub fn spaces(&self) -> Result<Vec<String>> {
        reader::spaces(&self.connection)
    }

    /// `None`: another process writes.
    pub fn writer(&mut self) -> Result<Option<Writer<'_>>> {
        Writer::new(&mut self.connection, self.folder.as_deref())
    }

    /// The best chunks for a query, best first.
    pub fn search(&self, query: &Query<'_>) -> Result<Vec<Hit>> {
        reader::search(&self.connection, query)
    }

    pub fn counts(&self) -> Result<Counts> {
        let mut counts = reader::counts(&self.connection)?;
        counts.files = counts.parts.values().map(|part: &Part| part.files).sum();
        if let Some(folder) = &self.folder {
            let sizes =
                [FILE, "index.db-wal"].map(|name| folder.join(name).metadata().map_or(0, |data| data.len()));
            counts.bytes = sizes.iter().sum();
        }
        Ok(counts)
    }

    /// How many chunks have a key that is not among those with a vector; the same content counts once.
    pub fn count_unembedded(&self, has: &dyn Fn(&ChunkKey) -> bool) -> Result<usize> {
        reader::count_unembedded(&self.connection, has)
    }

    /// Chunks whose key is not among those with a vector: the text that the vector is made of is title, newline, body.
    pub fn unembedded(
        &self,
        has: &dyn Fn(&ChunkKey) -> bool,
        limit: usize,
    ) -> Result<Vec<(ChunkKey, String)>> {
        reader::unembedded(&self.connection, has, limit)
    }
}

#[cfg(test)]
mod tests;
