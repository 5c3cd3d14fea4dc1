use proptest::prelude::*;

use super::*;
use engine_text::stamp::Stamp;

/// 2026-11-15T20:34:41Z.
const NOW: Stamp = Stamp(1_794_774_881_000);

fn capture(fragment: &str) -> Capture<'_> {
    Capture { fragment, created: NOW, ..Capture::default() }
}

fn item(id: &str, text: &str) -> Item {
    Item::read(id, text).unwrap_or_else(|why| panic!("{why}: {text}"))
}

#[test]
fn a_captured_item_whole() {
    let after = ["20261115-203000-x".to_owned()];
    let capture = Capture {
        after: &after,
        branch: Some("feat/x".into()),
        session: Some("bd48f8aa-611e"),
        task: Some("Fix the lexer".into()),
        files: vec!["src/lexer.rs".into(), "odd `name`".into()],
        ..capture("implement dark mode: now\nand `test` it")
    };
    assert_eq!(capture.id(0), "20261115-203441-implement-dark-mode-now");
    assert_eq!(capture.id(1), "20261115-203441-implement-dark-mode-now-2");
    let text = capture.text();
    insta::assert_snapshot!(text, @r#"
    ---
    title: "implement dark mode: now"
    state: open
    created: 2026-11-15T20:34:41.000Z
    branch: feat/x
    session: bd48f8aa-611e
    after: [20261115-203000-x]
    ---

    ## Context

    - Captured: 2026-11-15T20:34:41.000Z
    - Branch: `feat/x`
    - Task in progress: Fix the lexer

    ## Goal

    What the original fragment asks for; nothing of it is worked out yet.

    ## Approach

    Not worked out yet.

    ## Relevant files

    Changed of late, when this was captured:

    - `src/lexer.rs`
    - `` odd `name` ``

    ## Original fragment

    ```text
    implement dark mode: now
    and `test` it
    ```
    "#);
    assert!(body(&text).starts_with("## Context\n"));
    assert_eq!(section(&text, "Approach"), Some("Not worked out yet."));
}

#[test]
fn ids_are_short_and_plain() {
    let cases = [
        ("Fix it!", "fix-it"),
        ("  \n\n  second line ", "second-line"),
        ("日本語", "item"),
        ("../../etc/passwd", "etc-passwd"),
        ("one two three four five six seven eight nine ten", "one-two-three-four-five-six-seven-eight"),
        (&"x".repeat(99), &"x".repeat(40)),
    ];
    for (fragment, slug) in cases {
        assert_eq!(capture(fragment).id(0), format!("20261115-203441-{slug}"), "{fragment:?}");
    }
}

#[test]
fn fragments_of_any_kind_come_back() {
    for typed in [
        "x",
        "two\nlines\n",
        "\n",
        "crlf\r\nends\r\n",
        "lone\rcr\r",
        "```rust\nlet x = 1;\n```",
        "````\n```\n````",
        "~~~\nopen",
        "---\nstate: done\n---\n",
        "## Original fragment\n\n```text\nfalse\n```\n",
        "<!-- open",
        "tab\tnul\0bell\u{7} \u{feff} \u{2028}",
        "> ```\nquoted",
    ] {
        let text = capture(typed).text();
        assert_eq!(fragment(&text), Some(typed), "{text}");
        assert_eq!(item("a", &text).state, State::Open);
        let edited = with_sections(&text, &[("Goal", "All of it.\n\n```\n## no heading\n```")]).unwrap();
        assert_eq!(fragment(&edited), Some(typed), "{edited}");
        assert_eq!(section(&edited, "Goal"), Some("All of it.\n\n```\n## no heading\n```"));
    }
}

#[test]
fn what_is_no_item_says_why() {
    let cases = [
        ("", "no front matter between two lines ---"),
        ("---\nstate: open\n", "no front matter between two lines ---"),
        ("---\ntitle: x\n---\n", "no state: one of open, pulled, done, dropped"),
        ("---\nstate: gone\n---\n", "state \"gone\" is none of open, pulled, done, dropped"),
        ("---\nstate: [open]\n---\n", "state is no text"),
        ("---\nstate: open\nstate: done\n---\n", "state stands twice"),
        ("---\nstate: open\nafter: {a: b}\n---\n", "after is no list of ids"),
        ("---\nstate: open\nafter: [[a]]\n---\n", "after is no list of ids"),
        ("---\nstate: \"open\n---\n", "front matter, line 2: unexpected end of stream in quoted scalar"),
    ];
    for (text, why) in cases {
        let found = Item::read("a", text).unwrap_err();
        // The words of the YAML parser are its own.
        let found = if found.starts_with("front matter, line") { "front matter, line" } else { &found };
        assert!(why.starts_with(found), "{text:?}: {found}");
    }
    let by_hand = item("by-hand", "---\nstate: open\nafter: a\n---\nDo it.\n");
    assert_eq!((by_hand.title.as_str(), by_hand.after), ("by-hand", vec!["a".to_owned()]));
}

#[test]
fn a_field_is_changed_in_its_place_and_nothing_else() {
    let text =
        "---\r\n# mine\r\nstate: open # so far\r\nafter:\r\n- a\r\n- b\r\nx-color: {r: 1}\r\n---\r\nBody\r\n";
    let old = item("i", text);
    let claimed = with_fields(text, &old.claimed("bd48", "2026-11-15T20:34:41.000Z")).unwrap();
    assert_eq!(
        claimed,
        "---\r\n# mine\r\nstate: pulled\r\nafter:\r\n- a\r\n- b\r\nx-color: {r: 1}\r\npulled: 2026-11-15T20:34:41.000Z\r\npulled-by: bd48\r\n---\r\nBody\r\n"
    );
    let back = with_fields(&claimed, &item("i", &claimed).opened()).unwrap();
    assert_eq!(back, text.replace("open # so far", "open"));
    let free = with_fields(text, &Item { after: Vec::new(), ..old.clone() }).unwrap();
    assert_eq!(free, text.replace("after:\r\n- a\r\n- b\r\n", ""));
    assert_eq!(with_fields(text, &old).unwrap(), text);
    let flow = "---\n{state: open}\n---\n";
    assert_eq!(
        with_fields(flow, &item("i", flow).opened().over(State::Done, "now", None)),
        Err(NotEdited::Stubborn)
    );
}

#[test]
fn sections_are_written_anew_and_what_was_typed_is_not() {
    let text = capture("idea").text();
    let given = "\n## Goal\nDark.\n\n### How\n- a\n\n## relevant files\n\n- `a.rs`\n";
    let found = sections(given).unwrap();
    let new = with_sections(&text, &found).unwrap();
    let expected = text
        .replace(
            "What the original fragment asks for; nothing of it is worked out yet.",
            "Dark.\n\n### How\n- a",
        )
        .replace("None known yet.", "- `a.rs`");
    assert_eq!(new, expected);
    assert_eq!(with_sections(&new, &found).unwrap(), expected);
    let refused = [
        ("plain text", NotEdited::NoHeading),
        ("", NotEdited::NoHeading),
        ("# Goal\nx", NotEdited::NoHeading),
        ("## Original fragment\nx", NotEdited::Fragment),
        ("## Gaol\nx", NotEdited::NoSection("Gaol".into())),
    ];
    for (given, why) in refused {
        assert_eq!(sections(given), Err(why), "{given:?}");
    }
    let bodies = [
        ("a\n## b", NotEdited::Heading),
        ("\r## b", NotEdited::Heading),
        ("---\n## b\n---", NotEdited::Heading),
        ("```\nopen", NotEdited::OpenFence),
        ("<!-- open", NotEdited::OpenFence),
    ];
    for (given, why) in bodies {
        assert_eq!(with_sections(&text, &[("Goal", given)]), Err(why), "{given:?}");
    }
    let by_hand = "---\nstate: open\n---\nDo it.";
    assert_eq!(
        with_sections(by_hand, &[("Goal", "x")]).unwrap(),
        "---\nstate: open\n---\nDo it.\n## Goal\n\nx\n\n"
    );
}

/// Id, state, and what comes before.
type Row = (&'static str, State, &'static [&'static str]);

fn queue(items: &[Row]) -> Queue {
    let entry = |(id, state, after): &Row| {
        let after: Vec<String> = after.iter().map(|&id| id.to_owned()).collect();
        let text = Capture { after: &after, ..capture("x") }
            .text()
            .replace("state: open", &format!("state: {}", state.as_str()));
        Entry { id: (*id).to_owned(), item: Item::read(id, &text) }
    };
    let mut entries: Vec<Entry> = items.iter().map(entry).collect();
    entries.push(Entry { id: "broken".into(), item: Err("no state".into()) });
    Queue::new(entries)
}

#[test]
fn the_oldest_free_item_is_next() {
    use State::{Done, Dropped, Open, Pulled};
    let cases: [(&[Row], Option<&str>); 9] = [
        (&[], None),
        (&[("b", Open, &[]), ("a", Open, &[])], Some("a")),
        (&[("a", Pulled, &[]), ("b", Open, &[])], Some("b")),
        (&[("a", Open, &["b"]), ("b", Open, &[])], Some("b")),
        (&[("a", Open, &["b"]), ("b", Done, &[])], Some("a")),
        (&[("a", Open, &["b"]), ("b", Dropped, &[])], None),
        (&[("a", Open, &["gone"])], None),
        (&[("a", Open, &["broken"])], None),
        (&[("a", Open, &["b"]), ("b", Open, &["c"]), ("c", Open, &["a"]), ("d", Open, &[])], Some("d")),
    ];
    for (items, expected) in cases {
        assert_eq!(queue(items).next().map(|item| item.id.as_str()), expected, "{items:?}");
    }
    let queue = queue(&[
        ("a", Open, &["b", "own", "gone", "broken", "x", "y"]),
        ("b", Open, &["c"]),
        ("c", Open, &["a"]),
        ("own", Open, &["own"]),
        ("x", Dropped, &[]),
        ("y", Pulled, &[]),
        ("z", Open, &["a"]),
    ]);
    let waits = |id: &str| -> Vec<String> {
        let item = queue.items().find(|item| item.id == id).unwrap();
        queue.waits(item).iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        waits("a"),
        [
            "after b, which waits for this one",
            "after own",
            "after gone, which is not in the queue",
            "after broken, which cannot be read",
            "after x, which was dropped",
            "after y",
        ]
    );
    assert_eq!(waits("own"), ["after own, which waits for this one"]);
    assert_eq!(waits("z"), ["after a"]);
}

#[test]
fn items_are_found_by_the_beginning_of_their_id() {
    let queue = queue(&[("ab", State::Open, &[]), ("abc", State::Done, &[]), ("d", State::Open, &[])]);
    let found = |word: &str| match queue.find(word) {
        FoundItem::One(entry) => entry.id.clone(),
        FoundItem::Several(ids) => ids.join("|"),
        FoundItem::None => "none".into(),
    };
    let cases = [
        ("ab", "ab"),
        ("abc", "abc"),
        ("a", "ab|abc"),
        ("d", "d"),
        ("br", "broken"),
        ("", "none"),
        ("x", "none"),
    ];
    for (word, expected) in cases {
        assert_eq!(found(word), expected, "{word:?}");
    }
}

/// Pieces that mean something to Markdown or YAML.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("```".to_owned()),
        Just("````".to_owned()),
        Just("~~~".to_owned()),
        Just("---".to_owned()),
        Just("\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("\r".to_owned()),
        Just("## Goal".to_owned()),
        Just("## Original fragment".to_owned()),
        Just("<!--".to_owned()),
        Just("> ".to_owned()),
        Just("  ".to_owned()),
        Just("state: done".to_owned()),
        Just("null".to_owned()),
        "(?s).{0,12}",
    ];
    proptest::collection::vec(piece, 1..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn any_fragment_comes_back_verbatim(typed in pieces(), branch in proptest::option::of("(?s).{1,12}"), file in pieces(), task in pieces()) {
        let capture = Capture { branch: branch.clone(), files: vec![file], task: Some(task), session: Some("s 1"), ..capture(&typed) };
        let text = capture.text();
        prop_assert_eq!(fragment(&text), Some(typed.as_str()));
        let read = Item::read("a", &text);
        prop_assert!(read.is_ok(), "{:?}: {}", read, text);
        let read = read.unwrap();
        prop_assert_eq!(&read.title, &title_of(&typed));
        // All of its life, and what was typed is as it was; opened again, so is every byte.
        let claimed = with_fields(&text, &read.claimed("somebody", "2026-11-15T20:34:41.000Z")).unwrap();
        prop_assert_eq!(body(&claimed), body(&text));
        let over = item("a", &claimed).over(State::Dropped, "2026-11-15T20:34:42.000Z", Some(&typed));
        let over = with_fields(&claimed, &over).unwrap();
        prop_assert_eq!(fragment(&over), Some(typed.as_str()));
        prop_assert_eq!(with_fields(&over, &item("a", &over).opened()).unwrap(), text);
    }

    #[test]
    fn no_section_takes_what_was_typed_away(typed in pieces(), given in pieces()) {
        let text = capture(&typed).text();
        if let Ok(new) = with_sections(&text, &[("Approach", &given)]) {
            prop_assert_eq!(fragment(&new), Some(typed.as_str()));
            prop_assert_eq!(Item::read("a", &new), Item::read("a", &text));
            prop_assert_eq!(section(&new, "Goal"), section(&text, "Goal"));
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in pieces()) {
        let front = format!("---\n{text}\n---\n{text}");
        for text in [&text, &front] {
            let _ = (body(text), fragment(text), section(text, "Goal"), sections(text), with_sections(text, &[("Goal", "x")]));
            if let Ok(item) = Item::read("a", text) {
                let _ = with_fields(text, &item.claimed("x", "y"));
            }
        }
    }
}
