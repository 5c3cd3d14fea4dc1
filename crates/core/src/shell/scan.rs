//! A first look at a script, before the parser: where here-documents are, and how deep it nests.
//!
//! It knows quotes, comments, substitutions and arithmetic, and nothing else. The parser recurses, and takes exponential time for
//! some nestings; a document's text confuses it where the document stands inside `$(…)`. So documents are taken out and the
//! depth is known before it is called.

/// What was found.
pub(super) struct Scanned {
    /// The script with a mark in place of each document's text.
    pub(super) script: String,
    pub(super) depth: usize,
    /// What nobody would write, and the parser cannot bear.
    pub(super) odd: Option<&'static str>,
}

const NO_END: &str = "a here-document without its end";

/// Marks a document that was taken out, around its number.
const MARK: char = '\u{e000}';

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Commands: the script itself, `$(…)`, `(…)`.
    Commands,
    Double,
    /// `((…))`, `$((…))`: `<<` is a shift.
    Arithmetic,
    /// `${…}`.
    Parameter,
}

/// The text of a document that was taken out, by what stands in its place.
pub(super) fn document<'d>(placed: &str, documents: &'d [String]) -> Option<&'d str> {
    let number = placed.trim().strip_prefix(MARK)?.strip_suffix(MARK)?;
    documents.get(number.parse::<usize>().ok()?).map(String::as_str)
}

pub(super) fn scan(text: &str, documents: &mut Vec<String>) -> Scanned {
    let text = text.replace(MARK, " ");
    Scan {
        text: &text,
        out: String::with_capacity(text.len()),
        documents,
        inside: vec![Inside::Commands],
        waiting: Vec::new(),
        words: 0,
        negations: 0,
        deepest: 0,
        odd: None,
    }
    .run()
}

struct Scan<'s> {
    text: &'s str,
    out: String,
    documents: &'s mut Vec<String>,
    inside: Vec<Inside>,
    /// Documents that the line has opened: delimiter, and whether leading tabs are taken off.
    waiting: Vec<(String, bool)>,
    /// Keywords that are open.
    words: usize,
    /// `!` in the command at hand.
    negations: usize,
    deepest: usize,
    odd: Option<&'static str>,
}

