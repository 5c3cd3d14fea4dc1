//! Skills: what their files declare, and what that means for chains.
//!
//! The adapters of clients find the files; this module reads their text. The front matter is YAML, read by a
//! real parser into [`Declared`]; what is odd in it becomes a [`Problem`] with its line, never a failure of the rest.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::chain::{self, Condition, Ending, Entry, ExitMode, Standing, Typed};
use crate::config::{Choice, Config, Names};

mod check;
mod front_runs;
pub mod protocol;
mod shell_lines;

pub use check::{Checked, FEATURES, Severity, World, check, features, template};
pub use front_runs::{FrontHook, FrontRuns};
pub use shell_lines::{ShellLine, shell_lines, with_arguments};

use engine_text::Problem;
use engine_text::yaml::{self, Node, Value};

/// Skills that know nothing of chains, and may be in one all the same.
pub const WRAPPED: Names = Names {
    name: "chain.wrapped",
    about: "Skills that do not know chains and may be entries all the same: engine itself names the next entry at the end of the turn.",
    of: "skills, without slashes",
    fits: crate::chain::is_name,
};

/// Whether the exits that the last skill of a chain declares follow it.
pub const EXITS: Choice = Choice {
    name: "chain.exits",
    default: "always",
    of: &["always", "never", "ask"],
    about: "Whether the exits that the last skill of a chain declares follow it; ask offers them when the chain is done. An exit that a typed flag asks for follows in any case.",
};

/// What a skill's file says of it.
#[expect(clippy::struct_excessive_bools, reason = "what a file says, each by itself")]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Declared {
    pub name: Option<String>,
    pub description: Option<String>,
    pub cooperative: bool,
    /// It takes everything after its name as its argument.
    pub free_text: bool,
    pub exits: Exits,
    /// When its work is done in a chain, and what follows if it fails.
    pub ending: Ending,
    /// The model can call it.
    pub callable: bool,
    /// A person can type it.
    pub typable: bool,
    pub allowed_tools: Option<Vec<String>>,
    /// The names of what the caller gives, word by word.
    pub arguments: Vec<String>,
    pub problems: Vec<Problem>,
    /// Where the text begins, behind the front matter.
    pub body: usize,
}

/// What follows a skill that is the last of a chain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Exits {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub always: Vec<Entry>,
    /// A flag among the arguments → the exits that count then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<(String, Vec<Entry>)>,
}

impl Exits {
    /// The exits of a call with these arguments.
    pub fn of(&self, args: &str) -> &[Entry] {
        self.by_flag(args).unwrap_or(&self.always)
    }

    /// Those that a flag among the arguments asks for.
    pub fn by_flag(&self, args: &str) -> Option<&[Entry]> {
        let given = |flag: &str| args.split_whitespace().any(|word| word == flag);
        self.when.iter().find(|(flag, _)| given(flag)).map(|(_, exits)| exits.as_slice())
    }

    /// All skills that are named.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.always.iter().chain(self.when.iter().flat_map(|(_, exits)| exits))
    }
}

/// What the registry tells of a name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Known {
    /// The name that always calls it: a plugin's with the prefix.
    #[serde(skip)]
    pub name: String,
    pub cooperative: bool,
    pub callable: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub free_text: bool,
    pub exits: Exits,
    #[serde(flatten)]
    pub ending: Ending,
    /// The first thing in its `continuation` that cannot be read, and is not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl Known {
    pub fn of(declared: &Declared) -> Self {
        Self {
            name: String::new(),
            cooperative: declared.cooperative,
            callable: declared.callable,
            free_text: declared.free_text,
            exits: declared.exits.clone(),
            ending: declared.ending.clone(),
            problem: declared
                .problems
                .iter()
                .map(|problem| &problem.text)
                .find(|text| text.starts_with("continuation"))
                .cloned(),
        }
    }
}

/// The files that a name may stand for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    pub files: Vec<PathBuf>,
    /// There was more to look through than is looked through.
    pub is_cut: bool,
}

