use std::collections::BTreeSet;
use std::fs::File;
use std::sync::Mutex;

use super::*;
use crate::stage::{Stage, refusal};

fn names(found: &FoundTranscripts) -> Vec<&str> {
    found.sessions.iter().map(|session| session.name.as_str()).collect()
}

fn with_transcripts() -> Stage {
    let stage = Stage::new();
    for file in ["t/b.jsonl", "t/a.jsonl", "t/a/subagents/agent-1.jsonl", "t/notes.txt"] {
        stage.write(file, "{}\n");
    }
    stage
}

#[test]
fn a_session_is_taken_once_with_its_subagents() {
    let stage = with_transcripts();
    let (project, folder) = (stage.project(), stage.root().join("t"));
    let paths = [folder.join("b.jsonl"), folder.clone(), folder.join("a.jsonl")];
    let found = find(&paths, &project, None).unwrap();
    assert_eq!(names(&found), ["a", "b"]);
    assert_eq!(found.sessions[0].files, [folder.join("a.jsonl"), folder.join("a/subagents/agent-1.jsonl")]);
    assert_eq!(found.transcripts(), 3);
    let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    assert_eq!(found.shown_places(), shown.join(", "));
}

#[test]
fn what_was_not_touched_since_then_is_left_out() {
    let stage = with_transcripts();
    let folder = stage.root().join("t");
    let touch = |name: &str, ms: u64| {
        File::open(folder.join(name)).unwrap().set_modified(UNIX_EPOCH + Duration::from_millis(ms)).unwrap();
    };
    touch("a.jsonl", 1_000);
    touch("a/subagents/agent-1.jsonl", 5_000);
    touch("b.jsonl", 3_000);
    let since = |ms: u64| {
        let found = find(std::slice::from_ref(&folder), &stage.project(), Some(Stamp(ms))).unwrap();
        names(&found).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(since(3_000), ["a", "b"], "that moment counts");
    assert_eq!(since(3_001), ["a"], "a subagent's file is the session's");
    assert_eq!(since(5_001), Vec::<String>::new());
}

#[test]
fn a_place_that_is_not_there_is_named_and_an_empty_one_is_nothing() {
    let stage = Stage::new();
    let missing = stage.root().join("nosuch");
    let of = |place: &Path| find(&[place.to_owned()], &stage.project(), None);
    assert_eq!(
        refusal(of(&missing)),
        format!("Refused: {}: there is no such file or folder", missing.display())
    );
    let found = of(&stage.root()).unwrap();
    assert_eq!((names(&found), found.transcripts()), (vec![], 0));
}

#[test]
fn each_session_is_given_to_one_worker() {
    let session = |number: usize| Session { name: number.to_string(), files: Vec::new() };
    for count in [0, 1, 50] {
        let sessions: Vec<Session> = (0..count).map(session).collect();
        let taken = AtomicUsize::new(0);
        let seen = Mutex::new(Vec::new());
        let counts = spread(
            &sessions,
            &|| {
                taken.fetch_add(1, Ordering::Relaxed);
            },
            |queue| queue.map(|session| seen.lock().unwrap().push(session.name.clone())).count(),
        );
        let seen = seen.into_inner().unwrap();
        assert_eq!((taken.into_inner(), seen.len(), counts.iter().sum::<usize>()), (count, count, count));
        assert_eq!(seen.into_iter().collect::<BTreeSet<_>>().len(), count, "none twice");
        assert!(!counts.is_empty(), "also of nothing something comes back");
    }
}

#[test]
fn a_worker_that_panics_is_not_lost() {
    let sessions = [Session { name: "a".to_owned(), files: Vec::new() }];
    let panicked = std::panic::catch_unwind(|| {
        spread(&sessions, &|| (), |queue| {
            assert_eq!(queue.count(), 0, "one was given");
        })
    });
    assert!(panicked.is_err());
}
