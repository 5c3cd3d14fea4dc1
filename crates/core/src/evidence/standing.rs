//! How the checks of a piece of work stand, in words for the person: `last check: pytest -q failed 2 min ago`.
//!
//! What proves something is looked up in the journal. This is the copy in the state of an agent session, so that the end of each turn
//! opens nothing.

use serde::{Deserialize, Serialize};

use super::ledger::{self, Check, Line, Outcome, Red};
use engine_text::line::{one_line, visible};
use engine_text::redact::redact;
use engine_text::stamp::Stamp;

/// How much of a command is shown.
const COMMAND: usize = 40;

/// The check that ran last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastCheck {
    /// Without secrets, in short.
    pub command: String,
    pub result: CheckResult,
    pub at: Stamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckResult {
    Passed,
    Failed,
    Unknown,
}

impl LastCheck {
    fn of(check: &Check, now: Stamp) -> Self {
        let result = match check.outcome {
            Outcome::Passed => CheckResult::Passed,
            Outcome::Failed { .. } => CheckResult::Failed,
            Outcome::Unknown { .. } => CheckResult::Unknown,
        };
        Self { command: short(&check.command), result, at: now }
    }

    /// The last known check among lines of the ledger.
    pub fn among(lines: &[Line], now: Stamp) -> Option<Self> {
        lines.iter().rev().find_map(|line| match line {
            Line::Check(check) if check.known => Some(Self::of(check, now)),
            _ => None,
        })
    }
}

/// The first words of a command: those before one that could be taken for words of the engine.
pub(crate) fn short(command: &str) -> String {
    let plain = visible(&redact(command)).replace('`', "");
    let is_quoted = |word: &&str| word.contains(['\'', '"', ';']);
    let words: Vec<&str> = plain.split_whitespace().take_while(|word| !is_quoted(word)).collect();
    let is_all = words.len() == plain.split_whitespace().count();
    one_line(&if is_all { words.join(" ") } else { format!("{} …", words.join(" ")) }, COMMAND)
}

/// How checks stand where no plan is open.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Standing {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<LastCheck>,
    /// Checks that failed and that nothing has put right since.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub red: Vec<Red>,
    /// Something was edited since the last check that passed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
}

impl Standing {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub fn see(&mut self, lines: &[Line], now: Stamp) {
        for line in lines {
            match line {
                Line::Edit { .. } => self.changed = true,
                Line::Check(check) if check.known => {
                    ledger::note(&mut self.red, check);
                    self.changed &= check.outcome != Outcome::Passed;
                }
                Line::Check(_) => {}
            }
        }
        self.last = LastCheck::among(lines, now).or(self.last.take());
    }

    /// Nothing where all is in order.
    pub fn told(&self, now: Stamp) -> Option<String> {
        let is_quiet = self.red.is_empty() && !self.changed;
        if is_quiet { None } else { told(self.last.as_ref(), &self.red, self.changed, now) }
    }
}

/// How checks stand, in words; nothing where there is nothing to say.
pub fn told(last: Option<&LastCheck>, red: &[Red], changed: bool, now: Stamp) -> Option<String> {
    let mut parts = Vec::new();
    match last {
        Some(last) => parts.push(last_told(last, changed, now)),
        None if changed => parts.push("changed, and no check has run".to_owned()),
        None => {}
    }
    let is_last = |command: &str| {
        last.is_some_and(|last| last.result == CheckResult::Failed && last.command == command)
    };
    let mut red = red.iter().map(|red| short(&red.command)).filter(|command| !is_last(command));
    if let Some(first) = red.next() {
        let more = red.count();
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        parts.push(format!("still red: {first}{more}"));
    }
    if parts.is_empty() { None } else { Some(parts.join("; ")) }
}

fn last_told(last: &LastCheck, changed: bool, now: Stamp) -> String {
    let (command, ago) = (&last.command, last.at.before(now));
    match last.result {
        CheckResult::Passed if changed => {
            format!("last check: {command} passed {ago} ago, changed since")
        }
        CheckResult::Passed => format!("last check: {command} passed {ago} ago"),
        CheckResult::Failed => format!("last check: {command} failed {ago} ago"),
        CheckResult::Unknown => format!("last check: {command} ran {ago} ago, outcome not known"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::known;

    const MINUTE: u64 = 60_000;

    fn check(command: &str, outcome: Outcome) -> Line {
        let folder = Some(String::new());
        let mut of_command = known::Check::default();
        of_command.name = command.split(' ').next().unwrap_or_default().to_owned();
        of_command.folder = Some("/p".to_owned());
        let checks = vec![of_command];
        Line::Check(Check {
            at: String::new(),
            command: command.into(),
            outcome,
            known: true,
            folder,
            checks,
        })
    }

    fn passed(command: &str) -> Line {
        check(command, Outcome::Passed)
    }

    fn failed(command: &str) -> Line {
        check(command, Outcome::Failed { exit: 1 })
    }

    fn edit() -> Line {
        Line::Edit { at: String::new(), file: "src/a.rs".into() }
    }

    #[test]
    fn what_was_seen_in_words() {
        let unknown = |command| check(command, Outcome::Unknown { why: "a pipe".into() });
        let other = |line: Line| match line {
            Line::Check(check) => Line::Check(Check { known: false, ..check }),
            edit @ Line::Edit { .. } => edit,
        };
        for (lines, expected) in [
            (vec![], None),
            (vec![passed("pytest -q")], None),
            (vec![edit(), passed("pytest -q")], None),
            (vec![edit()], Some("changed, and no check has run")),
            (vec![failed("pytest -q")], Some("last check: pytest -q failed 2 min ago")),
            (vec![failed("pytest -q"), edit()], Some("last check: pytest -q failed 2 min ago")),
            (vec![failed("pytest -q"), edit(), passed("pytest -q")], None),
            (
                vec![passed("pytest -q"), edit()],
                Some("last check: pytest -q passed 2 min ago, changed since"),
            ),
            (
                vec![edit(), unknown("pytest -q")],
                Some("last check: pytest -q ran 2 min ago, outcome not known"),
            ),
            (
                vec![failed("pytest -q"), passed("cargo test")],
                Some("last check: cargo test passed 2 min ago; still red: pytest -q"),
            ),
            (
                vec![failed("pytest -q"), failed("cargo test")],
                Some("last check: cargo test failed 2 min ago; still red: pytest -q"),
            ),
            (vec![other(failed("./odd"))], None),
            (
                vec![failed("pytest --token=ghp_0123456789abcdefghijABCDEFGHIJ012345 tests/a_long_name.py")],
                Some("last check: pytest --token=[redacted] tests/a_long_n… failed 2 min ago"),
            ),
        ] {
            let mut standing = Standing::default();
            standing.see(&lines, Stamp(MINUTE));
            assert_eq!(standing.told(Stamp(3 * MINUTE)).as_deref(), expected, "{lines:?}");
        }
    }
}
