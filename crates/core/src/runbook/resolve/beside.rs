//! What a runbook says of other files: those that its steps change, those that it refers to, and what is to be recalled.

use std::collections::{BTreeMap, BTreeSet};

use engine_text::markdown::Lines;

use super::super::Runbook;
use super::super::needs::{Before, Node};
use super::super::read::Problems;
use super::{Draft, Resolver, SHOWN};
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
            let is_before = |maker: &usize| *maker <= index || order.holds(*maker, index);
            for file in draft.step.files.iter().filter(|file| !file.new) {
                let path = file.path.as_str();
                let is_pattern = is_pattern(path);
                // A folder or pattern is made with the first file that fits it, and makes those that fit it.
                let is_made = made.get(path).is_some_and(is_before)
                    || made.iter().any(|(other, maker)| {
                        let (scope, path) = if is_pattern { (path, *other) } else { (*other, path) };
                        self::is_pattern(scope) && is_before(maker) && covers(&[scope.to_owned()], path)
                    });
                if is_made || (self.facts.exists)(path) {
                    continue;
                }
                let (at, line) = (&draft.step.path, draft.files_at);
                if is_pattern {
                    let text = format!(
                        "{path} fits no file, and no step before makes one: correct it, or write `{path} (new)`"
                    );
                    problems.warning(at, line, text);
                } else if path.contains(char::is_whitespace) {
                    let text = format!(
                        "{path:?} is not there: write one path after another with commas, `src/a.rs, src/b.rs (new)`"
                    );
                    problems.error(at, line, text);
                } else {
                    let text = format!(
                        "{path} is not there, and no step before makes it: correct the path, or write `{path} (new)`"
                    );
                    problems.error(at, line, text);
                }
            }
        }
        // Where no step names what it needs, all of them have an order.
        let is_open: BTreeSet<usize> =
            drafts.iter().filter(|draft| draft.needs.is_some()).map(|draft| draft.phase).collect();
        // A step and a file of it → the steps before that change the file too.
        let mut shared: BTreeMap<(usize, &str), BTreeSet<usize>> = BTreeMap::new();
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
                shared.entry((pair.1, path)).or_default().insert(pair.0);
            }
        };
        for (path, indexes) in &users {
            for (place, one) in indexes.iter().enumerate() {
                indexes[place + 1..].iter().for_each(|other| note(*one, *other, *path));
            }
        }
        for (folder, indexes) in &users {
            // `src` may be a folder, too.
            let below = format!("{folder}/");
            for (path, others) in users.iter().filter(|(path, _)| path.starts_with(&below)) {
                for one in indexes {
                    for other in others {
                        note(*one, *other, *path);
                    }
                }
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
        for ((step, path), others) in shared {
            let draft = &drafts[step];
            let others = others.iter().map(|other| drafts[*other].step.id.to_string());
            let (id, others) = (draft.step.id, others.collect::<Vec<_>>().join(", "));
            let text =
                format!("{id} and {others} change {path}, in no order: add {others} to the `Needs:` of {id}");
            problems.error(&draft.step.path, draft.files_at, text);
        }
        check_open(drafts, &order, problems);
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
                    Some(phase) if phase.inline => "is inline, and has no step file",
                    Some(_) => continue,
                };
                let phases = runbook.phases.iter().filter(|phase| !phase.inline);
                let known = phases.map(|phase| phase.number.to_string()).collect::<Vec<_>>().join(", ");
                let known =
                    if known.is_empty() { String::new() } else { format!("write one of {known}, or ") };
                problems.error(&path, line, format!("(phase {number}) {why}: {known}take the tag out"));
            }
        }
    }
}

/// Steps that may change any file, and so those of steps that have no order with them.
fn check_open(drafts: &[Draft], order: &Before, problems: &mut Problems) {
    for (index, draft) in drafts.iter().enumerate().filter(|(_, draft)| draft.step.files.is_empty()) {
        let is_free = |(other, with): &(usize, &Draft)| {
            // Of two that may change any file the later one is named.
            let is_own = with.step.files.is_empty() && *other > index || *other == index;
            with.phase == draft.phase && !is_own && !order.holds(*other, index) && !order.holds(index, *other)
        };
        let others = drafts.iter().enumerate().filter(is_free);
        let others: Vec<String> = others.map(|(_, with)| with.step.id.to_string()).take(SHOWN).collect();
        if others.is_empty() {
            continue;
        }
        let (id, others) = (draft.step.id, others.join(", "));
        let text = format!(
            "{id} has no `Files:` and may change those of {others}, in no order: write the files of {id}, or add {others} to its `Needs:`"
        );
        problems.warning(&draft.step.path, draft.step.line - 1, text);
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
