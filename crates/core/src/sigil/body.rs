//! How far a definition reaches.

use super::Mention;
use engine_text::markdown::{Lines, begins_item, indent, is_row};

/// What a definition says. Of several in one paragraph each reaches up to the next; the first one begins with the paragraph, the last
/// one has what follows it.
pub(super) fn of<'a>(
    lines: &Lines<'a>,
    mention: &Mention<'a>,
    is_first: bool,
    next: Option<&Mention<'a>>,
) -> &'a str {
    let paragraph = &mention.paragraph;
    let content = lines.content(paragraph.start).1;
    if lines.heading(paragraph.start).is_some() {
        return between(lines, paragraph.start, lines.section_end(paragraph.start));
    }
    if is_row(content) {
        return between(lines, paragraph.start, paragraph.end);
    }
    let behind = if begins_item(content) {
        item_end(lines, paragraph.start, paragraph.end)
    } else {
        announced_end(lines, paragraph.end)
    };
    let start = if is_first { lines.all[paragraph.start].start } else { bold_start(lines.text, mention.at) };
    let end = next.map_or(lines.all[behind - 1].end, |next| bold_start(lines.text, next.at));
    lines.text[start..end].trim()
}

fn between<'a>(lines: &Lines<'a>, start: usize, end: usize) -> &'a str {
    lines.text[lines.all[start].start..lines.all[end - 1].end].trim()
}

/// Where the emphasis around a sigil begins.
fn bold_start(text: &str, at: usize) -> usize {
    text[..at].trim_end_matches(['*', '_']).len()
}

/// The line behind a list item: what is indented below it belongs to it.
fn item_end(lines: &Lines<'_>, item: usize, from: usize) -> usize {
    let (quotes, content) = lines.content(item);
    let depth = indent(content);
    let mut end = from;
    for index in from..lines.all.len() {
        let (deep, content) = lines.content(index);
        let is_below = deep >= quotes && indent(content) > depth;
        if is_below || is_in_code(lines, index) {
            end = index + 1;
        } else if !content.trim().is_empty() {
            break;
        }
    }
    end
}

/// The line behind the code that a paragraph announces with a colon; without any, the line behind the paragraph.
fn announced_end(lines: &Lines<'_>, behind: usize) -> usize {
    let is_blank = |index: &usize| lines.all[*index].text.trim().is_empty();
    let announces = lines.all[behind - 1].text.trim_end().ends_with(':');
    let Some(first) = (behind..lines.all.len()).find(|index| !is_blank(index)).filter(|_| announces) else {
        return behind;
    };
    if let Some(block) = lines.blocks.iter().find(|block| block.lines.start == first + 1) {
        return block.lines.end + 1;
    }
    // Indented code needs an empty line above it.
    let is_code = |index: &usize| first > behind && indent(lines.all[*index].text) >= 4;
    let code = (first..lines.all.len()).take_while(|index| is_blank(index) || is_code(index));
    code.filter(is_code).last().map_or(behind, |last| last + 1)
}

/// Whether a line is in a fence or closes one.
fn is_in_code(lines: &Lines<'_>, index: usize) -> bool {
    lines.blocks.iter().any(|block| (block.lines.start..=block.lines.end).contains(&index))
}
