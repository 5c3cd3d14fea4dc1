use proptest::prelude::*;

use super::*;
use crate::config::{Assignment, Config, Layer, Value};

fn tags(text: &str) -> Vec<String> {
    let shown =
        |found: FoundTag<'_>| format!("{}{}{}", found.line, if found.of_file { "*" } else { " " }, found.tag);
    bare(text).into_iter().map(shown).collect()
}

#[test]
fn tags_in_code_are_mentions() {
    let cases: &[(&str, &[&str])] = &[
        ("#needs-review and `#needs-fix` or (#done-x)", &["1 #needs-review", "1 #done-x"]),
        ("a#b http://x/#c ## Head #1 `open #d", &["1 #d"]),
        ("``a ` #x`` #y", &["1 #y"]),
        ("`a `` #x` #y", &["1 #y"]),
        ("#foo_bar #fooé #a#b &#x27; [x](#top) \\#x #a/b", &["1 #a"]),
        ("\\`#x` \\` #y `", &["1 #y"]),
        ("# Head #a\n#b", &["1 #a", "2 #b"]),
        // A span goes on in its paragraph, and no further.
        ("`one\n#two` #b", &["2 #b"]),
        ("`one\n\n#two`", &[]),
        ("`one\n\n#two `", &["3 #two"]),
        ("- `one\n- #two `\n1. `\n2) #b `", &["2 #two", "4 #b"]),
        ("> `one\n#two `", &["2 #two"]),
        ("| `a |\n| #b ` |", &["2 #b"]),
        ("## `a\n#b `", &["2 #b"]),
        ("`a\n---\n#b `", &["3 #b"]),
        ("```\n#a\n```\n~~~ x\n#b\n~~~\n#c", &["7 #c"]),
        // Fences in quotes, and what ends them.
        ("> ```\n> #a\n> ```\n> #b", &["4 #b"]),
        ("> > ```\n> > #a\n> > ```\n> #b", &["4 #b"]),
        ("> ```\n> #a\n#b\n> #c", &["3 #b", "4 #c"]),
        ("```\n> ```\n#a\n```\n#b", &["5 #b"]),
        (">```\n>#a\n>```\n#b", &["4 #b"]),
        ("<!-- #a -->\n<!--\n#b\n-->\n---\n#c", &["6 #c"]),
        ("---\nx: #a\n---\n#b", &["4 #b"]),
        // The line of the file's tags.
        ("# T\n\n**Tags**: #a `#b` #c\n#d\n**Tags**: #e", &["3*#a", "3*#c", "4 #d", "5 #e"]),
        ("# T\n## X\n**Tags**: #a", &["3 #a"]),
        ("**Tags**: #a\r\n\r\ntext", &["1*#a"]),
        ("\u{feff}**Tags**: #a", &["1*#a"]),
        ("## X\n**Tags**: #a", &["2 #a"]),
        ("# T `\n**Tags**: #a\n`", &["2*#a"]),
        ("```\n**Tags**: #a\n```\n", &[]),
        // Indented code; below a list item four blanks are its text.
        ("#a\n\n    #b\n\n    `#c`\n#d", &["1 #a", "6 #d"]),
        ("#a\n    #b", &["1 #a", "2 #b"]),
        ("- #a\n\n    #b\n\n      #c", &["1 #a", "3 #b"]),
        ("# T\n\n    **Tags**: #a\n\n#b", &["5 #b"]),
        ("**Tags**: #a\n    #b\n#c", &["1*#a", "3 #c"]),
    ];
    for (text, expected) in cases {
        assert_eq!(tags(text), *expected, "{text:?}");
    }
}

#[test]
fn words_and_patterns() {
    for (word, tag, pattern) in [
        ("#a", true, true),
        ("#needs-review", true, true),
        ("#P0", true, true),
        ("#needs-*", false, true),
        ("#*", false, true),
        ("#*-review", false, true),
        ("a", false, false),
        ("#", false, false),
        ("#1", false, false),
        ("#a b", false, false),
        ("#a_b", false, false),
        ("", false, false),
    ] {
        assert_eq!((is_tag(word), is_pattern(word)), (tag, pattern), "{word}");
    }
    assert!(fits("#needs-*", "#needs-review") && !fits("#needs-*", "#done-review"));
    assert!(fits("#needs-review", "#needs-review") && !fits("#needs-review", "#needs-review-later"));
    assert!(fits("#*-review", "#done-review") && fits("#*", "#x"));
    let found: Vec<&str> =
        find("#needs-*", "#needs-a `#needs-b` #done-c").iter().map(|found| found.tag).collect();
    assert_eq!(found, ["#needs-a"]);
}

