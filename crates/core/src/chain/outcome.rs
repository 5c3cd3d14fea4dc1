//! How an entry of a chain ends: what a skill declares of its end, and what became of the entries that were called.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Entry, Link, brief};
use engine_text::line::is_word;
use engine_text::stamp::Stamp;

/// What became of an entry that is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Done,
    Skipped,
    /// And why.
    Failed(String),
}

/// An entry that is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    #[serde(flatten)]
    pub entry: Entry,
    pub outcome: Outcome,
}

/// One fact by which a skill's work counts as done: an element of `done-when` in its front matter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// A file that exists and was written since the skill was called, from the project's root. `*` stands for any name, `{args}` for the
    /// first word of the arguments.
    File(String),
    /// A command that ran since then and ended with 0, with no edit after it.
    Passed(String),
    /// A commit since then.
    Commit,
    /// The steps of a runbook are all done: of the plan that the arguments name, else of the one that the session works on.
    Run(String),
}

/// The beginning of a path that stands for the first word of the arguments.
const ARGUMENT: &str = "{args}";

impl Condition {
    /// As it counts for a call with these arguments.
    fn of_call(&self, args: &str) -> Self {
        let first = first_argument(args);
        let fill = |text: &str| text.replace(ARGUMENT, first);
        match self {
            Self::File(path) => Self::File(fill(path).trim_start_matches('/').to_owned()),
            Self::Passed(command) => Self::Passed(fill(command)),
            Self::Commit => Self::Commit,
            Self::Run(_) => Self::Run(plan_of(first).to_owned()),
        }
    }

    /// Whether it is about the argument of the call.
    pub fn wants_argument(&self) -> bool {
        match self {
            Self::File(text) | Self::Passed(text) => text.contains(ARGUMENT),
            // Without one, the plan of the session is meant.
            Self::Commit | Self::Run(_) => false,
        }
    }

    /// What is missing, as a fact.
    pub fn missing(&self) -> String {
        match self {
            Self::File(path) => format!("no file {path} was written since it began"),
            Self::Passed(command) => {
                format!("`{command}` has not passed since it began and since the last edit")
            }
            Self::Commit => "nothing was committed since it began".to_owned(),
            Self::Run(plan) => {
                let run = if plan.is_empty() { "its runbook".to_owned() } else { format!("plans/{plan}") };
                format!(
                    "not every step of {run} is done; engine runbook next prints the call of the next one"
                )
            }
        }
    }
}

/// The name in an argument that is one, or the path of its folder; else nothing.
fn plan_of(argument: &str) -> &str {
    let argument = argument.trim_start_matches('/');
    let name = argument.strip_prefix("plans/").unwrap_or(argument);
    let name = name.split('/').next().unwrap_or_default();
    let is_name = name != "plans" && name.chars().all(|c| is_word(c) || c == '-');
    if is_name { name } else { "" }
}

/// The first word, without quotation marks around it and the mark of a clause after it.
fn first_argument(args: &str) -> &str {
    const PAIRS: [(char, char); 10] = [
        ('"', '"'),
        ('\'', '\''),
        ('`', '`'),
        ('(', ')'),
        ('[', ']'),
        ('<', '>'),
        ('{', '}'),
        ('“', '”'),
        ('„', '“'),
        ('«', '»'),
    ];
    // `@` before a path is the client's mark of a file.
    let args = args.trim_start().trim_start_matches('@');
    let opening = args.chars().next();
    let pair = PAIRS.iter().find(|(opens, _)| Some(*opens) == opening);
    let within = pair.and_then(|(opens, closes)| args[opens.len_utf8()..].split_once(*closes));
    let first =
        within.map(|(within, _)| within).or_else(|| args.split_whitespace().next()).unwrap_or_default();
    let is_mark = |c: char| PAIRS.iter().any(|(opens, closes)| c == *opens || c == *closes);
    first.trim_matches(is_mark).trim_start_matches('@').trim_end_matches([',', ';', ':', '.', '/'])
}

/// What a skill declares of its end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Ending {
    /// All of them must hold before the next entry is called.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub done_when: Vec<Condition>,
    /// What is called if it fails.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub on_failure: Vec<Entry>,
    /// The names of the values that it hands to the entries after it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub returns: Vec<String>,
}

impl Ending {
    /// Whether the entry has an end of its own, even as the last one of its chain.
    pub fn holds(&self) -> bool {
        !self.done_when.is_empty() || !self.on_failure.is_empty()
    }
}

/// How the current entry began. What its skill declared then counts, whatever becomes of its file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Began {
    pub at: Stamp,
    /// The commit of that moment, if a commit is to follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The files of that moment, of which one is to be written: a fingerprint by path.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// Sessions that had the chain before; what passed there has passed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<String>,
    #[serde(flatten)]
    pub ending: Ending,
}

