//! The lexer: the words and operators of a script.
//!
//! Lexing bash needs the parser: a word may contain a substitution, and only the command grammar knows where that ends. The two
//! modules therefore share one [`Parser`].

use std::cell::OnceCell;
use std::rc::Rc;

use super::syntax::Document;
use super::{Parser, Stop};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'s> {
    pub(super) kind: TokenKind,
    pub(super) text: &'s str,
    pub(super) start: usize,
    pub(super) end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    Word,
    Operator,
    End,
}

/// Longest first.
const OPERATORS: &[&str] = &[
    "<<<", "<<-", "&>>", ";;&", "&&", "||", ";;", ";&", "|&", "<<", ">>", "<&", ">&", "<>", ">|", "&>", "&",
    "|", ";", "(", ")", "<", ">", "\n",
];

/// No arithmetic is longer; to look further for its end would take long where there is none.
const LONGEST_ARITHMETIC: usize = 4096;

/// What begins with a dollar sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dollar {
    /// The sign alone, or the start of a quotation.
    Sign,
    /// `$name`, `$1`, `$@`
    Name,
    /// `${…}`
    Braces,
    /// `$(…)`
    Command,
    /// `${ …; }` and `${| …; }`
    Group,
    /// `$((…))`
    Arithmetic,
    /// `$'…'`
    AnsiC,
}

/// A here-document that the line has opened.
pub(super) struct Opened<'s> {
    tag: String,
    /// `<<-`: tabs are taken off.
    tabs: bool,
    expands: bool,
    text: Rc<OnceCell<Document<'s>>>,
}

