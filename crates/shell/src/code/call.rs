//! From a call to what it does: a row of the table with the arguments that are known.

use std::rc::Rc;

use super::import::module_name;
use super::language::Language;
use super::reader::Reader;
use super::table::{Does, Of, canonical, method};
use super::value::{Item, Literal, Value};
use crate::calls::{Command, FileAct, FileCall, Form};
use crate::word::Word;

/// Commands of one piece of code that are looked at.
const MOST_COMMANDS: usize = 64;
/// Names of the first argument, where it is given by its name.
const FIRST: &[&str] = &["args", "command", "cmd", "path", "file", "src", "name"];
const SECOND: &[&str] = &["dst", "target", "mode", "flag", "flags"];

impl Reader<'_> {
    pub(super) fn call(&mut self, value: &Value, items: &[Item]) -> Value {
        self.budget.spend(1);
        match value {
            Value::Name(name) => {
                self.tell(name);
                self.give(name, items);
                match self.does(name) {
                    Some(does) => self.act(does, items),
                    None => Value::Unknown,
                }
            }
            Value::Method(of) => match method(self.language, &of.1) {
                Some(does) => self.act_on(does, &of.0, items),
                None => Value::Unknown,
            },
            _ => Value::Unknown,
        }
    }

    fn act(&mut self, does: Does, items: &[Item]) -> Value {
        let first = argument(items, 0, FIRST);
        let second = argument(items, 1, SECOND);
        match does {
            // `$('x')` selects something; only what is a template runs.
            Does::Template => {}
            Does::Line if matches!(first, Value::List(_)) => self.words(first, items),
            Does::Line => self.line(first, items),
            Does::Words => self.words_or_line(first, items),
            Does::Program => self.program(items),
            Does::LineOrWords => self.line_or_words(items, 0),
            Does::LineOrWordsBehind(count) => self.line_or_words(items, count),
            Does::Named(skip) => self.named(items, skip),
            Does::WordsIn(field) => {
                let words = match first {
                    Value::List(_) => first,
                    _ => field_of(items, field).unwrap_or(&Value::Unknown),
                };
                let words = words.clone();
                self.words(&words, items);
            }
            Does::ProgramAnd(field) => {
                let mut words = vec![first.clone()];
                if let Some(Value::List(more)) = field_of(items, field) {
                    words.extend(more.iter().cloned());
                }
                self.words(&Value::List(words.into()), items);
            }
            Does::Code => {
                if let Some(code) = first.literal().map(str::to_owned) {
                    self.read(&code);
                }
            }
            Does::Open => self.open(first, second),
            Does::OpenPerl => self.open_perl(items),
            Does::Read => self.file(FileAct::Read, first),
            Does::Write => self.writes(first),
            Does::Remove => self.each(FileAct::Delete, items),
            Does::RemoveTree => self.each(FileAct::DeleteTree, items),
            Does::RemoveMaybeTree => {
                let is_tree = !matches!(field_of(items, "recursive"), None | Some(Value::Flag(false)));
                self.file(if is_tree { FileAct::DeleteTree } else { FileAct::Delete }, first);
            }
            Does::Move => {
                self.file(FileAct::DeleteTree, first);
                self.writes(second);
            }
            Does::Copy => {
                self.file(FileAct::Read, first);
                self.writes(second);
            }
            Does::Link => {
                self.writes(first);
                self.writes(second);
            }
            Does::Attributes(at) => self.file(FileAct::Attributes, argument(items, at, &["path"])),
            Does::Folder => self.file(FileAct::Folder, first),
            Does::Enter => self.enter(first),
            Does::SetVariable => self.set(first, second),
            Does::UnsetVariable => {
                if let Some(name) = first.literal() {
                    self.env.push((name.to_owned(), None));
                }
            }
            _ => return self.value(does, first, items),
        }
        Value::Unknown
    }

    /// What functions return that do nothing.
    fn value(&mut self, does: Does, first: &Value, items: &[Item]) -> Value {
        match does {
            Does::Import => match first.literal().map(module_name) {
                Some(module) => Value::name(canonical(self.language, module).unwrap_or(module)),
                None => Value::Unknown,
            },
            Does::Member => match argument(items, 1, &[]).literal() {
                Some(member) => self.member(first, member),
                None => Value::Unknown,
            },
            Does::Join | Does::Glue => self.path_of(items.iter().map(|item| &item.value), does == Does::Glue),
            Does::Same => first.clone(),
            Does::Expand => self.expand(first),
            Does::Home => self.variable("HOME"),
            Does::Here => Value::text("."),
            Does::Variable => match first.literal() {
                Some(name) => self.variable(name),
                None => Value::Unknown,
            },
            Does::Split => split(first),
            Does::JoinWords => {
                let words: Vec<Value> = positional(items).skip(1).cloned().collect();
                match words.as_slice() {
                    [list @ Value::List(_)] => joined(list, first),
                    _ => joined(&Value::List(words.into()), first),
                }
            }
            Does::Format => {
                let given: Vec<&Value> = positional(items).skip(1).collect();
                self.fill(first, "%s", given.into_iter())
            }
            Does::Map => {
                let name = match first {
                    Value::Name(name) => Some(&**name),
                    other => other.literal(),
                };
                let item = Item { key: None, value: argument(items, 1, &[]).element() };
                match name.and_then(|name| self.does(name)) {
                    Some(Does::Map) | None => Value::Unknown,
                    Some(does) => self.act(does, &[item]),
                }
            }
            Does::Hand => self.hand(items),
            Does::Glob => first.clone().pattern(),
            Does::List => match first {
                Value::Unknown if items.is_empty() => Value::text("*").pattern(),
                // Where its names are joined to the folder again, they are in it.
                Value::Text(text) if !text.unknown => Value::text("*").pattern(),
                _ => Value::Unknown,
            },
            _ => Value::Unknown,
        }
    }

    /// `Thread(target=os.system, args=('x',))`, `partial(os.system, 'x')`
    fn hand(&mut self, items: &[Item]) -> Value {
        let called = argument(items, 0, &["target"]).clone();
        let given: Vec<Item> = match field_of(items, "args") {
            Some(Value::List(values)) => {
                values.iter().map(|value| Item { key: None, value: value.clone() }).collect()
            }
            Some(value) => vec![Item { key: None, value: value.clone() }],
            None => items.iter().skip(1).cloned().collect(),
        };
        match &called {
            Value::Name(name) if self.does(name) != Some(Does::Hand) => self.call(&called, &given),
            _ => Value::Unknown,
        }
    }

    fn path_of<'v>(&mut self, parts: impl Iterator<Item = &'v Value>, glue: bool) -> Value {
        let mut path: Option<Value> = None;
        for part in parts {
            path = Some(match path {
                None => part.clone(),
                Some(path) if glue => {
                    let part = part.map(&|text| {
                        Value::Text(Literal {
                            text: text.text.trim_start_matches('/').into(),
                            ..text.clone()
                        })
                    });
                    self.join(&path, "/", &part)
                }
                Some(path) => self.join(&path, "/", part),
            });
        }
        path.unwrap_or_else(|| Value::text("."))
    }

    /// A path with `~` in the place of the home folder.
    fn expand(&self, path: &Value) -> Value {
        let home = (self.environment)("HOME");
        path.map(&|text| {
            let behind = text.text.strip_prefix('~').or_else(|| text.text.strip_prefix("$HOME"));
            match (behind, &home) {
                (Some(behind), Some(home)) if behind.is_empty() || behind.starts_with('/') => {
                    Value::Text(Literal { text: format!("{home}{behind}").into(), ..text.clone() })
                }
                (Some(_), _) => Value::Text(Literal { unknown: true, ..text.clone() }),
                _ => Value::Text(text.clone()),
            }
        })
    }

    /// A function of a value.
    fn act_on(&mut self, does: Of, value: &Value, items: &[Item]) -> Value {
        let first = argument(items, 0, &["target", "mode"]);
        let is_text = matches!(value, Value::Text(_) | Value::Any(_));
        match does {
            Of::Joined => return joined(value, first),
            Of::Same => return value.clone(),
            Of::Split => return split(value),
            Of::Expand => return self.expand(value),
            Of::Join => {
                return self
                    .path_of(std::iter::once(value).chain(items.iter().map(|item| &item.value)), false);
            }
            Of::Glob => return self.join(value, "/", first).pattern(),
            Of::GlobBelow => {
                let below = self.join(value, "/", &Value::text("**"));
                return self.join(&below, "/", first).pattern();
            }
            Of::List => return self.join(value, "/", &Value::text("*")).pattern(),
            Of::Format => return self.fill(value, "{}", items.iter().map(|item| &item.value)),
            _ if !is_text => {}
            Of::Read => self.file(FileAct::Read, value),
            Of::Write => self.writes(value),
            // A text has a function of that name with an argument.
            Of::Remove if first_text(items).is_none() => self.file(FileAct::Delete, value),
            Of::RemoveTree => self.file(FileAct::DeleteTree, value),
            Of::Move => {
                self.file(FileAct::DeleteTree, value);
                self.writes(first);
            }
            Of::Replace => match items {
                [target] if self.language == Language::Python => {
                    self.file(FileAct::DeleteTree, value);
                    self.writes(&target.value);
                }
                [old, new] => return replaced(value, &old.value, &new.value),
                _ => {}
            },
            Of::Link => {
                self.writes(value);
                self.writes(first);
            }
            Of::Attributes => self.file(FileAct::Attributes, value),
            Of::Folder => self.file(FileAct::Folder, value),
            Of::Open => self.open(value, first),
            Of::Remove => {}
        }
        Value::Unknown
    }

    // Commands.

    fn note_command(&mut self, form: Form, items: &[Item]) {
        if self.ahead {
            return;
        }
        if self.calls.commands.len() >= MOST_COMMANDS {
            self.calls.more = true;
            return;
        }
        let folder = ["cwd", "chdir"].iter().find_map(|name| field_of(items, name));
        let folder = folder.filter(|value| !matches!(value, Value::Flag(_)));
        let folder = match folder {
            Some(folder) => Some(folder.texts().next().map_or_else(Word::unknown, Literal::word)),
            None => self.folder.as_ref().map(Literal::word),
        };
        let input =
            ["input", "stdin_data"].iter().find_map(|name| field_of(items, name)?.literal().map(Rc::from));
        let mut env = self.env.clone();
        if let Some(Value::Fields(fields)) = field_of(items, "env") {
            if fields.iter().all(|field| field.key.is_some()) {
                env.push(("*".to_owned(), None));
            }
            for field in fields.iter() {
                let word = field.value.texts().next().map_or_else(Word::unknown, Literal::word);
                env.extend(field.key.clone().map(|key| (key, Some(word))));
            }
        }
        self.budget.spend(1 + env.len() / 4);
        self.calls.commands.push(Command { form, folder, input, env });
    }

    pub(super) fn line(&mut self, line: &Value, items: &[Item]) {
        let lines: Vec<String> = line.texts().map(Literal::line).collect();
        for line in lines {
            self.budget.spend_bytes(line.len());
            self.note_command(Form::Line(line), items);
        }
    }

    fn words(&mut self, words: &Value, items: &[Item]) {
        for case in words.cases() {
            if let Value::List(words) = case
                && words.iter().any(|word| matches!(word, Value::Text(_)))
            {
                self.budget.spend(words.len() / 4);
                self.note_command(Form::Words(words.iter().map(word).collect()), items);
            }
        }
    }

    fn is_shell(items: &[Item]) -> bool {
        !matches!(field_of(items, "shell"), None | Some(Value::Flag(false)))
    }

    fn words_or_line(&mut self, first: &Value, items: &[Item]) {
        match first {
            Value::List(words) if Self::is_shell(items) => {
                self.line(&words.first().cloned().unwrap_or(Value::Unknown), items);
            }
            Value::List(_) => self.words(first, items),
            _ if Self::is_shell(items) => self.line(first, items),
            _ => {
                let programs: Vec<Word> = first.texts().map(Literal::word).collect();
                for program in programs {
                    self.note_command(Form::Words(vec![program]), items);
                }
            }
        }
    }

    fn program(&mut self, items: &[Item]) {
        let mut words = vec![argument(items, 0, FIRST).clone()];
        if let Value::List(more) = argument(items, 1, &["args"]) {
            words.extend(more.iter().cloned());
        }
        if Self::is_shell(items) {
            let mut line = Value::text("");
            for word in &words {
                line = self.join(&line, " ", word);
            }
            return self.line(&line, items);
        }
        self.words(&Value::List(words.into()), items);
    }

    /// Several arguments are words; one is a line of shell, a list of one is a program.
    fn line_or_words(&mut self, items: &[Item], skip: usize) {
        let given: Vec<&Value> =
            positional(items).skip(skip).filter(|value| !matches!(value, Value::Fields(_))).collect();
        match given.as_slice() {
            [Value::List(_)] => self.words(&given[0].clone(), items),
            [line] => self.line(line, items),
            // `IO.popen("command", "r")`
            [line, mode] if self.language == Language::Ruby && mode.literal().is_some_and(is_mode) => {
                self.line(line, items);
            }
            several => {
                let mut words = Vec::new();
                for value in several {
                    match value {
                        Value::List(more) => words.extend(more.iter().cloned()),
                        value => words.push((*value).clone()),
                    }
                }
                self.words(&Value::List(words.into()), items);
            }
        }
    }

    /// A program, the name that it runs under, and its arguments.
    fn named(&mut self, items: &[Item], skip: usize) {
        let mut given = positional(items).skip(skip);
        let Some(program) = given.next() else { return };
        let rest: Vec<Value> = match given.next() {
            Some(Value::List(words)) => words.iter().skip(1).cloned().collect(),
            _ => given.filter(|value| !matches!(value, Value::Fields(_) | Value::Name(_))).cloned().collect(),
        };
        let words: Vec<Value> = std::iter::once(program.clone()).chain(rest).collect();
        self.words(&Value::List(words.into()), items);
    }

    // Files.

    pub(super) fn writes(&mut self, path: &Value) {
        self.file(FileAct::Write, path);
    }

    pub(super) fn file(&mut self, does: FileAct, path: &Value) {
        if self.ahead {
            return;
        }
        for text in path.texts() {
            // Where the home folder is, only the running program knows.
            let in_home = text.text.starts_with("~/");
            let is_relative = !text.text.starts_with('/') && !in_home && !text.text.is_empty();
            let path = match self.folder.as_ref().filter(|_| is_relative) {
                Some(folder) => Literal {
                    text: format!("{}/{}", folder.text, text.text).into(),
                    unknown: text.unknown || folder.unknown,
                    glob: text.glob,
                },
                None => Literal { unknown: text.unknown || in_home, ..text.clone() },
            };
            if !self.budget.spend(1) || !self.budget.spend_bytes(path.text.len()) {
                return;
            }
            self.calls.files.push(FileCall { does, path: path.word() });
        }
    }

    /// All arguments are files, and the elements of lists among them.
    fn each(&mut self, does: FileAct, items: &[Item]) {
        let is_value = |item: &&Item| item.key.as_deref().is_none_or(|key| FIRST.contains(&key));
        for item in items.iter().filter(is_value) {
            match &item.value {
                Value::List(paths) => paths.iter().for_each(|path| self.file(does, path)),
                path => self.file(does, path),
            }
        }
    }

    fn open(&mut self, path: &Value, mode: &Value) {
        if self.language == Language::Ruby
            && let Some(line) = path.literal().and_then(|path| path.strip_prefix('|'))
        {
            let line = Value::text(line);
            return self.line(&line, &[]);
        }
        let is_written = match mode {
            Value::Name(flags) => ["O_WRONLY", "O_RDWR", "O_TRUNC", "O_APPEND", "O_CREAT"]
                .iter()
                .any(|flag| flags.contains(flag)),
            mode => mode.texts().any(|mode| mode.text.contains(['w', 'a', 'x', 'c', '+', '>'])),
        };
        self.file(if is_written { FileAct::Write } else { FileAct::Read }, path);
    }

    /// `open(F, '>', 'path')`, `open(F, '>path')`, `open(F, 'command |')`, `open(F, '-|', 'command')`
    fn open_perl(&mut self, items: &[Item]) {
        let mode = argument(items, 1, &[]);
        let given: Vec<Value> = positional(items).skip(2).cloned().collect();
        let Some(text) = mode.texts().next().cloned() else { return };
        let plain = text.text.trim();
        if matches!(plain, "|-" | "-|") {
            let items: Vec<Item> = given.into_iter().map(|value| Item { key: None, value }).collect();
            return self.line_or_words(&items, 0);
        }
        if given.is_empty() && (plain.starts_with('|') || plain.ends_with('|')) {
            let line = Literal { text: plain.trim_matches('|').trim().into(), ..text.clone() };
            return self.line(&Value::Text(line), &[]);
        }
        let glued = plain.trim_start_matches(['+', '<', '>', ' ']);
        // `>&HANDLE`
        if glued.starts_with('&') {
            return;
        }
        let is_written = plain.contains('>') || plain.starts_with('+');
        let does = if is_written { FileAct::Write } else { FileAct::Read };
        match given.first() {
            Some(path) => self.file(does, &path.clone()),
            None if !glued.is_empty() => {
                self.file(does, &Value::Text(Literal { text: glued.into(), ..text.clone() }));
            }
            None => {}
        }
    }

    fn enter(&mut self, folder: &Value) {
        if self.ahead {
            return;
        }
        let unknown = Literal { text: super::value::GAP.into(), unknown: true, glob: false };
        let next = folder.texts().next().cloned().unwrap_or(unknown);
        let is_relative = !next.text.starts_with(['/', '~']) && !next.unknown;
        self.folder = Some(match self.folder.take().filter(|_| is_relative) {
            Some(folder) if folder.text.len() + next.text.len() < 4096 => {
                Literal { text: format!("{}/{}", folder.text, next.text).into(), ..folder }
            }
            _ => next,
        });
    }

    fn set(&mut self, first: &Value, second: &Value) {
        let Some(name) = first.literal() else { return };
        match name.split_once('=') {
            Some((name, value)) => self.env.push((name.to_owned(), Some(Word::known(value)))),
            None => {
                let word = second.texts().next().map_or_else(Word::unknown, Literal::word);
                self.env.push((name.to_owned(), Some(word)));
            }
        }
    }

    /// `'rm %s' % x`
    pub(super) fn percent(&self, text: &Value, given: &Value) -> Value {
        let given: Vec<Value> = match given {
            Value::List(values) => values.to_vec(),
            value => vec![value.clone()],
        };
        self.fill(text, "%s", given.iter())
    }

    fn fill<'v>(&self, text: &Value, mark: &str, mut given: impl Iterator<Item = &'v Value>) -> Value {
        let Value::Text(text) = text else { return Value::Unknown };
        let mut filled = Value::text("");
        for (index, part) in text.text.split(mark).enumerate() {
            if index > 0 {
                filled = self.join(&filled, "", given.next().unwrap_or(&Value::Unknown));
            }
            filled = self.join(&filled, "", &Value::text(part));
            if index > 16 {
                return Value::Unknown;
            }
        }
        // Other marks are filled with what is not known.
        let is_whole = !filled.texts().any(|text| text.text.contains(['{', '%']));
        if is_whole { filled } else { Value::Unknown }
    }
}

