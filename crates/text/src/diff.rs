//! Two texts, line by line: what `diff -u` prints.
//!
//! ```text
//! --- SKILL.md (yours)
//! +++ SKILL.md (engine 0.1.0)
//! @@ -1,3 +1,3 @@
//!  # Do
//! -mine
//! +ours
//!  end
//! ```

use std::ops::Range;

/// Lines of context around a change.
const CONTEXT: usize = 3;
/// Texts whose table of lines would be larger are shown as one change.
const MOST_CELLS: usize = 16 << 20;

/// Neighbouring lines that differ: the lines of the one text, and those that stand in their place in the other.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Change {
    old: Range<usize>,
    new: Range<usize>,
}

/// The changes that make the new text of the old one, with the names of both; empty if the texts are the same.
pub fn unified(old: &str, new: &str, old_name: &str, new_name: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let changes = changes(&old, &new);
    if changes.is_empty() {
        return String::new();
    }
    let mut out = format!("--- {old_name}\n+++ {new_name}\n");
    for hunk in changes.chunk_by(|one, next| next.old.start - one.old.end <= 2 * CONTEXT) {
        write_hunk(hunk, &old, &new, &mut out);
    }
    out
}

/// How many lines the new text has that the old one lacks, and the reverse.
pub fn counts(old: &str, new: &str) -> (usize, usize) {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let changes = changes(&old, &new);
    (changes.iter().map(|one| one.new.len()).sum(), changes.iter().map(|one| one.old.len()).sum())
}

fn write_hunk(hunk: &[Change], old: &[&str], new: &[&str], out: &mut String) {
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { return };
    let before = first.old.start.min(CONTEXT);
    let behind = (old.len() - last.old.end).min(CONTEXT);
    let (old_lines, new_lines) =
        (first.old.start - before..last.old.end + behind, first.new.start - before..last.new.end + behind);
    out.push_str(&format!("@@ -{} +{} @@\n", place(&old_lines), place(&new_lines)));
    let mut at = old_lines.start;
    for change in hunk {
        write_lines(' ', &old[at..change.old.start], out);
        write_lines('-', &old[change.old.clone()], out);
        write_lines('+', &new[change.new.clone()], out);
        at = change.old.end;
    }
    write_lines(' ', &old[at..old_lines.end], out);
}

/// `4,2`: from line 4, two lines. An empty place is named by the line above it.
fn place(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        many => format!("{},{many}", lines.start + 1),
    }
}

fn write_lines(sign: char, lines: &[&str], out: &mut String) {
    for line in lines {
        out.push(sign);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

fn changes(old: &[&str], new: &[&str]) -> Vec<Change> {
    let same_at_start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - same_at_start;
    let ends = old.iter().rev().zip(new.iter().rev());
    let same_at_end = ends.take(rest).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) =
        (&old[same_at_start..old.len() - same_at_end], &new[same_at_start..new.len() - same_at_end]);
    let kept = if old_rest.len().saturating_mul(new_rest.len()) > MOST_CELLS {
        Vec::new()
    } else {
        common(old_rest, new_rest)
    };
    let end = (old_rest.len(), new_rest.len());
    let (mut found, mut at) = (Vec::new(), (0, 0));
    for (one, other) in kept.into_iter().chain([end]) {
        if (one, other) != at {
            found.push(Change {
                old: same_at_start + at.0..same_at_start + one,
                new: same_at_start + at.1..same_at_start + other,
            });
        }
        at = (one + 1, other + 1);
    }
    found
}

/// The longest sequence of lines that both have, as pairs of their places.
fn common(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    let mut longest = vec![0_u32; (old.len() + 1) * width];
    for one in (0..old.len()).rev() {
        for other in (0..new.len()).rev() {
            longest[one * width + other] = if old[one] == new[other] {
                longest[(one + 1) * width + other + 1] + 1
            } else {
                longest[(one + 1) * width + other].max(longest[one * width + other + 1])
            };
        }
    }
    let (mut pairs, mut one, mut other) = (Vec::new(), 0, 0);
    while one < old.len() && other < new.len() {
        if old[one] == new[other] {
            pairs.push((one, other));
            (one, other) = (one + 1, other + 1);
        } else if longest[(one + 1) * width + other] >= longest[one * width + other + 1] {
            one += 1;
        } else {
            other += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(old: &str, new: &str) -> String {
        unified(old, new, "a", "b")
    }

    #[test]
    fn changes_are_shown_with_three_lines_around_them() {
        let lines = |range: Range<u32>| range.map(|n| format!("{n}\n")).collect::<Vec<_>>().concat();
        let old = lines(1..21);
        let new = old.replace("\n10\n", "\nten\n").replace("\n12\n", "\n").replace("\n20\n", "\n20\n21\n");
        assert_eq!(
            diff(&old, &new),
            "--- a\n+++ b\n@@ -7,9 +7,8 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n-12\n 13\n 14\n 15\n@@ -18,3 +17,4 @@\n 18\n 19\n 20\n+21\n"
        );
        assert_eq!(counts(&old, &new), (2, 2));
    }

    #[test]
    fn empty_texts_and_last_lines_without_an_end() {
        assert_eq!(diff("", ""), "");
        assert_eq!(diff("x\n", "x\n"), "");
        assert_eq!(diff("", "x\n"), "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n");
        assert_eq!(diff("x\n", ""), "--- a\n+++ b\n@@ -1 +0,0 @@\n-x\n");
        let end = "\\ No newline at end of file\n";
        assert_eq!(diff("x", "x\n"), format!("--- a\n+++ b\n@@ -1 +1 @@\n-x\n{end}+x\n"));
    }

    /// Whoever applies the changes to the old text gets the new one.
    #[test]
    fn the_changes_make_the_new_text_of_the_old_one() {
        let mut seed = 7_u32;
        let mut next = |most: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % most
        };
        for _ in 0..500 {
            let mut text = |most: u32| {
                (0..next(most)).map(|_| ["a\n", "b\n", "c\n"][next(3) as usize]).collect::<Vec<_>>()
            };
            let (old, new) = (text(12), text(12));
            let (mut made, mut at) = (Vec::new(), 0);
            for change in changes(&old, &new) {
                made.extend_from_slice(&old[at..change.old.start]);
                made.extend_from_slice(&new[change.new]);
                at = change.old.end;
            }
            made.extend_from_slice(&old[at..]);
            assert_eq!(made, new, "{old:?}");
        }
    }
}