/// Whether the configuration lists a skill as wrapped.
pub fn is_wrapped(config: &Config, name: &str) -> bool {
    config.names(&WRAPPED).iter().any(|wrapped| crate::chain::same_skill(wrapped, name))
}

/// How a name stands in a chain.
pub fn standing(known: Option<&Known>, wrapped: bool) -> Standing {
    match known {
        None => Standing::Unknown,
        Some(known) if !known.cooperative && !wrapped => Standing::NotCooperative,
        Some(known) if known.free_text => Standing::FreeText { callable: known.callable },
        Some(known) if !known.callable => Standing::OnlyTyped,
        Some(_) => Standing::Entry,
    }
}

/// What follows a chain: the exits that its last skill declares, as far as they are wanted. With them come those that
/// cannot be entries here.
pub fn exits_of(
    typed: &Typed,
    config: &Config,
    skill: &dyn Fn(&str) -> Option<Known>,
    stands: &dyn Fn(&str) -> Standing,
) -> (chain::Exits, Vec<Entry>) {
    let Some(last) = typed.entries.last().filter(|_| !typed.closed) else { return Default::default() };
    let Some(known) = skill(&last.skill) else { return Default::default() };
    // A flag that was typed is an order.
    let (declared, mode) = match known.exits.by_flag(&last.args) {
        Some(declared) => (declared, ExitMode::Always),
        None => (known.exits.always.as_slice(), exit_mode(config)),
    };
    let (there, missing) = declared.iter().cloned().partition(|exit| stands(&exit.skill).is_entry());
    (chain::Exits::of(typed, there, mode), missing)
}

fn exit_mode(config: &Config) -> ExitMode {
    match config.choice(&EXITS) {
        "never" => ExitMode::Never,
        "ask" => ExitMode::Ask,
        _ => ExitMode::Always,
    }
}

/// A text that starts with one of these was meant as something else in YAML, or is not closed: `name: [broken`.
const YAML_SIGNS: [char; 10] = ['[', ']', '{', '}', '&', '*', '!', '|', '>', '@'];

/// Longer front matter is not read.
const LONGEST: usize = 64 << 10;

impl Declared {
    /// Reads a skill's file.
    pub fn read(text: &str) -> Self {
        let mut declared = Self { callable: true, typable: true, ..Self::default() };
        let (block, body) = match front_matter(text) {
            Ok(Some(found)) => found,
            Ok(None) => {
                declared.description = first_line(text);
                return declared;
            }
            Err(problem) => {
                declared.problems.push(problem);
                return declared;
            }
        };
        declared.body = body;
        if block.len() > LONGEST {
            declared.problem(1, "the front matter is longer than 64 KB and was not read");
            return declared;
        }
        // The client tries a second time, with doubtful values in quotes.
        match yaml::read(block).or_else(|error| yaml::read(&yaml::quoted(block)).map_err(|_| error)) {
            Ok(fields) => declared.take(fields),
            Err(Problem { line, text }) => {
                // The opening line is not part of the block.
                declared.problem(line + 1, &format!("the front matter is not valid YAML: {text}"));
            }
        }
        declared
    }

    fn problem(&mut self, line: usize, text: &str) {
        self.problems.push(Problem { line, text: text.to_owned() });
    }

    fn take(&mut self, fields: Vec<(String, Node)>) {
        for (key, node) in fields {
            let line = node.line + 1;
            match key.as_str() {
                "name" => {
                    self.name = self.text(&key, &node).filter(|name| !name.starts_with(YAML_SIGNS));
                    if let (None, Value::Text { text }) = (&self.name, &node.value) {
                        self.problem(line, &format!("the front matter is not valid YAML: name: {text}"));
                    }
                }
                "description" => self.description = self.text(&key, &node),
                "allowed-tools" => self.allowed_tools = self.tools(&node),
                "arguments" => self.arguments = names(&node),
                "disable-model-invocation" => self.callable = !is_true(&node, &["true", "yes", "on", "1"]),
                "user-invocable" => self.typable = is_true(&node, &["true"]),
                "continuation" => match node.value {
                    Value::Map(fields) => self.take_continuation(fields),
                    _ => self.problem(line, "continuation is no mapping"),
                },
                _ => {}
            }
        }
    }

