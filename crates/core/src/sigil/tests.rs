use std::collections::BTreeMap;
use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use crate::standard::STANDARDS;

/// `3¶CMD_A` for a definition, `3§CMD_A` for a reference; definitions first.
fn shown(text: &str) -> Vec<String> {
    let defined = definitions(text).into_iter().map(|found| format!("{}¶{}", found.line, found.name));
    let referred = references(text).into_iter().map(|found| format!("{}§{}", found.line, found.name));
    defined.chain(referred).collect()
}

#[test]
fn sigils_in_code_are_mentions() {
    let cases: &[(&str, &[&str])] = &[
        ("**¶INV_A** by §CMD_B, (§FMT_2_C).", &["1¶INV_A", "1§CMD_B", "1§FMT_2_C"]),
        ("## PROOF FOR §CMD_X\n§CMD_Y", &["1§CMD_X", "2§CMD_Y"]),
        ("| ¶FEED_A: x | §TAG_B |", &["1¶FEED_A", "1§TAG_B"]),
        // No names: kinds alone, all of a kind, other words, sections of a book.
        ("¶CMD_ §CMD_… §CMD_* §CMD_{X} §CMD §Cmd_x §CMD_Ax §CMD_é §_A_B §1_A §A__B § CMD_A §7.2", &[]),
        ("__¶INV_A__ _§INV_B_ §INV_C_ §INV_D's §§INV_E", &["1¶INV_A", "1§INV_B", "1§INV_D", "1§INV_E"]),
        // Code.
        ("`§CMD_A` ``¶CMD_B ` `` §CMD_C", &["1§CMD_C"]),
        ("`one\n§CMD_A` §CMD_B\n\n` §CMD_C", &["2§CMD_B", "4§CMD_C"]),
        ("```\n¶CMD_A\n```\n> ~~~\n> §CMD_B\n> ~~~\n> §CMD_C", &["7§CMD_C"]),
        ("text:\n\n    §CMD_A\n    - §CMD_B\n\n\t§CMD_C\n\n§CMD_D\n    §CMD_E", &["8§CMD_D", "9§CMD_E"]),
        ("- a\n\n    §CMD_A\n\nb\n\n    §CMD_B", &["3§CMD_A"]),
        ("<!-- §CMD_A -->\n<!--\n¶CMD_B\n-->\n", &[]),
        // Steps stand in the front matter; nothing is defined there.
        ("---\nsteps: [\"§CMD_A\"]\nx: '`§CMD_B` ¶CMD_C'\n---\n§CMD_D", &["2§CMD_A", "5§CMD_D"]),
        ("\u{feff}---\r\nx: §CMD_A\r\n---\r\n¶CMD_B\r\n", &["4¶CMD_B", "2§CMD_A"]),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(text), *expected, "{text:?}");
    }
}

