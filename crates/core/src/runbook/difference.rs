//! What preparing a runbook would change on disk. Nothing is ever deleted: what is left over is reported.

use std::collections::BTreeSet;

use super::{Rendered, Runbook};

/// A file, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// From the project's root.
    pub path: String,
    pub change: Change,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    New,
    Changed,
    /// Only the line differs that names its agent, whose name has changed with the common context.
    Refreshed,
    Unchanged,
    /// The file of a step that the runbook no longer has.
    Vanished,
    /// An agent of the runbook as it was before.
    Replaced,
}

/// Compares rendered files with those on disk. `present`: the text of each rendered file on disk, in the same order. `found`: files in
/// the folder of the steps and in that of the agents.
pub fn difference(
    runbook: &Runbook,
    rendered: &[Rendered],
    present: &[Option<String>],
    found: &[String],
) -> Vec<Difference> {
    let mut all: Vec<Difference> = Vec::new();
    for (index, file) in rendered.iter().enumerate() {
        let change = match present.get(index).and_then(Option::as_deref) {
            None => Change::New,
            Some(text) if text == file.text => Change::Unchanged,
            Some(text) if of_step(text) == of_step(&file.text) => Change::Refreshed,
            Some(_) => Change::Changed,
        };
        all.push(Difference { path: file.path.clone(), change });
    }
    let steps = format!("{}/steps/", runbook.folder);
    let ours: BTreeSet<&String> = rendered.iter().map(|file| &file.path).collect();
    let found: BTreeSet<&String> = found.iter().collect();
    for path in found.difference(&ours) {
        let change = if path.strip_prefix(&steps).is_some_and(is_step_file) {
            Change::Vanished
        } else if is_agent(path, &runbook.name) {
            Change::Replaced
        } else {
            continue;
        };
        all.push(Difference { path: (*path).clone(), change });
    }
    all
}

/// The lines of a step file that are the step's own: not that of the front matter that names its agent.
fn of_step(text: &str) -> Vec<&str> {
    let mut fences = 0;
    let mut keep = |line: &&str| {
        fences += usize::from(*line == "---");
        fences != 1 || !line.starts_with("Agent: ")
    };
    text.lines().filter(|line| keep(line)).collect()
}

fn is_step_file(name: &str) -> bool {
    let is_ours = name.starts_with("step-") || name.starts_with("cycle-");
    is_ours && !name.contains('/') && name.strip_suffix(".md").is_some()
}

/// Whether a file is an agent of a runbook: `foo-ab12cd-task.md`.
pub fn is_agent(path: &str, name: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    let rest = file.strip_prefix(name).and_then(|rest| rest.strip_prefix('-'));
    let digits = rest.and_then(|rest| rest.strip_suffix("-task.md").or_else(|| rest.strip_suffix("-tdd.md")));
    digits.is_some_and(|digits| {
        digits.len() == 6 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}
