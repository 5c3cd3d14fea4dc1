//! A mark that the caller sets with what it writes: as long as it is the same, nothing else was written.

use rusqlite::{Connection, OptionalExtension, params};

use super::Result;

/// An index that was never marked has no such table.
const TABLE: &str =
    "CREATE TABLE IF NOT EXISTS mark (space TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID";

pub(super) fn get(connection: &Connection, space: &str) -> Result<Option<Vec<u8>>> {
    let is_there = connection
        .prepare_cached("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'mark'")?
        .exists([])?;
    if !is_there {
        return Ok(None);
    }
    let mut find = connection.prepare_cached("SELECT value FROM mark WHERE space = ?")?;
    Ok(find.query_row([space], |row| row.get(0)).optional()?)
}

pub(super) fn set(connection: &Connection, space: &str, value: &[u8]) -> Result<()> {
    connection.execute_batch(TABLE)?;
    connection
        .prepare_cached("REPLACE INTO mark (space, value) VALUES (?, ?)")?
        .execute(params![space, value])?;
    Ok(())
}