#[test]
fn adding_makes_the_line_below_the_title() {
    let cases = [
        ("", "**Tags**: #x\n"),
        ("# T\n\ntext\n", "# T\n**Tags**: #x\n\ntext\n"),
        ("# T", "# T\n**Tags**: #x"),
        ("\u{feff}# T\r\n\r\ntext", "\u{feff}# T\r\n**Tags**: #x\r\n\r\ntext"),
        ("# T\n**Tags**: #a  \ntext", "# T\n**Tags**: #a #x  \ntext"),
        ("# T\n**Tags**:\n", "# T\n**Tags**: #x\n"),
        ("# T\n**Tags**: `#x`\n", "# T\n**Tags**: `#x` #x\n"),
        ("# T\n**Tags**: #x-later\n", "# T\n**Tags**: #x-later #x\n"),
        ("text #x\n", "**Tags**: #x\n\ntext #x\n"),
        ("\n## A\n", "**Tags**: #x\n\n## A\n"),
        ("\u{feff}text", "\u{feff}**Tags**: #x\n\ntext"),
        ("---\na: b\n---\n# T\n", "---\na: b\n---\n# T\n**Tags**: #x\n"),
        ("---\na: b\n---\ntext\n", "---\na: b\n---\n**Tags**: #x\n\ntext\n"),
        ("---\na: b\n---", "---\na: b\n---\n**Tags**: #x\n"),
        ("```\n# no\n```\n", "**Tags**: #x\n\n```\n# no\n```\n"),
    ];
    for (text, expected) in cases {
        let new = add(text, "#x").unwrap();
        assert_eq!(new, expected, "{text:?}");
        assert_eq!(add(&new, "#x"), None, "{text:?}");
    }
}

#[test]
fn removing_takes_the_tag_and_its_blank() {
    let cases = [
        ("# T\n**Tags**: #x #a #b\n#x", None, Some("# T\n**Tags**: #a #b\n#x")),
        ("**Tags**: #a #x\r\n", None, Some("**Tags**: #a\r\n")),
        ("**Tags**: #x #a #x", None, Some("**Tags**: #a")),
        ("**Tags**: #x-later `#x`\n#x", None, None),
        ("# T\nfix #x now", Some(2), Some("# T\nfix now")),
        ("# T\n#x now #x", Some(2), Some("# T\nnow")),
        ("# T\n#x now", Some(1), None),
    ];
    for (text, line, expected) in cases {
        assert_eq!(remove(text, "#x", line).as_deref(), expected, "{text:?}");
    }
}

#[test]
fn swapping_replaces_whole_tags() {
    let cases = [
        ("**Tags**: #x-later #x #b\n#x", None, Ok("**Tags**: #x-later #y #b\n#x")),
        ("**Tags**: #x #y", None, Ok("**Tags**: #y")),
        ("**Tags**: #x #b #x", None, Ok("**Tags**: #y #b")),
        ("# T\nfix #x now", None, Ok("# T\nfix #y now")),
        ("#x\n\n#x", None, Err(NotSwapped::Several(vec![1, 3]))),
        ("#x\n\n#x", Some(3), Ok("#x\n\n#y")),
        ("#x\n\n#x", Some(2), Err(NotSwapped::Absent)),
        ("#x, #y, #x\n", Some(1), Ok("#y, #y, #y\n")),
        ("`#x` #x-later", None, Err(NotSwapped::Absent)),
        ("**Tags**: #x\n\n#x\r\n", Some(3), Ok("**Tags**: #x\n\n#y\r\n")),
    ];
    for (text, line, expected) in cases {
        assert_eq!(swap(text, "#x", "#y", line), expected.map(str::to_owned), "{text:?}");
    }
}

