//! Path patterns: `*` within a folder, `**` over folders, `?`, and nothing else; those of a shell also have `[…]`.

use crate::brace;

pub fn matches(pattern: &str, path: &str) -> bool {
    parts(pattern, path, false)
}

/// The patterns that braces make of one.
pub fn alternatives(pattern: &str) -> Vec<String> {
    brace::expanded(pattern).words
}

/// A pattern as the folder that it names for sure, and what is to match below that.
pub fn lead_and_rest(pattern: &str) -> (&str, &str) {
    let sure = pattern.find(['*', '?']).map_or(pattern, |star| &pattern[..star]);
    sure.rfind('/').map_or(("", pattern), |slash| (&pattern[..=slash], &pattern[slash + 1..]))
}

/// How many folders deep a path may be that the pattern matches.
pub fn depth(pattern: &str) -> usize {
    if pattern.split('/').any(|part| part == "**") { usize::MAX } else { pattern.split('/').count() }
}

/// Whether a shell would expand the pattern to this path: a star does not stand for a leading dot. `find`, whose patterns have
/// `**`, knows no hidden names.
pub fn expands_to(pattern: &str, path: &str) -> bool {
    let hidden = |(pattern, name): (&str, &str)| name.starts_with('.') && !pattern.starts_with('.');
    let of_find = pattern.contains("/**/");
    parts(pattern, path, true) && (of_find || !pattern.split('/').zip(path.split('/')).any(hidden))
}

/// Row by row, so that many `**` cost no more than few.
fn parts(pattern: &str, path: &str, classes: bool) -> bool {
    let path: Vec<&str> = path.split('/').collect();
    let mut reached = vec![false; path.len() + 1];
    reached[0] = true;
    for piece in pattern.split('/') {
        if piece == "**" {
            // Anything from the first place on.
            let first = reached.iter().position(|place| *place).unwrap_or(reached.len());
            reached[first..].fill(true);
            continue;
        }
        for at in (0..path.len()).rev() {
            reached[at + 1] = reached[at] && part(piece.as_bytes(), path[at].as_bytes(), classes);
        }
        reached[0] = false;
    }
    reached[path.len()]
}

fn part(pattern: &[u8], name: &[u8], classes: bool) -> bool {
    // The classical walk with one place to fall back to: linear but for the last star.
    let (mut at, mut on) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while on < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, on));
                at += 1;
            }
            Some(b'?') => {
                at += 1;
                on += 1;
            }
            Some(b'[') if classes && class(&pattern[at..], name[on]).is_some() => {
                at += class(&pattern[at..], name[on]).unwrap_or_default();
                on += 1;
            }
            Some(byte) if *byte == name[on] => {
                at += 1;
                on += 1;
            }
            _ => match star {
                Some((place, from)) => {
                    at = place + 1;
                    on = from + 1;
                    star = Some((place, from + 1));
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

/// How long a `[…]` is, if the letter is one of it.
fn class(pattern: &[u8], letter: u8) -> Option<usize> {
    let negated = matches!(pattern.get(1), Some(b'!' | b'^'));
    let from = 1 + usize::from(negated);
    // A bracket that stands first is a letter.
    let end = (from + 1..pattern.len()).find(|at| pattern[*at] == b']')?;
    let letters = &pattern[from..end];
    let ranges = letters.windows(3).any(|range| range[1] == b'-' && (range[0]..=range[2]).contains(&letter));
    ((letters.contains(&letter) || ranges) != negated).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_no_dot_in_a_shell() {
        assert!(!expands_to("/a/*", "/a/.git"));
        assert!(expands_to("/a/.*", "/a/.git"));
        assert!(expands_to("/a/*", "/a/b"));
        assert!(expands_to("/a/**/*.toml", "/a/.b/c.toml"));
    }

    #[test]
    fn brackets_are_of_the_shell() {
        for (pattern, path, expected) in [
            ("/[V]ERSION", "/VERSION", true),
            ("/[A-Z]*", "/VERSION", true),
            ("/[!V]*", "/VERSION", false),
            ("/[^a]*", "/VERSION", true),
            ("/.[!.]*", "/.git", true),
            ("/[]x]", "/]", true),
            ("/[x", "/[x", true),
        ] {
            assert_eq!(expands_to(pattern, path), expected, "{pattern} {path}");
        }
        assert!(!matches("/[V]ERSION", "/VERSION"));
    }

    #[test]
    fn a_walk_begins_where_the_pattern_is_sure() {
        for (pattern, lead, rest, deep) in [
            ("**/*.md", "", "**/*.md", usize::MAX),
            ("a/b/*.md", "a/b/", "*.md", 1),
            ("a/b?/*/c.md", "a/", "b?/*/c.md", 3),
            ("a/b.md", "a/", "b.md", 1),
            ("/x", "/", "x", 1),
            ("x", "", "x", 1),
        ] {
            assert_eq!((lead_and_rest(pattern), depth(rest)), ((lead, rest), deep), "{pattern}");
        }
        assert_eq!(alternatives("{a,b}/*.{md,txt}"), ["a/*.md", "a/*.txt", "b/*.md", "b/*.txt"]);
    }

    #[test]
    fn patterns() {
        let cases = [
            ("/a/*.rs", "/a/b.rs", true),
            ("/a/*.rs", "/a/b/c.rs", false),
            ("/a/**/*.rs", "/a/b/c.rs", true),
            ("/a/**/*.rs", "/a/c.rs", true),
            ("/a/**", "/a/b/c", true),
            ("/a/**", "/b", false),
            ("/a/?b*c", "/a/xbyyc", true),
            ("/a/*a*b", "/a/xaxab", true),
            ("/a", "/a", true),
            ("/a", "/ab", false),
        ];
        for (pattern, path, expected) in cases {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }
}
