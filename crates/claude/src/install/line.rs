//! One line of ours in a file of the person's: added at its end, and taken out again to the byte, also by whoever does not know the file
//! as it was.
//!
//! A file whose last line had no end gets a line without one, so that it can be seen later.

use std::ops::Range;

use engine_text::markdown::Lines;

/// The text with the line at its end; nothing if it is there already.
pub(super) fn added(text: &str, line: &str) -> Option<String> {
    if !found(text, line).is_empty() {
        return None;
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    Some(match text.ends_with('\n') {
        true => format!("{text}{line}{newline}"),
        false if text.is_empty() => line.to_owned(),
        false => format!("{text}{newline}{line}"),
    })
}

/// The text without the line; nothing if it is not there.
pub(super) fn removed(text: &str, line: &str) -> Option<String> {
    let found = found(text, line);
    let last = found.last()?;
    let mut left = text.to_owned();
    for place in found.iter().rev() {
        left.replace_range(place.clone(), "");
    }
    let had_no_end = last.end == text.len() && !text.ends_with('\n');
    if had_no_end {
        let end = left.strip_suffix('\n').map(|left| left.strip_suffix('\r').unwrap_or(left).len());
        left.truncate(end.unwrap_or(left.len()));
    }
    Some(left)
}

/// Where the line stands, with its end: not in a code block, where it is only shown.
fn found(text: &str, line: &str) -> Vec<Range<usize>> {
    let lines = Lines::new(text);
    let is_shown = |index: usize| lines.blocks.iter().any(|block| block.lines.contains(&index));
    let all = lines.all.iter().enumerate();
    all.filter(|(index, old)| old.text.trim_end() == line && !is_shown(*index))
        .map(|(_, old)| old.start..old.end)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "@.claude/engine/execute-rule.md";

    #[test]
    fn a_line_is_taken_out_to_the_byte() {
        for text in ["", "\n", "a", "a\n", "a\n\n", "a\r\nb", "a\r\nb\r\n", "```\n@x\n```\n", "```\nopen\n"] {
            let with = added(text, LINE).unwrap();
            assert!(with.contains(LINE) && with.starts_with(text), "{text:?}");
            assert_eq!(added(&with, LINE), None, "{text:?}");
            assert_eq!(removed(&with, LINE).as_deref(), Some(text), "{text:?}");
            assert_eq!(removed(text, LINE), None, "{text:?}");
        }
    }

    #[test]
    fn a_line_in_a_code_block_is_not_ours() {
        let shown = format!("# Notes\n\n```\n{LINE}\n```\n");
        assert_eq!(removed(&shown, LINE), None);
        assert_eq!(added(&shown, LINE), Some(format!("{shown}{LINE}\n")));
        for text in
            [format!("see {LINE}\n"), format!("- {LINE}\n"), format!("  {LINE}\n"), format!("{LINE}x\n")]
        {
            assert_eq!(removed(&text, LINE), None, "{text:?}");
        }
        // A person wrote on behind it.
        for (before, after) in [("", "\nmore\n"), ("a", "\nmore\n"), ("a\n", "more")] {
            let text = format!("{}{after}", added(before, LINE).unwrap());
            let expected = format!("{before}{after}");
            assert_eq!(removed(&text, LINE).unwrap().trim_start(), expected.trim_start(), "{text:?}");
        }
        let middle = format!("a\n{LINE}  \r\nb\n{LINE}\nc");
        assert_eq!(removed(&middle, LINE).as_deref(), Some("a\nb\nc"));
    }
}