impl Began {
    /// An entry begins with these arguments.
    pub fn new(ending: &Ending, args: &str, head: Option<String>) -> Self {
        let done_when = ending.done_when.iter().map(|condition| condition.of_call(args)).collect();
        Self {
            at: Stamp::default(),
            head,
            files: BTreeMap::new(),
            sessions: Vec::new(),
            ending: Ending { done_when, ..ending.clone() },
        }
    }
}

/// An entry that failed, and what was left behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub failed: Link,
    pub why: String,
    pub left: Vec<Link>,
}

impl Failure {
    /// Why the task that carries the chain is blocked.
    pub fn reason(&self) -> String {
        let left: Vec<Entry> = self.left.iter().map(|link| link.entry.clone()).collect();
        let left = if left.is_empty() { String::new() } else { format!("; left: {}", brief(&left)) };
        format!("chain at /{}: {}{left}", self.failed.entry.skill, self.why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_put_into_conditions() {
        let ending = Ending {
            done_when: vec![
                Condition::File("{args}/design.md".into()),
                Condition::File("/plans/*/x.md".into()),
                Condition::Passed("make -C {args}".into()),
                Condition::Commit,
                Condition::Run(String::new()),
            ],
            ..Ending::default()
        };
        let began = Began::new(&ending, "plans/foo/ in two phases", None);
        assert_eq!(
            began.ending.done_when,
            [
                Condition::File("plans/foo/design.md".into()),
                Condition::File("plans/*/x.md".into()),
                Condition::Passed("make -C plans/foo".into()),
                Condition::Commit,
                Condition::Run("foo".into()),
            ]
        );
        let said: Vec<String> = began.ending.done_when.iter().map(Condition::missing).collect();
        assert_eq!(
            said,
            [
                "no file plans/foo/design.md was written since it began",
                "no file plans/*/x.md was written since it began",
                "`make -C plans/foo` has not passed since it began and since the last edit",
                "nothing was committed since it began",
                "not every step of plans/foo is done; engine runbook next prints the call of the next one",
            ]
        );
    }

    #[test]
    fn a_run_is_that_of_the_plan_in_the_argument() {
        let cases = [
            ("plans/foo", "foo"),
            ("foo", "foo"),
            ("/plans/foo/ --quiet", "foo"),
            ("@plans/foo/runbook.md", "foo"),
            ("", ""),
            ("plans/", ""),
            ("a;b", ""),
        ];
        for (args, expected) in cases {
            let ending = Ending { done_when: vec![Condition::Run(String::new())], ..Ending::default() };
            let began = Began::new(&ending, args, None);
            assert_eq!(began.ending.done_when, [Condition::Run(expected.into())], "{args}");
        }
        let missing = Condition::Run(String::new()).missing();
        assert_eq!(
            missing,
            "not every step of its runbook is done; engine runbook next prints the call of the next one"
        );
    }

    #[test]
    fn the_first_argument_has_no_marks_of_its_clause() {
        let cases = [
            ("plans/q, and more", "plans/q"),
            ("\"plans/q\" x", "plans/q"),
            ("'plans/my q' x", "plans/my q"),
            ("`plans/q/`.", "plans/q"),
            ("  plans/q;", "plans/q"),
            ("\"plans/q", "plans/q"),
            ("(plans/q) x", "plans/q"),
            ("“plans/q”", "plans/q"),
            ("<plans/q>", "plans/q"),
            ("@plans/q, x", "plans/q"),
            ("\"@plans/q\"", "plans/q"),
            ("'", ""),
            ("", ""),
        ];
        for (args, expected) in cases {
            assert_eq!(first_argument(args), expected, "{args}");
        }
    }

    #[test]
    fn skipping_the_next_entry_ends_nothing_of_the_current_one() {
        let entry = |skill: &str| Entry { skill: skill.into(), args: String::new() };
        let began = Began { head: Some("abc".into()), ..Began::default() };
        let mut chain = super::super::Stored {
            current: Some(entry("design")),
            began: Some(began.clone()),
            left: vec![Link::from(entry("plan")), Link::from(entry("commit"))],
            ..Default::default()
        };
        assert_eq!(chain.skip(), Some(entry("plan")));
        assert_eq!((chain.current.clone(), chain.began.clone()), (Some(entry("design")), Some(began)));
        assert_eq!(chain.past, [Past { entry: entry("plan"), outcome: Outcome::Skipped }]);
        assert_eq!(chain.entries(), [entry("commit")]);
    }
}
