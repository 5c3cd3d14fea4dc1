//! A prompt without the chain that somebody copied into it: a subagent that reads one starts the user's next skill by itself.
//!
//! A continuation has several spellings: the suffix of a call, in any case; the block that the engine tells the model, or
//! single lines of it; the rendered call of an entry that is left. In code all of them are text about chains.

use super::shield;
use super::transport::{OPENING, strict};

/// Whether a prompt may carry a continuation. Cheap: most prompts hold none of the words.
pub fn may_carry(prompt: &str, skill_tool: &str) -> bool {
    let word = "continuation";
    let is_word = |bytes: &[u8]| bytes.eq_ignore_ascii_case(word.as_bytes());
    prompt.as_bytes().windows(word.len()).any(is_word)
        || prompt.contains(&format!("{skill_tool}("))
        || ALONE.iter().any(|told| prompt.contains(told))
}

/// The prompt without continuations; nothing if it holds none. `calls`: how the calls of the entries that are left begin.
pub fn without_continuation(prompt: &str, calls: &[String]) -> Option<String> {
    let mut clean = without_once(prompt, calls)?;
    // What is taken out may join what is around it to another one.
    for _ in 0..3 {
        match without_once(&clean, calls) {
            Some(cleaner) => clean = cleaner,
            None => break,
        }
    }
    Some(clean)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Spelling {
    /// `[CONTINUATION`
    Marker,
    /// A line that the engine writes.
    Line,
    /// The rendered call.
    Call { prefix: usize },
}

fn without_once(prompt: &str, calls: &[String]) -> Option<String> {
    let code = shield::code(prompt);
    let mut kept = String::new();
    let mut at = 0;
    let mut line_end = 0;
    let mut found = false;
    for (start, spelling) in spellings(prompt, calls) {
        let span = code.get(code.partition_point(|span| span.end <= start));
        if start < at || span.is_some_and(|span| span.contains(&start)) {
            continue;
        }
        found = true;
        if line_end <= start {
            line_end = prompt[start..].find('\n').map_or(prompt.len(), |end| start + end);
        }
        kept.push_str(prompt[at..start].trim_end_matches(' '));
        at = match spelling {
            Spelling::Marker => marker_end(prompt, start, line_end),
            Spelling::Line => start + told_end(&prompt[start..], 0),
            Spelling::Call { prefix } => call_end(prompt, start + prefix, line_end),
        };
        // A line that held nothing else goes with it.
        if spelling != Spelling::Marker
            && (kept.is_empty() || kept.ends_with('\n'))
            && prompt[at..].starts_with('\n')
        {
            at += 1;
        }
    }
    kept.push_str(&prompt[at..]);
    found.then(|| kept.trim().to_owned())
}

/// Where continuations begin, in the order of the prompt.
fn spellings(prompt: &str, calls: &[String]) -> Vec<(usize, Spelling)> {
    let mut found = Vec::new();
    for (at, _) in prompt.match_indices('[').filter(|(at, _)| opens_marker(&prompt[*at..])) {
        found.push((at, Spelling::Marker));
    }
    let mut at = 0;
    for line in prompt.split_inclusive('\n') {
        if is_alone(line) {
            found.push((at, Spelling::Line));
        }
        at += line.len();
    }
    for call in calls {
        let prefix = call.len();
        found.extend(prompt.match_indices(call.as_str()).map(|(at, _)| (at, Spelling::Call { prefix })));
    }
    found.sort_unstable();
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

/// After the bracket that closes a call, outside its quotation marks.
fn call_end(prompt: &str, from: usize, line_end: usize) -> usize {
    let mut in_quotes = false;
    let mut escaped = false;
    for (at, c) in prompt[from..line_end.max(from)].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => in_quotes = !in_quotes,
            ')' if !in_quotes => return from + at + 1,
            _ => {}
        }
    }
    line_end.max(from)
}
