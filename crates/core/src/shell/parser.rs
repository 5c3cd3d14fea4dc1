//! The bash parser, behind bounds: it recurses, and a stack that overflows cannot be caught.

use brush_parser::ast::Program;
use brush_parser::{ParserOptions, TokenizerOptions};

/// Longer command lines are not read.
const LONGEST: usize = 128 << 10;
/// Nesting that no person writes.
const DEEPEST: usize = 60;

pub(super) fn options() -> ParserOptions {
    ParserOptions::default()
}

pub(super) enum Unread {
    Syntax(String),
    Bound(&'static str),
}

/// Reads a script. The texts of here-documents are taken out into `documents` before, and marked by their number: what is in
/// them must not confuse the reading of what is around them.
pub(super) fn parse(script: &str, documents: &mut Vec<String>) -> Result<Program, Unread> {
    if script.len() > LONGEST {
        return Err(Unread::Bound("longer than 128 KB"));
    }
    if has_huge_descriptor(script) {
        return Err(Unread::Syntax("a file descriptor is no such number".to_owned()));
    }
    if depth(script) > DEEPEST {
        return Err(Unread::Bound("nested too deep"));
    }
    // Line ends of another system, and a last line without one.
    let script = if script.contains('\r') { script.replace("\r\n", "\n") } else { script.to_owned() };
    let script = without_documents(&script, documents);
    match read(&script) {
        // The parser does not know this loop, which has the form of another.
        Err(Unread::Syntax(why)) if script.contains("select ") => {
            read(&as_for(&script)).map_err(|_| Unread::Syntax(why))
        }
        read => read,
    }
}

/// The parser panics on `99999999999<x`.
fn has_huge_descriptor(script: &str) -> bool {
    let mut digits = 0;
    script.bytes().any(|byte| {
        let huge = matches!(byte, b'<' | b'>') && digits > 9;
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        huge
    })
}

/// A panic of the parser is a text that it cannot read, nothing more.
fn read(script: &str) -> Result<Program, Unread> {
    let unread = |_| Err(Unread::Syntax("the parser failed on it".to_owned()));
    std::panic::catch_unwind(|| parsed(script)).unwrap_or_else(unread)
}

fn parsed(script: &str) -> Result<Program, Unread> {
    let tokens = brush_parser::uncached_tokenize_str(script, &TokenizerOptions::default())
        .map_err(|error| Unread::Syntax(error.to_string()))?;
    brush_parser::parse_tokens(&tokens, &options()).map_err(|error| Unread::Syntax(error.to_string()))
}

/// `select x in …` as `for x in …`, where a command can begin.
fn as_for(script: &str) -> String {
    let mut out = String::with_capacity(script.len());
    let mut at = 0;
    for (found, word) in script.match_indices("select ") {
        let before = script[..found].trim_end_matches([' ', '\t']);
        let begins = before.is_empty()
            || before.ends_with([';', '\n', '&', '|', '(', '{'])
            || before.ends_with("do")
            || before.ends_with("then");
        if begins {
            out.push_str(&script[at..found]);
            out.push_str("for ");
            at = found + word.len();
        }
    }
    out.push_str(&script[at..]);
    out
}

const MARK: char = '\u{e000}';

/// The text of a document that was taken out, by what stands in its place.
pub(super) fn document<'d>(placed: &str, documents: &'d [String]) -> Option<&'d str> {
    let number = placed.trim().strip_prefix(MARK)?.strip_suffix(MARK)?;
    documents.get(number.parse::<usize>().ok()?).map(String::as_str)
}

fn without_documents(script: &str, documents: &mut Vec<String>) -> String {
    if !script.contains("<<") || script.contains(MARK) {
        return script.to_owned();
    }
    let lines: Vec<&str> = script.split_inclusive('\n').collect();
    let mut out = String::with_capacity(script.len());
    let mut index = 0;
    while index < lines.len() {
        let line = lines[index];
        out.push_str(line);
        index += 1;
        for (tag, tabs) in tags(line) {
            let is_end = |line: &&str| {
                let line = line.trim_end_matches('\n');
                (if tabs { line.trim_start_matches('\t') } else { line }) == tag
            };
            let Some(length) = lines[index..].iter().position(is_end) else { break };
            let strip = |line: &&str| {
                if tabs { line.trim_start_matches('\t').to_owned() } else { (*line).to_owned() }
            };
            let text: String = lines[index..index + length].iter().map(strip).collect();
            if length > 0 {
                out.push_str(&format!("{MARK}{}{MARK}\n", documents.len()));
                documents.push(text);
            }
            out.push_str(lines[index + length]);
            index += length + 1;
        }
    }
    out
}

/// The delimiters of here-documents that a line opens, and whether leading tabs are taken off.
fn tags(line: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find("<<") {
        let behind = &rest[at + 2..];
        rest = behind;
        if behind.starts_with('<') {
            rest = behind.trim_start_matches('<');
            continue;
        }
        let (behind, tabs) = behind.strip_prefix('-').map_or((behind, false), |behind| (behind, true));
        let word = behind.trim_start_matches([' ', '\t']);
        let end = word.find(|c: char| c.is_whitespace() || ";|&<>()".contains(c)).unwrap_or(word.len());
        let tag: String = word[..end].chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
        let is_tag = tag.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && tag.chars().all(|c| c.is_alphanumeric() || "_-.!".contains(c));
        if is_tag {
            found.push((tag, tabs));
        }
    }
    found
}

/// An upper bound of how deep brackets and keywords nest.
fn depth(script: &str) -> usize {
    let mut depth = 0usize;
    let mut deepest = 0;
    for c in script.chars() {
        match c {
            '(' | '{' | '`' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    // Ticks open and close with the same character.
    deepest.saturating_sub(script.matches('`').count() / 2)
}

/// The words of a text that is no shell, roughly: for rules that look whether an operation is named in it at all.
pub fn first_words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| !(c.is_whitespace() || "'\"`;&|()<>{}$\\".contains(c));
    text.split(move |c| !is_part(c)).filter(|word| !word.is_empty())
}