#[test]
fn escaping_leaves_marks_and_the_line_of_tags() {
    let cases = [
        ("**Tags**: #needs-x\n\n#needs-x #P1 #foo", "**Tags**: #needs-x\n\n`#needs-x` #P1 #foo"),
        ("a ` b #done-x", "a ` b ``#done-x``"),
        ("``\n` #next-x\r\n", "``\n` ```#next-x```\r\n"),
        ("`a` #next-x ``", "`a` `#next-x` ``"),
        ("`#needs-x`\n```\n#needs-x\n```\n", "`#needs-x`\n```\n#needs-x\n```\n"),
        ("#active-alert\n", "`#active-alert`\n"),
    ];
    for (text, expected) in cases {
        assert_eq!(escape(text, &Feeds::default()).text, expected, "{text:?}");
    }
    let escaped = escape("# T\n#needs-a #needs-b\n", &Feeds::default());
    let line =
        EscapedLine { line: 2, before: "#needs-a #needs-b".into(), after: "`#needs-a` `#needs-b`".into() };
    assert_eq!(escaped.lines, [line]);
}

fn configured(transitions: &[&str]) -> Config {
    let items = transitions.iter().map(|&item| item.to_owned()).collect();
    let set = Assignment {
        name: TRANSITIONS.name.into(),
        value: Value::List(items),
        layer: Layer::Project,
        line: 1,
    };
    Config::new(vec![set], Vec::new())
}

#[test]
fn legal_transitions() {
    let config = configured(&["#needs-* > #parked-*", "#draft > #final"]);
    let feeds = Feeds::new(&config);
    let cases: &[(&str, &[&str])] = &[
        ("#needs-fix", &["#delegated-fix", "#next-fix", "#done-fix", "#parked-fix"]),
        ("#delegated-fix", &["#claimed-fix"]),
        ("#next-fix", &["#claimed-fix"]),
        ("#claimed-fix", &["#done-fix", "#needs-fix"]),
        ("#done-fix", &[]),
        ("#needs-review", &["#done-review", "#needs-rework", "#parked-review"]),
        ("#needs-rework", &["#needs-review", "#parked-rework"]),
        ("#done-review", &[]),
        ("#active-alert", &["#done-alert"]),
        ("#done-alert", &[]),
        ("#P2", &["#P0", "#P1"]),
        ("#S", &["#M", "#L"]),
        ("#draft", &["#final"]),
        ("#needs-", &[]),
        ("#foo", &[]),
    ];
    for (from, expected) in cases {
        assert_eq!(feeds.legal_from(from), *expected, "{from}");
        assert!(expected.iter().all(|to| feeds.is_legal(from, to)), "{from}");
    }
    for (from, to, expected) in [
        ("#needs-fix", "#done-research", false),
        ("#needs-fix", "#claimed-fix", false),
        ("#done-fix", "#needs-fix", false),
        ("#needs-fix", "#foo", false),
        ("#foo", "#needs-fix", false),
        ("#foo", "#bar", true),
        ("#final", "#foo", false),
        ("#P1", "#S", false),
    ] {
        assert_eq!(feeds.is_legal(from, to), expected, "{from} {to}");
    }
    for (tag, persons, lifecycle) in [
        ("#delegated-fix", true, true),
        ("#next-fix", true, true),
        ("#claimed-fix", false, true),
        ("#parked-fix", false, true),
        ("#next", false, false),
        ("#P1", false, false),
        ("#foo", false, false),
    ] {
        assert_eq!((is_persons(tag), feeds.is_lifecycle(tag)), (persons, lifecycle), "{tag}");
    }
}

/// The agent reads the standard, the command the table: both say the same.
#[test]
fn the_standard_names_the_steps_of_each_feed() {
    let sigils = crate::standard::find("SIGILS").unwrap().text;
    for feed in FEEDS.iter().filter(|feed| feed.is_lifecycle) {
        let lead = format!("| ¶FEED_{}", feed.name.to_uppercase());
        let row = sigils.lines().find(|line| line.starts_with(&lead)).unwrap_or_else(|| panic!("no {lead}"));
        let mut told: Vec<(&str, &str)> = Vec::new();
        for path in row.split('|').nth(2).unwrap().split(';') {
            let stages: Vec<&str> = path.split('→').map(str::trim).collect();
            for pair in stages.windows(2) {
                // "a → b or c", "b → a gives it back"
                let ends = pair[1].split(" or ").filter_map(|end| end.split(' ').next());
                told.extend(ends.map(|end| (pair[0], end)));
            }
        }
        let stage = |tag: &'static str| tag.trim_start_matches('#').trim_end_matches("-*");
        let mut steps: Vec<(&str, &str)> =
            feed.steps.iter().map(|(from, to)| (stage(from), stage(to))).collect();
        steps.sort_unstable();
        told.sort_unstable();
        told.dedup();
        assert_eq!(told, steps, "{}", feed.name);
    }
}

