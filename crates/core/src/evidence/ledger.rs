//! The ledger: which checks ran, where, what they came to, what was edited between them, and which of them are still red.

use serde::{Deserialize, Serialize};

use super::known::{self, check_of};
use super::reader::{Line as Read, Reader, Told, Wanted, is_checked, is_inside};
use super::{EditScope, OpenCalls, Seen, changes_tree};
use crate::dialect::Dialect;
use crate::host::surroundings;
use crate::journal::{CHECK, Entry};
use engine_shell::Run;
use engine_text::line::printable;

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
    /// Where it ran, from the root, if it is below; empty: the root.
    pub folder: Option<String>,
    /// What it checks, if it is known. Several stand or fall together.
    #[serde(skip)]
    pub checks: Vec<known::Check>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "outcome")]
pub enum Outcome {
    Passed,
    Failed { exit: i32 },
    Unknown { why: String },
}

/// Reads the ledger out of the journal's entries, the oldest first.
pub fn read<'e>(entries: impl IntoIterator<Item = &'e Entry>, scope: &EditScope<'_>) -> Vec<Line> {
    let reader = Reader::new(scope);
    let mut lines: Vec<Line> = Vec::new();
    let mut open = OpenCalls::default();
    for entry in entries {
        if let Seen::Begun = Seen::of(entry, scope.dialect) {
            open.begin(entry, &reader, lines.len());
            continue;
        }
        let ended = open.end(entry);
        let begun = ended.as_ref().map(|call| call.at);
        for line in of_entry(entry, &reader, |entry| open.line(entry, ended.as_ref(), &reader)) {
            // What was edited while a check ran was not checked by it.
            let at = begun.filter(|_| matches!(line, Line::Check(_))).unwrap_or(lines.len());
            lines.insert(at, line);
            for call in open.0.values_mut().filter(|call| call.at > at) {
                call.at += 1;
            }
        }
    }
    lines
}

/// What an edit of the ledger was, in words: `src/a.rs was edited`, `files were edited by git stash pop`.
pub fn happened(edit: &str, what: &str) -> String {
    let analysis = engine_shell::analyse(edit, &surroundings("/", None, None, &Dialect::NONE));
    if analysis.runs.iter().any(changes_tree) {
        format!("files were {what} by {}", printable(edit))
    } else {
        format!("{} was {what}", printable(edit))
    }
}

/// What one entry adds: for a rule that sees events one by one.
pub fn read_one(entry: &Entry, scope: &EditScope<'_>) -> Vec<Line> {
    let reader = Reader::new(scope);
    of_entry(entry, &reader, |entry| reader.line(entry, &reader.cwd(entry)))
}

fn of_entry<'e>(
    entry: &'e Entry,
    reader: &Reader<'_>,
    line: impl FnOnce(&'e Entry) -> Read<'e>,
) -> Vec<Line> {
    let edit = |file: String| Line::Edit { at: entry.at.clone(), file };
    match Seen::of(entry, reader.scope.dialect) {
        Seen::Edited(path) => return reader.counts(path).map(edit).into_iter().collect(),
        Seen::Ran => {}
        Seen::Begun | Seen::Nothing => return Vec::new(),
    }
    let line = line(entry);
    let analysis = &line.analysis;
    // What engine check ran has an entry of its own.
    let known = |run: &Run| check_of(run, reader.scope.checks).is_some() && !is_checked(run);
    let ran = analysis.runs.iter().rposition(|run| known(run) || is_checked(run));
    let (before, after) = reader.edits(analysis, ran);
    let mut lines: Vec<Line> = before.into_iter().map(edit).collect();
    let mut checks: Vec<Run> = Vec::new();
    for run in analysis.runs.iter().filter(|run| known(run)) {
        // `npx tsc` is one check, and tsc in it is no other.
        if !checks.iter().any(|outer| is_inside(run, outer)) {
            checks.push(run.clone());
        }
    }
    if entry.event == CHECK && checks.is_empty() {
        checks.extend(analysis.runs.last().cloned());
    }
    let told = |runs: Vec<Run>| {
        let command = runs.iter().map(Run::shown).collect::<Vec<_>>().join(" && ");
        let wanted = Wanted::of(command.clone(), runs.clone(), reader);
        let outcome = match reader.told(&wanted, &line)? {
            Told::Passed if runs.iter().any(known::is_steered) => {
                Outcome::Unknown { why: "called so, it passes whatever fails".to_owned() }
            }
            Told::Passed => Outcome::Passed,
            Told::Failed(status) => Outcome::Failed { exit: status },
            Told::Unknown(why) => Outcome::Unknown { why },
            Told::Idle(why) => Outcome::Unknown { why: why.to_owned() },
        };
        let checks: Vec<known::Check> =
            runs.iter().filter_map(|run| check_of(run, reader.scope.checks)).collect();
        let folder = checks.first().map_or_else(|| runs.first()?.cwd.clone(), |check| check.folder.clone());
        let folder = folder.and_then(|folder| below(&folder, reader.scope.root));
        let known = !checks.is_empty();
        Some(Line::Check(Check { at: entry.at.clone(), command, outcome, known, folder, checks }))
    };
    let is_clear = |line: &Line| !matches!(line, Line::Check(Check { outcome: Outcome::Unknown { .. }, .. }));
    // Checks that stand or fall together are one; else each speaks for itself.
    match told(checks.clone()).filter(|line| is_clear(line) && !checks.is_empty()) {
        Some(line) => lines.push(line),
        None => lines.extend(checks.into_iter().filter_map(|run| told(vec![run]))),
    }
    // What ran in the background, or past the line, and failed.
    lines.extend(reader.strays(&line).into_iter().map(|(run, exit)| {
        let check = check_of(&run, reader.scope.checks);
        let folder = run.cwd.as_deref().and_then(|folder| below(folder, reader.scope.root));
        let (at, command, outcome) = (entry.at.clone(), run.shown(), Outcome::Failed { exit });
        Line::Check(Check { at, command, outcome, known: true, folder, checks: check.into_iter().collect() })
    }));
    lines.extend(after.into_iter().map(edit));
    lines
}

