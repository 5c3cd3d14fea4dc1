//! The tables, and how a file becomes an index that can be used.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use super::{FILE, Index, IndexError, LOCK, Opened, Result};

/// In the header of the file: "ensi".
const APPLICATION: i32 = 0x656e_7369;
/// Counts up when tables or what is put into them change: an index of another version is made anew.
const VERSION: i32 = 1;
/// Who makes an index is done in milliseconds; one who only waits for that waits no longer than this.
const PATIENCE: Duration = Duration::from_secs(2);

/// Nobody else reads them.
const OWN_FOLDER: u32 = 0o700;
const OWN_FILE: u32 = 0o600;

/// A file of a space points to its content, so that branches share what is the same on them. The texts are in a table of their
/// own: filters read the facts of many chunks, and texts of few are shown. The full-text table stores no texts.
const TABLES: &str = "
CREATE TABLE content (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, path TEXT NOT NULL, sum BLOB NOT NULL, UNIQUE (path, kind, sum));
CREATE TABLE file (space TEXT NOT NULL, path TEXT NOT NULL, content INTEGER NOT NULL, size INTEGER NOT NULL,
    modified INTEGER NOT NULL, PRIMARY KEY (space, path)) WITHOUT ROWID;
CREATE INDEX file_content ON file (content);
CREATE TABLE chunk (id INTEGER PRIMARY KEY, content INTEGER NOT NULL, line INTEGER NOT NULL, end_line INTEGER NOT NULL,
    key BLOB NOT NULL, what TEXT, skill TEXT, phase TEXT, at TEXT, tags TEXT);
CREATE INDEX chunk_content ON chunk (content);
CREATE INDEX chunk_key ON chunk (key);
CREATE TABLE text (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL);
CREATE VIRTUAL TABLE words USING fts5 (title, body, content = '', contentless_delete = 1,
    tokenize = 'porter unicode61 remove_diacritics 2');
";

pub(super) fn make(connection: &Connection) -> Result<()> {
    connection.execute_batch(&format!(
        "BEGIN IMMEDIATE; {TABLES} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; COMMIT"
    ))?;
    Ok(())
}

/// Drops all that is in the tables, within the transaction at hand.
pub(super) fn clear(connection: &Connection) -> Result<()> {
    connection.execute_batch(&format!(
        "DROP TABLE IF EXISTS mark; DROP TABLE words; DROP TABLE text; DROP TABLE chunk; DROP TABLE file; DROP TABLE content; {TABLES}"
    ))?;
    Ok(())
}

/// What a file holds.
enum Held {
    Ours,
    /// No table yet: it was made and not filled, or is about to be.
    Nothing,
    AnotherVersion,
    /// Not an index of ours, or a damaged one.
    Unusable,
}

fn held(connection: &Connection) -> Result<Held> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let read = || -> rusqlite::Result<Held> {
        let tables: u32 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        Ok(match (number("application_id")?, number("user_version")?, tables) {
            (APPLICATION, VERSION, 1..) => Held::Ours,
            (APPLICATION, ..) => Held::AnotherVersion,
            (0, 0, 0) => Held::Nothing,
            _ => Held::Unusable,
        })
    };
    match read().map_err(IndexError::from) {
        Err(IndexError::Damaged(..)) => Ok(Held::Unusable),
        held => held,
    }
}

