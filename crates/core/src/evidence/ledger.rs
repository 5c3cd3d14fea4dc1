//! The ledger: which checks ran, what they came to, and what was edited between them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use super::known::{check_of, family};
use super::{EditScope, Evidence, Reader, Seen, Wanted, is_checked, is_inside};
use crate::journal::{CHECK, Entry};
use engine_shell::Run;

/// One thing that happened, in the order of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "is")]
pub enum Line {
    Check(Check),
    /// A file, from the root, or the command that changed files which it does not name.
    Edit {
        at: String,
        file: String,
    },
}

impl Line {
    /// When, in RFC 3339.
    pub fn at(&self) -> &str {
        match self {
            Self::Check(Check { at, .. }) | Self::Edit { at, .. } => at,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    pub at: String,
    pub command: String,
    #[serde(flatten)]
    pub outcome: Outcome,
    /// By the table or the configuration; another command that `engine check` ran is only shown.
    pub known: bool,
    /// What it looks after, if it is known.
    #[serde(skip)]
    pub families: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "outcome")]
pub enum Outcome {
    Passed,
    Failed { exit: i32 },
    Unknown { why: String },
}

/// Reads the ledger out of the journal's entries, the oldest first. `configured`: [`super::known::CHECKS`].
pub fn read<'e>(
    entries: impl IntoIterator<Item = &'e Entry>,
    scope: &EditScope<'_>,
    configured: &[&str],
) -> Vec<Line> {
    let reader = Reader::new(scope);
    let mut lines: Vec<Line> = Vec::new();
    let mut started: HashMap<&str, usize> = HashMap::new();
    for entry in entries {
        if let Seen::Begun(call) = Seen::of(entry, scope.dialect) {
            started.insert(call, lines.len());
            continue;
        }
        let begun = entry.tool_use.as_deref().and_then(|call| started.remove(call));
        for line in of_entry(entry, &reader, configured) {
            // What was edited while a check ran was not checked by it.
            let at = begun.filter(|_| matches!(line, Line::Check(_))).unwrap_or(lines.len());
            lines.insert(at, line);
            for place in started.values_mut().filter(|place| **place > at) {
                *place += 1;
            }
        }
    }
    lines
}

/// What one entry adds: for a rule that sees events one by one.
pub fn read_one(entry: &Entry, scope: &EditScope<'_>, configured: &[&str]) -> Vec<Line> {
    of_entry(entry, &Reader::new(scope), configured)
}

fn of_entry(entry: &Entry, reader: &Reader<'_>, configured: &[&str]) -> Vec<Line> {
    let edit = |file: String| Line::Edit { at: entry.at.clone(), file };
    let command = match Seen::of(entry, reader.scope.dialect) {
        Seen::Edited(path) => return reader.counts(path).map(edit).into_iter().collect(),
        Seen::Ran(command) => command,
        Seen::Begun(_) | Seen::Nothing => return Vec::new(),
    };
    let analysis = reader.analysis(command);
    // What engine check ran has an entry of its own.
    let known = |run: &Run| check_of(run, configured).is_some() && !is_checked(run);
    let ran = analysis.runs.iter().rposition(|run| known(run) || is_checked(run));
    let (before, after) = reader.edits(&analysis, ran);
    let mut lines: Vec<Line> = before.into_iter().map(edit).collect();
    let mut checks: Vec<Run> = Vec::new();
    for run in analysis.runs.iter().filter(|run| known(run)) {
        // `npx tsc` is one check, and tsc in it is no other.
        if !checks.iter().any(|outer| is_inside(run, outer)) {
            checks.push(run.clone());
        }
    }
    let is_known = !checks.is_empty();
    if entry.event == CHECK && !is_known {
        checks.extend(analysis.runs.last().cloned());
    }
    let told = |runs: Vec<Run>| {
        let text = runs.iter().map(Run::shown).collect::<Vec<_>>().join(" && ");
        let checks = runs.iter().filter_map(|run| check_of(run, configured));
        let families = checks.map(|check| family(check).to_owned()).collect();
        let outcome = match reader.told(&Wanted { text: text.clone(), runs }, command, entry, &analysis)? {
            Evidence::Passed => Outcome::Passed,
            Evidence::Failed { exit } => Outcome::Failed { exit },
            Evidence::Unknown { why } => Outcome::Unknown { why },
            Evidence::Never | Evidence::Stale { .. } => return None,
        };
        Some(Line::Check(Check { at: entry.at.clone(), command: text, outcome, known: is_known, families }))
    };
    let is_clear = |line: &Line| !matches!(line, Line::Check(Check { outcome: Outcome::Unknown { .. }, .. }));
    // Checks that stand or fall together are one; else each speaks for itself.
    match told(checks.clone()).filter(|line| is_clear(line) && !checks.is_empty()) {
        Some(line) => lines.push(line),
        None => lines.extend(checks.into_iter().filter_map(|run| told(vec![run]))),
    }
    lines.extend(after.into_iter().map(edit));
    lines
}

