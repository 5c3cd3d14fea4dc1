use proptest::prelude::*;

use super::*;

fn item(path: &str, shown: &str, text: &str) -> Item {
    Item { kind: Kind::Note, path: path.into(), line: 1, shown: shown.into(), text: text.into() }
}

/// Notes about different matters, of which some have words in common.
fn notes() -> Vec<Item> {
    [
        (
            "locks",
            "Locks are per file",
            "The journal and the queue lock a file each, so that two hooks never wait for one another.",
        ),
        (
            "deploy",
            "Deploy with make ship",
            "The registry token is on the build server only; cargo publish fails elsewhere.",
        ),
        (
            "parser",
            "The shell parser is our own",
            "Other parsers lose the operators of a pipeline and the places of words.",
        ),
        ("colour", "Colour only on a terminal", "A pipe gets plain text; NO_COLOR counts everywhere."),
        (
            "journal",
            "The journal is append only",
            "A torn last line is cut off by the next writer; readers pass over damaged lines.",
        ),
        ("naming", "Names are nouns of the domain", "Call a plan a plan; helpers and managers say nothing."),
    ]
    .map(|(path, shown, text)| item(&format!("notes/{path}.md"), shown, text))
    .to_vec()
}

fn source(path: &str) -> Source {
    Source { path: path.into(), size: 7, modified: -3 }
}

fn asked(index: &Index<'_>, prompt: &str) -> String {
    let found = index.search(&words::distinct(prompt, 64), 3);
    let told = found.hits.iter().filter(|hit| hit.score >= 1.0);
    let told: Vec<&str> =
        told.map(|hit| hit.path.trim_start_matches("notes/").trim_end_matches(".md")).collect();
    told.join(" ")
}

#[test]
fn what_is_written_comes_back() {
    let notes = notes();
    let retired = BTreeSet::from([notes[1].key()]);
    let sources = [source("learnings.md"), source("a folder/with blanks")];
    let bytes = build(&notes, &sources, &retired);
    let index = Index::open(&bytes).unwrap();
    assert_eq!((index.len(), index.sources()), (6, sources.to_vec()));
    let rows: Vec<_> =
        index.rows().map(|row| (row.path.to_owned(), row.shown, row.key, row.is_retired)).collect();
    let expected: Vec<_> = notes
        .iter()
        .enumerate()
        .map(|(at, note)| (note.path.clone(), note.shown.as_str(), note.key(), at == 1))
        .collect();
    assert_eq!(rows, expected);
    assert_eq!(build(&notes, &sources, &retired), bytes, "the same items make the same bytes");
}

#[test]
fn prompts_with_an_answer_are_answered_and_others_are_not() {
    let bytes = build(&notes(), &[], &BTreeSet::new());
    let index = Index::open(&bytes).unwrap();
    for (prompt, expected) in [
        ("why do two hooks wait for the lock of the queue file", "locks"),
        ("how do I deploy and publish to the registry", "deploy"),
        ("the parser loses operators in a pipeline", "parser"),
        ("readers see a torn line in the journal", "journal"),
        ("please add a button that exports the table as csv", ""),
        ("rename the variable total in the invoice module", ""),
        ("the file is wrong", ""),
        ("", ""),
    ] {
        assert_eq!(asked(&index, prompt), expected, "{prompt}");
    }
}

#[test]
fn no_items_and_one_item() {
    let bytes = build(&[], &[], &BTreeSet::new());
    let index = Index::open(&bytes).unwrap();
    assert!(index.is_empty());
    assert_eq!(asked(&index, "the lock of the journal file"), "");
    let bytes = build(&notes()[..1], &[], &BTreeSet::new());
    let index = Index::open(&bytes).unwrap();
    assert_eq!(asked(&index, "why does the lock of the queue wait"), "locks");
    assert_eq!(asked(&index, "the lock is broken somewhere"), "");
}

#[test]
fn limits_grow_with_the_prompt() {
    let bytes = build(&notes(), &[], &BTreeSet::new());
    let limits = Index::open(&bytes).unwrap().thresholds();
    assert!(limits.0.is_sorted() && limits.0[0] > 0.0, "{limits:?}");
    for words in 0..100 {
        assert!(limits.at(words) <= limits.at(words + 1), "{words}");
    }
}

#[test]
fn a_file_that_is_not_whole_is_unfit() {
    let bytes = build(&notes(), &[source("a")], &BTreeSet::new());
    for length in 0..bytes.len() {
        assert_eq!(Index::open(&bytes[..length]).err(), Some(Unfit::Damaged), "{length}");
    }
    for at in 0..bytes.len() {
        let mut broken = bytes.clone();
        broken[at] ^= 0x41;
        let expected = if (8..12).contains(&at) {
            Unfit::Version(u32::from_le_bytes(broken[8..12].try_into().unwrap()))
        } else {
            Unfit::Damaged
        };
        assert_eq!(Index::open(&broken).err(), Some(expected), "{at}");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert_eq!(Index::open(&longer).err(), Some(Unfit::Damaged));
}

/// A sum says that nothing broke, not that the engine wrote it: whatever it covers is read without a panic.
#[test]
fn forged_numbers_are_read_without_a_panic() {
    let bytes = build(&notes(), &[source("a")], &BTreeSet::new());
    for at in UNSUMMED..bytes.len() {
        for value in [0, 0x7f, 0xff] {
            let mut forged = bytes.clone();
            forged[at] = value;
            seal(&mut forged);
            if let Ok(index) = Index::open(&forged) {
                asked(&index, "the lock of the journal and the parser of the queue");
                assert!(index.rows().count() <= index.len());
                index.sources();
            }
        }
    }
}

#[test]
fn at_most_so_many_items_are_kept() {
    let many: Vec<Item> = (0..MOST_ITEMS + 5)
        .map(|at| item(&format!("n{at}.md"), &format!("word{at}a other"), "text"))
        .collect();
    let bytes = build(&many, &[], &BTreeSet::new());
    assert_eq!(Index::open(&bytes).unwrap().len(), MOST_ITEMS);
}

proptest! {
    #[test]
    fn any_bytes_are_no_index(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(Index::open(&bytes).is_err());
    }

    #[test]
    fn any_texts_are_indexed_and_asked(texts in prop::collection::vec(".{0,80}", 0..12), prompt in ".{0,200}") {
        let items: Vec<Item> = texts.iter().enumerate().map(|(at, text)| item(&format!("{at}.md"), text, text)).collect();
        let bytes = build(&items, &[], &BTreeSet::new());
        let index = Index::open(&bytes).unwrap();
        asked(&index, &prompt);
        prop_assert_eq!(index.rows().count(), items.len());
    }
}