impl<'s> Parser<'s> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn rest(&self) -> &'s str {
        &self.text[self.at..]
    }

    /// The next token, which is taken.
    pub(super) fn take_token(&mut self) -> Result<Token<'s>, Stop> {
        match self.peeked.take() {
            Some(token) => Ok(token),
            None => self.token(),
        }
    }

    pub(super) fn peek(&mut self) -> Result<Token<'s>, Stop> {
        if self.peeked.is_none() {
            self.peeked = Some(self.token()?);
        }
        Ok(self.peeked.expect("just read"))
    }

    fn token(&mut self) -> Result<Token<'s>, Stop> {
        self.blanks();
        let start = self.at;
        let rest = self.rest();
        let Some(first) = self.byte() else {
            self.take_documents();
            return Ok(Token { kind: TokenKind::End, text: "", start, end: start });
        };
        self.count()?;
        let is_process = rest.starts_with("<(") || rest.starts_with(">(");
        if is_operator(first) && !is_process {
            let starts = |operator: &&&str| {
                operator.as_bytes().first() == Some(&first) && rest.starts_with(**operator)
            };
            let operator = OPERATORS.iter().find(starts).copied();
            let operator = operator.unwrap_or(&rest[..1]);
            self.at += operator.len();
            let token =
                Token { kind: TokenKind::Operator, text: &rest[..operator.len()], start, end: self.at };
            if operator == "\n" {
                self.take_documents();
            }
            return Ok(token);
        }
        if self.groups > 0 && first == b'}' {
            self.at += 1;
        } else {
            self.word()?;
        }
        Ok(Token { kind: TokenKind::Word, text: &self.text[start..self.at], start, end: self.at })
    }

    /// Blanks, lines that go on, comments.
    fn blanks(&mut self) {
        loop {
            match self.byte() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.rest().starts_with("\\\n") => self.at += 2,
                Some(b'#') => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                _ => return,
            }
        }
    }

    /// To the end of a word.
    fn word(&mut self) -> Result<(), Stop> {
        let start = self.at;
        while let Some(byte) = self.byte() {
            match byte {
                b' ' | b'\t' => break,
                b'<' | b'>' if self.text.as_bytes().get(self.at + 1) == Some(&b'(') => {
                    self.at += 2;
                    self.substitution()?;
                }
                // `@(a|b)` is a pattern.
                b'(' if self.at > start && b"@?*+!".contains(&self.text.as_bytes()[self.at - 1]) => {
                    self.pattern_group()?;
                }
                byte if is_operator(byte) => break,
                b'\\' => self.escaped(),
                b'\'' => self.single_quoted()?,
                b'"' => self.double_quoted()?,
                b'`' => self.backquoted()?,
                b'$' => {
                    self.dollar(false)?;
                }
                _ => self.at += 1,
            }
        }
        Ok(())
    }

    /// `(a|b)` behind `@`, `?`, `*`, `+` or `!`.
    fn pattern_group(&mut self) -> Result<(), Stop> {
        let mut open = 0;
        while let Some(byte) = self.byte() {
            match byte {
                b'(' => open += 1,
                b')' => open -= 1,
                b'\\' => {
                    self.escaped();
                    continue;
                }
                b'\'' => {
                    self.single_quoted()?;
                    continue;
                }
                b'"' => {
                    self.double_quoted()?;
                    continue;
                }
                b'\n' => break,
                _ => {}
            }
            self.at += 1;
            if open == 0 {
                return Ok(());
            }
        }
        Err(self.unclosed("("))
    }

    /// A regular expression behind `=~`: blanks and operators end it outside of its parentheses only.
    pub(super) fn expression(&mut self) -> Result<&'s str, Stop> {
        self.blanks();
        let start = self.at;
        let mut open = 0_usize;
        while let Some(byte) = self.byte() {
            match byte {
                b'\n' => break,
                b' ' | b'\t' if open == 0 => break,
                b'\\' => self.escaped(),
                b'\'' => self.single_quoted()?,
                b'"' => self.double_quoted()?,
                b'`' => self.backquoted()?,
                b'$' => {
                    self.dollar(false)?;
                }
                _ => {
                    match byte {
                        b'(' => open += 1,
                        b')' => open = open.saturating_sub(1),
                        _ => {}
                    }
                    self.at += 1;
                }
            }
        }
        Ok(&self.text[start..self.at])
    }

    pub(super) fn escaped(&mut self) {
        self.at += 1;
        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
    }

    pub(super) fn single_quoted(&mut self) -> Result<(), Stop> {
        let end = self.text[self.at + 1..].find('\'').ok_or_else(|| self.unclosed("'"))?;
        self.at += end + 2;
        Ok(())
    }

    pub(super) fn double_quoted(&mut self) -> Result<(), Stop> {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.byte() {
            match byte {
                b'"' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' => self.escaped(),
                b'`' => self.backquoted()?,
                b'$' => {
                    self.dollar(true)?;
                }
                _ => self.at += 1,
            }
        }
        self.at = start;
        Err(self.unclosed("\""))
    }

    pub(super) fn backquoted(&mut self) -> Result<(), Stop> {
        let start = self.at;
        self.at += 1;
        if self.passes(b'`') {
            return Ok(());
        }
        self.at = start;
        Err(self.unclosed("`"))
    }

    /// Goes behind the next such byte that no backslash is before; whether there is one.
    fn passes(&mut self, closing: u8) -> bool {
        while let Some(byte) = self.byte() {
            match byte {
                b'\\' => self.escaped(),
                _ => self.at += 1,
            }
            if byte == closing {
                return true;
            }
        }
        false
    }

    /// What a dollar sign begins, to its end. `quoted`: a double quotation is around it.
    pub(super) fn dollar(&mut self, quoted: bool) -> Result<Dollar, Stop> {
        let start = self.at;
        self.at += 1;
        match self.byte() {
            Some(b'(') => {
                if let Some(end) = arithmetic_end(self.rest()) {
                    self.at += end;
                    return Ok(Dollar::Arithmetic);
                }
                self.at += 1;
                self.substitution()?;
                Ok(Dollar::Command)
            }
            Some(b'{') if matches!(self.rest().as_bytes().get(1), Some(b' ' | b'\t' | b'\n' | b'|')) => {
                self.at += 2;
                self.command_group()?;
                Ok(Dollar::Group)
            }
            Some(b'{') => {
                self.at += 1;
                self.braces(quoted).inspect_err(|_| self.at = start)?;
                Ok(Dollar::Braces)
            }
            Some(b'\'') if !quoted => {
                self.at += 1;
                if self.passes(b'\'') {
                    return Ok(Dollar::AnsiC);
                }
                self.at = start;
                Err(self.unclosed("'"))
            }
            Some(b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => {
                self.at += 1;
                Ok(Dollar::Name)
            }
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                self.at += name_length(self.rest());
                Ok(Dollar::Name)
            }
            _ => Ok(Dollar::Sign),
        }
    }

    /// To behind the brace that closes `${`.
    fn braces(&mut self, quoted: bool) -> Result<(), Stop> {
        self.deeper()?;
        while let Some(byte) = self.byte() {
            match byte {
                b'}' => {
                    self.at += 1;
                    self.depth -= 1;
                    return Ok(());
                }
                b'\\' => self.escaped(),
                b'\'' if !quoted => self.single_quoted()?,
                b'"' => self.double_quoted()?,
                b'`' => self.backquoted()?,
                b'$' => {
                    self.dollar(quoted)?;
                }
                _ => self.at += 1,
            }
        }
        Err(self.unclosed("${"))
    }

    /// Opens a here-document, whose text follows behind the line.
    pub(super) fn open_document(&mut self, tag: &str, tabs: bool) -> Rc<OnceCell<Document<'s>>> {
        let text = Rc::default();
        let is_quote = |c: char| matches!(c, '\'' | '"' | '\\');
        self.opened.push(Opened {
            tag: tag.chars().filter(|c| !is_quote(*c)).collect(),
            tabs,
            expands: !tag.contains(is_quote),
            text: Rc::clone(&text),
        });
        text
    }

    /// Takes the texts of the documents that the line has opened. One without its end goes to the end of the script, as in bash.
    fn take_documents(&mut self) {
        for Opened { tag, tabs, expands, text: place } in std::mem::take(&mut self.opened) {
            let from = self.at;
            let mut to = self.text.len();
            let mut behind = to;
            let mut at = from;
            for line in self.text[from..].split_inclusive('\n') {
                let bare = line.trim_end_matches('\n');
                let bare = if tabs { bare.trim_start_matches('\t') } else { bare };
                if bare == tag {
                    (to, behind) = (at, at + line.len());
                    break;
                }
                at += line.len();
            }
            let text = &self.text[from..to];
            let text = if tabs && text.contains('\t') {
                text.split_inclusive('\n')
                    .map(|line| line.trim_start_matches('\t'))
                    .collect::<String>()
                    .into()
            } else {
                text.into()
            };
            place.get_or_init(|| Document { text, expands });
            self.at = behind;
        }
    }
}

fn is_operator(byte: u8) -> bool {
    matches!(byte, b'&' | b'(' | b')' | b';' | b'\n' | b'|' | b'<' | b'>')
}

/// How many bytes of a name the text begins with.
pub(super) fn name_length(text: &str) -> usize {
    let is_first = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    if !text.bytes().next().is_some_and(is_first) {
        return 0;
    }
    text.bytes().take_while(|byte| is_first(*byte) || byte.is_ascii_digit()).count()
}

/// The length of `((…))`, if that is what the text begins with and not a subshell in a subshell.
pub(super) fn arithmetic_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if !text.starts_with("((") {
        return None;
    }
    let mut open = 0_usize;
    let mut at = 0;
    let mut quote = None;
    while at < bytes.len().min(LONGEST_ARITHMETIC) {
        match (quote, bytes[at]) {
            (_, b'\\') => at += 1,
            (Some(open), byte) if open == byte => quote = None,
            (None, byte @ (b'\'' | b'"')) => quote = Some(byte),
            (None, b'(') => open += 1,
            (None, b')') => {
                open -= 1;
                if open == 1 {
                    return (bytes.get(at + 1) == Some(&b')')).then_some(at + 2);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}