/// Texts full of what matters to tags.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "#x",
        "#needs-x",
        "#done-x",
        "#needs-x-later",
        "# T",
        "## U",
        "**Tags**:",
        "**Tags**: #x",
        "`",
        "``",
        "```",
        "\n",
        "\n",
        "\r\n",
        "\n\n",
        " ",
        " ",
        "> ",
        "- ",
        "| ",
        "---",
        "\\",
        "<!--",
        "-->",
        "a",
        "é",
        "#",
        "_",
        "(",
        "](",
        "    ",
        "1. ",
        "~~~",
        "===",
    ]);
    let body = prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat());
    (any::<bool>(), body).prop_map(|(mark, body)| if mark { format!("\u{feff}{body}") } else { body })
}

/// What stands between the bytes that both texts begin and end with.
fn between<'a>(old: &'a str, new: &'a str) -> (&'a str, &'a str) {
    let same = |(a, b): &(char, char)| a == b;
    let head: usize = old.chars().zip(new.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (old, new) = (&old[head..], &new[head..]);
    let tail: usize =
        old.chars().rev().zip(new.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    (&old[..old.len() - tail], &new[..new.len() - tail])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn adding_only_inserts(text in texts()) {
        let Some(new) = add(&text, "#new") else { panic!("it was not there: {text:?}") };
        let (lost, inserted) = between(&text, &new);
        prop_assert_eq!(lost, "");
        let rest = inserted.replace(LEAD, "").replace("#new", "");
        prop_assert!(new.contains("#new") && rest.trim().chars().all(|c| "#new*Tags:".contains(c)), "{inserted:?}");
        prop_assert_eq!(add(&new, "#new"), None, "{:?}", new);
        let others = |text: &str| -> Vec<String> {
            bare(text).into_iter().map(|found| found.tag.to_owned()).filter(|tag| tag != "#new").collect()
        };
        prop_assert_eq!(others(&text), others(&new), "{:?}", new);
    }

    #[test]
    fn removing_only_removes(text in texts()) {
        let count = |text: &str| bare(text).iter().filter(|found| found.of_file && found.tag == "#x").count();
        match remove(&text, "#x", None) {
            None => prop_assert_eq!(count(&text), 0),
            Some(new) => {
                prop_assert_eq!(count(&new), 0, "{:?}", new);
                let kept = |text: &str| text.replace("#x", "").replace([' ', '\t'], "");
                // Other mentions of the tag stay, too.
                let gone = text.matches("#x").count() - new.matches("#x").count();
                prop_assert_eq!(gone, count(&text));
                prop_assert_eq!(kept(&text), kept(&new));
            }
        }
    }

    #[test]
    fn swapping_changes_one_tag(text in texts()) {
        if let Ok(new) = swap(&text, "#x", "#brand-new", None) {
            let places = bare(&text);
            let mut olds = places.iter().filter(|found| found.tag == "#x");
            let first = olds.clone().find(|found| found.of_file).or_else(|| olds.next()).unwrap();
            let head = format!("{}#brand-new", &text[..first.range.start]);
            prop_assert!(new.starts_with(&head));
            let once = bare(&text).iter().filter(|found| found.of_file && found.tag == "#x").count() < 2;
            prop_assert!(!once || new.ends_with(&text[first.range.end..]));
            prop_assert_eq!(bare(&new).iter().filter(|found| found.tag == "#brand-new").count(), 1);
        }
    }

    #[test]
    fn escaping_hides_and_shows_nothing_new(text in texts()) {
        let feeds = Feeds::default();
        let left: Vec<String> = bare(&text)
            .into_iter()
            .filter(|found| found.of_file || !feeds.is_lifecycle(found.tag))
            .map(|found| found.tag.to_owned())
            .collect();
        let new = escape(&text, &feeds).text;
        let now: Vec<String> = bare(&new).into_iter().map(|found| found.tag.to_owned()).collect();
        prop_assert_eq!(left, now, "{:?}", new);
        prop_assert_eq!(text.replace('`', ""), new.replace('`', ""));
        prop_assert_eq!(&escape(&new, &feeds).text, &new);
    }
}
