use super::*;

const FILE: &str = "---\nkind: decision\nscope: [\"crates/store/**\"]\nsource: plan dark-mode\ncreated: 2026-11-19T21:00:00.000Z\nchecked: 1a2b3c4d\nsupersedes: [old-slug]\n---\n\nLocks are per file.\n";

fn note(text: &str) -> Note {
    Note {
        kind: Kind::Fact,
        scope: Vec::new(),
        source: None,
        created: String::new(),
        checked: None,
        supersedes: Vec::new(),
        text: text.to_owned(),
    }
}

fn scoped(text: &str, scope: &[&str]) -> Note {
    Note { scope: scope.iter().map(|&pattern| pattern.to_owned()).collect(), ..note(text) }
}

fn entry(slug: &str, note: Note) -> Entry {
    Entry { place: Place::Project, slug: slug.to_owned(), note: Ok(note) }
}

#[test]
fn what_is_rendered_is_read() {
    let read = Note::read(FILE).unwrap();
    assert_eq!(
        read,
        Note {
            kind: Kind::Decision,
            scope: vec!["crates/store/**".into()],
            source: Some("plan dark-mode".into()),
            created: "2026-11-19T21:00:00.000Z".into(),
            checked: Some("1a2b3c4d".into()),
            supersedes: vec!["old-slug".into()],
            text: "Locks are per file.".into(),
        }
    );
    assert_eq!(read.render(), FILE);
    let odd = Note { source: Some("a: b # c".into()), ..scoped("a\n---\nb", &["a b/**", "{x,y}: *"]) };
    assert_eq!(Note::read(&odd.render()), Ok(odd));
    assert_eq!(
        Note::read("\u{feff}---\r\nkind: fact\r\nscope: docs\r\n---\r\na\r\nb\r\n"),
        Ok(scoped("a\nb", &["docs"]))
    );
}

