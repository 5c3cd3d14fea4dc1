use std::fs::{self, File};
use std::time::{Duration, Instant};

use engine_store::clock;

use super::progress::Unwatched;
use super::*;
use crate::stage::Stage;

/// A project with a page of newts and a decision on them, and its corpus.
fn stage() -> (Stage, Corpus) {
    let stage = Stage::new();
    stage.write("docs/newts.md", "# Newts\n\nA newt swims in the pond.\n");
    stage.write(".engine/learnings.md", "# Learnings\n");
    for number in 0..40 {
        stage.write(&format!("docs/{number}.md"), &format!("# Page {number}\n\n{}", "filler ".repeat(40)));
    }
    let corpus = Corpus::open(stage.project()).unwrap();
    (stage, corpus)
}

fn asked(corpus: &Corpus) -> Result<Answer, CommandError> {
    let question = Question { words: "newts pond".to_owned(), limit: 3, ..Question::default() };
    ask(corpus, &question, clock::now(), &mut Unwatched)
}

fn indexed(corpus: &Corpus, rebuild: bool) -> Result<Indexed, CommandError> {
    let kinds = engine_core::search::Kind::ALL;
    index(corpus, &kinds, rebuild, &mut Unwatched, &mut Unwatched)
}

/// Everything behind the first page.
fn damage(corpus: &Corpus) {
    let file = corpus.folder().join("index.db");
    let mut bytes = fs::read(&file).unwrap();
    bytes[4096..].fill(0xa7);
    fs::write(&file, bytes).unwrap();
}

/// What another process holds while it writes.
fn lock(corpus: &Corpus) -> File {
    Project::make_local(&corpus.folder()).unwrap();
    let file = File::create(corpus.folder().join("lock")).unwrap();
    file.try_lock().unwrap();
    file
}

#[test]
fn a_damaged_index_is_made_anew() {
    let (_stage, corpus) = stage();
    indexed(&corpus, false).unwrap();
    damage(&corpus);
    let answer = asked(&corpus).unwrap();
    assert_eq!(
        (answer.hits[0].hit.path.as_str(), answer.note.as_deref()),
        ("docs/newts.md", Some(MADE_ANEW))
    );
    assert_eq!(asked(&corpus).unwrap().note, None);

    damage(&corpus);
    let done = indexed(&corpus, false).unwrap();
    assert_eq!((done.refreshed.changed as u64, done.note.as_deref()), (done.files, Some(MADE_ANEW)));

    damage(&corpus);
    let said = "the search index was damaged and is removed: engine search index";
    let kinds = engine_core::search::Kind::ALL;
    assert_eq!(status(&corpus, &kinds).unwrap().note.as_deref(), Some(said));
    assert_eq!(indexed(&corpus, false).unwrap().note, None);
}

#[test]
fn a_failure_is_not_nothing_known() {
    let (stage, corpus) = stage();
    indexed(&corpus, false).unwrap();
    assert_eq!(recall(&corpus, "newts pond", 5).unwrap(), []);
    damage(&corpus);
    let _lock = lock(&corpus);
    let error = recall(&corpus, "newts pond", 5).unwrap_err();
    assert!(error.message.starts_with("the search index index.db is damaged"), "{error}");
    assert_eq!(related(&stage.project(), "newts pond", None), AllRelated::default());
}

#[test]
fn nobody_waits_for_who_writes() {
    let (stage, corpus) = stage();
    let busy = "another process writes the search index";
    let writes = lock(&corpus);
    assert_eq!(asked(&corpus).unwrap_err().message, busy);
    drop(writes);
    // The tables are made before anything is put.
    drop(open(&corpus).unwrap());
    let began = Instant::now();
    let writes = lock(&corpus);
    assert_eq!(asked(&corpus).unwrap_err().message, busy);
    assert_eq!(recall(&corpus, "newts pond", 5).unwrap_err().message, busy);
    drop(writes);
    indexed(&corpus, false).unwrap();
    stage.write("docs/more.md", "# More newts\n");
    let writes = lock(&corpus);
    let answer = asked(&corpus).unwrap();
    assert_eq!((answer.hits.len(), answer.behind.files, answer.behind.busy), (1, 1, true));
    assert_eq!(indexed(&corpus, true).unwrap_err().message, busy);
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    drop(writes);
    let done = indexed(&corpus, true).unwrap();
    assert_eq!(done.refreshed.changed as u64, done.files);
    assert_eq!(asked(&corpus).unwrap().hits.len(), 2);
}
