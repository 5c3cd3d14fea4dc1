//! A prompt without the chain that somebody copied into it: a subagent that reads one starts the user's next skill by itself.
//!
//! A continuation has several spellings: the suffix of a call, in any case; the block that the engine tells the model, or
//! single lines of it; and what [`spelled`] knows: the word in other brackets or none, and the call of an entry that is left, however it
//! is written. In code all of them are text about chains.

use super::shield;
use super::transport::{OPENING, strict};

mod spelled;

use spelled::Folded;

/// Whether a prompt may carry a continuation. Cheap: most prompts hold none of the words.
pub fn may_carry(prompt: &str, skill_tool: &str) -> bool {
    let holds = |text: &str, word: &str| {
        text.as_bytes().windows(word.len()).any(|bytes| bytes.eq_ignore_ascii_case(word.as_bytes()))
    };
    let has = |text: &str| holds(text, spelled::WORD) || holds(text, skill_tool);
    has(prompt)
        || ALONE.iter().any(|told| prompt.contains(told))
        || (!prompt.is_ascii() && has(&Folded::of(prompt).text))
}

/// The prompt without continuations; nothing if it holds none. `skills`: the entries that are left.
pub fn without_continuation(prompt: &str, skill_tool: &str, skills: &[&str]) -> Option<String> {
    let mut clean = without_once(prompt, skill_tool, skills)?;
    // What is taken out may join what is around it to another one.
    while let Some(cleaner) = without_once(&clean, skill_tool, skills).filter(|new| new.len() < clean.len()) {
        clean = cleaner;
    }
    Some(clean)
}

/// A part of a prompt to take out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    start: usize,
    end: usize,
    /// It stands in a line of its own, which goes with it.
    is_line: bool,
}

fn without_once(prompt: &str, skill_tool: &str, skills: &[&str]) -> Option<String> {
    let code = shield::code(prompt);
    let is_code = |at: usize| {
        let span = code.get(code.partition_point(|span| span.end <= at));
        span.is_some_and(|span| span.contains(&at))
    };
    let mut parts: Vec<Part> = markers(prompt);
    let folded = Folded::of(prompt);
    parts.extend(folded.continuations());
    parts.extend(folded.calls(&skill_tool.to_lowercase(), skills));
    parts.retain(|part| !is_code(part.start));
    parts.sort_unstable();
    let mut kept = String::new();
    let mut at = 0;
    for part in &parts {
        if part.end <= at {
            continue;
        }
        kept.push_str(prompt[at..part.start.max(at)].trim_end_matches(' '));
        at = part.end;
        if part.is_line && (kept.is_empty() || kept.ends_with('\n')) && prompt[at..].starts_with('\n') {
            at += 1;
        }
    }
    kept.push_str(&prompt[at..]);
    (!parts.is_empty()).then(|| kept.trim().to_owned())
}

/// The forms that the engine writes, as far as they were copied.
fn markers(prompt: &str) -> Vec<Part> {
    let mut found = Vec::new();
    for (start, _) in prompt.match_indices('[').filter(|(at, _)| opens_marker(&prompt[*at..])) {
        let line_end = prompt[start..].find('\n').map_or(prompt.len(), |end| start + end);
        found.push(Part { start, end: marker_end(prompt, start, line_end), is_line: false });
    }
    let mut start = 0;
    for line in prompt.split_inclusive('\n') {
        if is_alone(line) {
            found.push(Part { start, end: start + told_end(&prompt[start..], 0), is_line: true });
        }
        start += line.len();
    }
    found
}

/// The suffix of a call or the head of the block, in any case; in capitals whatever follows.
fn opens_marker(text: &str) -> bool {
    let is = |mark: &str| text.get(..mark.len()).is_some_and(|text| text.eq_ignore_ascii_case(mark));
    text.starts_with("[CONTINUATION") || is(OPENING) || is("[CONTINUATION-PASSING]")
}

/// What the lines begin with that the engine writes below its mark.
const TOLD: [&str; 5] = [
    "Current: /",
    "Continuation: ",
    "The continuation belongs",
    "If the current skill waits",
    "If the skill waits for the user",
];

/// Those of them that say what is to be called, without the mark, too.
const ALONE: [&str; 5] = [
    "When the work of the current skill is done, the next",
    "When the task is done, the first entry is called",
    "The first entry is called with",
    "The chain has entries left",
    "It replaces an earlier chain, of which",
];

fn is_alone(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t', '-', '*', '>', '#']);
    let names = "continuation:";
    let names_skill = line.get(..names.len()).is_some_and(|head| head.eq_ignore_ascii_case(names))
        && line[names.len()..].trim_start_matches([' ', '*']).strip_prefix('/').is_some_and(starts_name);
    names_skill || ALONE.iter().any(|told| line.starts_with(told))
}

fn starts_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// After the marker that starts here: the shortest end at which it reads as one, else its first bracket, else the line.
fn marker_end(prompt: &str, start: usize, line_end: usize) -> usize {
    let text = &prompt[start..];
    let line_end = line_end - start;
    if !text.get(..OPENING.len()).is_some_and(|head| head.eq_ignore_ascii_case(OPENING)) {
        return start + told_end(text, text[..line_end].find(']').map_or(line_end, |at| at + 1));
    }
    let body = &text[OPENING.len()..];
    // A marker that reads as one ends within a few brackets, not far away.
    let near = &body[..body.floor_char_boundary(body.len().min(20_000))];
    let mut closes = near.match_indices(']').take(20).map(|(at, _)| at + 1);
    let strict = closes.find(|end| strict(&body[..*end]).is_some());
    let first = || text[..line_end].find(']').map(|at| at + 1);
    start + strict.map(|end| OPENING.len() + end).or_else(first).unwrap_or(line_end)
}

/// After what the engine tells below its mark, as far as it was copied.
fn told_end(text: &str, from: usize) -> usize {
    let mut end = from;
    let mut at = from;
    // A line that ends in a colon announces the call that follows it, indented.
    let mut announced = false;
    for line in text[from..].split_inclusive('\n') {
        at += line.len();
        let words = line.trim_start_matches([' ', '\t', '-', '*', '>', '#']);
        let is_told = is_alone(line) || TOLD.iter().any(|told| words.starts_with(told));
        if is_told || (announced && line.starts_with("  ")) {
            announced = line.trim_end().ends_with(':');
            end = at;
        } else if !line.trim().is_empty() {
            break;
        }
    }
    end
}
