//! The part of a chunk that shows why it was found, as one line.

use crate::dense::is_dense;
use crate::query::runs;

/// A part of a snippet; a terminal prints hits bold, and JSON joins all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub text: String,
    pub is_hit: bool,
}

/// As many characters as fit a line beside a path.
pub const WIDTH: usize = 160;

/// Endings that two words may differ in and still be one word to the index, which stems; longest first.
const ENDINGS: &[&str] = &[
    "ations", "ation", "ments", "ment", "ness", "ions", "ings", "ance", "ence", "able", "ible", "ing", "ion",
    "ers", "ies", "ied", "ed", "er", "es", "ly", "al", "e", "y", "s",
];

/// The window of a text that holds most of the words, with the words marked.
pub fn snippet(body: &str, words: &[String]) -> Vec<Piece> {
    let text = body.split_whitespace().collect::<Vec<_>>().join(" ");
    let hits = hits(&text, words);
    let (start, end) = window(&text, &hits);
    let mut pieces = Vec::new();
    let mut push = |text: &str, is_hit: bool| {
        if !text.is_empty() {
            pieces.push(Piece { text: text.to_owned(), is_hit });
        }
    };
    if start > 0 {
        push("… ", false);
    }
    let mut at = start;
    for hit in hits.iter().filter(|hit| hit.start >= start && hit.end <= end) {
        if hit.start >= at {
            push(&text[at..hit.start], false);
            push(&text[hit.start..hit.end], true);
            at = hit.end;
        }
    }
    push(&text[at..end], false);
    if end < text.len() {
        push(" …", false);
    }
    pieces
}

/// One word of the query in the text.
struct Found {
    start: usize,
    end: usize,
    word: usize,
}

fn hits(text: &str, words: &[String]) -> Vec<Found> {
    let stems: Vec<&str> = words.iter().map(|word| stem(word)).collect();
    let mut found = Vec::new();
    let base = text.as_ptr() as usize;
    for (run, dense) in runs(text) {
        let start = run.as_ptr() as usize - base;
        if dense {
            for (at, letter) in run.char_indices() {
                let end = run[at..].chars().take(2).map(char::len_utf8).sum::<usize>() + at;
                let pair = &run[at..end];
                let single = &run[at..at + letter.len_utf8()];
                if let Some(word) = words.iter().position(|word| word == pair || word == single) {
                    found.push(Found { start: start + at, end: start + at + words[word].len(), word });
                }
            }
            continue;
        }
        let lower = run.to_lowercase();
        let own = stem(&lower);
        let same = |word: &String, stem: &str| *word == lower || (!stem.is_empty() && stem == own);
        if let Some(word) = words.iter().zip(&stems).position(|(word, stem)| same(word, stem)) {
            found.push(Found { start, end: start + run.len(), word });
        }
    }
    found
}

/// A word without its ending, if enough is left of it.
fn stem(word: &str) -> &str {
    let ending = ENDINGS
        .iter()
        .find(|ending| word.strip_suffix(**ending).is_some_and(|rest| rest.chars().count() >= 3));
    ending.map_or(word, |ending| &word[..word.len() - ending.len()])
}

/// Start and end of the window: where most distinct words are, the earliest of several.
fn window(text: &str, hits: &[Found]) -> (usize, usize) {
    let end_from = |start: usize| {
        let end = text[start..].char_indices().nth(WIDTH).map_or(text.len(), |(at, _)| start + at);
        if end == text.len() { end } else { text[start..end].rfind(' ').map_or(end, |blank| start + blank) }
    };
    let mut best = (0, 0);
    let mut start_of_best = 0;
    for (at, first) in hits.iter().enumerate() {
        let end = end_from(first.start);
        let mut seen: Vec<usize> = Vec::new();
        for hit in hits[at..].iter().take_while(|hit| hit.end <= end) {
            if !seen.contains(&hit.word) {
                seen.push(hit.word);
            }
        }
        if seen.len() > best.0 {
            best = (seen.len(), at);
            start_of_best = first.start;
        }
    }
    // Some words before the first hit say what it is about.
    let before = text[..start_of_best].char_indices().rev().nth(WIDTH / 4).map_or(0, |(at, _)| at);
    let start = if before == 0 {
        0
    } else {
        text[before..start_of_best].find(' ').map_or(start_of_best, |blank| before + blank + 1)
    };
    let end = end_from(start);
    let start = if text[start..].starts_with(is_dense) || end > start { start } else { start_of_best };
    (start, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(body: &str, query: &str) -> String {
        let pieces = snippet(body, &crate::query::words(query));
        pieces
            .iter()
            .map(|piece| if piece.is_hit { format!("[{}]", piece.text) } else { piece.text.clone() })
            .collect()
    }

    #[test]
    fn the_words_are_marked() {
        for (body, query, wanted) in [
            ("Locks are\n  per file.", "lock file", "[Locks] are per [file]."),
            ("It waits.", "waiting", "It [waits]."),
            ("全文検索機能", "検索", "全文[検索]機能"),
            ("nothing", "else", "nothing"),
            ("", "x", ""),
        ] {
            assert_eq!(shown(body, query), wanted);
        }
    }

    #[test]
    fn the_window_is_where_the_words_are() {
        let body = format!("{} the writer holds the lock {}", "before ".repeat(60), "behind ".repeat(60));
        let text = shown(&body, "writer lock");
        assert!(
            text.starts_with("… before") && text.contains("the [writer] holds the [lock] behind"),
            "{text}"
        );
        assert!(text.ends_with(" …") && text.chars().count() <= WIDTH + 8, "{text}");
    }
}
