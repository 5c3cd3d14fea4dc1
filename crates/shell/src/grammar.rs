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

use crate::budget::{Budget, SPENT};
use lex::{Opened, Token, TokenKind};
use syntax::List;

/// Larger scripts are not read.
const LARGEST: usize = 4 << 20;
/// Nesting that no person writes.
const DEEPEST: usize = 32;

/// Why a script was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    Syntax(String),
    TooLarge(&'static str),
}

pub(crate) struct Parser<'s> {
    budget: &'s Budget,
    text: &'s str,
    at: usize,
    peeked: Option<Token<'s>>,
    depth: usize,
    /// Substitutions in braces that are open: a closing brace ends a word there.
    groups: usize,
    opened: Vec<Opened<'s>>,
    /// Only where it ends counts, so no tree is built: a substitution inside a word, a function's body. It is read again when it runs.
    skips: bool,
}

/// Reads a whole script.
pub(crate) fn parse<'s>(text: &'s str, budget: &'s Budget) -> Result<List<'s>, Stop> {
    if text.len() > LARGEST {
        return Err(Stop::TooLarge("it is larger than 4 MB"));
    }
    if !budget.spend_bytes(text.len()) {
        return Err(Stop::TooLarge(SPENT));
    }
    let mut parser = Parser::new(text, budget);
    let list = parser.list(&[])?;
    let token = parser.take_token()?;
    if token.kind != TokenKind::End {
        return Err(parser.unexpected(token));
    }
    Ok(list)
}

impl<'s> Parser<'s> {
    fn new(text: &'s str, budget: &'s Budget) -> Self {
        Self { budget, text, at: 0, peeked: None, depth: 0, groups: 0, opened: Vec::new(), skips: false }
    }

    fn count(&mut self) -> Result<(), Stop> {
        if self.budget.spend(1) { Ok(()) } else { Err(Stop::TooLarge(SPENT)) }
    }

    fn deeper(&mut self) -> Result<(), Stop> {
        self.depth += 1;
        if self.depth > DEEPEST { Err(Stop::TooLarge("it is nested too deep")) } else { Ok(()) }
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
