use proptest::prelude::*;

use super::*;

/// Each chunk as `line-end title | body`.
fn shown(text: &str) -> Vec<String> {
    let line = |chunk: Chunk| {
        format!("{}-{} {} | {}", chunk.line, chunk.end_line, chunk.title, chunk.body.replace('\n', "\\n"))
    };
    cut(text, "a.md").into_iter().map(line).collect()
}

#[test]
fn sections_become_chunks() {
    for (text, wanted) in [
        ("", &[][..]),
        ("\n \n", &[]),
        ("just text\n", &["1-1 a.md | just text"]),
        (
            "before\n\n# One\n\ntext\n\n## Two\nmore\n",
            &[
                "1-1 a.md | before",
                "3-5 a.md > One | # One\\n\\ntext",
                "7-8 a.md > One > Two | ## Two\\nmore",
            ],
        ),
        // A heading without a text begins the section below it.
        ("# One\n\n## Two\n\ntext\n", &["1-5 a.md > One > Two | # One\\n\\n## Two\\n\\ntext"]),
        ("# One\n# Two\nx", &["1-1 a.md > One | # One", "2-3 a.md > Two | # Two\\nx"]),
        // Setext.
        (
            "One\n===\ntext\n\nTwo\n---\nmore",
            &["1-3 a.md > One | One\\n===\\ntext", "5-7 a.md > One > Two | Two\\n---\\nmore"],
        ),
        // Fences, comments, quotes, items, deep headings: none begins a section.
        (
            "# A\n```\n# no\n```\n~~~ sh\n# no\n~~~\n",
            &["1-7 a.md > A | # A\\n```\\n# no\\n```\\n~~~ sh\\n# no\\n~~~"],
        ),
        (
            "# A\n<!--\n# no\n-->\n> # no\n\n- # no\n\n##### deep\n",
            &["1-9 a.md > A | # A\\n<!--\\n# no\\n-->\\n> # no\\n\\n- # no\\n\\n##### deep"],
        ),
        ("# A `code` *b* ##\nx", &["1-2 a.md > A code b | # A `code` *b* ##\\nx"]),
        // Front matter.
        (
            "---\ntitle: Page\ndescription: of it\n---\n\nx\n\n## Two\ny",
            &[
                "1-6 a.md > Page | ---\\ntitle: Page\\ndescription: of it\\n---\\n\\nx",
                "8-9 a.md > Page > Two | ## Two\\ny",
            ],
        ),
        // Line ends of every kind.
        ("# A\r## B", &["1-1 a.md > A > B | # A\r## B"]),
        ("x\r# A\r\rtext\r# B\ry", &["1-1 a.md | x", "1-1 a.md > A | # A\r\rtext", "1-1 a.md > B | # B\ry"]),
        ("One\r===\rTwo\r---\n\rx", &["1-2 a.md > One > Two | One\r===\rTwo\r---\\n\rx"]),
        (
            "# A\u{85}## B\u{2028}# C\u{c}# D\0",
            &["1-1 a.md > A ## B # C # D\0 | # A\u{85}## B\u{2028}# C\u{c}# D\0"],
        ),
        ("\u{feff}# One\r\n\r\ntext\r\n", &["1-3 a.md > One | # One\r\\n\r\\ntext"]),
    ] {
        assert_eq!(shown(text), wanted, "{text:?}");
    }
}

#[test]
fn a_long_section_is_cut_between_paragraphs() {
    let paragraph = |n: usize| format!("Paragraph {n}. {}\n\n", "word ".repeat(70));
    let text: String = format!("# Long\n\n{}", (0..10).map(paragraph).collect::<String>());
    let chunks = cut(&text, "a.md");
    assert_eq!(
        chunks.iter().map(|chunk| (chunk.line, chunk.end_line)).collect::<Vec<_>>(),
        [(1, 7), (9, 13), (15, 19), (21, 21)]
    );
    assert!(chunks.iter().all(|chunk| chunk.title == "a.md > Long" && chunk.body.chars().count() <= LARGEST));
}

proptest! {
    #[test]
    fn every_byte_is_in_one_chunk(text in "([#>=-]{0,3} ?[a-zé漢 ]{0,12}|```|~~~|<!--|-->|---|title: x|- x| {400}|\u{feff}|[ab]{0,900}|\r)(\n|\n\n|\r\n){0,2}{0,40}") {
        check(&text)?;
    }

    #[test]
    fn every_line_end_is_borne(text in "([#>=`-]{1,3}|[#]{1,4} [ab]{0,2}|[abé]{1,3}|---|title: x|- |1\\. |<!--|\\||\\\\|\t|\0|\u{feff}|\u{85}|\u{2028}|\u{b}|\u{c}|\r|\r\r|\n|\r\n){0,40}") {
        check(&text)?;
    }

    #[test]
    fn no_text_is_too_strange(text in any::<String>()) {
        check(&text)?;
    }
}

#[test]
fn a_page_that_cannot_be_read_is_cut_without_headings() {
    let cuts = cuts_with("# A\n\ntext\n# B\n", "a.md", |_| panic!("a bug"));
    assert_eq!(cuts, [Cut { range: 0..14, title: "a.md".to_owned(), lines: 1..5 }]);
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let mut at = 0;
    let page = Page::read(text);
    prop_assert!(
        page.headings.windows(2).all(|two| two[0].start < two[1].start && two[0].end <= two[1].start)
    );
    // Not `cuts`, which bears a panic.
    for Cut { range, lines, .. } in cuts_of(text, "a.md", &page) {
        prop_assert_eq!(range.start, at);
        at = range.end;
        let part = &text[range.clone()];
        let trimmed = part.trim_matches(is_blank);
        prop_assert!(!trimmed.is_empty());
        prop_assert!(trimmed.chars().count() <= LARGEST, "{}", trimmed.chars().count());
        prop_assert!(body(part).ends_with(trimmed));
        let line_of = |place: usize| text[..place].matches('\n').count() + 1;
        let first = range.start + part.find(trimmed).unwrap_or(0);
        prop_assert_eq!(lines.start as usize, line_of(first));
        prop_assert_eq!(lines.end as usize - 1, line_of(first + trimmed.len()));
    }
    prop_assert!(at == text.len() || (at == 0 && text.trim_matches(is_blank).is_empty()));
    Ok(())
}

/// Each would take minutes if its time grew with the square of its size.
#[test]
fn huge_pages_are_cut() {
    const SIZE: usize = 500_000;
    let repeated = |part: &str| part.repeat(SIZE / part.len());
    for text in [
        repeated("x"),
        repeated("word "),
        repeated("# A\n"),
        repeated("# A\n\nsome text\n\n"),
        repeated("- item\n"),
        repeated("\n"),
        format!("a{}b", repeated(" ")),
        format!("a{}b", repeated("\n")),
        format!("# {}", repeated("x")),
        repeated("> "),
        repeated("漢"),
    ] {
        let letters: usize = cut(&text, "a.md").iter().map(|chunk| chunk.body.len()).sum();
        assert!(letters <= text.len());
    }
}