/// A folder from the root; nothing if it is not below.
pub(super) fn below(folder: &str, root: &str) -> Option<String> {
    let inside = folder.strip_prefix(root)?;
    if inside.is_empty() { Some(String::new()) } else { inside.strip_prefix('/').map(str::to_owned) }
}

/// A check that failed, and that nothing has put right since: only a run of the same program in the same folder with no more
/// restrictions does, whatever is edited in between.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Red {
    pub command: String,
    /// From the root; nothing where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// When, in RFC 3339.
    pub at: String,
    pub checks: Vec<known::Check>,
}

impl Red {
    /// `pytest -q` or `pytest -q in packages/api`.
    pub fn shown(&self) -> String {
        match self.folder.as_deref() {
            None | Some("") => format!("`{}`", self.command),
            Some(folder) => format!("`{}` in {folder}", self.command),
        }
    }

    /// Whether it is at or below a folder from the root.
    pub fn is_in(&self, folder: &str) -> bool {
        folder.is_empty() || self.folder.as_deref().is_none_or(|red| is_at_or_below(red, folder))
    }
}

/// Whether a path from the root is at a folder or below it.
pub fn is_at_or_below(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What a check that ran leaves red.
pub fn note(reds: &mut Vec<Red>, check: &Check) {
    match check.outcome {
        Outcome::Passed => put_right(reds, check),
        Outcome::Failed { .. } if check.known => {
            reds.retain(|red| red.checks != check.checks);
            let (command, folder, at) = (check.command.clone(), check.folder.clone(), check.at.clone());
            reds.push(Red { command, folder, at, checks: check.checks.clone() });
        }
        Outcome::Failed { .. } | Outcome::Unknown { .. } => {}
    }
}

/// Takes away what a check that passed covers.
fn put_right(reds: &mut Vec<Red>, passed: &Check) {
    let covers = |red: &known::Check| passed.checks.iter().any(|check| check.covers(red));
    for red in reds.iter_mut() {
        red.checks.retain(|one| !covers(one));
    }
    reds.retain(|red| !red.checks.is_empty());
}

/// The checks that are red, the oldest first, but for those that were red before the first line and have not passed since.
pub fn reds<'l>(lines: impl IntoIterator<Item = &'l Line>, before: &[Red]) -> Vec<Red> {
    let (mut reds, mut before) = (Vec::new(), before.to_vec());
    for line in lines {
        if let Line::Check(check) = line {
            note(&mut reds, check);
            if check.outcome == Outcome::Passed {
                put_right(&mut before, check);
            }
        }
    }
    reds.retain(|red| !before.iter().any(|old| old.checks == red.checks));
    reds
}

#[cfg(test)]
mod tests;
