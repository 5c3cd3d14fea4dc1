//! Changes to a file's tags as splices: every byte that is not the tag's own stays.

use std::ops::Range;

use super::{Feeds, FoundTag, LEAD, bare, scan, tags_line};
use engine_text::BYTE_ORDER_MARK;
use engine_text::markdown::Lines;

/// Why a tag was not replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotSwapped {
    Absent,
    /// It stands in the text, in these lines.
    Several(Vec<usize>),
}

/// A text in which tags became mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Escaped {
    pub text: String,
    /// What changed.
    pub lines: Vec<EscapedLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EscapedLine {
    /// From 1.
    pub line: usize,
    pub before: String,
    pub after: String,
}

/// The text with a tag in the line of its tags, which is made if need be; nothing if the tag is there.
pub fn add(text: &str, tag: &str) -> Option<String> {
    if bare(text).iter().any(|found| found.of_file && found.tag == tag) {
        return None;
    }
    let lines = Lines::new(text);
    if let Some(index) = tags_line(&lines) {
        let line = &lines.all[index];
        let at = line.start + line.text.trim_end().len();
        return Some(spliced(text, at..at, &format!(" {tag}")));
    }
    let newline = lines.newline();
    let title = (0..lines.all.len()).find(|index| lines.heading(*index).is_some());
    if let Some(title) = title.filter(|index| lines.heading(*index).is_some_and(|(level, _)| level == 1)) {
        let line = &lines.all[title];
        let at = line.start + line.text.len();
        return Some(spliced(text, at..at, &format!("{newline}{LEAD} {tag}")));
    }
    let at = top(&lines);
    let rest = &text[at..];
    // Apart from a paragraph that follows, and from a line of which nobody ended the front matter.
    let lead =
        if text[..at].is_empty() || text[..at].ends_with(['\n', BYTE_ORDER_MARK]) { "" } else { newline };
    let gap = if rest.is_empty() || rest.starts_with(['\n', '\r']) { "" } else { newline };
    Some(spliced(text, at..at, &format!("{lead}{LEAD} {tag}{newline}{gap}")))
}

/// Where a text begins, behind a byte order mark or front matter.
fn top(lines: &Lines<'_>) -> usize {
    match lines.front_matter() {
        0 => lines.text.len() - lines.text.trim_start_matches(BYTE_ORDER_MARK).len(),
        above => lines.all[above - 1].end,
    }
}

/// The text without a tag: in the line of its tags, or in the given line. Nothing if it is not there.
pub fn remove(text: &str, tag: &str, line: Option<usize>) -> Option<String> {
    let found = bare(text);
    let doomed: Vec<&FoundTag<'_>> =
        found.iter().filter(|found| found.tag == tag && is_at(found, line)).collect();
    (!doomed.is_empty()).then(|| without(text, &doomed))
}

/// The text with one tag in the place of another: in the line of its tags or in the given line; without either, where it stands
/// alone in the text.
pub fn swap(text: &str, old: &str, new: &str, line: Option<usize>) -> Result<String, NotSwapped> {
    let all = bare(text);
    let mut old: Vec<&FoundTag<'_>> = all.iter().filter(|found| found.tag == old).collect();
    if line.is_some() || old.iter().any(|found| found.of_file) {
        old.retain(|found| is_at(found, line));
    } else if old.len() > 1 {
        let mut lines: Vec<usize> = old.iter().map(|found| found.line).collect();
        lines.dedup();
        return Err(NotSwapped::Several(lines));
    }
    let Some((first, others)) = old.split_first() else { return Err(NotSwapped::Absent) };
    if !first.of_file {
        return Ok(old
            .iter()
            .rev()
            .fold(text.to_owned(), |text, found| spliced(&text, found.range.clone(), new)));
    }
    // A tag stands once among those of a file.
    if all.iter().any(|found| found.of_file && found.tag == new) {
        return Ok(without(text, &old));
    }
    Ok(spliced(&without(text, others), first.range.clone(), new))
}

fn is_at(found: &FoundTag<'_>, line: Option<usize>) -> bool {
    line.map_or(found.of_file, |line| found.line == line)
}

/// The text without these tags, each with the blanks before it; at the start of a line with those behind it.
fn without(text: &str, tags: &[&FoundTag<'_>]) -> String {
    let mut text = text.to_owned();
    for found in tags.iter().rev() {
        let Range { start, end } = found.range.clone();
        let before = text[..start].trim_end_matches([' ', '\t']);
        let is_first = before.is_empty() || before.ends_with('\n');
        let behind = text[end..].len() - text[end..].trim_start_matches([' ', '\t']).len();
        let range = if is_first { start..end + behind } else { before.len()..end };
        text.replace_range(range, "");
    }
    text
}

/// The text with its stages of work in code spans, but for those in the line of its tags.
pub fn escape(text: &str, feeds: &Feeds<'_>) -> Escaped {
    let lines = Lines::new(text);
    let of_file = tags_line(&lines);
    let mut new = text.to_owned();
    let mut changed: Vec<usize> = Vec::new();
    for block in lines.paragraphs(of_file).into_iter().filter(|block| of_file != Some(block.start)).rev() {
        let mut found = Vec::new();
        // A stray run must not pair with ours.
        let stray = scan(&lines, &block, false, &mut found);
        let free = (1..=stray.len() + 1).find(|length| !stray.contains(length)).unwrap_or(1);
        let ticks = "`".repeat(free);
        for tag in found.iter().rev().filter(|found| feeds.is_lifecycle(found.tag)) {
            new.replace_range(tag.range.clone(), &format!("{ticks}{}{ticks}", tag.tag));
            changed.push(tag.line);
        }
    }
    changed.reverse();
    changed.dedup();
    let after = Lines::new(&new);
    let line = |line: usize| EscapedLine {
        line,
        before: lines.all[line - 1].text.to_owned(),
        after: after.all[line - 1].text.to_owned(),
    };
    let lines = changed.into_iter().map(line).collect();
    Escaped { text: new, lines }
}

fn spliced(text: &str, range: Range<usize>, with: &str) -> String {
    format!("{}{with}{}", &text[..range.start], &text[range.end..])
}
