//! Which parts of a prompt are not read for a chain: code, comments, block quotes, quotations, brackets, tags.
//!
//! A mark that opens and never closes shields nothing, except a code fence: all that comes after it is code.

use std::collections::HashMap;
use std::ops::Range;

/// The shielded ranges, in order, without overlap.
pub(super) fn shielded(prompt: &str) -> Vec<Range<usize>> {
    ranges(prompt, Brackets::Shield)
}

/// The same without round and square brackets: what stands in them is an aside, and an aside may forbid something.
pub(super) fn quoted(prompt: &str) -> Vec<Range<usize>> {
    ranges(prompt, Brackets::Open)
}

/// Whether text in round and square brackets is shielded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brackets {
    Shield,
    Open,
}

fn ranges(prompt: &str, brackets: Brackets) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut at = 0;
    for (block, _) in blocks(prompt) {
        inline(prompt, at..block.start, brackets, &mut ranges);
        at = block.end;
        ranges.push(block);
    }
    inline(prompt, at..prompt.len(), brackets, &mut ranges);
    ranges
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Fence,
    Comment,
    /// A line that starts with `>`.
    Quote,
}

/// Fenced code wherever on a line it opens, comments, and block quotes; without the line end after them.
fn blocks(prompt: &str) -> Vec<(Range<usize>, Block)> {
    let mut found = Vec::new();
    // Most prompts hold none of the marks.
    if !["```", "~~~", "<!--", ">"].iter().any(|mark| prompt.contains(mark)) {
        return found;
    }
    let last_comment = prompt.rfind("-->").unwrap_or(0);
    let mut paragraph = 0;
    let mut at = 0;
    let mut line_start = true;
    while let Some(mark) = prompt[at..].chars().next() {
        let rest = &prompt[at..];
        let block = match mark {
            '>' if line_start => Some((at + rest.find('\n').unwrap_or(rest.len()), Block::Quote)),
            '`' | '~' => {
                let run = run_of(rest, mark);
                if run >= 3 {
                    let end = at + run + fence_end(&rest[run..], mark, run, line_start);
                    Some((end, Block::Fence))
                } else {
                    // A code span may hold the mark of a fence.
                    if paragraph <= at {
                        paragraph = paragraph_end(prompt, at);
                    }
                    let span = if mark == '`' { span_end(&prompt[at..paragraph], run) } else { None };
                    at += span.unwrap_or(run);
                    line_start = false;
                    continue;
                }
            }
            '<' if rest.starts_with("<!--") && at < last_comment => {
                rest.find("-->").map(|end| (at + end + 3, Block::Comment))
            }
            _ => None,
        };
        if let Some((end, kind)) = block {
            found.push((at..end, kind));
            at = end;
            line_start = false;
        } else {
            line_start = mark == '\n' || line_start && matches!(mark, ' ' | '\t');
            at += mark.len_utf8();
        }
    }
    found
}

fn run_of(text: &str, mark: char) -> usize {
    text.len() - text.trim_start_matches(mark).len()
}

/// Where the runs of a mark begin, and how long they are.
fn runs(text: &str, mark: char) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(mark)?;
        let length = run_of(&text[start..], mark);
        at = start + length;
        Some((start, length))
    })
}

/// Where a fence closes in the text after its opening run: at the next run that is as long. A fence that opens a line
/// closes on that line, or where another line starts with such a run.
fn fence_end(text: &str, mark: char, run: usize, opens_line: bool) -> usize {
    let same_line = if opens_line { text.find('\n').unwrap_or(text.len()) } else { text.len() };
    let closing = runs(&text[..same_line], mark).find(|(_, length)| *length >= run);
    if let Some((start, length)) = closing {
        return start + length;
    }
    let mut at = same_line;
    for line in text[same_line..].split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let length = run_of(line.trim_start(), mark);
        if length >= run {
            return at + indent + length;
        }
        at += line.len();
    }
    text.len()
}

/// Where the next blank line is.
fn paragraph_end(text: &str, at: usize) -> usize {
    let mut ends = text[at..].match_indices('\n').map(|(offset, _)| at + offset);
    let is_gap = |end: &usize| text[end + 1..].trim_start_matches([' ', '\t', '\r']).starts_with('\n');
    ends.find(is_gap).unwrap_or(text.len())
}

/// The end of the code span that a text starts with: at the next run of as many ticks.
fn span_end(text: &str, run: usize) -> Option<usize> {
    let closing = runs(&text[run..], '`').find(|(_, length)| *length == run)?;
    Some(run + closing.0 + closing.1)
}

/// Spans within lines of text.
fn inline(prompt: &str, within: Range<usize>, brackets: Brackets, out: &mut Vec<Range<usize>>) {
    let text = &prompt[within.clone()];
    let pairs = Pairs::of(text);
    let mut at = 0;
    while at < text.len() {
        let opens = brackets == Brackets::Open && text[at..].starts_with(['(', '[']);
        match pairs.end_of(text, at).filter(|_| !opens) {
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
    /// Name of a tag → ends of its closing tags.
    tags: HashMap<&'t str, Vec<usize>>,
}

const BRACKETS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('{', '}')];
const QUOTES: [(char, char); 7] =
    [('"', '"'), ('\'', '\''), ('‘', '’'), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」')];

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
        if c == '<' {
            let name = tag_name(&text[at + 1..])?;
            let opened = at + 1 + text[at + 1..text.floor_char_boundary(at + LONGEST_TAG)].find('>')? + 1;
            let closing = self.tags.get(name).and_then(|closing| first_behind(closing, opened));
            return Some(closing.unwrap_or(opened));
        }
        let end = self.ends.get(&at).copied()?;
        let paragraph = first_behind(&self.breaks, at).unwrap_or(text.len());
        (end <= paragraph).then_some(end)
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
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for (block, kind) in blocks(prompt) {
        if kind == Block::Fence {
            ticks(prompt, at..block.start, &mut ranges);
            at = block.end;
            ranges.push(block);
        }
    }
    ticks(prompt, at..prompt.len(), &mut ranges);
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
