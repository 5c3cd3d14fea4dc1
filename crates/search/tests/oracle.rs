//! The scanner by which Markdown is edited (`engine_text::markdown::Lines`) against a real parser: both find the same headings and the
//! same closed fences. It is here because this crate has the parser, and because the pure crates read no file, even in tests.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use engine_text::markdown::Lines;
use proptest::prelude::*;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

/// `heading LINE LEVEL` and `fence LINE INFO`, with lines counted from 1.
type Found = BTreeSet<String>;

fn by_scanner(text: &str) -> Found {
    let lines = Lines::new(text);
    let headings = (0..lines.all.len()).filter_map(|at| Some((at, lines.heading(at)?.0)));
    let mut found: Found = headings.map(|(at, level)| format!("heading {} {level}", at + 1)).collect();
    found.extend(lines.blocks.iter().map(|block| format!("fence {} {}", block.lines.start, block.info)));
    found
}

/// Without what the scanner does not look for, on purpose: headings that are underlined, and headings behind the mark of a list or a
/// quote. A fence that is not closed is reported as such by the scanner, and ends with the text for the parser.
fn by_parser(text: &str) -> Found {
    let mut found = Found::new();
    for (event, range) in Parser::new_ext(text, Options::ENABLE_YAML_STYLE_METADATA_BLOCKS).into_offset_iter()
    {
        let line = text[..range.start].matches('\n').count() + 1;
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let start = text[..range.start].rfind('\n').map_or(0, |newline| newline + 1);
                let is_behind_mark = !text[start..range.start].trim_start_matches(' ').is_empty();
                if text[range].starts_with('#') && !is_behind_mark {
                    found.insert(format!("heading {line} {}", level as usize));
                }
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let block = text[range.clone()].trim_end();
                let mark: String = block.chars().take_while(|c| matches!(c, '`' | '~')).collect();
                let before = &text[..text.len() - text[range.start..].len()];
                let is_quoted = before.rsplit('\n').next().unwrap_or_default().contains('>');
                let is_before = |c: char| c == ' ' || (is_quoted && c == '>');
                let last = block.lines().last().unwrap_or_default().trim_start_matches(is_before);
                if block.lines().count() > 1
                    && last.starts_with(&mark)
                    && last.trim_start_matches(&mark[..1]).is_empty()
                {
                    found.insert(format!("fence {line} {}", info.trim()));
                }
            }
            _ => {}
        }
    }
    found
}

/// What only one of the two found.
fn differences(text: &str) -> Vec<String> {
    let (scanner, parser) = (by_scanner(text), by_parser(text));
    let only = |who: &str, one: &Found, other: &Found| {
        one.difference(other).map(|what| format!("{who}: {what}")).collect::<Vec<_>>()
    };
    [only("scanner", &scanner, &parser), only("parser", &parser, &scanner)].concat()
}

#[test]
fn the_pages_of_this_repository_are_read_alike() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new("git").args(["ls-files", "-z", "*.md"]).current_dir(&root).output().unwrap();
    let names = String::from_utf8(output.stdout).unwrap();
    let mut found = Vec::new();
    let mut pages = 0;
    for name in names.split('\0').filter(|name| !name.is_empty()) {
        let Ok(text) = fs::read_to_string(root.join(name)) else { continue };
        pages += 1;
        found.extend(differences(&text).into_iter().map(|difference| format!("{name}: {difference}")));
    }
    assert!(pages > 100 || names.is_empty(), "only {pages} pages");
    assert_eq!(found, [""; 0]);
}

/// Each difference that is meant, with its reason.
#[test]
fn what_differs_is_known() {
    for (text, wanted, _reason) in [
        ("#\n", &["parser: heading 1 1"][..], "a heading without a text names no section"),
        (
            "    ```\n    x\n    ```\n",
            &["scanner: fence 1 "],
            "behind a tab or four blanks a fence may be in an item",
        ),
        ("<div>\n# x\n</div>\n", &["scanner: heading 2 1"], "HTML besides comments is text for the scanner"),
        ("x\n---\n", &[], "underlined headings are looked for by neither"),
    ] {
        assert_eq!(differences(text), wanted, "{text:?}");
    }
}

/// What generated pages have shown: blanks before a fence do not put it into an item, and an item ends with its list.
#[test]
fn only_the_fence_of_an_item_ends_with_it() {
    for (text, headings) in [
        ("  ```\ncode\n# no\n  ```\n# yes\n", &["heading 5 1"][..]),
        ("- item\n  ```\n  code\n# yes\n", &["heading 4 1"]),
        ("- item\n````\n````\n  ```\n# no\n", &[]),
        ("- item\n  ```\n> quote\n  ```\n# no\n", &[]),
    ] {
        let found = by_scanner(text);
        let found: Vec<&String> = found.iter().filter(|what| what.starts_with("heading")).collect();
        assert_eq!(found, headings, "{text:?}");
        assert_eq!(differences(text), [""; 0], "{text:?}");
    }
}

proptest! {
    #[test]
    fn generated_pages_are_read_alike(
        text in "((#{1,6} [a-z]{1,5}|[a-z ]{1,9}|- [a-z]{1,4}|```[a-z]{0,3}|~~~|````|> [a-z]{1,4}|#[a-z]{1,3}|#{7} x|<!-- [a-z]{1,3}|<!-- x -->|-->| {1,3}# x|  ```|> ```|\t# x|# x #|)\n){0,20}"
    ) {
        prop_assert_eq!(differences(&text), Vec::<String>::new(), "{}", text);
    }
}
