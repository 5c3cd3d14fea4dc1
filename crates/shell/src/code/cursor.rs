//! A place in the tokens of code.

use std::collections::HashMap;

use super::language::Language;
use super::token::{Kind, Token};

/// A place in the tokens.
pub(super) struct Cursor<'x> {
    pub(super) tokens: &'x [Token<'x>],
    pub(super) at: usize,
    /// Within parentheses the end of a line ends nothing.
    pub(super) nest: usize,
    /// Where `for` stands in a bracket, by the place of the bracket.
    pub(super) loops: HashMap<usize, usize>,
}

impl<'x> Cursor<'x> {
    pub(super) fn new(tokens: &'x [Token<'x>], language: Language) -> Self {
        let mut loops = HashMap::new();
        if language == Language::Python {
            let mut open = Vec::new();
            for (at, token) in tokens.iter().enumerate() {
                match (&token.kind, token.text) {
                    (Kind::Mark, "(" | "[" | "{") => open.push(at),
                    (Kind::Mark, ")" | "]" | "}") => {
                        open.pop();
                    }
                    (Kind::Name, "for") => {
                        if let Some(bracket) = open.last() {
                            loops.entry(*bracket).or_insert(at);
                        }
                    }
                    _ => {}
                }
            }
        }
        Self { tokens, at: 0, nest: 0, loops }
    }

    pub(super) fn peek(&mut self) -> Option<&'x Token<'x>> {
        while self.nest > 0 && self.tokens.get(self.at).is_some_and(|token| token.kind == Kind::Newline) {
            self.at += 1;
        }
        self.tokens.get(self.at)
    }

    /// The token so many behind the next, as it stands.
    pub(super) fn ahead(&self, by: usize) -> &'x str {
        self.tokens.get(self.at + by).map_or("", |token| token.text)
    }

    pub(super) fn is_name(&self, by: usize) -> bool {
        self.tokens.get(self.at + by).is_some_and(|token| token.kind == Kind::Name)
    }

    pub(super) fn mark(&mut self) -> &'x str {
        self.peek().filter(|token| token.kind == Kind::Mark).map_or("", |token| token.text)
    }

    pub(super) fn word(&mut self) -> &'x str {
        self.peek().filter(|token| token.kind == Kind::Name).map_or("", |token| token.text)
    }

    /// The token before, but for line ends, is a text too.
    pub(super) fn is_behind_text(&self) -> bool {
        let before = self.tokens[..self.at.min(self.tokens.len())].iter().rev();
        let mut before = before.skip_while(|token| token.kind == Kind::Newline);
        before.next().is_some_and(|token| matches!(token.kind, Kind::Text(_)))
    }

    pub(super) fn takes(&mut self, mark: &str) -> bool {
        let is_it = self.mark() == mark;
        self.at += usize::from(is_it);
        is_it
    }

    pub(super) fn lines(&mut self) {
        while self.tokens.get(self.at).is_some_and(|token| token.kind == Kind::Newline) {
            self.at += 1;
        }
    }
}
