//! Reads the expressions of code from the front to the back, and notes what the calls in them do.
//!
//! It is no interpreter: every branch and every body is read once, in the order of the text, and a name has the value that it was last
//! given. No token is read twice, but those of a comprehension, so that the work grows with the code.

use std::collections::{HashMap, HashSet};

use super::cursor::Cursor;
use super::function::Function;
use super::language::Language;
use super::quote::Piece;
use super::table::{Does, canonical, does};
use super::token::{Kind, tokens};
use super::value::{GAP, Item, Literal, Value};
use crate::budget::Budget;
use crate::calls::Calls;
use crate::word::Word;

/// Names with a value that are remembered.
pub(super) const MOST_NAMES: usize = 1024;
/// Names that are told of.
const MOST_TOLD: usize = 256;
pub(super) const LONGEST_NAME: usize = 64;
/// Elements of a list.
pub(super) const MOST_ITEMS: usize = 256;
/// Code within code: a text that is evaluated, a value in a text.
const DEEPEST_CODE: usize = 6;

/// Words before an expression that change nothing about what it does.
const BEFORE: &[&str] = &[
    "await", "new", "not", "return", "const", "let", "var", "my", "our", "local", "yield", "async", "void",
    "typeof", "then", "else", "do", "begin", "BEGIN", "END", "try", "echo",
];
pub(super) struct Reader<'b> {
    pub(super) language: Language,
    pub(super) arguments: &'b [Word],
    pub(super) environment: &'b dyn Fn(&str) -> Option<String>,
    pub(super) budget: &'b Budget,
    pub(super) names: HashMap<String, Value>,
    /// Modules all of whose names are called for.
    pub(super) stars: Vec<String>,
    pub(super) folder: Option<Literal>,
    /// Variables that the code sets for what it runs.
    pub(super) env: Vec<(String, Option<Word>)>,
    told: HashSet<String>,
    pub(super) calls: Calls,
    nested: usize,
    pub(super) depth: usize,
    /// Behind `print` of awk, `>` names a file.
    pub(super) printing: bool,
    /// Functions of the code itself.
    pub(super) functions: HashMap<String, Function>,
    /// What is read now is read again later.
    pub(super) ahead: bool,
    /// The name that the last operand was.
    pub(super) bare: Option<String>,
}

impl<'b> Reader<'b> {
    pub(super) fn new(
        language: Language,
        arguments: &'b [Word],
        environment: &'b dyn Fn(&str) -> Option<String>,
        budget: &'b Budget,
    ) -> Self {
        Self {
            language,
            arguments,
            environment,
            budget,
            names: HashMap::new(),
            stars: Vec::new(),
            folder: None,
            env: Vec::new(),
            told: HashSet::new(),
            calls: Calls::default(),
            nested: 0,
            depth: 0,
            printing: false,
            functions: HashMap::new(),
            ahead: false,
            bare: None,
        }
    }

    pub(super) fn read(&mut self, code: &str) {
        self.within(code);
    }

    /// Reads code; the value of its first expression, if there is no other.
    pub(super) fn within(&mut self, code: &str) -> Value {
        if self.nested >= DEEPEST_CODE || !self.budget.spend(1 + code.len() / 8) {
            return Value::Unknown;
        }
        self.nested += 1;
        let tokens = tokens(code, self.language);
        self.functions(&tokens);
        let mut cur = Cursor::new(&tokens, self.language);
        let first = self.statement(&mut cur);
        let is_all = cur.peek().is_none();
        while cur.peek().is_some() && !self.budget.is_spent() {
            self.statement(&mut cur);
        }
        self.nested -= 1;
        if is_all { first } else { Value::Unknown }
    }

    pub(super) fn bind(&mut self, name: &str, value: Value) {
        if self.names.len() < MOST_NAMES || self.names.contains_key(name) {
            self.names.insert(name.to_owned(), value);
        }
    }

    pub(super) fn does(&self, name: &str) -> Option<Does> {
        does(self.language, name)
            .or_else(|| self.stars.iter().find_map(|star| does(self.language, &format!("{star}.{name}"))))
    }

    pub(super) fn tell(&mut self, name: &str) {
        let is_new = self.told.len() < MOST_TOLD && name.len() <= LONGEST_NAME && !self.told.contains(name);
        if is_new && !name.is_empty() {
            self.told.insert(name.to_owned());
            self.calls.names.push(name.to_owned());
        }
    }

