//! The kinds of knobs. A knob knows its name, its default, what it takes and what it is for.

use super::Value;

pub trait Knob: Sync {
    fn name(&self) -> &'static str;
    fn about(&self) -> &'static str;
    fn default_value(&self) -> Value;
    /// What the knob takes, if it does not take this.
    fn check(&self, value: &Value) -> Result<(), String>;
    /// A value as typed in a shell. What cannot be read stays a text, and fails the check with it.
    fn parse_word(&self, word: &str) -> Value {
        Value::Text(word.to_owned())
    }
}

/// Every kind has a name and says what it is for.
macro_rules! head {
    () => {
        fn name(&self) -> &'static str {
            self.name
        }

        fn about(&self) -> &'static str {
            self.about
        }
    };
}

pub struct Flag {
    pub name: &'static str,
    pub default: bool,
    pub about: &'static str,
}

pub struct Number {
    pub name: &'static str,
    pub default: u64,
    pub range: (u64, u64),
    pub about: &'static str,
}

pub struct Text {
    pub name: &'static str,
    pub default: &'static str,
    pub about: &'static str,
}

/// One of a few words.
pub struct Choice {
    pub name: &'static str,
    pub default: &'static str,
    pub of: &'static [&'static str],
    pub about: &'static str,
}

/// A file of the project, or nothing.
pub struct FilePath {
    pub name: &'static str,
    pub about: &'static str,
}

/// A list of shell commands.
pub struct Commands {
    pub name: &'static str,
    pub about: &'static str,
}

/// A list of names.
pub struct Names {
    pub name: &'static str,
    pub about: &'static str,
    /// What they are names of, for the message.
    pub of: &'static str,
    pub fits: fn(&str) -> bool,
}

/// A list of file names.
pub struct TextList {
    pub name: &'static str,
    pub default: &'static [&'static str],
    /// The folder that the names are below; a name that leads out of it is refused, so that a configuration
    /// that came with a repository cannot feed other files to the model.
    pub below: &'static str,
    pub about: &'static str,
}

impl Knob for Flag {
    head!();

    fn default_value(&self) -> Value {
        Value::Flag(self.default)
    }

    fn check(&self, value: &Value) -> Result<(), String> {
        if matches!(value, Value::Flag(_)) { Ok(()) } else { Err("true or false".into()) }
    }

    fn parse_word(&self, word: &str) -> Value {
        match word {
            "true" | "on" | "1" => Value::Flag(true),
            "false" | "off" | "0" => Value::Flag(false),
            _ => Value::Text(word.to_owned()),
        }
    }
}

impl Knob for Number {
    head!();

    fn default_value(&self) -> Value {
        Value::Number(i64::try_from(self.default).unwrap_or(i64::MAX))
    }

    fn check(&self, value: &Value) -> Result<(), String> {
        let (low, high) = self.range;
        match value {
            Value::Number(number) if u64::try_from(*number).is_ok_and(|n| (low..=high).contains(&n)) => {
                Ok(())
            }
            _ => Err(format!("a number from {low} to {high}")),
        }
    }

    fn parse_word(&self, word: &str) -> Value {
        word.parse().map_or_else(|_| Value::Text(word.to_owned()), Value::Number)
    }
}

impl Knob for Text {
    head!();

    fn default_value(&self) -> Value {
        Value::Text(self.default.to_owned())
    }

    fn check(&self, value: &Value) -> Result<(), String> {
        if matches!(value, Value::Text(_)) { Ok(()) } else { Err("a text in quotes".into()) }
    }
}

impl Knob for Commands {
    head!();

    fn default_value(&self) -> Value {
        Value::List(Vec::new())
    }

    fn check(&self, value: &Value) -> Result<(), String> {
        match value {
            Value::List(commands) if commands.iter().all(|command| !command.trim().is_empty()) => Ok(()),
            _ => Err("a list of commands in quotes".into()),
        }
    }

    /// A command may hold commas, so a word is one command; more are set as they stand in the file.
    fn parse_word(&self, word: &str) -> Value {
        if let Ok(commands) = serde_json::from_str::<Vec<String>>(word) {
            return Value::List(commands);
        }
        Value::List(if word.is_empty() { Vec::new() } else { vec![word.to_owned()] })
    }
}

impl Knob for Names {
    head!();

    fn default_value(&self) -> Value {
        Value::List(Vec::new())
    }

    fn check(&self, value: &Value) -> Result<(), String> {
        match value {
            Value::List(names) if names.iter().all(|name| (self.fits)(name)) => Ok(()),
            _ => Err(format!("a list of {}", self.of)),
        }
    }

