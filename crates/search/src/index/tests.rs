use proptest::prelude::*;

use super::*;
use crate::query::Tuning;
use crate::{Chunk, Document, Facts, Seen, markdown};

fn document(path: &str, sum: u8) -> Document<'_> {
    Document { space: "", kind: "docs", path, seen: Seen { size: 1, modified: 2 }, sum: [sum; 32] }
}

fn put(index: &mut Index, documents: &[(Document<'_>, &str)]) {
    let mut writer = index.writer().unwrap().unwrap();
    for (document, text) in documents {
        writer.put(document, &markdown::cut(text, document.path)).unwrap();
    }
    writer.commit().unwrap();
}

fn asked(words: &str) -> Query<'static> {
    Query { words: words.to_owned(), limit: 10, ..Query::default() }
}

/// The places of the answers.
fn found(index: &Index, query: &Query<'_>) -> Vec<String> {
    let hits = index.search(query).unwrap();
    hits.into_iter().map(|hit| format!("{}{}:{}", hit.space, hit.path, hit.line)).collect()
}

#[test]
fn what_was_put_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let Opened { mut index, note } = Index::open(&folder.path().join("search")).unwrap();
    assert_eq!(note, None);
    put(
        &mut index,
        &[
            (document("a.md", 1), "# Locks\n\nA lock is per file.\n\n# Other\n\nNothing.\n"),
            (document("b.md", 2), "The writer locks once."),
        ],
    );
    assert_eq!(found(&index, &asked("locking")), ["a.md:1", "b.md:1"]);
    assert_eq!(found(&index, &asked("nothing at all")), ["a.md:5"]);
    assert_eq!(found(&index, &asked("absent")), [""; 0]);
    assert!(matches!(index.search(&asked("?!")), Err(IndexError::NoWord)));

    put(&mut index, &[(document("a.md", 3), "Changed.")]);
    assert_eq!(found(&index, &asked("locking")), ["b.md:1"]);
    let mut writer = index.writer().unwrap().unwrap();
    writer.remove("", "b.md").unwrap();
    writer.touch("", "a.md", Seen { size: 5, modified: 6 }).unwrap();
    writer.commit().unwrap();
    assert_eq!(found(&index, &asked("locking changed")), ["a.md:1"]);
    let known = index.known("").unwrap();
    let kept = Known { seen: Seen { size: 5, modified: 6 }, sum: [3; 32], kind: "docs".to_owned() };
    assert_eq!(known, [("a.md".to_owned(), kept)].into());
    let counts = index.counts().unwrap();
    assert_eq!((counts.files, counts.chunks), (1, 1));
    assert!(counts.bytes > 0);
}

/// Whatever page is damaged: the check says so, and a query answers or says so too.
#[test]
fn damage_in_the_middle_is_damage() {
    let text = "# Lock\n\nlock and more words\n\n".repeat(200);
    for page in [1, 2, 3, 5, 8] {
        let folder = tempfile::tempdir().unwrap();
        let mut index = Index::open(folder.path()).unwrap().index;
        put(&mut index, &[(document("a.md", 1), &text)]);
        index.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
        index.check().unwrap();
        drop(index);
        let file = folder.path().join(FILE);
        let mut bytes = std::fs::read(&file).unwrap();
        bytes[page * 4096..(page + 1) * 4096].fill(0xa7);
        std::fs::write(&file, bytes).unwrap();
        let mut index = Index::open(folder.path()).unwrap().index;
        let is_damage = |error: IndexError| matches!(error, IndexError::Damaged(..));
        assert!(index.check().is_err_and(is_damage), "page {page}");
        for result in [
            index.search(&asked("lock words")).map(|_| ()),
            index.known("").map(|_| ()),
            index.counts().map(|_| ()),
            index.writer().and_then(|writer| writer.unwrap().put(&document("a.md", 2), &[])),
        ] {
            assert!(result.is_ok() || result.is_err_and(is_damage), "page {page}");
        }
        drop(index);
        assert!(Index::discard(folder.path()).unwrap());
        assert_eq!(Index::open(folder.path()).unwrap().index.counts().unwrap().files, 0);
    }
}