#[test]
fn what_a_definition_says() {
    let cases: &[(&str, &[&str])] = &[
        // A section, up to the next heading of its level or above.
        (
            "# T\n## ¶CMD_A: x\ntext\n\n### More\n```\n## no\n```\n## Next\n",
            &["## ¶CMD_A: x\ntext\n\n### More\n```\n## no\n```"],
        ),
        // An item with what is below it.
        (
            "* **¶INV_A** a\nlazy\n    * Rule: b\n\n      c\n      ```\n  d\n      ```\n* **¶INV_B** e\n\nf",
            &["* **¶INV_A** a\nlazy\n    * Rule: b\n\n      c\n      ```\n  d\n      ```", "* **¶INV_B** e"],
        ),
        ("- a\n  - ¶INV_A b\n    c\n  - d\n", &["- ¶INV_A b\n    c"]),
        ("> 1. ¶INV_A b\n>    c\n> 2. d\n\n   e", &["> 1. ¶INV_A b\n>    c"]),
        ("- ¶INV_A a, ¶INV_B b\n  - c\n- d", &["- ¶INV_A a,", "¶INV_B b\n  - c"]),
        // A row.
        ("| a |\n| --- |\n| ¶FEED_A | x |\n| ¶FEED_B |\n", &["| ¶FEED_A | x |", "| ¶FEED_B |"]),
        // A paragraph, or its part.
        ("a\n\nSee: **¶CMD_A** b\nc. **¶CMD_B** d\n\ne", &["See: **¶CMD_A** b\nc.", "**¶CMD_B** d"]),
        // The code that it announces.
        ("¶CMD_A a:\n\n    b\n\n    c\n\nd\n", &["¶CMD_A a:\n\n    b\n\n    c"]),
        ("¶CMD_A a:\n```\nb\n```\nd\n", &["¶CMD_A a:\n```\nb\n```"]),
        ("¶CMD_A a:\n\n~~~\nb\n~~~", &["¶CMD_A a:\n\n~~~\nb\n~~~"]),
        ("¶CMD_A a.\n\n    b\n", &["¶CMD_A a."]),
        ("¶CMD_A a:\n\nb\n", &["¶CMD_A a:"]),
        ("¶CMD_A a:", &["¶CMD_A a:"]),
        ("¶CMD_A a: ¶CMD_B b:\r\n\r\n    c\r\n", &["¶CMD_A a:", "¶CMD_B b:\r\n\r\n    c"]),
    ];
    for (text, expected) in cases {
        let bodies: Vec<&str> = definitions(text).iter().map(|found| found.body).collect();
        assert_eq!(bodies, *expected, "{text:?}");
    }
}

#[test]
fn names_and_what_is_typed() {
    for (word, expected) in
        [("CMD_A", true), ("A1_2_B", true), ("CMD", false), ("CMD_", false), ("_A", false), ("1_A", false)]
    {
        assert_eq!(is_name(word), expected, "{word}");
    }
    assert_eq!((typed("§cmd_log"), kind("CMD_A_B")), ("CMD_LOG".to_owned(), "CMD"));
}

fn resolved(text: &str, documents: &[(&str, &str)]) -> String {
    let mut asked = Vec::new();
    let resolution = resolve(text, &mut |name| {
        asked.push(name.to_owned());
        Texts::new(documents.iter().copied()).find(name)
    });
    let count = asked.len();
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len(), count, "each name once");
    let found =
        resolution.resolved.iter().map(|(name, found)| format!("{name} {} {}\n", found.place, found.text));
    found.collect::<String>() + &format!("open: {}", resolution.unresolved.join(" "))
}