pub(super) fn open(folder: &Path) -> Result<Opened> {
    fs::create_dir_all(folder).map_err(|source| IndexError::File {
        action: "make",
        path: folder.to_owned(),
        source,
    })?;
    keep_private(folder);
    let file = folder.join(FILE);
    if let Some(connection) = usable(&file)? {
        return opened(connection, folder, None);
    }
    // Only one makes it; who comes second finds it made.
    let _lock = lock_patiently(folder)?;
    if let Some(connection) = usable(&file)? {
        return opened(connection, folder, None);
    }
    let mut note = None;
    if file.exists() {
        let connection = connect(&file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let held = held(&connection)?;
        drop(connection);
        note = put_away(&file, &held)?;
    }
    // The logs beside the file get its mode.
    let made = OpenOptions::new().create(true).append(true).mode(OWN_FILE).open(&file);
    made.map_err(|source| IndexError::File { action: "make", path: file.clone(), source })?;
    let connection = connect(&file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    make(&connection)?;
    opened(connection, folder, note)
}

/// The index has the text of files that others may not read. What an older release made is closed, too; where that fails, the folder
/// is somebody else's, who decides.
fn keep_private(folder: &Path) {
    let close = |path: &Path, data: fs::Metadata, mode: u32| {
        if data.permissions().mode() & 0o077 != 0 {
            let _ = fs::set_permissions(path, Permissions::from_mode(mode));
        }
    };
    if let Ok(data) = folder.symlink_metadata()
        && data.is_dir()
    {
        close(folder, data, OWN_FOLDER);
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if let Ok(data) = entry.metadata()
            && data.is_file()
        {
            close(&entry.path(), data, OWN_FILE);
        }
    }
}

fn opened(connection: Connection, folder: &Path, note: Option<String>) -> Result<Opened> {
    connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY")?;
    Ok(Opened { index: Index { connection, folder: Some(folder.to_owned()) }, note })
}

/// The file as it is, if it is an index of this version.
fn usable(file: &Path) -> Result<Option<Connection>> {
    if !file.is_file() {
        return Ok(None);
    }
    let connection = connect(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    Ok(matches!(held(&connection)?, Held::Ours).then_some(connection))
}

pub(super) fn open_to_read(folder: &Path) -> Result<Option<Index>> {
    let file = folder.join(FILE);
    if !file.is_file() {
        return Ok(None);
    }
    let connection = connect(&file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut found = held(&connection);
    let mut connection = connection;
    if matches!(found, Err(IndexError::Failed(_))) {
        // The log beside the file cannot be made here, and then nobody writes.
        connection = Connection::open_with_flags(
            format!("file:{}?immutable=1", escaped(&file)),
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        found = held(&connection);
    }
    Ok(matches!(found?, Held::Ours).then(|| Index { connection, folder: Some(folder.to_owned()) }))
}

/// A path in a URI.
fn escaped(path: &Path) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    let escape =
        |byte: &u8| if is_plain(*byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") };
    path.as_os_str().as_encoded_bytes().iter().map(escape).collect()
}

fn connect(file: &Path, flags: OpenFlags) -> Result<Connection> {
    let connection = Connection::open_with_flags(file, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

/// An older index of ours is removed; what may be somebody's is kept under another name.
fn put_away(file: &Path, held: &Held) -> Result<Option<String>> {
    let aside = file.with_extension("db.old");
    let note = match held {
        Held::Ours | Held::Nothing => None,
        Held::AnotherVersion => {
            Some("the search index was of another version of engine and is made anew".to_owned())
        }
        Held::Unusable => {
            rename(file, &aside)?;
            Some(format!(
                "the search index could not be read and is made anew; the old file is {}",
                aside.display()
            ))
        }
    };
    remove_all(file)?;
    Ok(note)
}

fn rename(file: &Path, aside: &Path) -> Result<()> {
    fs::rename(file, aside).map_err(|source| IndexError::File {
        action: "rename",
        path: file.to_owned(),
        source,
    })
}

/// The file and the logs beside it.
fn remove_all(file: &Path) -> Result<()> {
    for ending in ["", "-wal", "-shm", "-journal"] {
        let mut path = file.as_os_str().to_owned();
        path.push(ending);
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(IndexError::File { action: "remove", path: PathBuf::from(path), source });
            }
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn discard(folder: &Path) -> Result<bool> {
    if !folder.is_dir() {
        return Ok(true);
    }
    let Some(_lock) = lock(folder)? else { return Ok(false) };
    remove_all(&folder.join(FILE))?;
    Ok(true)
}

/// The lock of those who write; it ends with the process. `None`: another process has it.
pub(super) fn lock(folder: &Path) -> Result<Option<File>> {
    let path = folder.join(LOCK);
    let failed = |action, source| IndexError::File { action, path: path.clone(), source };
    let file =
        OpenOptions::new().create(true).truncate(false).read(true).write(true).mode(OWN_FILE).open(&path);
    let file = file.map_err(|source| failed("open", source))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(source)) => Err(failed("lock", source)),
    }
}

fn lock_patiently(folder: &Path) -> Result<File> {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(file) = lock(folder)? {
            return Ok(file);
        }
        if Instant::now() >= end {
            return Err(IndexError::Busy);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