#[test]
fn nobody_else_reads_the_index() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("search");
    let set = |path: &Path, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    let modes = || -> Vec<(String, u32)> {
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let shown = |path: PathBuf| (path.file_name().unwrap().to_str().unwrap().to_owned(), mode(&path));
        let mut modes: Vec<_> = files.map(shown).collect();
        modes.push((String::new(), mode(&folder)));
        modes.sort();
        modes
    };
    let private = |names: &[&str]| -> Vec<(String, u32)> {
        let mode = |name: &str| if name.is_empty() { 0o700 } else { 0o600 };
        names.iter().map(|name| ((*name).to_owned(), mode(name))).collect()
    };
    let all = private(&["", "index.db", "index.db-shm", "index.db-wal", "lock"]);
    let mut index = Index::open(&folder).unwrap().index;
    put(&mut index, &[(document("a.md", 1), "lock")]);
    assert_eq!(modes(), all);
    // As an older release made them.
    set(&folder, 0o755);
    for (name, _) in modes().iter().skip(1) {
        set(&folder.join(name), 0o644);
    }
    std::fs::write(folder.join("small.vectors"), "").unwrap();
    set(&folder.join("small.vectors"), 0o644);
    let _again = Index::open(&folder).unwrap();
    assert_eq!(modes(), [all, private(&["small.vectors"])].concat());
}

#[test]
fn the_old_index_answers_until_the_new_one_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut index = Index::open(folder.path()).unwrap().index;
    put(&mut index, &[(document("a.md", 1), "An old lock.")]);
    let reader = Index::open(folder.path()).unwrap().index;
    let many = markdown::cut(&"# Lock\n\nlock and more words\n\n".repeat(5000), "b.md");
    let mut writer = index.writer().unwrap().unwrap();
    writer.clear().unwrap();
    writer.put(&document("b.md", 2), &many).unwrap();
    assert_eq!(found(&reader, &asked("lock")), ["a.md:1"]);
    writer.commit().unwrap();
    assert_eq!(found(&reader, &asked("lock"))[0], "b.md:1");
    assert_eq!(reader.counts().unwrap().files, 1);
}

#[test]
fn times_follow_the_file() {
    let mut index = Index::in_memory().unwrap();
    let day = |day: i64| Seen { size: 1, modified: day * 86_400_000_000_000 };
    let mut chunks = markdown::cut("# One\n\nlock\n\n# Two\n\nlock\n", "a.md");
    chunks[0].facts.at = day(1).at();
    chunks[1].facts.at = Some("1999-01-01T00:00:00.000Z".to_owned());
    let times = |index: &Index| {
        let hits = index.search(&asked("lock")).unwrap();
        let mut times: Vec<String> = hits.into_iter().filter_map(|hit| hit.facts.at).collect();
        times.sort();
        times
    };
    for (seen, touches, expected) in [
        (day(1), false, "1970-01-02T00:00:00.000Z"),
        (day(3), true, "1970-01-04T00:00:00.000Z"),
        (day(2), false, "1970-01-03T00:00:00.000Z"),
    ] {
        let mut writer = index.writer().unwrap().unwrap();
        if touches {
            writer.touch("", "a.md", seen).unwrap();
        } else {
            writer.put(&Document { seen, ..document("a.md", 1) }, &chunks).unwrap();
        }
        writer.commit().unwrap();
        assert_eq!(times(&index), [expected, "1999-01-01T00:00:00.000Z"]);
    }
}

#[test]
fn a_writer_that_is_dropped_changes_nothing() {
    let mut index = Index::in_memory().unwrap();
    let mut writer = index.writer().unwrap().unwrap();
    writer.put(&document("a.md", 1), &markdown::cut("text", "a.md")).unwrap();
    drop(writer);
    assert_eq!(index.counts().unwrap(), Counts::default());
}

