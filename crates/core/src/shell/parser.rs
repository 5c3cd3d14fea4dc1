//! The bash parser, behind bounds: it recurses, and a stack that overflows cannot be caught.

use brush_parser::ast::Program;
use brush_parser::{ParserOptions, TokenizerOptions};

use super::scan::{Scanned, scan};

/// Longer command lines are not read, here-documents apart.
const LONGEST: usize = 128 << 10;
/// With them.
const LARGEST: usize = 4 << 20;
/// Nesting that no person writes.
const DEEPEST: usize = 16;

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
    if script.len() > LARGEST {
        return Err(Unread::Bound("larger than 4 MB"));
    }
    // Line ends of another system.
    let script = if script.contains('\r') { script.replace("\r\n", "\n") } else { script.to_owned() };
    let Scanned { script, depth, odd } = scan(&script, documents);
    if script.len() > LONGEST {
        return Err(Unread::Bound("longer than 128 KB"));
    }
    if depth > DEEPEST {
        return Err(Unread::Bound("nested too deep"));
    }
    if let Some(odd) = odd {
        return Err(Unread::Syntax(odd.to_owned()));
    }
    match read(&script) {
        // The parser does not know this loop, which has the form of another.
        Err(Unread::Syntax(why)) if script.contains("select ") => {
            read(&as_for(&script)).map_err(|_| Unread::Syntax(why))
        }
        read => read,
    }
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

/// The words of a text that is no shell, roughly: for rules that look whether an operation is named in it at all.
pub fn first_words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| !(c.is_whitespace() || "'\"`;&|()<>{}$\\".contains(c));
    text.split(move |c| !is_part(c)).filter(|word| !word.is_empty())
}