impl Scan<'_> {
    fn run(mut self) -> Scanned {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        let mut copied = 0;
        let mut word_start = true;
        // Where a command can begin: only there is a word a keyword.
        let mut command_start = true;
        while at < bytes.len() {
            let here = self.inside.last().copied().unwrap_or(Inside::Commands);
            let rest = &self.text[at..];
            let mut step = rest.chars().next().map_or(1, char::len_utf8);
            let mut next_word_start = false;
            match (here, bytes[at]) {
                (_, b'\\') => step = 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
                (Inside::Commands | Inside::Parameter, b'\'') => {
                    step = 2 + rest[1..].find('\'').unwrap_or(rest.len());
                }
                (Inside::Double, b'"') | (Inside::Parameter, b'}') | (Inside::Arithmetic, b')') => {
                    self.leave();
                }
                (_, b'"') if here != Inside::Double => self.enter(Inside::Double),
                (_, b'$') if rest.starts_with("$((") => {
                    self.enter(Inside::Arithmetic);
                    self.enter(Inside::Arithmetic);
                    step = 3;
                }
                (_, b'$') if rest.starts_with("$(") => {
                    self.enter(Inside::Commands);
                    step = 2;
                    next_word_start = true;
                    command_start = true;
                }
                (_, b'$') if rest.starts_with("${") => {
                    self.enter(Inside::Parameter);
                    step = 2;
                }
                (Inside::Arithmetic, b'(') => self.enter(Inside::Arithmetic),
                (Inside::Commands, b'#') if word_start => step = rest.find('\n').unwrap_or(rest.len()),
                (Inside::Commands, b'(') if rest.starts_with("((") && word_start => {
                    self.enter(Inside::Arithmetic);
                    self.enter(Inside::Arithmetic);
                    step = 2;
                }
                (Inside::Commands, b'(') => {
                    self.enter(Inside::Commands);
                    next_word_start = true;
                    command_start = true;
                }
                // The end of a pattern in `case` has no opening one; the depth is then told too small by it, and the
                // keyword counts double.
                (Inside::Commands, b')') => {
                    if self.inside.len() > 1 {
                        self.leave();
                    }
                    next_word_start = true;
                    command_start = true;
                }
                // The parser panics on `99999999999<x`.
                (Inside::Commands, b'<' | b'>') if digits_before(bytes, at) > 9 => {
                    self.odd = Some("a file descriptor is no such number");
                }
                (Inside::Commands, b'<') if rest.starts_with("<<<") => step = 3,
                (Inside::Commands, b'<') if rest.starts_with("<<") => {
                    match delimiter(&rest[2..]) {
                        Some(tag) => self.waiting.push(tag),
                        // The parser never ends on some of these.
                        None => self.odd = Some(NO_END),
                    }
                    step = 2;
                }
                (Inside::Commands, b'\n') => {
                    next_word_start = true;
                    command_start = true;
                    self.negations = 0;
                    if !self.waiting.is_empty() {
                        self.out.push_str(&self.text[copied..=at]);
                        at = self.take_documents(at + 1);
                        copied = at;
                        word_start = true;
                        continue;
                    }
                }
                (Inside::Commands, b' ' | b'\t') => next_word_start = true,
                (Inside::Commands, b';' | b'&' | b'|') => {
                    next_word_start = true;
                    command_start = true;
                    self.negations = 0;
                }
                (Inside::Commands, b'{') if command_start => {
                    self.deeper(1);
                    next_word_start = true;
                }
                (Inside::Commands, b'}') if command_start => self.words = self.words.saturating_sub(1),
                (Inside::Commands, b'!') if word_start => {
                    self.negations += 1;
                    self.deeper(0);
                    next_word_start = true;
                }
                (Inside::Commands, b'a'..=b'z' | b'[' | b']') if word_start => {
                    let end = rest
                        .find(|c: char| c.is_whitespace() || ";&|()<>$`'\"\\".contains(c))
                        .unwrap_or(rest.len());
                    let word = &rest[..end];
                    if command_start || word == "]]" {
                        self.keyword(word);
                    }
                    command_start &= matches!(
                        word,
                        "then" | "do" | "else" | "elif" | "if" | "while" | "until" | "time" | "coproc"
                    );
                    step = end.max(1);
                }
                (Inside::Commands, _) => command_start &= !word_start,
                _ => {}
            }
            word_start = next_word_start;
            at += step;
        }
        self.out.push_str(&self.text[copied.min(self.text.len())..]);
        // A document that never ends is no script either.
        let odd = self.odd.or((!self.waiting.is_empty()).then_some(NO_END));
        Scanned { script: self.out, depth: self.deepest, odd }
    }

    fn enter(&mut self, inside: Inside) {
        self.inside.push(inside);
        self.deepest = self.deepest.max(self.inside.len() + self.words);
    }

    fn leave(&mut self) {
        self.inside.pop();
    }

    fn keyword(&mut self, word: &str) {
        match word {
            "if" | "do" | "coproc" | "[[" => self.deeper(1),
            // The parser is slowest here.
            "case" => self.deeper(2),
            "fi" | "done" | "]]" => self.words = self.words.saturating_sub(1),
            "esac" => self.words = self.words.saturating_sub(2),
            _ => {}
        }
    }

    fn deeper(&mut self, by: usize) {
        self.words += by;
        // A chain of negations is deep for the parser, and ends with its command.
        self.deepest = self.deepest.max(self.inside.len() + self.words + self.negations / 4);
    }

    /// Takes the texts of the waiting documents out; where the script goes on.
    fn take_documents(&mut self, from: usize) -> usize {
        let mut at = from;
        for (tag, tabs) in std::mem::take(&mut self.waiting) {
            let mut text = String::new();
            let mut end = None;
            let mut line_start = at;
            for line in self.text[at..].split_inclusive('\n') {
                let bare = line.trim_end_matches(['\n', '\r']);
                let bare = if tabs { bare.trim_start_matches('\t') } else { bare };
                if bare == tag {
                    end = Some((line_start, line_start + line.len()));
                    break;
                }
                text.push_str(if tabs { line.trim_start_matches('\t') } else { line });
                line_start += line.len();
            }
            // Without its end the document is the parser's to complain about.
            let Some((last, behind)) = end else {
                self.odd = Some(NO_END);
                return at;
            };
            if !text.is_empty() {
                self.out.push_str(&format!("{MARK}{}{MARK}\n", self.documents.len()));
                self.documents.push(text);
            }
            self.out.push_str(&self.text[last..behind]);
            at = behind;
        }
        at
    }
}

fn digits_before(bytes: &[u8], at: usize) -> usize {
    bytes[..at].iter().rev().take_while(|byte| byte.is_ascii_digit()).count()
}

/// The delimiter behind `<<`.
fn delimiter(behind: &str) -> Option<(String, bool)> {
    let (behind, tabs) = behind.strip_prefix('-').map_or((behind, false), |behind| (behind, true));
    let word = behind.trim_start_matches([' ', '\t']);
    let end = word.find(|c: char| c.is_whitespace() || ";|&<>()".contains(c)).unwrap_or(word.len());
    let tag: String = word[..end].chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
    let is_tag = !tag.is_empty() && !tag.chars().any(|c| c.is_control() || "$`".contains(c));
    is_tag.then_some((tag, tabs))
}
