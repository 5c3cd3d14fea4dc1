//! A name out of a list that a test has looked at stands for some of the list, not for all of it.
//!
//! `git ls-files | while read f; do rm "$f"; done` deletes the tree. With `grep -q x "$f" && rm "$f"`, or with a `case`, it deletes what
//! the test lets through, which only the running shell knows. A test that every file of a list passes (`[ -f "$f" ]`) leaves the name
//! as it is. What the line does behind a test is not looked at: from there on the name is unknown.

use std::ops::Range;

use super::Walk;
use crate::run::Run;
use crate::scope::Scope;
use crate::word::Word;

/// Programs whose exit status says something of the file that they are given.
const TESTERS: &[&str] =
    &["[", "test", "grep", "egrep", "fgrep", "rg", "git", "cmp", "diff", "file", "stat", "awk", "expr", "jq"];

/// Tests that most of a list passes: there is a name, there is a file, it is a file or a folder.
const PLAIN: &[&str] = &["-n", "-e", "-f", "-d"];

impl Walk {
    /// After the runs of a condition: the names that it tested are unknown.
    pub(super) fn tested(&self, condition: Range<usize>, scope: &mut Scope) {
        let Some(runs) = self.runs.get(condition).filter(|runs| runs.iter().any(narrows)) else { return };
        let from: Vec<usize> =
            runs.iter().flat_map(|run| &run.args).flat_map(|arg| &arg.from).copied().collect();
        if !from.is_empty() && self.budget.spend(from.len()) {
            self.forget(scope, |_, word| word.from.iter().any(|run| from.contains(run)));
        }
    }

    /// The words of `[[ … ]]`, or the word of a `case`, as they were written.
    pub(super) fn tested_words(&self, words: &[&str], scope: &mut Scope) {
        if is_plain(words.iter().copied()) {
            return;
        }
        let named = |name: &str| {
            let is_it = |behind: &str| {
                let behind = behind.strip_prefix('{').unwrap_or(behind);
                behind.strip_prefix(name).is_some_and(|rest| !rest.starts_with(is_part))
            };
            words.iter().any(|word| word.split('$').skip(1).any(is_it))
        };
        self.forget(scope, |name, _| named(name));
    }

    fn forget(&self, scope: &mut Scope, is_tested: impl Fn(&str, &Word) -> bool) {
        let is_listed = |words: &[Word]| matches!(words, [word] if word.unknown && !word.from.is_empty());
        if !self.budget.spend(scope.variables.len()) {
            return;
        }
        let listed = scope.variables.iter().filter(|(_, words)| is_listed(words));
        let tested = listed.filter(|(name, words)| is_tested(name, &words[0]));
        let names: Vec<String> = tested.map(|(name, _)| name.clone()).collect();
        for name in names {
            scope.set(&name, Word::unknown());
        }
    }
}

fn narrows(run: &Run) -> bool {
    run.is(TESTERS) && !(run.is(&["[", "test"]) && is_plain(run.args.iter().map(|arg| arg.text.as_str())))
}

/// Whether a test asks for the kind of file alone.
fn is_plain<'w>(words: impl Iterator<Item = &'w str>) -> bool {
    let mut words = words.filter(|word| !matches!(*word, "]" | "!"));
    let kind = words.next();
    words.next().is_some() && words.next().is_none() && kind.is_some_and(|kind| PLAIN.contains(&kind))
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