    fn take_continuation(&mut self, fields: Vec<(String, Node)>) {
        for (key, node) in fields {
            let line = node.line + 1;
            match (key.as_str(), node.value) {
                ("cooperative", value) => {
                    let node = Node { line: node.line, value };
                    self.cooperative = self.flag("continuation.cooperative", &node).unwrap_or(false);
                }
                ("args", Value::Text { text }) if text == "rest" => self.free_text = true,
                ("args", _) => self.problem(line, "continuation.args takes one word: rest"),
                ("default-exit", value) => self.exits.always = self.exits(line, "default-exit", value),
                ("default-exit-when", Value::Map(flags)) => {
                    for (flag, exits) in flags {
                        let exits =
                            self.exits(exits.line + 1, &format!("default-exit-when {flag}"), exits.value);
                        self.exits.when.push((flag, exits));
                    }
                }
                ("default-exit-when", _) => {
                    self.problem(line, "continuation.default-exit-when is no mapping");
                }
                ("done-when", value) => self.ending.done_when = self.conditions(line, value),
                ("on-failure", value) => self.ending.on_failure = self.exits(line, "on-failure", value),
                ("returns", value) => self.ending.returns = self.returns(line, value),
                (other, _) => self.problem(line, &format!("continuation.{other} is not known")),
            }
        }
    }

    /// `done-when`: one condition or a list of them.
    fn conditions(&mut self, line: usize, value: Value) -> Vec<Condition> {
        let nodes = match value {
            Value::List(items) => items,
            Value::Empty => Vec::new(),
            one => vec![Node { line: line - 1, value: one }],
        };
        let mut conditions = Vec::new();
        for node in nodes {
            match condition(&node.value) {
                Some(condition) => conditions.push(condition),
                None => self.problem(
                    node.line + 1,
                    "continuation.done-when: a condition is commit, file: PATH, passed: COMMAND or run: built",
                ),
            }
        }
        conditions
    }

    /// `returns`: the names of values, in a list or parted by blanks.
    fn returns(&mut self, line: usize, value: Value) -> Vec<String> {
        let names = names(&Node { line, value });
        let (fit, odd) = names.into_iter().partition::<Vec<_>, _>(|name| crate::chain::is_name(name));
        for name in odd {
            self.problem(line, &format!("continuation.returns: {name} is no name of a value"));
        }
        fit
    }

    fn exits(&mut self, line: usize, what: &str, value: Value) -> Vec<Entry> {
        let texts: Vec<Node> = match value {
            Value::List(items) => items,
            Value::Empty => Vec::new(),
            // A plain text is a chain as it is typed.
            Value::Text { text } => {
                let entries = crate::chain::unquoted(&text);
                if !entries.is_empty() {
                    return entries;
                }
                vec![Node { line: line - 1, value: Value::Text { text } }]
            }
            Value::Map(_) => {
                self.problem(line, &format!("continuation.{what} is no list"));
                Vec::new()
            }
        };
        let mut exits = Vec::new();
        for node in texts {
            let entry = match &node.value {
                Value::Text { text } => Entry::parse(text),
                _ => None,
            };
            match entry {
                Some(entry) => exits.push(entry),
                None => self.problem(
                    node.line + 1,
                    &format!("continuation.{what}: an exit is written \"/skill arguments\""),
                ),
            }
        }
        exits
    }

    fn text(&mut self, key: &str, node: &Node) -> Option<String> {
        match &node.value {
            Value::Text { text } => Some(text.clone()),
            Value::Empty => None,
            _ => {
                self.problem(node.line + 1, &format!("{key} is no text"));
                None
            }
        }
    }