fn is_mode(text: &str) -> bool {
    matches!(text, "r" | "w" | "a" | "r+" | "w+" | "rb" | "wb")
}

fn positional(items: &[Item]) -> impl Iterator<Item = &Value> {
    items.iter().filter(|item| item.key.is_none()).map(|item| &item.value)
}

/// The argument with this number, or with one of these names.
fn argument<'i>(items: &'i [Item], at: usize, names: &[&str]) -> &'i Value {
    let is_it = |item: &&Item| item.key.as_deref().is_some_and(|key| names.contains(&key));
    positional(items).nth(at).or_else(|| Some(&items.iter().find(is_it)?.value)).unwrap_or(&Value::Unknown)
}

/// An argument by its name, or a field of an argument.
fn field_of<'i>(items: &'i [Item], name: &str) -> Option<&'i Value> {
    let of = |items: &'i [Item]| {
        items.iter().find(|item| item.key.as_deref() == Some(name)).map(|item| &item.value)
    };
    of(items).or_else(|| {
        items.iter().find_map(|item| match &item.value {
            Value::Fields(fields) => of(fields),
            _ => None,
        })
    })
}

fn first_text(items: &[Item]) -> Option<&Literal> {
    items.first()?.value.texts().next()
}

fn word(value: &Value) -> Word {
    match value {
        Value::Text(text) => text.word(),
        Value::Number(number) => Word::known(number.to_string()),
        _ => Word::unknown(),
    }
}

/// The words of a text.
fn split(value: &Value) -> Value {
    match value {
        Value::Text(text) if !text.unknown && text.text.len() <= 4096 => {
            Value::List(text.text.split_whitespace().map(Value::text).collect())
        }
        _ => Value::Unknown,
    }
}

/// `' '.join(words)` and `words.join(' ')`
fn joined(value: &Value, argument: &Value) -> Value {
    let (words, between) = match (value, argument) {
        (Value::List(words), between) | (between, Value::List(words)) => {
            (words, between.literal().unwrap_or(","))
        }
        _ => return Value::Unknown,
    };
    let texts: Option<Vec<&str>> = words.iter().map(Value::literal).collect();
    texts.map_or(Value::Unknown, |texts| Value::text(texts.join(between)))
}

fn replaced(value: &Value, old: &Value, new: &Value) -> Value {
    match (value, old.literal(), new.literal()) {
        (Value::Text(text), Some(old), Some(new))
            if !old.is_empty() && text.text.len().saturating_mul(new.len().max(1)) <= 1 << 16 =>
        {
            Value::Text(Literal { text: text.text.replace(old, new).into(), ..text.clone() })
        }
        _ => Value::Unknown,
    }
}