#[test]
fn a_damaged_file_has_a_reason() {
    let with = |fields: &str, text: &str| format!("---\n{fields}\n---\n\n{text}\n");
    let words = "word ".repeat(201);
    let cases = [
        ("no head".to_owned(), "no front matter between two lines ---"),
        (with("scope: a", "x"), "no kind: one of decision, fact, preference, pitfall"),
        (with("kind: rumour", "x"), "kind \"rumour\" is none of decision, fact, preference, pitfall"),
        (with("kind: fact\nkind: fact", "x"), "kind stands twice"),
        (with("kind: fact\nscope: {a: b}", "x"), "scope is no list of globs"),
        (with("kind: fact\nsupersedes: [[a]]", "x"), "supersedes is no list of slugs"),
        (
            with("kind: fact\nscope: /etc/*", "x"),
            "the scope \"/etc/*\" does not begin at the root of the project: leave out the folders above it",
        ),
        (with("kind: fact\nscope: [a, ../b]", "x"), "the scope \"../b\" leads out of the project"),
        (with("kind: fact\nscope: ['']", "x"), "the scope \"\" is empty"),
        (with("kind: fact", " \n"), "the text is empty"),
        (with("kind: fact", &words), "the text has 201 words, and a note has at most 200"),
        (with("kind: fact", &"é".repeat(4001)), "the text has 4001 characters, and a note has at most 4000"),
        (
            with(&format!("kind: fact\nscope: [{}]", "a, ".repeat(21)), "x"),
            "the scope has 21 patterns, and a note has at most 20",
        ),
        (
            "---\nkind: [\n---\nx".to_owned(),
            "front matter, line 3: while parsing a node, did not find expected node content",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(Note::read(&text), Err(expected.to_owned()), "{text:?}");
    }
    assert!(Note::read(&with("kind: fact\nweight: 3", "x")).is_ok(), "other fields are the person's");
}

#[test]
fn what_a_command_keeps_is_plain_and_can_be_told() {
    let from = |source: &str| Note { source: Some(source.to_owned()), ..note("x") };
    for (note, expected) in [
        (scoped("x ❤\u{fe0f}", &["src/**", "./docs/", "a b/*.md"]), None),
        (note("x\u{e0041}\u{e0042}"), Some("it has a character that nobody sees, U+E0041")),
        (from("me\u{200b}"), Some("it has a character that nobody sees, U+200B")),
        (scoped("x", &["src/\u{fe01}"]), Some("it has a character that nobody sees, U+FE01")),
        (note("\u{200b}\u{e0041}"), Some("the text is empty")),
        (
            scoped("x", &["ghp_abcdefghijklmnopqrstuvwxyz0123456789/**"]),
            Some("something in the scope looks like a secret"),
        ),
        (scoped("x", &["a//b"]), Some("the scope \"a//b\" matches no file: a part of it is empty")),
        (scoped("x", &["a/./b"]), Some("the scope \"a/./b\" matches no file: a part of it is empty")),
        (
            scoped("x", &["src/** "]),
            Some("the scope \"src/** \" matches no file: it begins or ends with a blank"),
        ),
    ] {
        assert_eq!(note.check_new().err().map(|unfit| unfit.to_string()).as_deref(), expected, "{note:?}");
    }
    assert_eq!(note("x\u{e0041}\u{fe01}y").line(), "xy", "a file may have it; it is not told");
    assert_eq!(note("x\u{e0041}\u{fe01}y").title(), "xy");
}

#[test]
fn of_many_notes_the_first_are_compared() {
    let text = |at: usize| {
        format!("A lock of the store waits {at} seconds at most, as all sessions have agreed once")
    };
    let notes = Notes::new((0..1000).map(|at| entry(&format!("n{at}"), note(&text(at)))).collect());
    assert_eq!(doubts(&notes).len(), 500 * 499 / 2, "each of the first 500 with every other");
}

#[test]
fn a_kind_is_read_from_the_beginning() {
    for (text, expected) in [
        ("decision: locks are per file", Some((Kind::Decision, "locks are per file"))),
        (" Pitfall:\n the lock", Some((Kind::Pitfall, "the lock"))),
        ("PREFERENCE: tabs", Some((Kind::Preference, "tabs"))),
        ("fact:", Some((Kind::Fact, ""))),
        ("fact: ", Some((Kind::Fact, ""))),
        ("fact:x", None),
        ("decisions: x", None),
        ("the decision: x", None),
        ("note: x", None),
    ] {
        assert_eq!(Kind::of_beginning(text), expected, "{text:?}");
    }
}

#[test]
fn a_scope_has_folders_and_patterns() {
    for (pattern, path, expected) in [
        ("crates/store/**", "crates/store/src/lock.rs", true),
        ("crates/store", "crates/store/src/lock.rs", true),
        ("crates/store/", "crates/store/src/lock.rs", true),
        ("./crates/*/src", "crates/store/src", true),
        ("crates/store", "crates/store2/x", false),
        ("**/*.{rs,toml}", "Cargo.toml", true),
        ("**/*.{rs,toml}", "a/b.md", false),
        ("*.rs", "a/b.rs", false),
    ] {
        assert_eq!(covers(pattern, path), expected, "{pattern} {path}");
    }
}

#[test]
fn a_note_is_told_in_one_line() {
    let note = Note {
        kind: Kind::Pitfall,
        checked: Some("1a2b".into()),
        ..note("# Title\n\nThe  \u{202e}lock\n- two\u{1b}[2K")
    };
    let line = |commits| told(".engine/memory/x.md", &note, commits);
    assert_eq!(
        line(Some(12)),
        "Note .engine/memory/x.md (pitfall, 12 commits old): # Title The lock - two [2K"
    );
    assert_eq!(line(Some(1)), "Note .engine/memory/x.md (pitfall, 1 commit old): # Title The lock - two [2K");
    assert_eq!(
        [None, Some(0), Some(1000)].map(age),
        ["age unknown", "checked at this commit", "1000 commits old or more"].map(str::to_owned)
    );
    assert_eq!(
        told("x.md", &Note { checked: None, ..note.clone() }, None),
        "Note x.md (pitfall): # Title The lock - two [2K"
    );
    assert_eq!(note.title(), "Title");
}

#[test]
fn an_edit_touches_what_it_means() {
    let file = "---\n# mine\nkind:   fact\nweight: 3\nscope:\n  - a\n  - b\n---\n\nOld.\n";
    let old = Note::read(file).unwrap();
    assert_eq!(with_fields(file, &old).unwrap(), file);
    let new = Note { checked: Some("abc".into()), ..old.clone() };
    assert_eq!(with_fields(file, &new).unwrap(), file.replace("---\n\n", "checked: abc\n---\n\n"));
    let new = Note { scope: vec!["c".into()], kind: Kind::Pitfall, text: "New.\nTwo".into(), ..old.clone() };
    assert_eq!(
        with_fields(file, &new).unwrap(),
        "---\n# mine\nkind: pitfall\nweight: 3\nscope: [c]\n---\n\nNew.\nTwo\n"
    );
    let new = Note { scope: Vec::new(), ..old };
    assert_eq!(with_fields(file, &new).unwrap(), file.replace("scope:\n  - a\n  - b\n", ""));
    let flow = "---\n{kind: fact}\n---\nx\n";
    let refused = with_fields(flow, &Note { kind: Kind::Decision, ..note("x") }).unwrap_err();
    assert!(refused.starts_with("its front matter does not let itself be changed"), "{refused}");
    assert_eq!(with_fields(flow, &note("")).unwrap_err(), "the text is empty");
    let crlf = "---\r\nkind: fact\r\n---\r\n\r\na\r\n";
    assert_eq!(with_fields(crlf, &note("b\nc")).unwrap(), "---\r\nkind: fact\r\n---\r\n\r\nb\r\nc\r\n");
}

/// From 0.50 on: the border is where a person would say that one of both is enough.
#[test]
fn how_near_two_texts_are() {
    let shown =
        |one: &str, other: &str| likeness(one, other).map_or("-".to_owned(), |near| format!("{near:.2}"));
    for (one, other, expected) in [
        ("Locks are per file.", "locks are per file", "1.00"),
        ("Locks are per file.", "The lock is per file", "1.00"),
        ("Locks are per file, never per folder", "A lock is for one file", "-"),
        ("A lock waits 5 s", "A lock waits 10 s", "0.60"),
        ("Tests run with cargo nextest run", "Run the tests with nextest", "0.75"),
        ("The client gives a hook ten seconds for everything", "A hook has ten seconds", "0.50"),
        (
            "The client gives a hook ten seconds for everything",
            "The client gives ten seconds for a hook",
            "0.83",
        ),
        ("Use tabs", "Use spaces", "-"),
        ("Use tabs for indentation", "Use spaces for indentation", "0.50"),
        (
            "SQLite in WAL mode, one writer, and readers never wait for anybody else here",
            "SQLite: one writer; readers never wait",
            "0.55",
        ),
        ("Deploy on Fridays", "The parser is written by hand", "-"),
        ("ロックはファイルごとに一つ", "ロックはファイルごとに二つ", "0.71"),
        ("ロックはファイルごとに一つ", "テストは並列に走る", "-"),
        ("", "", "-"),
    ] {
        let found = (shown(one, other), shown(other, one));
        assert_eq!(found, (expected.to_owned(), expected.to_owned()), "{one} | {other}");
    }
    for (one, other, expected) in [
        ("Locks are  per\nfile.", "locks are per file", true),
        ("a < b", "a > b", false),
        ("it takes 0.5 s", "it takes 05 s", false),
        ("yes", "yes!", true),
    ] {
        assert_eq!(is_same(one, other), expected, "{one} | {other}");
    }
}

#[test]
fn a_note_that_took_the_place_of_another_is_told_alone() {
    let over =
        |old: &[&str]| Note { supersedes: old.iter().map(|&slug| slug.to_owned()).collect(), ..note("x") };
    let mine = Entry { place: Place::Person, ..entry("a", over(&["b"])) };
    let broken = Entry { note: Err("no".into()), ..entry("broken", note("x")) };
    let notes = Notes::new(vec![
        mine,
        entry("c", over(&["b"])),
        entry("b", over(&["a"])),
        entry("a", over(&[])),
        entry("one", over(&["two"])),
        entry("two", over(&["one"])),
        entry("self", over(&["self"])),
        entry("lost", over(&["nowhere"])),
        broken,
    ]);
    let live: Vec<String> = notes.live().map(|(entry, _)| entry.id()).collect();
    assert_eq!(live, ["c", "lost", "one", "self", "two", "mine/a"]);
    let found = |word: &str| match notes.find(word) {
        FoundNote::One(entry) => entry.id(),
        FoundNote::Several(ids) => ids.join(" "),
        FoundNote::None => "-".to_owned(),
    };
    for (word, expected) in [
        ("a", "a"),
        ("mine/a", "mine/a"),
        ("b.md", "b"),
        (".engine/memory/b.md", "b"),
        ("br", "broken"),
        ("o", "one"),
        ("", "-"),
        ("x", "-"),
        ("mine/", "mine/a"),
    ] {
        assert_eq!(found(word), expected, "{word}");
    }
    let told: Vec<String> = doubts(&notes)
        .into_iter()
        .filter(|doubt| !doubt.why.starts_with("they differ"))
        .map(|doubt| format!("{} {}: {}", doubt.id, doubt.other.unwrap_or_default(), doubt.why))
        .collect();
    assert_eq!(
        told,
        [
            "lost nowhere: it supersedes a note that is not there",
            "one two: they supersede each other, so both are still told",
            "self self: it supersedes itself",
            "two one: they supersede each other, so both are still told",
            "mine/a b: it supersedes a note that is not there",
        ]
    );
    let two = Notes::new(vec![entry("a", over(&[])), entry("b", over(&["a"])), entry("c", over(&["a"]))]);
    assert_eq!(
        doubts(&two),
        [Doubt {
            id: "b".into(),
            other: Some("c".into()),
            why: "both supersede a, so one of them may be meant for the other".into()
        }]
    );
}

#[test]
fn near_notes_that_differ_are_doubted() {
    let why = |one: Note, other: Note| {
        let found = doubts(&Notes::new(vec![entry("a", one), entry("b", other)]));
        found.into_iter().next().map_or("-".to_owned(), |doubt| doubt.why)
    };
    let texts = |one: &str, other: &str| why(note(one), note(other));
    for (one, other, expected) in [
        ("A lock waits 5 s at most", "A lock waits 10 s at most.", "they differ in a number: 5 and 10"),
        ("The cache may be deleted", "The cache may never be deleted", "one says no, the other does not"),
        ("Rules don't write files", "Rules write files", "one says no, the other does not"),
        (
            "Sessions are read by `task_file`",
            "Sessions are read by `work_file`",
            "they differ in a name: task_file and work_file",
        ),
        ("A lock waits 5 s at most", "A lock waits at most 5 s", "-"),
        ("A lock waits 5 s at most", "Deploy on 3 Fridays", "-"),
    ] {
        assert_eq!(texts(one, other), expected, "{one} | {other}");
    }
    let of = |one: &str, other: &str| {
        why(scoped("A lock waits 5 s", &[one]), scoped("A lock waits 9 s", &[other]))
    };
    let differ = "they differ in a number: 5 and 9";
    for (one, other, expected) in [
        ("crates/store/**", "crates/store/src/lock.rs", differ),
        ("crates/store", "crates/**", differ),
        ("**/*.rs", "crates/store/**", differ),
        ("crates/store/**", "crates/rules/**", "-"),
        ("a.rs", "b.rs", "-"),
    ] {
        assert_eq!(
            (of(one, other), of(other, one).replace("9 and 5", "5 and 9")),
            (expected.to_owned(), expected.to_owned()),
            "{one} | {other}"
        );
    }
}