    fn flag(&mut self, key: &str, node: &Node) -> Option<bool> {
        match &node.value {
            Value::Text { text } if text.eq_ignore_ascii_case("true") => Some(true),
            Value::Text { text } if text.eq_ignore_ascii_case("false") => Some(false),
            _ => {
                self.problem(node.line + 1, &format!("{key} is neither true nor false"));
                None
            }
        }
    }

    fn tools(&mut self, node: &Node) -> Option<Vec<String>> {
        match &node.value {
            Value::Text { text } => Some(tool_list(text)),
            Value::List(items) => {
                let of_item = |item: &Node| match &item.value {
                    Value::Text { text } => Some(text.clone()),
                    _ => None,
                };
                Some(items.iter().filter_map(of_item).collect())
            }
            Value::Empty => None,
            Value::Map(_) => {
                self.problem(node.line + 1, "allowed-tools is neither a list nor a text");
                None
            }
        }
    }
}

fn condition(value: &Value) -> Option<Condition> {
    match value {
        Value::Text { text } if text == "commit" => Some(Condition::Commit),
        Value::Map(fields) => match fields.as_slice() {
            [(key, Node { value: Value::Text { text }, .. })] if !text.trim().is_empty() => {
                match key.as_str() {
                    "file" => Some(Condition::File(text.trim().to_owned())),
                    "passed" => Some(Condition::Passed(text.trim().to_owned())),
                    "run" if text.trim() == "built" => Some(Condition::Run(String::new())),
                    _ => None,
                }
            }
            _ => None,
        },
        _ => None,
    }
}

/// What the client takes for true, by experiment: one flag is generous, the other is not.
fn is_true(node: &Node, words: &[&str]) -> bool {
    matches!(&node.value, Value::Text { text } if words.iter().any(|word| text.eq_ignore_ascii_case(word)))
}

