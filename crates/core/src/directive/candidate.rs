//! What a log offers for INVARIANTS.md and PITFALLS.md: entries, and lines in entries, that begin with `INV:` or `PTF:`.
//!
//! ```markdown
//! ## [2026-11-15 12:30:01] PTF: the lexer eats the last byte
//! Only without a newline at the end: `crates/core/src/lex.rs`.
//! ```

use super::Type;
use super::edit::items;
use crate::log::{self, Kind, SHORT};
use engine_text::markdown::{Line, Lines};

/// Shorter titles stand in too many sentences to be recognised by.
const FEWEST_WORDS: usize = 3;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Of the log, from 1.
    pub line: usize,
    pub kind: &'static Type,
    /// What it is known by.
    pub title: String,
    /// What would be kept: the title and the first paragraph behind it.
    pub text: String,
    /// Paths that it names, as they are written; those of its own before those of its entry.
    pub paths: Vec<String>,
}

/// The candidates of a log, in order.
pub fn candidates(text: &str) -> Vec<Candidate> {
    let lines = Lines::new(text);
    let mut found = Vec::new();
    for entry in log::parse(text) {
        let first = entry.line;
        let end = first - 1 + entry.text.lines().count();
        let mut add = |line: usize, kind: &'static Type, title: &str, text: String| {
            let mut of_it = paths(&text);
            of_it.extend(paths(entry.text));
            if !text.is_empty() {
                let title = if title.is_empty() { text.clone() } else { title.to_owned() };
                found.push(Candidate { line, kind, title, text, paths: of_it });
            }
        };
        if let Some(kind) = entry.kind.and_then(directive) {
            let body = &lines.all[first..end.max(first)];
            add(first, kind, entry.title, sentence(entry.title, &paragraph(body)));
        }
        for index in first..end {
            let Some((kind, rest)) = marked(&lines.all[index]) else { continue };
            let behind = continued(&lines.all[index + 1..end]);
            let text = [rest, &behind].join(" ").trim().to_owned();
            add(index + 1, kind, &text.clone(), text);
        }
    }
    found
}

/// Where entries of a type would be kept.
fn directive(kind: Kind) -> Option<&'static Type> {
    match kind {
        Kind::Invariant => Type::find("INVARIANTS"),
        Kind::Pitfall => Type::find("PITFALLS"),
        _ => None,
    }
}

/// The type of a line that begins with `INV:`, `- **PTF**:` and the like, and what is behind it.
fn marked<'a>(line: &Line<'a>) -> Option<(&'static Type, &'a str)> {
    if line.fenced {
        return None;
    }
    let text = line.text.trim_start_matches(['-', '*', '+', '>', '#', ' ', '\t']);
    let (kind, rest) = SHORT.iter().find_map(|(word, kind)| Some((*kind, text.strip_prefix(word)?)))?;
    let rest = rest.trim_start_matches('*').strip_prefix(':')?;
    Some((directive(kind)?, rest.trim_start_matches('*').trim()))
}

/// The first paragraph of an entry's body.
fn paragraph(body: &[Line<'_>]) -> String {
    let is_lead = |line: &Line<'_>| {
        let text = line.text.trim();
        text.is_empty() || text.starts_with(log::PHASE)
    };
    let from = body.iter().take_while(|line| is_lead(line)).count();
    let Some(first) = body.get(from).filter(|line| !line.fenced && marked(line).is_none()) else {
        return String::new();
    };
    let first_text = first.text.trim().trim_start_matches("- ").trim_start_matches("* ");
    format!("{first_text} {}", continued(&body[from + 1..])).trim().to_owned()
}

/// The lines that go on with the paragraph above them.
fn continued(lines: &[Line<'_>]) -> String {
    let ends = |line: &Line<'_>| {
        let text = line.text.trim();
        line.fenced
            || text.is_empty()
            || text.starts_with(['#', '|', '>'])
            || is_item(text)
            || marked(line).is_some()
    };
    let parts: Vec<&str> = lines.iter().take_while(|line| !ends(line)).map(|line| line.text.trim()).collect();
    parts.join(" ")
}

fn is_item(text: &str) -> bool {
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = number.len() < text.len() && number.starts_with(". ");
    is_numbered || ["- ", "* ", "+ "].iter().any(|mark| text.starts_with(mark))
}

