//! What a runbook says of other files: those that its steps change, those that it refers to, and what is to be recalled.

use std::collections::{BTreeMap, BTreeSet};

use engine_text::markdown::Lines;

use super::super::Runbook;
use super::super::needs::{Before, Node};
use super::super::read::Problems;
use super::{Draft, Resolver};
use crate::plan::covers;

impl Resolver<'_> {
    /// Files that are not there, and files that two steps change in no order.
    pub(super) fn check_files(&self, drafts: &[Draft], before: &[Vec<Node>], problems: &mut Problems) {
        let order = Before::new(before);
        let mut made: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, draft) in drafts.iter().enumerate() {
            for file in draft.step.files.iter().filter(|file| file.new) {
                made.entry(&file.path).or_insert(index);
            }
        }
        for (index, draft) in drafts.iter().enumerate() {
            for file in draft.step.files.iter().filter(|file| !file.new && !is_pattern(&file.path)) {
                let is_made = made
                    .get(file.path.as_str())
                    .is_some_and(|maker| *maker <= index || order.holds(*maker, index));
                if !is_made && !(self.facts.exists)(&file.path) {
                    let text = format!(
                        "{} is not there, and no step before makes it: correct the path, or write `{} (new)`",
                        file.path, file.path
                    );
                    problems.error(&draft.step.path, draft.files_at, text);
                }
            }
        }
        // Where no step names what it needs, all of them have an order.
        let is_open: BTreeSet<usize> =
            drafts.iter().filter(|draft| draft.needs.is_some()).map(|draft| draft.phase).collect();
        let mut shared: BTreeMap<(usize, usize), &str> = BTreeMap::new();
        let mut users: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let drafts_in_doubt =
            || drafts.iter().enumerate().filter(|(_, draft)| is_open.contains(&draft.phase));
        let mut patterns: Vec<(&str, usize)> = Vec::new();
        for (index, draft) in drafts_in_doubt() {
            for file in &draft.step.files {
                users.entry(&file.path).or_default().push(index);
                if is_pattern(&file.path) {
                    patterns.push((&file.path, index));
                }
            }
        }
        let mut note = |one: usize, other: usize, path| {
            let pair = (one.min(other), one.max(other));
            let is_free = drafts[one].phase == drafts[other].phase && one != other;
            if is_free && !order.holds(pair.0, pair.1) && !order.holds(pair.1, pair.0) {
                shared.entry(pair).or_insert(path);
            }
        };
        for (path, indexes) in &users {
            for (place, one) in indexes.iter().enumerate() {
                indexes[place + 1..].iter().for_each(|other| note(*one, *other, *path));
            }
        }
        for (pattern, one) in patterns {
            let scope = [pattern.to_owned()];
            for (path, indexes) in users.iter().filter(|(path, _)| covers(&scope, path)) {
                for other in indexes {
                    note(one, *other, *path);
                }
            }
        }
        for ((one, other), path) in shared {
            let (first, second) = (drafts[one].step.id, &drafts[other]);
            let text = format!(
                "{first} and {} change {path}, in no order: write `Needs: {first}` below {}",
                second.step.id, second.step.id
            );
            problems.error(&second.step.path, second.files_at, text);
        }
    }

    /// Plans and reports that a text refers to, and that are not there.
    pub(super) fn check_references(&self, drafts: &[Draft], problems: &mut Problems) {
        let own = |path: &str| {
            let rest = path.strip_prefix(self.facts.folder.trim_end_matches('/')).unwrap_or_default();
            ["/steps/", "/reports/", "/orchestrator-plan.md", "/PLAN.md"]
                .iter()
                .any(|part| rest.starts_with(part))
        };
        // Those have been looked at.
        let listed: BTreeSet<&str> =
            drafts.iter().flat_map(|draft| &draft.step.files).map(|file| file.path.as_str()).collect();
        for document in self.documents {
            for (line, text) in document.lines.all.iter().enumerate().skip(document.front) {
                if text.fenced || !text.text.contains("plans/") || makes(text.text) {
                    continue;
                }
                for path in text.text.split('`').skip(1).step_by(2) {
                    let is_path = path.starts_with("plans/")
                        && path.strip_suffix(".md").is_some()
                        && !path.contains(|c: char| c.is_whitespace() || "<>*?{}[]$…".contains(c));
                    if is_path && !own(path) && !listed.contains(path) && !(self.facts.exists)(path) {
                        problems.warning(
                            document.path,
                            line,
                            format!("{path} is not there: correct the path; where a step makes it, the line says `Create`"),
                        );
                    }
                }
            }
        }
    }

    /// What is to be recalled in a phase that no agent works in.
    pub(super) fn check_recall(&self, runbook: &Runbook, problems: &mut Problems) {
        let Some(recall) = self.facts.recall else { return };
        let path = self.facts.beside("recall-artifact.md");
        for (line, text) in Lines::new(recall).all.iter().enumerate().filter(|(_, line)| !line.fenced) {
            for number in tags(text.text) {
                let why = match runbook.phase(number) {
                    None => "is not in the runbook",
                    Some(phase) if phase.inline => "is inline, and has no agent that reads it",
                    Some(_) => continue,
                };
                let phases = runbook.phases.iter().filter(|phase| !phase.inline);
                let known = phases.map(|phase| phase.number.to_string()).collect::<Vec<_>>().join(", ");
                problems.error(
                    &path,
                    line,
                    format!("phase {number} {why}: write one of {known}, or take the tag out"),
                );
            }
        }
    }
}

fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '[', '{']) || path.ends_with('/')
}

/// Whether a line says that it makes what it names.
fn makes(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let is = |word: &str| {
        ["create", "creates", "write", "writes"].iter().any(|known| word.eq_ignore_ascii_case(known))
    };
    words.into_iter().any(is)
}

/// The numbers in tags like `(phase 3)`.
fn tags(text: &str) -> Vec<u32> {
    let text = text.to_lowercase();
    let tags = text.split("(phase ").skip(1).filter_map(|rest| rest.split_once(')'));
    tags.filter_map(|(number, _)| number.trim().parse().ok()).collect()
}
