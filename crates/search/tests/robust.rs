//! What may happen to an index: its writer is killed, two write at once, the file is damaged, foreign or of another version.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use engine_search::{Document, Index, IndexError, Opened, Query, Seen, markdown};

/// Where the child writes.
const FOLDER: &str = "SEARCH_TEST_FOLDER";
const PARTS: usize = 40;

fn page(number: usize) -> (String, String) {
    let section = |part: usize| format!("# Part {part} of {number}\n\nA lock of page {number}.\n\n");
    (format!("page-{number}.md"), (0..PARTS).map(section).collect::<Vec<_>>().concat())
}

fn document(path: &str, sum: u8) -> Document<'_> {
    Document { space: "", kind: "docs", path, seen: Seen { size: 1, modified: 1 }, sum: [sum; 32] }
}

fn put(index: &mut Index, path: &str, text: &str) {
    let mut writer = index.writer().unwrap().unwrap();
    writer.put(&document(path, 1), &markdown::cut(text, path)).unwrap();
    writer.commit().unwrap();
}

fn found(index: &Index, words: &str) -> Result<usize, IndexError> {
    index.search(&Query { words: words.to_owned(), limit: 10, ..Query::default() }).map(|hits| hits.len())
}

/// The child of the test below: it writes until it is killed. By itself it has no folder, and does nothing.
#[test]
fn writes_until_it_is_killed() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    let mut index = Index::open(Path::new(&folder)).unwrap().index;
    let first = index.known("").unwrap().len();
    let mut writer = index.writer().unwrap().unwrap();
    for number in first.. {
        let (path, text) = page(number);
        writer.put(&document(&path, 1), &markdown::cut(&text, &path)).unwrap();
    }
}

#[test]
fn a_kill_loses_one_batch_at_most() {
    let folder = tempfile::tempdir().unwrap();
    let mut before = 0;
    for round in 1..=3 {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "writes_until_it_is_killed"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // Until it has kept something, and then in the middle of what comes next.
        let end = Instant::now() + Duration::from_mins(1);
        while Instant::now() < end {
            let kept =
                Index::open_to_read(folder.path()).ok().flatten().map(|index| index.counts().unwrap().files);
            if kept.is_some_and(|kept| kept > before) {
                break;
            }
            thread::sleep(Duration::from_millis(7 * round));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let Opened { mut index, note } = Index::open(folder.path()).unwrap();
        assert_eq!(note, None);
        let counts = index.counts().unwrap();
        assert!(counts.files > before, "{counts:?}");
        assert_eq!(counts.chunks, counts.files * PARTS as u64);
        assert_eq!(found(&index, "lock").unwrap(), 10);
        assert!(index.writer().unwrap().is_some(), "the lock ends with its holder");
        before = counts.files;
    }
}

#[test]
fn one_writes_and_readers_do_not_wait() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = Index::open(folder.path()).unwrap().index;
    put(&mut first, "old.md", "An old lock.");
    let mut second = Index::open(folder.path()).unwrap().index;
    let reader = Index::open_to_read(folder.path()).unwrap().unwrap();
    let mut writer = first.writer().unwrap().unwrap();
    writer.put(&document("new.md", 1), &markdown::cut("A new lock.", "new.md")).unwrap();
    assert!(second.writer().unwrap().is_none());
    assert!(!Index::discard(folder.path()).unwrap());
    let started = Instant::now();
    for index in [&reader, &second] {
        assert_eq!(found(index, "lock").unwrap(), 1);
    }
    assert!(Index::open(folder.path()).unwrap().note.is_none());
    assert!(started.elapsed() < Duration::from_secs(1), "a reader waited");
    writer.commit().unwrap();
    assert_eq!(found(&reader, "lock").unwrap(), 2);
    assert!(second.writer().unwrap().is_some());
}

#[test]
fn many_that_open_at_once_make_one_index() {
    let folder = tempfile::tempdir().unwrap();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(Index::open(folder.path()).unwrap().note, None));
        }
    });
}

#[test]
fn what_is_no_index_is_made_anew() {
    type Spoil = fn(&Path);
    let cases: [(&str, Spoil, Option<&str>); 7] = [
        ("empty", |file| fs::write(file, "").unwrap(), None),
        ("text", |file| fs::write(file, "not a database at all").unwrap(), Some("could not be read")),
        (
            "half",
            |file| fs::write(file, &fs::read(file).unwrap()[..fs::read(file).unwrap().len() / 2]).unwrap(),
            Some("could not be read"),
        ),
        (
            "no header",
            |file| {
                let mut bytes = fs::read(file).unwrap();
                bytes[..100].fill(b'x');
                fs::write(file, bytes).unwrap();
            },
            Some("could not be read"),
        ),
        (
            "foreign",
            |file| {
                fs::remove_file(file).unwrap();
                rusqlite::Connection::open(file).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
            },
            Some("could not be read"),
        ),
        ("newer", |file| version(file, 1000), Some("of another version")),
        ("older", |file| version(file, 0), Some("of another version")),
    ];
    for (name, spoil, wanted) in cases {
        let folder = tempfile::tempdir().unwrap();
        put(&mut Index::open(folder.path()).unwrap().index, "a.md", "A lock.");
        spoil(&folder.path().join(engine_search::index::FILE));
        assert!(Index::open_to_read(folder.path()).unwrap().is_none(), "{name}");
        let Opened { mut index, note } = Index::open(folder.path()).unwrap();
        assert_eq!(note.is_some(), wanted.is_some(), "{name}: {note:?}");
        assert!(note.unwrap_or_default().contains(wanted.unwrap_or_default()), "{name}");
        assert_eq!(index.counts().unwrap().files, 0, "{name}");
        put(&mut index, "a.md", "A lock.");
        assert_eq!(found(&index, "lock").unwrap(), 1, "{name}");
        let kept = folder.path().join("index.db.old").exists();
        assert_eq!(kept, wanted == Some("could not be read"), "{name}: what may be somebody's is kept");
    }
}

fn version(file: &Path, version: i32) {
    rusqlite::Connection::open(file).unwrap().pragma_update(None, "user_version", version).unwrap();
}

/// A page in the middle is found to be damaged by who reads it; nothing panics, and `discard` helps.
#[test]
fn damage_is_an_error_that_can_be_helped() {
    let folder = tempfile::tempdir().unwrap();
    let (path, text) = page(1);
    put(&mut Index::open(folder.path()).unwrap().index, &path, &text.repeat(40));
    let file = folder.path().join(engine_search::index::FILE);
    let whole = fs::read(&file).unwrap();
    let mut damaged = 0;
    for at in 1..whole.len() / 4096 {
        let mut bytes = whole.clone();
        bytes[at * 4096..(at + 1) * 4096].fill(0xa5);
        fs::write(&file, bytes).unwrap();
        let result = Index::open(folder.path()).and_then(|opened| found(&opened.index, "lock of page"));
        match result {
            Ok(_) => {}
            Err(IndexError::Damaged(..)) => damaged += 1,
            Err(other) => panic!("page {at}: {other}"),
        }
    }
    assert!(damaged > 0);
    assert!(Index::discard(folder.path()).unwrap());
    assert_eq!(Index::open(folder.path()).unwrap().index.counts().unwrap().files, 0);
}