/// Names as a list, or as one text.
fn names(node: &Node) -> Vec<String> {
    let texts: Vec<&str> = match &node.value {
        Value::Text { text } => text.split_whitespace().collect(),
        Value::List(items) => items
            .iter()
            .filter_map(|item| match &item.value {
                Value::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    texts.into_iter().map(str::to_owned).collect()
}

/// `Read, Bash(git add:*, x)`: parted by commas or blanks outside brackets.
fn tool_list(text: &str) -> Vec<String> {
    let mut depth = 0usize;
    let parts = text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (c == ',' || c.is_whitespace()) && depth == 0
    });
    parts.map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// The block behind the first `---` line and where the text behind it begins; nothing if the file has none. As in the
/// client, the next `---` closes it wherever it stands.
fn front_matter(text: &str) -> Result<Option<(&str, usize)>, Problem> {
    let start = text.len() - text.trim_start_matches(engine_text::BYTE_ORDER_MARK).len();
    let opening = text[start..].split_inclusive('\n').next().unwrap_or_default();
    if opening.trim_end() != "---" {
        return Ok(None);
    }
    let from = start + opening.len();
    let Some(length) = text[from..].find("---") else {
        return Err(Problem { line: 1, text: "the front matter is not closed by ---".to_owned() });
    };
    let behind = &text[from + length + 3..];
    let line_end = behind.len() - behind.trim_start_matches([' ', '\t', '\r']).len();
    let newline = usize::from(behind[line_end..].starts_with('\n'));
    Ok(Some((&text[from..from + length], from + length + 3 + line_end + newline)))
}

fn first_line(text: &str) -> Option<String> {
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    Some(line.trim_start_matches('#').trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let declared = Declared::read(text);
        let exits = |entries: &[Entry]| crate::chain::listed(entries);
        let mut out = format!(
            "name {:?} cooperative {} callable {} exits [{}]",
            declared.name.unwrap_or_default(),
            declared.cooperative,
            declared.callable,
            exits(&declared.exits.always)
        );
        for (flag, entries) in &declared.exits.when {
            out.push_str(&format!(" {flag} [{}]", exits(entries)));
        }
        for problem in &declared.problems {
            out.push_str(&format!(" ({}: {})", problem.line, problem.text));
        }
        out
    }

    #[test]
    fn front_matter_is_read_as_it_comes() {
        let cases = [
            (
                "---\nname: design # the name\ncontinuation:\n  cooperative: true\n  default-exit: [\"/handoff --commit\", '/commit']\n---\nBody",
                "name \"design\" cooperative true callable true exits [/handoff --commit, /commit]",
            ),
            (
                "\u{feff}---\r\nname: \"handoff\"\r\ncontinuation: {cooperative: true, default-exit-when: {\"--commit\": [\"/commit\"]}}\r\n---\r\n",
                "name \"handoff\" cooperative true callable true exits [] --commit [/commit]",
            ),
            (
                "---\ncontinuation:\n  cooperative: true\n  default-exit:\n    - /a x\n    - /b\nmetadata:\n  deep: [1, {x: [y]}]\n---\n",
                "name \"\" cooperative true callable true exits [/a x, /b]",
            ),
            (
                "---\ndisable-model-invocation: true\n---\n",
                "name \"\" cooperative false callable false exits []",
            ),
            ("no front matter", "name \"\" cooperative false callable true exits []"),
            (
                "---\nname: x\n",
                "name \"\" cooperative false callable true exits [] (1: the front matter is not closed by ---)",
            ),
            (
                "---\nname: \"x\n---\n",
                "name \"\" cooperative false callable true exits [] (2: the front matter is not valid YAML: while scanning a quoted scalar, found unexpected end of stream)",
            ),
            (
                "---\nname: [broken\ncontinuation: {cooperative: true}\n---\n",
                "name \"\" cooperative true callable true exits [] (2: the front matter is not valid YAML: name: [broken)",
            ),
            (
                "---\nname: x\ndescription: Use it: now\nallowed-tools: [Read, Skill]\ncontinuation: {cooperative: true}\n---\n",
                "name \"x\" cooperative true callable true exits []",
            ),
            (
                "---\nname: x\ncontinuation:\n\tcooperative: true\n---\n",
                "name \"x\" cooperative true callable true exits []",
            ),
            (
                "---\ndisable-model-invocation: Yes\nuser-invocable: yes\n---\n",
                "name \"\" cooperative false callable false exits []",
            ),
            (
                "---\nname: x\ncontinuation:\n  cooperative: maybe\n  default-exit: [handoff]\n  exit: x\n---\n",
                "name \"x\" cooperative false callable true exits [] (4: continuation.cooperative is neither true nor false) (5: continuation.default-exit: an exit is written \"/skill arguments\") (6: continuation.exit is not known)",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn an_ending_is_read_from_its_three_keys() {
        let text = "---\ncontinuation:\n  cooperative: true\n  done-when: [{run: built}, {run: ready}]\n  returns: [plan, \"a b\"]\n---\n";
        let declared = Declared::read(text);
        assert_eq!(declared.ending.done_when, [Condition::Run(String::new())]);
        assert_eq!(declared.ending.returns, ["plan"]);
        let problems: Vec<String> =
            declared.problems.iter().map(|problem| format!("{}: {}", problem.line, problem.text)).collect();
        assert_eq!(
            problems,
            [
                "4: continuation.done-when: a condition is commit, file: PATH, passed: COMMAND or run: built",
                "5: continuation.returns: a b is no name of a value",
            ]
        );
        assert_eq!(Declared::read("---\ncontinuation: {returns: plan}\n---\n").ending.returns, ["plan"]);
    }

    #[test]
    fn exits_depend_on_flags() {
        let text = "---\ncontinuation: {cooperative: true, default-exit: [/a], default-exit-when: {--commit: [/commit]}}\n---\n";
        let exits = Declared::read(text).exits;
        assert_eq!(crate::chain::listed(exits.of("x --commit y")), "/commit");
        assert_eq!(crate::chain::listed(exits.of("--commits")), "/a");
    }

    #[test]
    fn tools_are_parted_outside_brackets() {
        assert_eq!(tool_list("Read, Bash(git add:*, x), Skill"), ["Read", "Bash(git add:*, x)", "Skill"]);
    }
}
