//! What came of a plan besides its steps.

use std::collections::BTreeSet;

use engine_core::evidence::ledger::{Check, Line, Outcome as Came};
use engine_core::plan::{Plan, StepId, covers};
use engine_core::todo::{Todo, is_step};

use super::CommandContext;
use super::close::uncalled;
use engine_text::line::printable;

/// Files of a step that a line names.
const MOST_NAMED: usize = 10;

/// What came of a plan besides its steps.
pub struct Drift {
    /// Steps at the lock, and now.
    pub growth: Option<(usize, usize)>,
    pub outside: BTreeSet<String>,
    /// What a step changed besides its files, by its number.
    pub besides: Vec<(StepId, Vec<String>)>,
    pub failed_checks: usize,
    /// The agent's own list.
    pub todos: Vec<Todo>,
    /// Those of them that are no steps.
    pub strange: Vec<String>,
    /// Skills that the plan names and nobody has called.
    pub uncalled: Vec<String>,
}

impl Drift {
    pub fn of(plan: &Plan, context: &CommandContext) -> std::io::Result<Self> {
        let mut ledger = context.trail(plan).ledger()?;
        // What came after its end is not its own.
        if let Some(closed) = &plan.closed {
            ledger.retain(|line| line.at() <= closed.at.as_str());
        }
        let outside = ledger.iter().filter_map(|line| match line {
            Line::Edit { file, .. } if !covers(&plan.scope, file) => Some(file.clone()),
            _ => None,
        });
        let besides = plan.steps.iter().map(|step| (step.number, owned(&step.besides(&ledger))));
        let besides = besides.filter(|(_, files)| !files.is_empty()).collect();
        let is_failed = |line: &&Line| {
            matches!(line, Line::Check(Check { outcome: Came::Failed { .. }, known: true, .. }))
        };
        let bound = plan.owner.as_ref().and_then(|owner| context.session(owner).peek().plan);
        let todos =
            bound.filter(|bound| bound.name == plan.name).map(|bound| bound.todos).unwrap_or_default();
        let is_strange = |todo: &&Todo| !plan.steps.iter().any(|step| is_step(todo, &step.text));
        Ok(Self {
            growth: plan.growth(),
            outside: outside.collect(),
            besides,
            failed_checks: ledger.iter().filter(is_failed).count(),
            strange: todos.iter().filter(is_strange).map(|todo| todo.text.clone()).collect(),
            todos,
            uncalled: if plan.closed.is_some() { plan.uncalled() } else { uncalled(plan, context) },
        })
    }

    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some((from, to)) = self.growth {
            lines.push(format!("growth: {from} steps at the lock, {to} now"));
        }
        if !self.outside.is_empty() {
            let files: Vec<String> = self.outside.iter().map(|file| printable(file)).collect();
            lines.push(format!("edited outside of the scope: {}", files.join(", ")));
        }
        for (number, files) in &self.besides {
            lines.push(format!("step {number} changed besides its files: {}", named(files)));
        }
        if self.failed_checks > 0 {
            lines.push(format!("failed checks: {}", self.failed_checks));
        }
        if !self.uncalled.is_empty() {
            lines.push(format!("skills that were not called: {}", self.uncalled.join(", ")));
        }
        if !self.todos.is_empty() {
            let done = self.todos.iter().filter(|todo| todo.status == "completed").count();
            let strange = match self.strange.as_slice() {
                [] => String::new(),
                strange => {
                    let strange: Vec<String> = strange.iter().map(|text| printable(text)).collect();
                    format!("; not in the plan: {}", strange.join(", "))
                }
            };
            lines.push(format!("the agent's own list: {done} of {} done{strange}", self.todos.len()));
        }
        lines
    }
}

fn owned(files: &[&str]) -> Vec<String> {
    files.iter().map(|file| (*file).to_owned()).collect()
}

/// Files in a line; of many, the first.
pub fn named(files: &[String]) -> String {
    let first = files.iter().take(MOST_NAMED).map(|file| printable(file)).collect::<Vec<_>>().join(", ");
    match files.len().saturating_sub(MOST_NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// `draft`, `locked`, `halted` or `closed`.
pub fn standing(plan: &Plan) -> &'static str {
    if !plan.is_open() {
        "closed"
    } else if plan.halted().is_some() {
        "halted"
    } else if plan.lock.is_some() {
        "locked"
    } else {
        "draft"
    }
}

#[cfg(test)]
mod tests;