#[test]
fn the_same_on_two_branches_is_stored_once() {
    let mut index = Index::in_memory().unwrap();
    let on = |space| Document { space, ..document("a.md", 1) };
    put(
        &mut index,
        &[(on(""), "lock"), (on("topic"), "lock"), (Document { sum: [2; 32], ..on("other") }, "lock again")],
    );
    assert_eq!(index.counts().unwrap().chunks, 2);
    assert_eq!(index.spaces().unwrap(), ["", "other", "topic"]);
    let of =
        |spaces: &[&str]| Query { spaces: spaces.iter().map(ToString::to_string).collect(), ..asked("lock") };
    assert_eq!(found(&index, &of(&[""])), ["a.md:1"]);
    assert_eq!(found(&index, &of(&["topic"])), ["topica.md:1"]);
    assert_eq!(found(&index, &of(&["topic", "other"])), ["topica.md:1", "othera.md:1"]);
    let mut writer = index.writer().unwrap().unwrap();
    writer.remove("", "a.md").unwrap();
    writer.commit().unwrap();
    assert_eq!(found(&index, &of(&["topic"])), ["topica.md:1"]);
    assert_eq!(found(&index, &of(&[""])), [""; 0]);
}

#[test]
fn filters_narrow_the_answer() {
    let mut index = Index::in_memory().unwrap();
    let chunk = |line, what: &str, tags: &[&str], at: &str| Chunk {
        title: "LOG".to_owned(),
        body: "lock".to_owned(),
        line,
        end_line: line,
        facts: Facts {
            what: Some(what.to_owned()),
            skill: Some("fix".to_owned()),
            phase: None,
            tags: tags.iter().map(ToString::to_string).collect(),
            at: Some(at.to_owned()),
        },
    };
    let mut writer = index.writer().unwrap().unwrap();
    let log = Document { kind: "sessions", ..document("s/LOG.md", 1) };
    writer
        .put(
            &log,
            &[
                chunk(1, "decision", &["a", "b"], "2026-01-02T00:00:00Z"),
                chunk(2, "block", &["ab"], "2026-02-02T00:00:00Z"),
            ],
        )
        .unwrap();
    writer.put(&document("d.md", 2), &markdown::cut("lock", "d.md")).unwrap();
    writer.commit().unwrap();
    let text = |text: &str| vec![text.to_owned()];
    for (query, wanted) in [
        (asked("lock"), &["d.md:1", "s/LOG.md:1", "s/LOG.md:2"][..]),
        (Query { kinds: text("docs"), ..asked("lock") }, &["d.md:1"]),
        (
            Query { kinds: vec!["docs".into(), "sessions".into()], types: text("block"), ..asked("lock") },
            &["s/LOG.md:2"],
        ),
        (Query { skills: text("fix"), ..asked("lock") }, &["s/LOG.md:1", "s/LOG.md:2"]),
        (Query { tags: text("b"), ..asked("lock") }, &["s/LOG.md:1"]),
        (Query { tags: vec!["b".into(), "ab".into()], ..asked("lock") }, &["s/LOG.md:1", "s/LOG.md:2"]),
        (Query { since: Some("2026-02".into()), ..asked("lock") }, &["s/LOG.md:2"]),
        (Query { until: Some("2026-02".into()), ..asked("lock") }, &["s/LOG.md:1"]),
        (Query { file: Some("S/log".into()), ..asked("lock") }, &["s/LOG.md:1", "s/LOG.md:2"]),
        (Query { limit: 1, ..asked("lock") }, &["s/LOG.md:1"]),
    ] {
        let mut places = found(&index, &query);
        places.sort();
        assert_eq!(places, wanted, "{query:?}");
    }
}

#[test]
fn one_file_has_three_answers_at_most() {
    let mut index = Index::in_memory().unwrap();
    let many: String = "# Lock\n\nlock lock\n\n".repeat(300);
    put(
        &mut index,
        &[
            (document("many.md", 1), &many),
            (document("one.md", 2), "One page with a lock somewhere in its text, and more."),
        ],
    );
    let places = found(&index, &asked("lock"));
    assert_eq!(places.len(), 4, "{places:?}");
    assert!(places.contains(&"one.md:1".to_owned()));
}