    pub(super) fn statement(&mut self, cur: &mut Cursor<'_>) -> Value {
        let from = cur.at;
        let value = self.expression(cur);
        if cur.at == from {
            let ends = cur.peek().is_some_and(|token| matches!(token.text, ";" | "\n" | "}"));
            self.printing &= !ends;
            cur.at = cur.at.max(from) + 1;
        }
        value
    }

    pub(super) fn operand(&mut self, cur: &mut Cursor<'_>) -> Value {
        self.bare = None;
        let Some(mut token) = cur.peek() else { return Value::Unknown };
        loop {
            let is_before = match token.kind {
                Kind::Mark => matches!(
                    token.text,
                    "!" | "-" | "+" | "*" | "**" | "&" | "\\" | "..." | "~" | "++" | "--" | "@" | "$"
                ),
                Kind::Name => BEFORE.contains(&token.text) && !self.is_shell_script(cur),
                _ => false,
            };
            if !is_before {
                break;
            }
            cur.at += 1;
            match cur.peek() {
                Some(next) => token = next,
                None => return Value::Unknown,
            }
        }
        let from = cur.at;
        cur.at += 1;
        let value = match &token.kind {
            Kind::Text(pieces) | Kind::Template(pieces) => self.quoted(pieces),
            Kind::Command(pieces) => {
                let line = self.quoted(pieces);
                self.line(&line, &[]);
                Value::Unknown
            }
            Kind::Words(words) => Value::List(words.iter().map(|word| Value::text(*word)).collect()),
            Kind::Pattern(pattern) => Value::text(*pattern).pattern(),
            Kind::Number => token.text.parse().map_or(Value::Unknown, Value::Number),
            Kind::Name => self.name(cur, token.text),
            Kind::Mark => match token.text {
                "(" => {
                    let mut items = self.group(cur, "(");
                    match items.len() {
                        1 => items.remove(0).value,
                        _ => list(items),
                    }
                }
                "[" => list(self.group(cur, "[")),
                "{" => {
                    let items = self.group(cur, "{").into_iter();
                    Value::Fields(items.map(|item| Item { value: item.value.settled(), ..item }).collect())
                }
                _ => {
                    cur.at = from;
                    return Value::Unknown;
                }
            },
            Kind::Newline => {
                cur.at = from;
                return Value::Unknown;
            }
            Kind::Regex => Value::Unknown,
        };
        let bare = self.bare.take();
        let behind = cur.at;
        let value = self.postfix(cur, value);
        self.bare = bare.filter(|_| cur.at == behind);
        match value {
            Value::Method(_) => Value::Unknown,
            Value::Name(name) => {
                self.tell(&name);
                self.finished(name)
            }
            value => value,
        }
    }

    /// A name that is not called.
    pub(super) fn finished(&mut self, name: std::rc::Rc<str>) -> Value {
        match (self.language, &*name) {
            (Language::Python, "sys.executable") => Value::text("python3"),
            (Language::JavaScript, "process.execPath") => Value::text("node"),
            (Language::JavaScript, "__dirname") => Value::text("."),
            (Language::Ruby, "Dir.pwd" | "Dir.home") => self.call(&Value::Name(name), &[]),
            _ => Value::Name(name),
        }
    }

