//! Expressions: operands with operators between them.

use super::cursor::Cursor;
use super::language::Language;
use super::reader::{LONGEST_NAME, Reader};
use super::token::Kind;
use super::value::Value;

/// Expressions within expressions.
const DEEPEST: usize = 48;
/// Words between expressions whose value is not known.
const BETWEEN: &[&str] = &["and", "is", "instanceof", "not"];
const BETWEEN_PERL: &[&str] = &["and", "eq", "ne", "lt", "gt", "le", "ge", "cmp", "x", "xor"];
/// Operators whose value is not known.
const OPERATORS: &[&str] = &[
    "==", "!=", "===", "!==", "<", ">", "<=", ">=", "<=>", "*", "-", "**", "&&", "&", "^", "<<", ">>", "=~",
    "!~", "~=", "+=", "-=", "*=", "/=", ".=", "%=", "||=", "&&=", "??=", "|=", "&=", "..", "...", "=>", "+",
    "/", "%", "|", "|&", "=", ":=", ".",
];

impl Reader<'_> {
    pub(super) fn expression(&mut self, cur: &mut Cursor<'_>) -> Value {
        if self.depth >= DEEPEST || !self.budget.spend(1) {
            cur.at += 1;
            return Value::Unknown;
        }
        self.depth += 1;
        let mut left = self.operand(cur);
        while let Some(token) = cur.peek() {
            let goes_on = match &token.kind {
                Kind::Mark => self.behind_mark(cur, token.text, &mut left),
                Kind::Name => self.behind_word(cur, token.text, &mut left),
                Kind::Text(_) | Kind::Number if self.language == Language::Awk => self.beside(cur, &mut left),
                Kind::Text(_) if cur.is_behind_text() && matches!(left, Value::Text(_)) => {
                    self.beside(cur, &mut left)
                }
                _ => false,
            };
            if !goes_on {
                break;
            }
        }
        self.depth -= 1;
        left
    }

    /// Texts side by side are one.
    pub(super) fn beside(&mut self, cur: &mut Cursor<'_>, left: &mut Value) -> bool {
        let right = self.operand(cur);
        *left = self.join(left, "", &right);
        true
    }

    pub(super) fn join(&self, left: &Value, between: &str, right: &Value) -> Value {
        let joined = left.joined(between, right);
        self.budget.spend_bytes(joined.texts().map(|text| text.text.len()).sum::<usize>() * 4);
        joined
    }

    /// An operator and what is behind it. Whether it was one.
    pub(super) fn behind_mark(&mut self, cur: &mut Cursor<'_>, mark: &str, left: &mut Value) -> bool {
        use Language::{AppleScript, Awk, Lua, Python};
        let points = self.language.joins_by_point();
        let bare = self.bare.take();
        let joins = match mark {
            "+" => !points && self.language != Awk,
            "." => points,
            ".." => self.language == Lua,
            "&" => self.language == AppleScript,
            "/" => self.language == Python,
            _ => false,
        };
        if joins {
            cur.at += 1;
            cur.lines();
            let right = self.operand(cur);
            *left = self.join(left, if mark == "/" { "/" } else { "" }, &right);
            return true;
        }
        match mark {
            "?" => {
                cur.at += 1;
                let yes = self.expression(cur);
                let no = if cur.takes(":") { self.expression(cur) } else { Value::Unknown };
                *left = Value::any(vec![yes, no]);
            }
            "||" | "??" | "//" => {
                cur.at += 1;
                cur.lines();
                let right = self.operand(cur);
                if !matches!(left, Value::Text(_) | Value::List(_)) {
                    *left = right;
                }
            }
            "+=" | ".=" | "..=" => {
                cur.at += 1;
                let right = self.expression(cur);
                let joined = self.join(left, "", &right);
                if let Some(name) = bare {
                    self.bind(&name, joined.clone());
                }
                *left = joined;
            }
            "=" => {
                cur.at += 1;
                cur.lines();
                let right = self.expression(cur);
                self.take_apart(left, &right);
                *left = right;
            }
            "|" | "|&" if self.language == Awk => {
                cur.at += 1;
                if cur.word() == "getline" {
                    cur.at += 1;
                    self.line(left, &[]);
                } else {
                    let right = self.expression(cur);
                    self.line(&right, &[]);
                }
                *left = Value::Unknown;
            }
            "|" => {
                cur.at += 1;
                let right = self.operand(cur);
                *left = match (&*left, right) {
                    (Value::Name(left), Value::Name(right)) if left.len() < LONGEST_NAME => {
                        Value::name(format!("{left}|{right}"))
                    }
                    _ => Value::Unknown,
                };
            }
            ">" | ">>" if self.language == Awk && self.printing && cur.nest == 0 => {
                cur.at += 1;
                let right = self.expression(cur);
                self.writes(&right);
                *left = Value::Unknown;
            }
            "%" if self.language == Python => {
                cur.at += 1;
                let right = self.operand(cur);
                *left = self.percent(left, &right);
            }
            _ if OPERATORS.contains(&mark) => {
                cur.at += 1;
                cur.lines();
                self.operand(cur);
                *left = Value::Unknown;
            }
            _ => return false,
        }
        true
    }

    pub(super) fn is_between(&self, word: &str) -> bool {
        let words = if self.language == Language::Perl { BETWEEN_PERL } else { BETWEEN };
        words.contains(&word)
    }

    /// A word that is an operator, and what is behind it. Whether it was one.
    pub(super) fn behind_word(&mut self, cur: &mut Cursor<'_>, word: &str, left: &mut Value) -> bool {
        let bare = self.bare.take();
        match word {
            "if" | "unless" | "while" | "until" => {
                self.tell(word);
                cur.at += 1;
                self.expression(cur);
                if cur.word() == "else" && self.language == Language::Python {
                    cur.at += 1;
                    let other = self.expression(cur);
                    *left = Value::any(vec![left.clone(), other]);
                }
            }
            "in" | "of" => {
                cur.at += 1;
                let right = self.expression(cur);
                if let Some(name) = bare {
                    self.bind(&name, right.element());
                }
                *left = Value::Unknown;
            }
            "as" if cur.is_name(1) => {
                let name = cur.ahead(1);
                cur.at += 2;
                self.bind(name, left.element());
                *left = Value::Unknown;
            }
            "or" => {
                cur.at += 1;
                let right = self.expression(cur);
                if !matches!(left, Value::Text(_) | Value::List(_)) {
                    *left = right;
                }
            }
            _ if self.is_between(word) => {
                cur.at += 1;
                self.operand(cur);
                *left = Value::Unknown;
            }
            _ if self.language == Language::Awk && !matches!(word, "print" | "printf" | "getline") => {
                return matches!(left, Value::Text(_)) && self.beside(cur, left);
            }
            _ => return false,
        }
        true
    }

    /// `{execSync: run, spawn} = require('child_process')`
    pub(super) fn take_apart(&mut self, left: &Value, right: &Value) {
        match (left, right) {
            (Value::Fields(items), Value::Name(module)) => {
                for item in items.iter() {
                    let Value::Name(local) = &item.value else { continue };
                    let member = item.key.as_deref().unwrap_or(local);
                    let value = self.member(&Value::Name(module.clone()), member);
                    self.bind(local, value);
                }
            }
            (Value::List(names), Value::List(values)) => {
                for (name, value) in names.iter().zip(values.iter()) {
                    if let Value::Name(name) = name {
                        self.bind(name, value.clone());
                    }
                }
            }
            _ => {}
        }
    }
}