#[test]
fn meaning_is_fused_and_filtered() {
    let mut index = Index::in_memory().unwrap();
    put(
        &mut index,
        &[
            (document("a.md", 1), "lock"),
            (document("b.md", 2), "mutex"),
            (document("c.md", 3), "lock and mutex"),
        ],
    );
    let key = |path, body| crate::key_of(path, body);
    let near = [(key("b.md", "mutex"), 0.9), (key("c.md", "lock and mutex"), 0.8)];
    let nearest = |count: usize| near.iter().copied().take(count).collect::<Vec<_>>();
    let query = Query { meaning: Some(crate::Meaning(&nearest)), ..asked("lock") };
    assert_eq!(found(&index, &query), ["c.md:1", "a.md:1", "b.md:1"]);
    assert_eq!(found(&index, &Query { file: Some("b".into()), ..query.clone() }), ["b.md:1"]);
    let hits = index.search(&query).unwrap();
    assert_eq!(hits[0].lexical.map(|side| side.rank), Some(2));
    assert_eq!(hits[0].semantic.map(|side| (side.rank, side.score)), Some((2, 0.8)));
    let left = index.unembedded(&|key| near.iter().any(|(near, _)| near == key), 10).unwrap();
    assert_eq!(left, [(key("a.md", "lock"), "a.md\nlock".to_owned())]);
}

#[test]
fn any_query_is_answered() {
    let mut index = Index::in_memory().unwrap();
    put(&mut index, &[(document("a.md", 1), "検索機能 naïve e\u{301}te\u{301} 한국어 текст")]);
    for words in ["検索", "naive", "été", "국어", "ТЕКСТ", "a\" OR (NEAR* ^b -c:d 検索 \0", "{検索} + 検索*"]
    {
        assert_eq!(found(&index, &asked(words)), ["a.md:1"], "{words:?}");
    }
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut index = Index::open(folder.path()).unwrap().index;
    put(&mut index, &[(document("a.md", 1), "An old lock.")]);
    index.connection.pragma_update(None, "max_page_count", 60).unwrap();
    let many = markdown::cut(&"# Lock\n\nlock and more words\n\n".repeat(3000), "b.md");
    let mut writer = index.writer().unwrap().unwrap();
    let full = writer.put(&document("b.md", 2), &many);
    assert!(matches!(full, Err(IndexError::Full)), "{full:?}");
    drop(writer);
    assert_eq!(found(&index, &asked("lock")), ["a.md:1"]);
}

/// The gate must not change the answer: the best of all chunks are the best that any gate gives.
#[test]
fn the_gate_changes_nothing() {
    let mut index = Index::in_memory().unwrap();
    let mut dice: u64 = 7;
    let mut below = |limit: u64| {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        dice % limit
    };
    // Small numbers are common, large ones are rare.
    let mut word = || {
        let most = 1 << below(12);
        format!("w{}", below(most))
    };
    let mut writer = index.writer().unwrap().unwrap();
    for number in 0..6000 {
        let words: Vec<String> = (0..20).map(|_| word()).collect();
        let path = format!("{number}.md");
        writer.put(&document(&path, 1), &markdown::cut(&words.join(" "), &path)).unwrap();
    }
    writer.commit().unwrap();
    let filter = reader::Filter::default();
    for _ in 0..100 {
        let words: Vec<String> = (0..6).map(|_| word()).collect();
        let terms =
            lexical::Terms::new(&index.connection, crate::query::terms(&words.join(" "), Tuning::default()))
                .unwrap();
        let best = |scored| {
            let found = terms.best_from(scored, &index.connection, 2.0, &filter, (10, 100)).unwrap();
            found.iter().take(10).map(|candidate| candidate.id).collect::<Vec<_>>()
        };
        assert_eq!(best(1), best(i64::MAX), "{words:?}");
    }
}

proptest! {
    #[test]
    fn no_query_is_an_error(words in any::<String>(), more in "[\"'*:^(){}+\\-a-z\u{0}é検 ]{0,40}") {
        let mut index = Index::in_memory().unwrap();
        put(&mut index, &[(document("a.md", 1), "text")]);
        for words in [words, more] {
            match index.search(&asked(&words)) {
                Ok(_) | Err(IndexError::NoWord) => {}
                Err(error) => prop_assert!(false, "{words:?}: {error}"),
            }
        }
    }
}