    fn parse_word(&self, word: &str) -> Value {
        comma_list(word)
    }
}

impl Knob for Choice {
    head!();

    fn default_value(&self) -> Value {
        Value::Text(self.default.to_owned())
    }

    fn check(&self, value: &Value) -> Result<(), String> {
        match value {
            Value::Text(word) if self.of.contains(&word.as_str()) => Ok(()),
            _ => Err(format!("one of {}", self.of.join(", "))),
        }
    }
}

impl Knob for FilePath {
    head!();

    fn default_value(&self) -> Value {
        Value::Text(String::new())
    }

    fn check(&self, value: &Value) -> Result<(), String> {
        match value {
            Value::Text(path) if path.is_empty() || (is_inside(path) && is_markdown(path)) => Ok(()),
            _ => Err("a .md file below the project's root, not in .git or .engine, in quotes".into()),
        }
    }
}

/// Whether a path stays below the folder that it is meant for.
fn is_inside(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('/') && path.split(['/', '\\']).all(|part| part != "..")
}

/// Whether a path is a Markdown file that neither git nor the engine keeps for itself.
fn is_markdown(path: &str) -> bool {
    let is_own = |part: &str| [".git", ".engine"].iter().any(|own| part.eq_ignore_ascii_case(own));
    path.to_lowercase().ends_with(".md") && !path.split(['/', '\\']).any(is_own)
}

impl Knob for TextList {
    head!();

    fn default_value(&self) -> Value {
        Value::List(self.default.iter().map(|&item| item.to_owned()).collect())
    }

    fn check(&self, value: &Value) -> Result<(), String> {
        match value {
            Value::List(names) if names.iter().all(|name| is_inside(name)) => Ok(()),
            _ => Err(format!("a list of file names below {}", self.below)),
        }
    }

    fn parse_word(&self, word: &str) -> Value {
        comma_list(word)
    }
}

