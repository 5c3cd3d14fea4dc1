//! Which parts of a prompt are not read for a chain: code, quotations, brackets, tags.
//!
//! A mark that opens and never closes shields nothing, except a code fence: what comes behind it is code.

use std::collections::HashMap;
use std::ops::Range;

use engine_text::markdown::Lines;

/// The shielded ranges, in order, without overlap.
pub(super) fn shielded(prompt: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut at = 0;
    for block in blocks(prompt) {
        inline(prompt, at..block.start, &mut ranges);
        at = block.end;
        ranges.push(block);
    }
    inline(prompt, at..prompt.len(), &mut ranges);
    ranges
}

/// Fenced code, comments and block quotes, whole lines each.
fn blocks(prompt: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for line in Lines::new(prompt).all {
        if !line.fenced && !line.text.trim_start().starts_with('>') {
            continue;
        }
        match found.last_mut() {
            Some(last) if last.end == line.start => last.end = line.end,
            _ => found.push(line.start..line.end),
        }
    }
    found
}

/// Spans within lines of text.
fn inline(prompt: &str, within: Range<usize>, out: &mut Vec<Range<usize>>) {
    let text = &prompt[within.clone()];
    let pairs = Pairs::of(text);
    let mut at = 0;
    while at < text.len() {
        match pairs.end_of(text, at) {
            Some(end) => {
                out.push(within.start + at..within.start + end);
                at = end;
            }
            None => at += text[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
}

/// Which marks belong together, found in one pass: a text full of opening marks must not be searched to its end
/// for each of them.
struct Pairs<'t> {
    /// Start of a bracket or a run of ticks → end of its span.
    ends: HashMap<usize, usize>,
    /// Where each kind of quotation can close: the ends of the closing marks.
    closing: [Vec<usize>; QUOTES.len()],
    /// Blank lines: no quotation reaches over one.
    breaks: Vec<usize>,
    /// Ends of comments.
    comments: Vec<usize>,
    /// Name of a tag → ends of its closing tags.
    tags: HashMap<&'t str, Vec<usize>>,
}

const BRACKETS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('{', '}')];
const QUOTES: [(char, char); 4] = [('"', '"'), ('\'', '\''), ('‘', '’'), ('“', '”')];

impl<'t> Pairs<'t> {
    fn of(text: &'t str) -> Self {
        let mut pairs = Self {
            ends: HashMap::new(),
            closing: QUOTES.map(|_| Vec::new()),
            breaks: text
                .match_indices("\n\n")
                .chain(text.match_indices("\n\r\n"))
                .map(|(at, _)| at)
                .collect(),
            comments: text.match_indices("-->").map(|(at, _)| at + 3).collect(),
            tags: HashMap::new(),
        };
        pairs.breaks.sort_unstable();
        let mut open: [Vec<usize>; BRACKETS.len()] = BRACKETS.map(|_| Vec::new());
        let mut ticks: HashMap<usize, usize> = HashMap::new();
        let mut behind_ticks = 0;
        for (at, c) in text.char_indices() {
            let end = at + c.len_utf8();
            for (which, (opens, closes)) in BRACKETS.iter().enumerate() {
                if c == *opens {
                    open[which].push(at);
                } else if c == *closes
                    && let Some(start) = open[which].pop()
                {
                    pairs.ends.insert(start, end);
                }
            }
            for (which, (_, closes)) in QUOTES.iter().enumerate() {
                if c == *closes && text[end..].chars().next().is_none_or(|c| !c.is_alphanumeric()) {
                    pairs.closing[which].push(end);
                }
            }
            if c == '`' && at >= behind_ticks {
                let run = text.len() - at - text[at..].trim_start_matches('`').len();
                behind_ticks = at + run;
                if let Some(start) = ticks.insert(run, at) {
                    pairs.ends.insert(start, behind_ticks);
                }
            }
            if text[at..].starts_with("</")
                && let Some(name) = tag_name(&text[at + 2..])
                && text[at + 2 + name.len()..].starts_with('>')
            {
                pairs.tags.entry(name).or_default().push(at + 3 + name.len());
            }
        }
        pairs
    }

    /// The end of the shielded span that opens here, if one does.
    fn end_of(&self, text: &str, at: usize) -> Option<usize> {
        let c = text[at..].chars().next()?;
        if let Some(which) = QUOTES.iter().position(|(open, _)| *open == c) {
            // A quote opens where a word begins: apostrophes and inches do not.
            let opens = text[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric());
            let least = at + c.len_utf8() + QUOTES[which].1.len_utf8();
            let end = first_behind(&self.closing[which], least)?;
            let paragraph = first_behind(&self.breaks, at).unwrap_or(text.len());
            return (opens && end <= paragraph).then_some(end);
        }
        if text[at..].starts_with("<!--") {
            return first_behind(&self.comments, at + 4);
        }
        if c == '<' {
            let name = tag_name(&text[at + 1..])?;
            let opened = at + 1 + text[at + 1..text.floor_char_boundary(at + LONGEST_TAG)].find('>')? + 1;
            let closing = self.tags.get(name).and_then(|closing| first_behind(closing, opened));
            return Some(closing.unwrap_or(opened));
        }
        self.ends.get(&at).copied()
    }
}

fn first_behind(places: &[usize], at: usize) -> Option<usize> {
    places.get(places.partition_point(|place| *place <= at)).copied()
}

/// A tag with its attributes is not longer.
const LONGEST_TAG: usize = 1000;

fn tag_name(text: &str) -> Option<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    let name = &text[..text.find(|c| !is_part(c)).unwrap_or(text.len())];
    name.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(name)
}

/// Fenced code and code spans only.
pub(super) fn code(prompt: &str) -> Vec<Range<usize>> {
    let is_code = |range: &Range<usize>| {
        let text = prompt[range.clone()].trim_start();
        text.starts_with('`') || text.starts_with("~~~")
    };
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for block in
        blocks(prompt).into_iter().filter(|block| !prompt[block.clone()].trim_start().starts_with('>'))
    {
        ticks(prompt, at..block.start, &mut ranges);
        at = block.end;
        ranges.push(block);
    }
    ticks(prompt, at..prompt.len(), &mut ranges);
    ranges.retain(is_code);
    ranges
}

fn ticks(prompt: &str, within: Range<usize>, out: &mut Vec<Range<usize>>) {
    let text = &prompt[within.clone()];
    let pairs = Pairs::of(text);
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let start = at + found;
        match pairs.ends.get(&start) {
            Some(end) => {
                out.push(within.start + start..within.start + end);
                at = *end;
            }
            None => at = start + 1,
        }
    }
}