/// How the known checks stand since the last edit: the last word of each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    pub passed: Vec<String>,
    pub failed: Vec<String>,
    /// With why.
    pub unknown: Vec<(String, String)>,
    /// What was edited last.
    pub edited: Option<String>,
}

pub fn standing(lines: &[Line]) -> Standing {
    let mut standing = Standing::default();
    let mut last: BTreeMap<&str, &Outcome> = BTreeMap::new();
    for line in lines {
        match line {
            Line::Edit { file, .. } => {
                last.clear();
                standing.edited = Some(file.clone());
            }
            Line::Check(Check { command, outcome, known: true, .. }) => {
                // What is proven stays so while nothing is edited.
                let is_proven = last.get(command.as_str()) == Some(&&Outcome::Passed);
                if !(is_proven && matches!(outcome, Outcome::Unknown { .. })) {
                    last.insert(command, outcome);
                }
            }
            Line::Check(_) => {}
        }
    }
    for (command, outcome) in last {
        match outcome {
            Outcome::Passed => standing.passed.push(command.to_owned()),
            Outcome::Failed { .. } => standing.failed.push(command.to_owned()),
            Outcome::Unknown { why } => standing.unknown.push((command.to_owned(), why.clone())),
        }
    }
    standing
}

impl Standing {
    /// Whether something passed since the last edit, and nothing failed.
    pub fn is_verified(&self) -> bool {
        !self.passed.is_empty() && self.failed.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, edit};
    use super::*;

    fn entry(command: &str, exit: Option<i32>) -> Entry {
        Entry {
            event: "PostToolUse".into(),
            tool: Some("Bash".into()),
            command: Some(command.into()),
            exit,
            ..Entry::default()
        }
    }

    fn lines(entries: &[Entry]) -> Vec<Line> {
        read(entries, &EditScope::new("/p", &crate::dialect::TEST), &["./verify"])
    }

    fn shown(entries: &[Entry]) -> Vec<String> {
        let line = |line: &Line| match line {
            Line::Edit { file, .. } => format!("edit {file}"),
            Line::Check(check) => {
                let outcome = match &check.outcome {
                    Outcome::Passed => "passed".to_owned(),
                    Outcome::Failed { exit } => format!("failed {exit}"),
                    Outcome::Unknown { why } => format!("unknown ({why})"),
                };
                format!("{}{} {outcome}", if check.known { "" } else { "~" }, check.command)
            }
        };
        lines(entries).iter().map(line).collect()
    }

