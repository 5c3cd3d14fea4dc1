//! Lines that are nearly the heading of a phase or a step: read as they are, the step would vanish in the text of another.

use super::body::Role;
use super::outline::{Document, Head};
use super::read::Problems;

const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

const NAMES: [&str; 3] = ["phase", "step", "cycle"];

/// How many words of a heading may stand before its number.
const WORDS: usize = 3;

/// What a heading begins with: its word, and the number in words behind it.
fn begins(text: &str) -> Option<(&'static str, Option<usize>)> {
    let mut words = words(text);
    let first = words.next()?;
    let word = NAMES.into_iter().find(|word| first.eq_ignore_ascii_case(word))?;
    let second = words.next().unwrap_or_default();
    let number = NUMBERS.iter().position(|number| second.eq_ignore_ascii_case(number));
    Some((word, number.map(|number| number + 1)))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '.').map(|word| word.trim_matches('.'));
    words.filter(|word| !word.is_empty())
}

/// The number `1.2` among the first words, also in `Step1.2`.
fn number(text: &str) -> Option<&str> {
    let number = |word: &str| -> Option<usize> {
        let lower = word.to_ascii_lowercase();
        let glued = NAMES.into_iter().find(|name| lower.starts_with(name));
        let from = glued.map_or(0, str::len);
        let (major, minor) = word[from..].split_once('.')?;
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        (is_number(major) && is_number(minor)).then_some(from)
    };
    words(text).take(WORDS).find_map(|word| number(word).map(|from| &word[from..]))
}

/// The heading to write: `## Step 1.2: TITLE`.
fn form(text: &str, signs: &str) -> Option<String> {
    let form = match Head::of(text) {
        Head::Phase(number, _) => format!("Phase {number}"),
        Head::Step { cycle, id, .. } => format!("{} {id}", if cycle { "Cycle" } else { "Step" }),
        Head::Odd(_) => "Step 1.2".to_owned(),
        Head::Common | Head::Instructions => return None,
        Head::Plain => match (begins(text), number(text)) {
            (Some(("phase", Some(number))), _) => format!("Phase {number}"),
            (Some(("phase", None)), _) => return None,
            (begins, Some(number)) => {
                format!(
                    "{} {number}",
                    if begins.is_some_and(|(word, _)| word == "cycle") { "Cycle" } else { "Step" }
                )
            }
            (Some(("cycle", Some(_))), _) => "Cycle 1.2".to_owned(),
            (Some((_, Some(_))), _) => "Step 1.2".to_owned(),
            _ => return None,
        },
    };
    Some(format!("`{signs} {form}: TITLE`"))
}

/// Looks at a heading that begins nothing. `is_part`: it is below the heading of a step, and may divide its text.
pub(super) fn heading(
    document: &Document<'_>,
    line: usize,
    is_part: bool,
    is_title: bool,
    problems: &mut Problems,
) {
    let Some((level, text)) = document.heading(line) else { return };
    let signs = "#".repeat(level);
    let shown = format!("`{signs} {text}`");
    let begun = begins(text).filter(|_| !is_part);
    let counted = number(text).filter(|_| !is_title && Role::of(text).is_none());
    let (word, is_sure) = match (begun, counted) {
        (Some((word, number)), _) => (word, number.is_some()),
        (None, Some(_)) => ("step", false),
        (None, None) => return,
    };
    let example = match word {
        "phase" => "Phase 1",
        "cycle" => "Cycle 1.2",
        _ => "Step 1.2",
    };
    let form = form(text, &signs).unwrap_or_else(|| format!("`{signs} {example}: TITLE`"));
    if is_sure {
        problems.error(document.path, line, format!("{shown} is not read as a {word}: write {form}"));
    } else {
        let text = format!("{shown} is not read as a {word}: if it is one, write {form}");
        problems.warning(document.path, line, text);
    }
}

/// Looks at a line that is no heading. `in_step`: bold text may divide it.
pub(super) fn line(document: &Document<'_>, line: usize, in_step: bool, problems: &mut Problems) {
    let whole = document.text(line);
    let text = whole.trim();
    let blanks = whole.len() - whole.trim_start().len();
    if document.lines.all[line].fenced || text.is_empty() || blanks > 3 || whole.starts_with('\t') {
        return;
    }
    let level = text.len() - text.trim_start_matches('#').len();
    let is_head = |text: &str| match Head::of(text) {
        Head::Phase(..) => true,
        Head::Step { id, .. } => id.minor.is_some() || !in_step,
        _ => false,
    };
    if (1..=6).contains(&level) {
        let (signs, name) = text.split_at(level);
        let is_named = NAMES.iter().any(|word| name.to_lowercase().starts_with(word));
        let is_counted = begins(name).is_some_and(|(_, number)| number.is_some()) || number(name).is_some();
        if (is_head(name) || is_named && is_counted)
            && let Some(form) = form(name, signs)
        {
            let text = format!("`{text}` is no heading, for there is no blank behind {signs}: write {form}");
            problems.error(document.path, line, text);
        }
        return;
    }
    let bold = text.trim_end_matches(':').strip_prefix("**").and_then(|text| text.strip_suffix("**"));
    let bold = bold.filter(|text| !text.contains("**"));
    let is_underlined = || {
        let below = document.lines.all.get(line + 1).filter(|below| !below.fenced);
        let below = below.map_or("", |below| below.text.trim());
        below.len() > 2 && (below.bytes().all(|byte| byte == b'=') || below.bytes().all(|byte| byte == b'-'))
    };
    let (text, what) = match bold {
        Some(bold) => (bold, "in bold"),
        None if is_head(text) && is_underlined() => (text, "underlined"),
        None => return,
    };
    if is_head(text)
        && let Some(form) = form(text, if matches!(Head::of(text), Head::Phase(..)) { "#" } else { "##" })
    {
        let text = format!("`{text}` is only {what} and begins nothing: if it is a heading, write {form}");
        problems.warning(document.path, line, text);
    }
}