fn sentence(title: &str, body: &str) -> String {
    match (title, body) {
        (title, "") => title.to_owned(),
        ("", body) => body.to_owned(),
        (title, body) if title.ends_with(['.', '!', '?', ':', ';']) => format!("{title} {body}"),
        (title, body) => format!("{title}: {body}"),
    }
}

/// Words with a slash that may be paths, without a line number behind them.
fn paths(text: &str) -> Vec<String> {
    let is_part = |c: char| {
        !c.is_whitespace() && !matches!(c, '`' | '"' | '\'' | '(' | ')' | '[' | ']' | '<' | '>' | ',' | ';')
    };
    let words = text.split(|c: char| !is_part(c)).filter(|word| word.contains('/') && !word.contains("://"));
    let bare = |word: &str| word.split(':').next().unwrap_or_default().trim_end_matches('.').to_owned();
    words.map(bare).filter(|word| !word.is_empty()).collect()
}

/// Whether a directive file says it already.
pub fn stands_in(file: &str, candidate: &Candidate) -> bool {
    let (title, text) = (plain(&candidate.title), plain(&candidate.text));
    let is_telling = title.split(' ').count() >= FEWEST_WORDS;
    items(file).iter().any(|(_, item)| {
        let item = plain(item);
        item == text || (is_telling && format!(" {item} ").contains(&format!(" {title} ")))
    })
}

/// As words are compared: without marks and punctuation around them.
fn plain(text: &str) -> String {
    let word = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    text.split_whitespace().map(word).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> String {
        let line =
            |one: Candidate| format!("{} {} {:?} {:?}\n", one.line, one.kind.name, one.text, one.paths);
        candidates(text).into_iter().map(line).collect()
    }

    #[test]
    fn entries_and_lines_are_candidates() {
        let log = "# Log\nINV: before the first entry\n\n\
            ## [2026-11-15 12:30:01] INV: one writer\n**Phase**: 3: Build\n\nTwo lost\nan entry in `crates/store/src/log_file.rs:20`.\n\nMore.\n\n\
            ## PTF: a torn line\n```\nINV: no\n```\n- **PTF**: `poll` wakes\n  too early, see a/b/.\n- other\n> INV: quoted\n### INV: deeper\n\n\
            ## Decision: x/y\nPTFE: no\nINV no\nINV:\nINV: INV_X\n";
        insta::assert_snapshot!(shown(log), @r#"
        4 INVARIANTS "one writer: Two lost an entry in `crates/store/src/log_file.rs:20`." ["crates/store/src/log_file.rs", "crates/store/src/log_file.rs"]
        12 PITFALLS "a torn line" ["a/b/"]
        16 PITFALLS "`poll` wakes too early, see a/b/." ["a/b/", "a/b/"]
        19 INVARIANTS "quoted" ["a/b/"]
        20 INVARIANTS "deeper" ["a/b/"]
        26 INVARIANTS "INV_X" ["x/y"]
        "#);
    }

    #[test]
    fn what_stands_in_the_file_is_known_again() {
        let candidates = candidates("## INV: one writer at a time\nTwo lost an entry.\n## INV: JSON\n");
        let cases = [
            ("- one writer at a time: Two lost an entry.\n", true, false),
            ("- **¶INV_WRITER** One writer  at a\n  time. *Why*: lost.\n", true, false),
            ("- one writer at a timeout\n", false, false),
            ("one writer at a time\n", false, false),
            ("- JSON\n", false, true),
            ("- JSON is fine\n", false, false),
        ];
        for (file, first, second) in cases {
            let standing = candidates.iter().map(|one| stands_in(file, one)).collect::<Vec<_>>();
            assert_eq!(standing, [first, second], "{file}");
        }
    }

    proptest! {
        #[test]
        fn every_candidate_is_where_it_says(text in "([ -~]|\n|## |INV: |PTF:|```|- ){0,60}") {
            let lines: Vec<&str> = text.split('\n').collect();
            for one in candidates(&text) {
                let line = lines[one.line - 1].to_uppercase();
                prop_assert!(line.contains("INV") || line.contains("PTF") || line.contains("PITFALL"), "{:?}", line);
                prop_assert!(!one.text.is_empty());
            }
        }
    }
}
