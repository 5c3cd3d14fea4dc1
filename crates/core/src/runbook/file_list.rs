//! What `Files:` lists: `src/a.rs, tests/a.rs (new)`, and what models write instead.
//!
//! Ticks, bold and links around a path go; commas, semicolons, `and` and a blank behind `(new)` divide paths; what stands behind a dash
//! or a colon is a note. `{a,b}.txt` is one pattern.

use super::File;
use super::field::bare;

/// The files of a step. In a value of several lines each is an item of its own.
pub(super) fn files(value: &str) -> Vec<File> {
    let mut found = Vec::new();
    let are_items = value.contains('\n');
    for line in value.split('\n') {
        // The note of an item may hold commas; that of one among others ends with the next.
        let line = if are_items { &line[..cut(line, note).map_or(line.len(), |(at, _)| at)] } else { line };
        let mut rest = line;
        loop {
            let end = cut(rest, divider);
            let (at, length) = end.unwrap_or((rest.len(), 0));
            read(&rest[..at], &mut found);
            if end.is_none() {
                break;
            }
            rest = &rest[at + length..];
        }
    }
    found.retain(|file| !file.path.is_empty());
    found
}

/// Whether a list says that it has nothing.
pub(super) fn is_none(value: &str) -> bool {
    let word = bare(value).trim_end_matches('.').to_lowercase();
    matches!(&*word, "none" | "nothing" | "no files" | "n/a" | "-" | "–" | "—")
}

/// The length of what divides two paths, if a text begins with it.
fn divider(text: &str) -> Option<usize> {
    [",", ";", " and "].into_iter().find(|divider| text.starts_with(divider)).map(str::len)
}

/// The length of what begins a note.
fn note(text: &str) -> Option<usize> {
    [" — ", " – ", " - ", " -- ", ": "].into_iter().find(|mark| text.starts_with(mark)).map(str::len)
}

/// The first place outside of ticks and brackets where something ends, and how long that is.
fn cut(text: &str, is_end: impl Fn(&str) -> Option<usize>) -> Option<(usize, usize)> {
    let (mut depth, mut in_ticks) = (0_u32, false);
    for (at, c) in text.char_indices() {
        if depth == 0
            && !in_ticks
            && let Some(length) = is_end(&text[at..])
        {
            return Some((at, length));
        }
        match c {
            '`' => in_ticks = !in_ticks,
            '(' | '[' | '{' if !in_ticks => depth += 1,
            ')' | ']' | '}' if !in_ticks => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Reads a part that no comma divides; more than one path if each but the last ends visibly.
fn read(part: &str, found: &mut Vec<File>) {
    let mut rest = part.trim();
    while !rest.is_empty() {
        let Path { text, behind, is_marked } = Path::read(rest);
        // A remark may stand within the ticks, too.
        let (text, inner) =
            text.strip_suffix(')').and_then(|text| text.rsplit_once(" (")).unwrap_or((text, ""));
        let behind = behind.trim_start();
        let remark = behind.strip_prefix('(').and_then(|remark| remark.split_once(')'));
        let new = is_new(inner) || remark.is_some_and(|(remark, _)| is_new(remark));
        let path = bare(text).trim_start_matches("./").to_owned();
        found.push(File { path, new });
        let is_ended = is_marked || remark.is_some();
        let behind = remark.map_or(behind, |(_, behind)| behind).trim_start();
        let is_note =
            behind.starts_with(['—', '–', ':', '.']) || behind.starts_with("- ") || behind.starts_with("-- ");
        if !is_ended || is_note {
            return;
        }
        rest = behind;
    }
}

fn is_new(remark: &str) -> bool {
    let first = remark.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    ["new", "create", "created"].iter().any(|word| first.eq_ignore_ascii_case(word))
}

/// A path at the beginning of a text.
struct Path<'a> {
    text: &'a str,
    behind: &'a str,
    /// It is in ticks, in bold or a link, so its end is plain.
    is_marked: bool,
}

impl<'a> Path<'a> {
    fn read(text: &'a str) -> Self {
        Self::marked(text).unwrap_or_else(|| {
            let ends = [text.find(" ("), cut(text, note).map(|(at, _)| at)];
            let end = ends.into_iter().flatten().min().unwrap_or(text.len());
            Self { text: &text[..end], behind: &text[end..], is_marked: false }
        })
    }

    fn marked(text: &'a str) -> Option<Self> {
        if let Some(rest) = text.strip_prefix('`') {
            let (text, behind) = rest.split_once('`')?;
            return Some(Self { text, behind, is_marked: true });
        }
        if let Some(rest) = text.strip_prefix('[') {
            let (_, rest) = rest.split_once("](")?;
            let (text, behind) = rest.split_once(')')?;
            return Some(Self { text, behind, is_marked: true });
        }
        // `**/*.rs` is a pattern.
        let mark = ["**", "__"].into_iter().find(|mark| text.starts_with(mark))?;
        let rest = &text[mark.len()..];
        let (inner, behind) = rest.split_once(mark).filter(|(inner, _)| !inner.starts_with('/'))?;
        Some(Self { text: Self::read(inner).text, behind, is_marked: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_with_their_remarks() {
        let shown = |value| files(value).iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        let cases = [
            ("src/a.rs, tests/a.rs (new)", "src/a.rs; tests/a.rs (new)"),
            ("`src/a.rs`, `tests/a.rs` (new),", "src/a.rs; tests/a.rs (new)"),
            ("`tests/a.rs (new)`", "tests/a.rs (new)"),
            ("./src/a.rs (lines 1 to 3)", "src/a.rs"),
            ("a b.md (New file)", "a b.md (new)"),
            ("app/(group)/page.tsx", "app/(group)/page.tsx"),
            ("a.txt (new) and b.txt (new)", "a.txt (new); b.txt (new)"),
            ("a.txt (new); b.txt (new)", "a.txt (new); b.txt (new)"),
            ("a.txt (new) b.txt (new)", "a.txt (new); b.txt (new)"),
            ("`a.txt` `b.txt`", "a.txt; b.txt"),
            ("[a.txt](docs/a.txt) (new)", "docs/a.txt (new)"),
            ("**a.txt** (new), __b.txt__, **`c.txt`**", "a.txt (new); b.txt; c.txt"),
            ("**/*.rs, [ab].txt", "**/*.rs; [ab].txt"),
            ("{a,b}.txt (new), c.txt", "{a,b}.txt (new); c.txt"),
            ("a.txt (new, empty), b.txt", "a.txt (new); b.txt"),
            ("a.txt (new) — the file, b.txt - the other", "a.txt (new); b.txt"),
            ("`a.txt`: the file", "a.txt"),
            (
                "\n`a.txt` (new) — the file, with a comma\n`b.txt`: x, y\nc.txt, d.txt",
                "a.txt (new); b.txt; c.txt; d.txt",
            ),
            ("a.txt b.txt", "a.txt b.txt"),
            ("`a.txt", "a.txt"),
            ("", ""),
            (", ;", ""),
        ];
        for (value, expected) in cases {
            assert_eq!(shown(value), expected, "{value:?}");
        }
        let none: Vec<&str> = ["none", "None.", "`none`", "-", "–", "N/A", "nothing.txt"]
            .into_iter()
            .filter(|value| is_none(value))
            .collect();
        assert_eq!(none, ["none", "None.", "`none`", "-", "–", "N/A"]);
    }
}
