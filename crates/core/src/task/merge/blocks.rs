//! A section in which each block is a task, a paragraph or a list item, merged block by block.

use std::collections::{HashMap, HashSet};

use super::document::{Block, BlockKey, Section};
use super::order::order;
use super::taken;

/// The section of three versions. `tasks`: those that go into it, with their lines.
pub(super) fn merge(versions: [Option<&Section>; 3], tasks: &HashMap<&BlockKey, String>) -> String {
    let blocks = versions.map(|section| section.map_or(&[][..], |section| &section.blocks));
    let keys = blocks.map(|blocks| blocks.iter().map(|block| &block.key).collect::<Vec<_>>());
    let found =
        blocks.map(|blocks| blocks.iter().map(|block| (&block.key, block)).collect::<HashMap<_, _>>());
    let has = keys.each_ref().map(|keys| keys.iter().copied().collect::<HashSet<_>>());
    let order = order(&keys[0], &keys[1], &keys[2], |key| match key {
        BlockKey::Task(..) => tasks.contains_key(key),
        BlockKey::Text(..) => {
            let [base, ours, theirs] = has.each_ref().map(|keys| keys.contains(key));
            (ours && theirs) || (!base && (ours || theirs))
        }
    });
    // What stands between the blocks of this section as a rule.
    let gaps = blocks[1].iter().chain(blocks[2]).filter_map(|block| block.after.as_deref());
    let usual = gaps.min_by_key(|gap| gap.len());
    let mut text = string(versions, |section| &section.head).to_owned();
    let mut last: Option<(&str, Option<&str>)> = None;
    for key in order {
        let of_key = found.each_ref().map(|blocks| blocks.get(key).copied());
        let body = match (tasks.get(key), of_key[1].or(of_key[2])) {
            (Some(body), _) => body,
            (None, Some(block)) => &block.body,
            (None, None) => continue,
        };
        if let Some((before, gap)) = last {
            text.push_str(match gap.or(usual) {
                Some(gap) if !gap.is_empty() => gap,
                // Two paragraphs without a blank line between them would be one.
                _ if is_paragraph(before) && is_paragraph(body) => "\n",
                _ => "",
            });
        }
        text.push_str(body);
        last = Some((body, gap_behind(of_key)));
    }
    text.push_str(string(versions, |section| &section.tail));
    text
}

/// A part that only one side changes.
fn string(versions: [Option<&Section>; 3], part: fn(&Section) -> &str) -> &str {
    match versions.map(|section| section.map(part)) {
        [base, Some(ours), Some(theirs)] => taken(base, ours, theirs).unwrap_or(ours),
        [_, one, other] => one.or(other).unwrap_or_default(),
    }
}

/// The blank lines behind a block, as far as a version knows.
fn gap_behind(versions: [Option<&Block>; 3]) -> Option<&str> {
    match versions.map(|block| block.and_then(|block| block.after.as_deref())) {
        [base, Some(ours), Some(theirs)] => Some(taken(base, ours, theirs).unwrap_or(ours)),
        [_, one, other] => one.or(other),
    }
}

fn is_paragraph(body: &str) -> bool {
    !body.trim_start().starts_with(['-', '*', '+', '[', '`', '~', '<'])
}