    #[test]
    fn what_one_line_of_the_journal_adds() {
        let cases: [(Entry, &[&str]); 23] = [
            (entry("cargo test", Some(0)), &["cargo test passed"]),
            (entry("cargo test -p x", Some(101)), &["cargo test -p x failed 101"]),
            (entry("cargo test | tail", Some(0)), &["cargo test unknown (a pipe hides its status)"]),
            (entry("cargo test || true", Some(0)), &["cargo test unknown (|| hides its status)"]),
            (
                Entry { background: true, ..entry("cargo test", None) },
                &["cargo test unknown (it ran in the background)"],
            ),
            (entry("cargo clippy && cargo test", Some(0)), &["cargo clippy && cargo test passed"]),
            (entry("cargo clippy && cargo test", Some(1)), &["cargo clippy && cargo test failed 1"]),
            (
                entry("cargo test; cargo clippy", Some(0)),
                &["cargo test unknown (other commands run after it)", "cargo clippy passed"],
            ),
            (
                entry("sed -i s/a/b/ a.rs && cargo test && touch b.rs", Some(0)),
                &["edit a.rs", "cargo test passed", "edit b.rs"],
            ),
            (entry("ls && rm a.rs", Some(0)), &["edit a.rs"]),
            (entry("ls", Some(0)), &[]),
            (entry("engine check -- cargo test", Some(0)), &[]),
            (check("cargo test", 0), &["cargo test passed"]),
            (check("true", 0), &["~true passed"]),
            (entry("./verify --all", Some(0)), &["./verify --all passed"]),
            (edit("/p/a.rs"), &["edit a.rs"]),
            (entry("engine check -- cargo test > out.txt", Some(0)), &[]),
            (entry("engine check -- cargo test 2>&1 | tee out.txt", Some(0)), &[]),
            (entry("timeout 9 cargo test > out.txt", Some(1)), &["cargo test failed 1"]),
            (entry("touch a.rs && engine check -- cargo test", Some(0)), &["edit a.rs"]),
            (entry("npx tsc --noEmit", Some(0)), &["npx tsc --noEmit passed"]),
            (entry("poetry run pytest", Some(1)), &["poetry run pytest failed 1"]),
            (entry("npx tsc && tsc -p x", Some(0)), &["npx tsc && tsc -p x passed"]),
        ];
        for (entry, expected) in cases {
            assert_eq!(shown(std::slice::from_ref(&entry)), expected, "{:?}", entry.command);
            let alone = read_one(&entry, &EditScope::new("/p", &crate::dialect::TEST), &["./verify"]);
            assert_eq!(alone, lines(std::slice::from_ref(&entry)), "{:?}", entry.command);
        }
    }

    #[test]
    fn a_check_does_not_cover_what_was_edited_while_it_ran() {
        let call = |id: &str, entry: Entry| Entry { tool_use: Some(id.into()), ..entry };
        let begun =
            |id: &str, command: &str| call(id, Entry { event: "PreToolUse".into(), ..entry(command, None) });
        let entries = [
            begun("t1", "cargo test"),
            edit("/p/a.rs"),
            begun("t2", "cargo clippy"),
            edit("/p/b.rs"),
            call("t1", entry("cargo test", Some(0))),
            call("t2", entry("cargo clippy", Some(0))),
        ];
        assert_eq!(shown(&entries), ["cargo test passed", "edit a.rs", "cargo clippy passed", "edit b.rs"]);
        assert!(!standing(&lines(&entries)).is_verified());
    }

    #[test]
    fn the_last_word_since_the_last_edit_counts() {
        let test = |exit| entry("cargo test", Some(exit));
        let lint = |exit| entry("cargo clippy", Some(exit));
        let cases: [(Vec<Entry>, bool); 9] = [
            (vec![], false),
            (vec![test(0)], true),
            (vec![test(0), edit("/p/a.rs")], false),
            (vec![edit("/p/a.rs"), test(0)], true),
            (vec![test(1), lint(0)], false),
            (vec![test(1), test(0), lint(0)], true),
            (vec![test(0), entry("cargo test | tail", Some(0))], true),
            (vec![entry("cargo test | tail", Some(0))], false),
            (vec![check("true", 0)], false),
        ];
        for (at, (entries, expected)) in cases.iter().enumerate() {
            assert_eq!(standing(&lines(entries)).is_verified(), *expected, "{at}");
        }
    }
}