    /// The value of a text in quotation marks.
    pub(super) fn quoted(&mut self, pieces: &[Piece<'_>]) -> Value {
        match pieces {
            [Piece::Text(text)] => return Value::text(text.as_str()),
            [Piece::Code(code)] => return self.held(code),
            _ => {}
        }
        let mut text = String::new();
        let mut unknown = false;
        for piece in pieces {
            match piece {
                Piece::Text(more) => text.push_str(more),
                Piece::Code(code) => match self.held(code) {
                    Value::Text(held) => {
                        text.push_str(&held.text);
                        unknown |= held.unknown;
                    }
                    _ => {
                        text.push_str(GAP);
                        unknown = true;
                    }
                },
            }
        }
        self.budget.spend_bytes(text.len());
        Value::Text(Literal { text: text.into(), unknown, glob: false })
    }

    /// The value of code in a text.
    pub(super) fn held(&mut self, code: &str) -> Value {
        if self.language.joins_by_point() && !code.starts_with(['$', '@']) {
            return self.names.get(&format!("${code}")).cloned().unwrap_or(Value::Unknown);
        }
        match self.names.get(code.trim()) {
            Some(value) => value.clone(),
            None => self.within(code),
        }
    }

    /// What is in brackets, up to their end.
    pub(super) fn group(&mut self, cur: &mut Cursor<'_>, open: &str) -> Vec<Item> {
        let nest = std::mem::replace(&mut cur.nest, 0);
        cur.nest = if open == "{" { 0 } else { nest + 1 };
        self.comprehension(cur);
        let mut items = Vec::new();
        while let Some(token) = cur.peek() {
            match (&token.kind, token.text) {
                (Kind::Mark, ")" | "]" | "}") => {
                    cur.at += 1;
                    break;
                }
                (Kind::Mark, "," | ";" | ":") | (Kind::Newline, _) => {
                    self.printing &= token.text == ",";
                    cur.at += 1;
                    continue;
                }
                _ => {}
            }
            let key = self.key(cur, open);
            let from = cur.at;
            let value = self.expression(cur);
            if cur.at == from {
                cur.at += 1;
            } else if items.len() < MOST_ITEMS {
                items.push(Item { key, value });
            }
            if self.budget.is_spent() {
                break;
            }
        }
        cur.nest = nest;
        items
    }

    /// The name of an element: `name: `, `name=`, `'name' =>`.
    pub(super) fn key(&self, cur: &mut Cursor<'_>, open: &str) -> Option<String> {
        let token = cur.peek()?;
        let key = match &token.kind {
            Kind::Name => token.text,
            Kind::Text(pieces) => match pieces.as_slice() {
                [Piece::Text(text)] => text.as_str(),
                _ => return None,
            },
            _ => return None,
        };
        let is_key = match cur.ahead(1) {
            ":" => true,
            "=>" => self.language != Language::JavaScript,
            "=" => self.language == Language::Python && open == "(",
            _ => false,
        };
        cur.at += if is_key { 2 } else { 0 };
        is_key.then(|| key.to_owned())
    }

    /// `f(x) for x in y`: what the name stands for is behind its use.
    pub(super) fn comprehension(&mut self, cur: &mut Cursor<'_>) {
        let Some(at) = cur.at.checked_sub(1).and_then(|open| cur.loops.get(&open).copied()) else { return };
        if self.ahead {
            return;
        }
        let from = std::mem::replace(&mut cur.at, at + 1);
        if cur.is_name(0) && cur.ahead(1) == "in" {
            self.ahead = true;
            self.expression(cur);
            self.ahead = false;
        }
        cur.at = from;
    }

    /// A name, and what is done with it where it stands.
    pub(super) fn name(&mut self, cur: &mut Cursor<'_>, name: &str) -> Value {
        match name {
            "True" | "true" => return Value::Flag(true),
            "False" | "false" | "None" | "nil" | "null" | "undefined" => return Value::Flag(false),
            _ => {}
        }
        if self.keyword(cur, name) {
            if !matches!(name, "import" | "from") {
                self.tell(name);
            }
            return Value::Unknown;
        }
        // `name: str = …`
        let is_typed = cur.mark() == ":" && cur.is_name(1) && cur.ahead(2) == "=" && cur.nest == 0;
        if is_typed {
            cur.at += 2;
        }
        if matches!(cur.mark(), "=" | ":=") {
            self.enter_function(name);
            cur.at += 1;
            cur.lines();
            let value = self.expression(cur);
            self.bind(name, value.clone());
            return value;
        }
        self.bare = Some(name.to_owned());
        let array = name.strip_prefix('$').filter(|_| cur.mark() == "[" && self.language == Language::Perl);
        let held = match array {
            Some(array) => self.names.get(&format!("@{array}")),
            None => self.names.get(name),
        };
        match held {
            Some(value) => value.clone(),
            None => Value::name(canonical(self.language, name).unwrap_or(name)),
        }
    }
}

fn list(items: Vec<Item>) -> Value {
    let mut values = Vec::with_capacity(items.len());
    for item in items {
        match item.value {
            // `[*words, 'x']`, `(@words, 'x')`
            Value::List(more) if values.len() + more.len() <= MOST_ITEMS => {
                values.extend(more.iter().cloned());
            }
            value => values.push(value.settled()),
        }
    }
    Value::List(values.into())
}
