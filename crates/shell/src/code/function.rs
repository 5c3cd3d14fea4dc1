//! Functions that the code itself has: what their parameters are, by the calls with literal arguments.
//!
//! A body is read where it stands, before most of its calls. So the calls are looked for first, and their arguments are the values of
//! the parameters when the body is read: `def run(c): os.system(c)` with `run('rm x')` runs `rm x`.

use std::collections::HashMap;

use super::cursor::Cursor;
use super::language::Language;
use super::reader::Reader;
use super::token::{Kind, Token};
use super::value::{Item, MOST_CASES, Value};

/// Functions of one piece of code that are remembered, and parameters of one.
const MOST_FUNCTIONS: usize = 64;
const MOST_PARAMETERS: usize = 8;

/// The parameters of a function, and what calls give them.
#[derive(Debug, Default)]
pub(super) struct Function {
    parameters: Vec<(String, Vec<Value>)>,
}

impl Reader<'_> {
    /// Looks for functions, and for calls of them.
    pub(super) fn functions(&mut self, tokens: &[Token<'_>]) {
        let found: HashMap<String, Function> = (0..tokens.len())
            .filter_map(|at| definition(&tokens[at..], self.language))
            .take(MOST_FUNCTIONS)
            .collect();
        if found.is_empty() || self.ahead {
            return;
        }
        self.functions.extend(found);
        self.ahead = true;
        let mut cur = Cursor::new(tokens, self.language);
        while cur.at < tokens.len() && !self.budget.is_spent() {
            let token = &tokens[cur.at];
            let before = cur.at.checked_sub(1).map_or("", |before| tokens[before].text);
            let is_call = token.kind == Kind::Name
                && self.functions.contains_key(token.text)
                && tokens.get(cur.at + 1).is_some_and(|next| next.text != "=")
                && !matches!(before, "def" | "function" | "." | "->" | "::");
            if is_call {
                self.operand(&mut cur);
            } else {
                cur.at += 1;
            }
        }
        self.ahead = false;
    }

    /// Notes what a call gives to a function of the code.
    pub(super) fn give(&mut self, name: &str, items: &[Item]) {
        if !self.ahead {
            return;
        }
        let Some(function) = self.functions.get_mut(name) else { return };
        for (at, (parameter, values)) in function.parameters.iter_mut().enumerate() {
            let by_name = items.iter().find(|item| item.key.as_ref() == Some(parameter));
            let by_place = items.get(at).filter(|item| item.key.is_none());
            let given = by_name.or(by_place).map(|item| item.value.clone().settled());
            let is_known = matches!(given, Some(Value::Text(_) | Value::List(_) | Value::Any(_)));
            if is_known && values.len() < MOST_CASES {
                values.extend(given);
            }
        }
    }

    /// At the head of a function its parameters get what calls give them.
    pub(super) fn enter_function(&mut self, name: &str) {
        if self.ahead {
            return;
        }
        let Some(function) = self.functions.get(name) else { return };
        let given: Vec<(String, Value)> = function
            .parameters
            .iter()
            .map(|(parameter, values)| (parameter.clone(), Value::any(values.clone())))
            .collect();
        for (parameter, value) in given {
            self.bind(&parameter, value);
        }
    }
}

/// `def name(a, b)`, `function name(a, b)`, `name = (a, b) =>`, `name = a =>` at the start.
fn definition(tokens: &[Token<'_>], language: Language) -> Option<(String, Function)> {
    let is_name = |at: usize| tokens.get(at).is_some_and(|token| token.kind == Kind::Name);
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let function = |parameters: Vec<String>| Function {
        parameters: parameters.into_iter().map(|parameter| (parameter, Vec::new())).collect(),
    };
    let (name, from) = match (text(0), language) {
        ("def", Language::Python | Language::Ruby)
        | ("function", Language::JavaScript | Language::Php | Language::Lua) => (1, 2),
        (_, Language::JavaScript) if is_name(0) && text(1) == "=" => {
            let from = if text(2) == "async" { 3 } else { 2 };
            if is_name(from) && text(from + 1) == "=>" {
                return Some((text(0).to_owned(), function(vec![text(from).to_owned()])));
            }
            (0, from)
        }
        _ => return None,
    };
    if !is_name(name) || text(from) != "(" {
        return None;
    }
    let mut parameters = Vec::new();
    let mut at = from + 1;
    while parameters.len() < MOST_PARAMETERS && at < from + 8 * MOST_PARAMETERS {
        let before = text(at - 1);
        match text(at) {
            ")" => break,
            parameter if is_name(at) && matches!(before, "(" | ",") => parameters.push(parameter.to_owned()),
            _ => {}
        }
        at += 1;
    }
    let is_arrow = name == 0;
    (!is_arrow || text(at + 1) == "=>").then(|| (text(name).to_owned(), function(parameters)))
}
