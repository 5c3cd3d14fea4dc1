//! What is done with a value: members, calls, indices.

use super::cursor::Cursor;
use super::language::Language;
use super::reader::{LONGEST_NAME, MOST_ITEMS, MOST_NAMES, Reader};
use super::table::{Does, canonical};
use super::token::{Kind, Token};
use super::value::{Item, Literal, Value};
use crate::word::Word;

impl Reader<'_> {
    /// What is done with a value: members, calls, indices.
    pub(super) fn postfix(&mut self, cur: &mut Cursor<'_>, mut value: Value) -> Value {
        let points = self.language.joins_by_point();
        loop {
            self.block(cur, &value);
            // A chain may go on in the next line.
            let newlines = cur.tokens[cur.at.min(cur.tokens.len())..]
                .iter()
                .take_while(|token| token.kind == Kind::Newline)
                .take(2)
                .count();
            if newlines > 0 && matches!(cur.ahead(newlines), "." | "?." | "&.") && !points {
                cur.at += newlines;
            }
            let Some(token) = cur.peek() else { break };
            match (&token.kind, token.text) {
                (Kind::Mark, "." | "?." | "&.") if !points && cur.is_name(1) => {
                    cur.at += 2;
                    value = self.step_into(cur, &value);
                }
                (Kind::Mark, "->" | "::") if cur.is_name(1) => {
                    cur.at += 2;
                    value = self.step_into(cur, &value);
                }
                (Kind::Mark, "?.") if matches!(cur.ahead(1), "(" | "[") => cur.at += 1,
                (Kind::Mark, "(") if matches!(value, Value::Name(_) | Value::Method(_) | Value::Unknown) => {
                    self.arrow(cur, &value);
                    cur.at += 1;
                    let items = self.group(cur, "(");
                    value = self.call(&value, &items);
                }
                (Kind::Mark, "[") if token.glued => {
                    cur.at += 1;
                    let items = self.group(cur, "[");
                    value =
                        self.index(cur, &value, items.first().map_or(&Value::Unknown, |item| &item.value));
                }
                (Kind::Mark, "{") if token.glued && self.language == Language::Perl => {
                    cur.at += 1;
                    let items = self.group(cur, "{");
                    let key = match items.first().map(|item| &item.value) {
                        Some(Value::Name(name)) => Value::text(name.clone()),
                        Some(value) => value.clone(),
                        None => Value::Unknown,
                    };
                    value = self.index(cur, &value, &key);
                }
                (Kind::Template(pieces), _) if token.glued && matches!(value, Value::Name(_)) => {
                    cur.at += 1;
                    let text = self.quoted(pieces);
                    let runs = match &value {
                        Value::Name(name) => self.does(name),
                        _ => None,
                    };
                    if matches!(runs, Some(Does::Template | Does::Line | Does::Program)) {
                        self.line(&text, &[]);
                    }
                    value = Value::Unknown;
                }
                (Kind::Text(_), _) if self.language == Language::Lua && matches!(value, Value::Name(_)) => {
                    let item = Item { key: None, value: self.operand(cur) };
                    value = self.call(&value, &[item]);
                }
                _ if self.starts_arguments(token, cur, &value) => {
                    let items = self.bare_arguments(cur);
                    value = self.call(&value, &items);
                }
                _ => break,
            }
        }
        // Ruby calls a function by its name alone.
        if let Value::Method(_) = value
            && self.language == Language::Ruby
        {
            return self.call(&value, &[]);
        }
        value
    }

    pub(super) fn step_into(&mut self, cur: &mut Cursor<'_>, value: &Value) -> Value {
        let member = self.tokens_text(cur, 1);
        if let Value::Name(name) = value
            && is_environment(name)
            && cur.mark() == "="
        {
            self.set_variable(cur, &member);
            return Value::Unknown;
        }
        let next = self.member(value, &member);
        let has_arguments = matches!(cur.mark(), "(" | "." | "&.");
        match &next {
            Value::Method(method) if self.language == Language::Ruby && !has_arguments => {
                self.block(cur, &method.0);
                self.call(&next, &[])
            }
            _ => next,
        }
    }

    pub(super) fn set_variable(&mut self, cur: &mut Cursor<'_>, name: &str) {
        cur.at += 1;
        let value = self.expression(cur);
        let word = value.texts().next().map_or_else(Word::unknown, Literal::word);
        if self.env.len() < MOST_NAMES {
            self.env.push((name.to_owned(), Some(word)));
        }
    }

    pub(super) fn member(&mut self, value: &Value, member: &str) -> Value {
        match value {
            Value::Name(name) if name.is_empty() => {
                Value::name(canonical(self.language, member).unwrap_or(member))
            }
            Value::Name(_) if member == "__dict__" => value.clone(),
            Value::Name(name) if is_environment(name) && self.language == Language::JavaScript => {
                self.variable(member)
            }
            Value::Name(name) if name.len() > LONGEST_NAME * 4 => Value::Unknown,
            Value::Name(name) => {
                let full = format!("{name}.{member}");
                match canonical(self.language, &full) {
                    Some(known) => Value::name(known),
                    None => Value::name(full),
                }
            }
            other => Value::Method(std::rc::Rc::new((other.clone(), member.to_owned()))),
        }
    }

    pub(super) fn variable(&self, name: &str) -> Value {
        (self.environment)(name).map_or(Value::Unknown, Value::text)
    }

    pub(super) fn index(&mut self, cur: &mut Cursor<'_>, value: &Value, index: &Value) -> Value {
        let (arguments, first) = self.language.arguments();
        match (value, index) {
            (Value::Name(name), Value::Number(index)) if **name == *arguments => {
                let word = index.checked_sub(first).and_then(|at| self.arguments.get(at));
                word.and_then(Word::literal).map_or(Value::Unknown, Value::text)
            }
            (Value::Name(name), key) if is_environment(name) => {
                let Some(key) = key.literal() else { return Value::Unknown };
                if cur.mark() == "=" {
                    self.set_variable(cur, key);
                    return Value::Unknown;
                }
                self.variable(key)
            }
            (Value::Name(name), Value::Text(_)) if &**name == "Dir" => index.clone().pattern(),
            (Value::Name(_), Value::Text(_)) => {
                let Some(member) = index.literal() else { return Value::Unknown };
                self.member(value, member)
            }
            (Value::List(values), Value::Number(index)) => {
                values.get(*index).cloned().unwrap_or(Value::Unknown)
            }
            _ => Value::Unknown,
        }
    }

    /// `(x => …)` and `((x) => …)` behind a function of a value: what its parameter is.
    pub(super) fn arrow(&mut self, cur: &Cursor<'_>, value: &Value) {
        let name = match (cur.is_name(1), cur.ahead(2), cur.ahead(1), cur.ahead(3), cur.ahead(4)) {
            (true, "=>", ..) => cur.ahead(1),
            (_, name, "(", ")", "=>") => name,
            _ => return,
        };
        let given = match value {
            Value::Method(method) => method.0.element(),
            Value::Name(name) => match name.strip_suffix(".then") {
                Some(module) => Value::name(module),
                None => return,
            },
            _ => return,
        };
        self.bind(name, given);
    }

    /// `{ |x| … }` and `do |x|` behind a value: what its parameter is.
    pub(super) fn block(&mut self, cur: &Cursor<'_>, value: &Value) {
        let is_block = self.language == Language::Ruby
            && matches!(cur.ahead(0), "{" | "do")
            && cur.ahead(1) == "|"
            && cur.is_name(2);
        let given = match value {
            Value::Method(method) => &method.0,
            other => other,
        };
        if is_block && matches!(given, Value::Text(_) | Value::List(_) | Value::Any(_)) {
            self.bind(cur.ahead(2), given.element());
        }
    }

    /// Whether the token begins the arguments of a function that is called without parentheses.
    pub(super) fn starts_arguments(&self, token: &Token<'_>, cur: &Cursor<'_>, value: &Value) -> bool {
        let Value::Name(name) = value else { return false };
        if !self.language.calls_bare() || token.glued && token.kind == Kind::Mark {
            return false;
        }
        let begins = match &token.kind {
            Kind::Text(_) | Kind::Words(_) | Kind::Pattern(_) => true,
            Kind::Name => {
                !self.is_between(token.text)
                    && !matches!(
                        token.text,
                        "if" | "unless" | "while" | "until" | "for" | "foreach" | "or" | "do" | "in"
                    )
            }
            Kind::Mark => {
                (token.text == "[" && self.language == Language::Ruby)
                    || (token.text == "*" && self.language == Language::Ruby && cur.is_name(1))
            }
            _ => false,
        };
        begins && self.does(name).is_some()
    }

    pub(super) fn bare_arguments(&mut self, cur: &mut Cursor<'_>) -> Vec<Item> {
        let mut items = Vec::new();
        loop {
            let key = self.key(cur, "");
            let value = self.expression(cur);
            if items.len() < MOST_ITEMS {
                items.push(Item { key, value });
            }
            if !cur.takes(",") {
                return items;
            }
            cur.lines();
        }
    }
}

/// The environment of a program, as languages name it.
fn is_environment(name: &str) -> bool {
    matches!(name, "os.environ" | "process.env" | "ENV" | "$ENV" | "$_ENV" | "$_SERVER" | "ENVIRON")
}