fn comma_list(word: &str) -> Value {
    // Also as it stands in the file.
    if let Ok(items) = serde_json::from_str::<Vec<String>>(word) {
        return Value::List(items);
    }
    Value::List(word.split(',').map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAG: Flag = Flag { name: "a.flag", default: true, about: "A flag." };
    const NUMBER: Number = Number { name: "a.number", default: 5, range: (2, 7), about: "A number." };
    const TEXT: Text = Text { name: "a.text", default: "x", about: "A text." };
    const CHOICE: Choice = Choice { name: "a.choice", default: "one", of: &["one", "two"], about: "A word." };
    const PATH: FilePath = FilePath { name: "a.path", about: "A path." };
    const COMMANDS: Commands = Commands { name: "a.commands", about: "Commands." };
    const NAMES: Names =
        Names { name: "a.names", about: "Names.", of: "letters", fits: |name| name.len() == 1 };
    const LIST: TextList =
        TextList { name: "a.list", default: &["x.md"], below: ".engine/context/", about: "Files." };

    fn text(word: &str) -> Value {
        Value::Text(word.to_owned())
    }

    fn list(items: &[&str]) -> Value {
        Value::List(items.iter().map(|&item| item.to_owned()).collect())
    }

    #[test]
    fn a_knob_knows_its_name_its_default_and_what_it_is_for() {
        let cases: [(&dyn Knob, &str, &str, Value); 8] = [
            (&FLAG, "a.flag", "A flag.", Value::Flag(true)),
            (&NUMBER, "a.number", "A number.", Value::Number(5)),
            (&TEXT, "a.text", "A text.", text("x")),
            (&CHOICE, "a.choice", "A word.", text("one")),
            (&PATH, "a.path", "A path.", text("")),
            (&COMMANDS, "a.commands", "Commands.", list(&[])),
            (&NAMES, "a.names", "Names.", list(&[])),
            (&LIST, "a.list", "Files.", list(&["x.md"])),
        ];
        for (knob, name, about, default) in cases {
            assert_eq!((knob.name(), knob.about(), knob.default_value()), (name, about, default));
        }
    }

    #[test]
    fn a_word_is_read_in_the_way_of_its_knob() {
        let cases: [(&dyn Knob, &str, Value); 28] = [
            (&FLAG, "true", Value::Flag(true)),
            (&FLAG, "on", Value::Flag(true)),
            (&FLAG, "1", Value::Flag(true)),
            (&FLAG, "false", Value::Flag(false)),
            (&FLAG, "off", Value::Flag(false)),
            (&FLAG, "0", Value::Flag(false)),
            (&FLAG, "yes", text("yes")),
            (&NUMBER, "3", Value::Number(3)),
            (&NUMBER, "-3", Value::Number(-3)),
            (&NUMBER, "3x", text("3x")),
            (&TEXT, "a, b", text("a, b")),
            (&TEXT, "", text("")),
            (&TEXT, "7", text("7")),
            (&CHOICE, "two", text("two")),
            (&PATH, "a/b.md", text("a/b.md")),
            (&COMMANDS, "make a, b", list(&["make a, b"])),
            (&COMMANDS, "", list(&[])),
            (&COMMANDS, r#"["make a, b", "c"]"#, list(&["make a, b", "c"])),
            (&COMMANDS, "[ -f a ]", list(&["[ -f a ]"])),
            (&NAMES, "a, b ,,c", list(&["a", "b", "c"])),
            (&NAMES, "", list(&[])),
            (&NAMES, r#"["a", "b"]"#, list(&["a", "b"])),
            (&NAMES, "[]", list(&[])),
            (&LIST, "a.md,b.md", list(&["a.md", "b.md"])),
            (&LIST, r#"["a, b.md"]"#, list(&["a, b.md"])),
            (&LIST, " , ", list(&[])),
            (&LIST, "[1]", list(&["[1]"])),
            (&LIST, "a b.md", list(&["a b.md"])),
        ];
        for (knob, word, expected) in cases {
            assert_eq!(knob.parse_word(word), expected, "{} {word:?}", knob.name());
        }
    }

    #[test]
    fn a_knob_takes_what_it_says_and_nothing_else() {
        // What it says, what it takes, and what it refuses.
        type Case<'k> = (&'k dyn Knob, &'k str, Vec<Value>, Vec<Value>);
        let other = || Value::Other("1.5".into());
        let cases: [Case<'_>; 8] = [
            (
                &FLAG,
                "true or false",
                vec![Value::Flag(true), Value::Flag(false)],
                vec![text("true"), Value::Number(1), list(&[]), other()],
            ),
            (
                &NUMBER,
                "a number from 2 to 7",
                vec![Value::Number(2), Value::Number(7)],
                vec![
                    Value::Number(1),
                    Value::Number(8),
                    Value::Number(-3),
                    text("3"),
                    Value::Flag(true),
                    other(),
                ],
            ),
            (
                &TEXT,
                "a text in quotes",
                vec![text(""), text("x")],
                vec![Value::Number(1), Value::Flag(true), list(&["x"]), other()],
            ),
            (
                &CHOICE,
                "one of one, two",
                vec![text("one"), text("two")],
                vec![text(""), text("three"), Value::Flag(true), list(&["one"])],
            ),
            (
                &PATH,
                "a .md file below the project's root, not in .git or .engine, in quotes",
                vec![
                    text(""),
                    text("a.md"),
                    text("a/b.MD"),
                    text("a/..b.md"),
                    text("./a.md"),
                    text(".github/a.md"),
                ],
                vec![
                    text("a"),
                    text("/a.md"),
                    text("../a.md"),
                    text("a/../b.md"),
                    text(".engine/a.md"),
                    text("x/.GIT/a.md"),
                    text("a/.."),
                    text("a\\..\\b"),
                    list(&["a"]),
                    Value::Flag(true),
                ],
            ),
            (
                &COMMANDS,
                "a list of commands in quotes",
                vec![list(&[]), list(&["make"]), list(&["make a", "make b"])],
                vec![list(&[""]), list(&["make", " "]), text("make"), other()],
            ),
            (
                &NAMES,
                "a list of letters",
                vec![list(&[]), list(&["a"]), list(&["a", "b"])],
                vec![list(&["ab"]), list(&["a", ""]), text("a"), other()],
            ),
            (
                &LIST,
                "a list of file names below .engine/context/",
                vec![list(&[]), list(&["a.md"]), list(&["a.md", "b/c.md"])],
                vec![list(&[""]), list(&["a.md", "../b.md"]), list(&["/etc/passwd"]), text("a.md"), other()],
            ),
        ];
        for (knob, wanted, taken, refused) in cases {
            for value in taken {
                assert_eq!(knob.check(&value), Ok(()), "{} {value:?}", knob.name());
            }
            for value in refused {
                assert_eq!(knob.check(&value), Err(wanted.to_owned()), "{} {value:?}", knob.name());
            }
        }
    }
}
