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

    /// A command may hold commas, so a word is one command; more are set in the file.
    fn parse_word(&self, word: &str) -> Value {
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
            Value::Text(path) if path.is_empty() || is_inside(path) => Ok(()),
            _ => Err("a path below the project's root, in quotes".into()),
        }
    }
}

/// Whether a path stays below the folder that it is meant for.
fn is_inside(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('/') && path.split(['/', '\\']).all(|part| part != "..")
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