#[test]
fn references_are_followed_once() {
    let documents = [
        ("a.md", "¶CMD_A uses §CMD_B and §CMD_A.\n\n¶CMD_B goes back to §CMD_A, §INV_GONE.\n"),
        ("b.md", "¶CMD_A of b\n\n- ¶INV_C §CMD_B\n  - ¶INV_D\n"),
    ];
    insta::assert_snapshot!(resolved("§INV_C §CMD_A §CMD_A `§INV_X` §INV_D", &documents), @"
    INV_C b.md:3 - ¶INV_C §CMD_B
      - ¶INV_D
    CMD_A a.md:1 ¶CMD_A uses §CMD_B and §CMD_A.
    CMD_B a.md:3 ¶CMD_B goes back to §CMD_A, §INV_GONE.
    open: INV_GONE
    ");
    insta::assert_snapshot!(resolved("¶CMD_A here, §CMD_A, §CMD_B", &documents), @"
    CMD_B a.md:3 ¶CMD_B goes back to §CMD_A, §INV_GONE.
    open: INV_GONE
    ");
    assert_eq!(resolved("nothing", &documents), "open: ");
}

#[test]
fn the_standards_resolve_among_themselves() {
    let documents = STANDARDS.map(|standard| (standard.name, standard.text));
    insta::assert_snapshot!(resolved("§CMD_MODE, §FEED_ALERT", &documents), @"
    CMD_MODE COMMANDS:7 **¶CMD_MODE** If none is set, one question (§CMD_ASK): the skill's three modes and custom. The file of the chosen one is read. Custom: all three are read, then mixed by what the user says.
    FEED_ALERT SIGILS:12 | ¶FEED_ALERT | active-alert → done-alert |
    CMD_ASK COMMANDS:20 **¶CMD_ASK** What only the user can decide: AskUserQuestion, by §INV_QUESTION_TOOL. Where that tool is not offered: in the text, and the turn ends.
    INV_QUESTION_TOOL INVARIANTS:12 - **¶INV_QUESTION_TOOL** Two or more choices, a gate, a confirmation: AskUserQuestion, in a skill or out of it. A list in chat that waits for an answer becomes one.
    open:
    ");
    let body = |name: &str| Texts::new(documents).find(name).unwrap().text;
    assert!(body("CMD_LOG").ends_with("\n    EOF") && body("CMD_DEHYDRATE").ends_with("--next …`."));
    assert!(body("CMD_CONTINUE").starts_with("**¶CMD_CONTINUE** After"));
}

fn document(path: &str, home: Home, text: &str) -> Document {
    Document { path: path.to_owned(), text: text.to_owned(), homes: vec![home], asked: true }
}

fn checked(documents: &[Document]) -> String {
    let index = Index::new(documents);
    let mut out = String::new();
    for open in index.unresolved() {
        out.push_str(&format!("{}:{} §{}\n", open.document.path, open.line, open.name));
    }
    for duplicate in index.duplicates() {
        let places: Vec<String> = duplicate.definitions.iter().map(|defined| defined.place()).collect();
        out.push_str(&format!("¶{} {}\n", duplicate.name, places.join(" ")));
    }
    let orphans: Vec<&str> = index.orphans().map(|orphan| orphan.name).collect();
    out + &format!("orphans: {}", orphans.join(" "))
}

#[test]
fn who_sees_what() {
    let folder = |path: &str| Home::Folder(PathBuf::from(path));
    let skill = |folder: &str| Home::Own { folder: PathBuf::from(folder), from: PathBuf::from("/p") };
    let check = |documents: &[(&str, Home, &str)]| {
        checked(
            &documents
                .iter()
                .map(|(path, home, text)| document(path, home.clone(), text))
                .collect::<Vec<_>>(),
        )
    };
    // Up, not down, not sideways.
    insta::assert_snapshot!(check(&[
        ("root", folder("/p"), "¶INV_R\n\n§INV_A §INV_P §CMD_S"),
        ("a", folder("/p/a"), "¶INV_A\n\n§INV_R §INV_B §INV_P §CMD_S"),
        ("b", folder("/p/ab"), "¶INV_B\n\n§INV_A"),
        ("me", Home::Person, "¶INV_P\n\n§INV_R §CMD_S"),
        ("std", Home::Standard, "¶CMD_S ¶CMD_T\n\n§INV_P"),
        ("skill", skill("/p/s"), "¶INV_S\n\n§INV_R §INV_A §INV_P §CMD_S"),
        ("mode", skill("/p/s"), "§INV_S"),
        ("other", skill("/p/o"), "§INV_S"),
    ]), @"
    root:3 §INV_A
    a:3 §INV_B
    b:3 §INV_A
    me:3 §INV_R
    std:3 §INV_P
    skill:3 §INV_A
    other:1 §INV_S
    orphans: INV_A INV_B
    ");
    // Twice in two branches, or where nobody sees both, is no trouble.
    insta::assert_snapshot!(check(&[
        ("root", folder("/p"), "¶INV_X §INV_X"),
        ("a", folder("/p/a"), "¶INV_X"),
        ("b", folder("/p/b"), "¶INV_X"),
        ("s", skill("/p/s"), "¶INV_Y §INV_Y"),
        ("t", skill("/p/t"), "¶INV_Y §INV_Y"),
    ]), @"orphans: INV_X INV_X");
    insta::assert_snapshot!(check(&[
        ("root", folder("/p"), "¶INV_X ¶INV_Z"),
        ("a", folder("/p/a"), "¶INV_X §INV_X ¶INV_Z"),
        ("b", folder("/p/b"), "¶INV_X §INV_X"),
        ("c", folder("/p/b"), "¶INV_Y"),
        ("d", folder("/p/b"), "¶INV_Y\n\n¶INV_Y"),
        ("std", Home::Standard, "¶CMD_A §CMD_A"),
        ("s", skill("/p/s"), "¶CMD_A §CMD_A"),
    ]), @"
    ¶CMD_A std:1 s:1
    ¶INV_X root:1 a:1 b:1
    ¶INV_Y c:1 d:1 d:3
    orphans: INV_Y INV_Y INV_Y INV_Z INV_Z
    ");
}

#[test]
fn only_what_is_asked_for_is_told() {
    let mut documents = [
        document("a", Home::Person, "¶INV_A §INV_B"),
        document("b", Home::Folder(PathBuf::new()), "¶INV_A §INV_C ¶INV_D"),
    ];
    // A file that links bring to two places is one.
    documents[0].homes.push(Home::Folder(PathBuf::new()));
    assert_eq!(checked(&documents[..1]), "a:1 §INV_B\norphans: INV_A");
    documents[0].homes.pop();
    documents[0].asked = false;
    assert_eq!(checked(&documents), "b:1 §INV_C\norphans: INV_A INV_D");
    documents[1].text.push_str(" §INV_A");
    assert_eq!(checked(&documents), "b:1 §INV_C\n¶INV_A a:1 b:1\norphans: INV_D");
    let index = Index::new(&documents);
    assert_eq!((index.nearest("INV_AB"), index.nearest("XYZ_Q")), (vec!["INV_A", "INV_D"], vec![]));
}

fn texts() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "¶INV_A", "§INV_A", "§CMD_B", "¶", "§", "_", "CMD_", "`", "```", "\n", "\n\n", "\r\n", "    ", "\t",
        "- ", "1. ", "# ", "## ", "> ", "| ", ":", "**", "é", "\u{feff}", "---\n", "<!--", "-->", "\\",
        "~~~", " ",
    ]);
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_body_is_a_part_of_the_text_that_holds_its_name(text in texts()) {
        for found in definitions(&text) {
            let start = found.body.as_ptr() as usize - text.as_ptr() as usize;
            prop_assert_eq!(&text[start..start + found.body.len()], found.body);
            prop_assert!(found.body.contains(&format!("¶{}", found.name)), "{:?}", found);
            let line = text.split('\n').nth(found.line - 1).unwrap();
            prop_assert!(line.contains(&format!("¶{}", found.name)), "{:?}", found);
        }
        for found in references(&text) {
            let line = text.split('\n').nth(found.line - 1).unwrap();
            prop_assert!(line.contains(&format!("§{}", found.name)), "{:?}", found);
        }
    }

    #[test]
    fn resolving_ends_and_finds_all_that_can_be_reached(
        edges in prop::collection::vec((0u8..8, 0u8..10), 0..40), starts in prop::collection::vec(0u8..10, 0..4)
    ) {
        let mut texts: BTreeMap<u8, String> = (0..8).map(|node| (node, format!("¶N_{node}"))).collect();
        for (from, to) in &edges {
            texts.get_mut(from).unwrap().push_str(&format!(" §N_{to}"));
        }
        let text = starts.iter().map(|node| format!("§N_{node} ")).collect::<Vec<_>>().concat();
        let documents: Vec<(&str, &str)> = texts.values().map(|text| ("x", text.as_str())).collect();
        let resolution = resolve(&text, &mut |name| Texts::new(documents.iter().copied()).find(name));
        let mut reached: Vec<u8> = starts.clone();
        reached.dedup();
        let mut at = 0;
        while at < reached.len() {
            let next: Vec<u8> = edges.iter().filter(|(from, _)| *from == reached[at]).map(|(_, to)| *to).collect();
            reached.extend(next.into_iter().filter(|to| !reached.contains(to)).collect::<Vec<_>>());
            at += 1;
        }
        reached.sort_unstable();
        reached.dedup();
        let mut names: Vec<String> = resolution.resolved.into_iter().map(|(name, _)| name).collect();
        prop_assert!(names.iter().all(|name| name.as_str() < "N_8"));
        names.extend(resolution.unresolved);
        names.sort();
        prop_assert_eq!(names, reached.iter().map(|node| format!("N_{node}")).collect::<Vec<_>>());
    }
}
