//! The grammar of bash: from text to a tree ([`syntax`]), and from a word to its pieces ([`piece`]).
//!
//! Lexing bash needs the parser: a word may contain a substitution, and only the command grammar knows where that ends. [`lex`] and
//! [`parse`] therefore share one [`Parser`].
//!
//! The parser is our own and bounded, because it reads every command of the agent before it runs. No text may make it panic or take
//! long.

mod lex;
mod parse;
pub(crate) mod piece;
pub(crate) mod syntax;

use lex::{Opened, Token, TokenKind};
use syntax::List;

/// Larger scripts are not read.
const LARGEST: usize = 4 << 20;
/// Words and operators; more than any person's command line has.
const MOST_TOKENS: usize = 40_000;
/// Nesting that no person writes.
const DEEPEST: usize = 32;

/// Why a script was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    Syntax(String),
    Bound(&'static str),
}

pub(crate) struct Parser<'s> {
    text: &'s str,
    at: usize,
    peeked: Option<Token<'s>>,
    depth: usize,
    tokens: usize,
    opened: Vec<Opened<'s>>,
}

/// Reads a whole script.
pub(crate) fn parse(text: &str) -> Result<List<'_>, Stop> {
    if text.len() > LARGEST {
        return Err(Stop::Bound("larger than 4 MB"));
    }
    let mut parser = Parser::new(text);
    let list = parser.list(&[])?;
    let token = parser.take_token()?;
    if token.kind != TokenKind::End {
        return Err(parser.unexpected(token));
    }
    Ok(list)
}

impl<'s> Parser<'s> {
    fn new(text: &'s str) -> Self {
        Self { text, at: 0, peeked: None, depth: 0, tokens: 0, opened: Vec::new() }
    }

    fn count(&mut self) -> Result<(), Stop> {
        self.tokens += 1;
        if self.tokens > MOST_TOKENS { Err(Stop::Bound("too many words")) } else { Ok(()) }
    }

    fn deeper(&mut self) -> Result<(), Stop> {
        self.depth += 1;
        if self.depth > DEEPEST { Err(Stop::Bound("nested too deep")) } else { Ok(()) }
    }

    fn line(&self, at: usize) -> usize {
        self.text[..at].matches('\n').count() + 1
    }

    fn unclosed(&self, what: &str) -> Stop {
        Stop::Syntax(format!("line {}: {what} is not closed", self.line(self.at)))
    }

    fn unexpected(&self, token: Token<'_>) -> Stop {
        let line = self.line(token.start);
        Stop::Syntax(match (token.kind, token.text) {
            (TokenKind::End, _) => format!("line {line}: it ends too early"),
            (_, "\n") => format!("line {line}: the line ends too early"),
            (_, text) => format!("line {line}: unexpected {}", engine_text::line::one_line(text, 40)),
        })
    }
}
