//! Changes of the index, by one process at a time.

use std::fs::File;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};

use super::{Result, mark, schema};
use crate::dense::spaced;
use crate::{Chunk, Document, Seen, key_of};

/// After so many chunks what was put is kept, so that a kill loses only what came after.
const BATCH: usize = 4096;
/// After so many chunks in one writer, the full-text table is merged into one part, which halves the time of queries.
const MANY: usize = 4096;

/// Dropped without [`Self::commit`], what was put since the last full batch is not there.
#[derive(Debug)]
pub struct Writer<'a> {
    connection: &'a mut Connection,
    /// Chunks since the last commit, and in all.
    fresh: usize,
    all: usize,
    /// Nothing is kept before the end: whoever reads has the old index until then.
    is_anew: bool,
    _lock: Option<File>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(connection: &'a mut Connection, folder: Option<&Path>) -> Result<Option<Self>> {
        let lock = match folder.map(schema::lock).transpose()? {
            Some(None) => return Ok(None),
            lock => lock.flatten(),
        };
        connection.execute_batch("BEGIN IMMEDIATE")?;
        Ok(Some(Self { connection, fresh: 0, all: 0, is_anew: false, _lock: lock }))
    }
}

impl Writer<'_> {
    /// Puts a file with its chunks, in the place of what was there.
    pub fn put(&mut self, document: &Document<'_>, chunks: &[Chunk]) -> Result<()> {
        let Document { space, kind, path, seen, sum } = document;
        let old = self.content_of(space, path)?;
        let known = self
            .connection
            .prepare_cached("SELECT id FROM content WHERE path = ? AND kind = ? AND sum = ?")?
            .query_row(params![path, kind, sum], |row| row.get(0))
            .optional()?;
        let content: i64 = match known {
            Some(content) => content,
            None => self.add(document, chunks)?,
        };
        if old == Some(content) {
            self.retime(space, path, *seen)?;
        }
        self.connection
            .prepare_cached(
                "REPLACE INTO file (space, path, content, size, modified) VALUES (?, ?, ?, ?, ?)",
            )?
            .execute(params![space, path, content, stored(seen.size), seen.modified])?;
        if let Some(old) = old.filter(|old| *old != content) {
            self.drop_unused(old)?;
        }
        if self.fresh >= BATCH && !self.is_anew {
            self.connection.execute_batch("COMMIT; BEGIN IMMEDIATE")?;
            self.fresh = 0;
        }
        Ok(())
    }

    /// Begins with nothing. Who reads finds what was there until [`Self::commit`].
    pub fn clear(&mut self) -> Result<()> {
        self.is_anew = true;
        schema::clear(self.connection)
    }

    /// The file has another time, and the same content.
    pub fn touch(&mut self, space: &str, path: &str, seen: Seen) -> Result<()> {
        self.retime(space, path, seen)?;
        self.connection
            .prepare_cached("UPDATE file SET size = ?, modified = ? WHERE space = ? AND path = ?")?
            .execute(params![stored(seen.size), seen.modified, space, path])?;
        Ok(())
    }

    /// Chunks with the time of their file get the new one. Those with a time of their own keep it.
    fn retime(&mut self, space: &str, path: &str, new: Seen) -> Result<()> {
        let mut find = self
            .connection
            .prepare_cached("SELECT content, modified FROM file WHERE space = ? AND path = ?")?;
        let known =
            find.query_row([space, path], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?))).optional()?;
        if let Some((content, modified)) = known.filter(|(_, modified)| *modified != new.modified) {
            let old = Seen { modified, ..new };
            self.connection
                .prepare_cached("UPDATE chunk SET at = ? WHERE content = ? AND at = ?")?
                .execute(params![new.at(), content, old.at()])?;
        }
        Ok(())
    }

    /// The file is gone.
    pub fn remove(&mut self, space: &str, path: &str) -> Result<()> {
        let Some(content) = self.content_of(space, path)? else { return Ok(()) };
        self.connection
            .prepare_cached("DELETE FROM file WHERE space = ? AND path = ?")?
            .execute([space, path])?;
        self.drop_unused(content)
    }

    /// Sets the mark of a space. Set before anything is put, it tells also of what a kill left half done.
    pub fn set_mark(&mut self, space: &str, value: &[u8]) -> Result<()> {
        mark::set(self.connection, space, value)
    }

    pub fn commit(self) -> Result<()> {
        if self.all >= MANY {
            self.connection.execute_batch("INSERT INTO words (words) VALUES ('optimize')")?;
        }
        self.connection.execute_batch("COMMIT")?;
        Ok(())
    }

    fn content_of(&self, space: &str, path: &str) -> Result<Option<i64>> {
        let mut find =
            self.connection.prepare_cached("SELECT content FROM file WHERE space = ? AND path = ?")?;
        Ok(find.query_row([space, path], |row| row.get(0)).optional()?)
    }

    fn add(&mut self, document: &Document<'_>, chunks: &[Chunk]) -> Result<i64> {
        let Document { kind, path, sum, .. } = document;
        self.connection
            .prepare_cached("INSERT INTO content (kind, path, sum) VALUES (?, ?, ?)")?
            .execute(params![kind, path, sum])?;
        let content = self.connection.last_insert_rowid();
        let mut facts = self.connection.prepare_cached(
            "INSERT INTO chunk (content, line, end_line, key, what, skill, phase, at, tags) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        let mut text =
            self.connection.prepare_cached("INSERT INTO text (id, title, body) VALUES (?, ?, ?)")?;
        let mut words =
            self.connection.prepare_cached("INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)")?;
        for Chunk { title, body, line, end_line, facts: of } in chunks {
            // With a newline around each, so that one can be looked for.
            let tags = (!of.tags.is_empty()).then(|| format!("\n{}\n", of.tags.join("\n")));
            let key = key_of(title, body);
            facts.execute(params![content, line, end_line, key, of.what, of.skill, of.phase, of.at, tags])?;
            let id = self.connection.last_insert_rowid();
            text.execute(params![id, title, body])?;
            words.execute(params![id, spaced(title), spaced(body)])?;
        }
        self.fresh += chunks.len();
        self.all += chunks.len();
        Ok(content)
    }

    /// Removes a content that no file has any more.
    fn drop_unused(&mut self, content: i64) -> Result<()> {
        let used = self
            .connection
            .prepare_cached("SELECT 1 FROM file WHERE content = ? LIMIT 1")?
            .exists([content])?;
        if used {
            return Ok(());
        }
        for statement in [
            "DELETE FROM words WHERE rowid IN (SELECT id FROM chunk WHERE content = ?)",
            "DELETE FROM text WHERE id IN (SELECT id FROM chunk WHERE content = ?)",
            "DELETE FROM chunk WHERE content = ?",
            "DELETE FROM content WHERE id = ?",
        ] {
            self.connection.prepare_cached(statement)?.execute([content])?;
        }
        Ok(())
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        if !self.connection.is_autocommit() {
            // What fails here is undone by the next who opens the file.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }
}

/// The numbers of the file have a sign.
fn stored(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}
