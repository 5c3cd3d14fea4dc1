//! `engine plan show | list`.

use std::collections::BTreeSet;

use engine_app::error::Outcome;
use engine_app::time;
use engine_core::evidence::ledger::{Check, Line, Outcome as Came};
use engine_core::plan::todo::{Todo, is_step};
use engine_core::plan::{Plan, covers, shown};
use engine_store::plan_file;
use serde_json::{Value, json};

use super::Desk;
use super::close::section;
use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

/// What came of a plan besides its steps.
pub(super) struct Drift {
    /// Steps at the lock, and now.
    pub(super) growth: Option<(usize, usize)>,
    pub(super) outside: BTreeSet<String>,
    pub(super) failed_checks: usize,
    /// The agent's own list.
    todos: Vec<Todo>,
    /// Those of them that are no steps.
    strange: Vec<String>,
}

impl Drift {
    pub(super) fn of(plan: &Plan, desk: &Desk) -> std::io::Result<Self> {
        let mut ledger = desk.trail(plan).ledger()?;
        // What came after its end is not its own.
        if let Some(closed) = &plan.closed {
            ledger.retain(|line| line.at() <= closed.at.as_str());
        }
        let outside = ledger.iter().filter_map(|line| match line {
            Line::Edit { file, .. } if !covers(&plan.scope, file) => Some(file.clone()),
            _ => None,
        });
        let is_failed = |line: &&Line| {
            matches!(line, Line::Check(Check { outcome: Came::Failed { .. }, known: true, .. }))
        };
        let bound = plan.owner.as_ref().and_then(|owner| desk.session(owner).peek().plan);
        let todos =
            bound.filter(|bound| bound.name == plan.name).map(|bound| bound.todos).unwrap_or_default();
        let is_strange = |todo: &&Todo| !plan.steps.iter().any(|step| is_step(todo, &step.text));
        Ok(Self {
            growth: plan.growth(),
            outside: outside.collect(),
            failed_checks: ledger.iter().filter(is_failed).count(),
            strange: todos.iter().filter(is_strange).map(|todo| todo.text.clone()).collect(),
            todos,
        })
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some((from, to)) = self.growth {
            lines.push(format!("growth: {from} steps at the lock, {to} now"));
        }
        if !self.outside.is_empty() {
            let files: Vec<&str> = self.outside.iter().map(String::as_str).collect();
            lines.push(format!("edited outside of the scope: {}", files.join(", ")));
        }
        if self.failed_checks > 0 {
            lines.push(format!("failed checks: {}", self.failed_checks));
        }
        if !self.todos.is_empty() {
            let done = self.todos.iter().filter(|todo| todo.status == "completed").count();
            let strange = match self.strange.as_slice() {
                [] => String::new(),
                strange => format!("; not in the plan: {}", strange.join(", ")),
            };
            lines.push(format!("the agent's own list: {done} of {} done{strange}", self.todos.len()));
        }
        lines
    }

    pub(super) fn object(&self) -> Value {
        let growth = self.growth.map(|(from, to)| json!({"from": from, "to": to}));
        json!({"growth": growth, "outsideScope": self.outside, "failedChecks": self.failed_checks, "todos": self.todos, "notInPlan": self.strange})
    }
}

pub(super) fn show(name: Option<&str>, desk: &Desk, ui: &Ui) -> Outcome {
    let (_, plan) = match name {
        Some(name) => desk.existing(name)?,
        None => desk.found()?,
    };
    let drift = Drift::of(&plan, desk)?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "plan": plan, "drift": drift.object()}));
        return Ok(());
    }
    ui.line(shown(&plan, time::shown).trim_end());
    section("Drift:", &drift.lines(), ui);
    Ok(())
}

pub(super) fn list(all: bool, desk: &Desk, ui: &Ui) -> Outcome {
    let mut rows = Vec::new();
    let mut objects = Vec::new();
    for name in plan_file::names(&desk.project) {
        let (state, plan) = match plan_file::PlanFile::new(&desk.project, &name).peek() {
            Some(Ok(plan)) if plan.is_open() || all => (standing(&plan).to_owned(), Some(plan)),
            Some(Err(why)) => (why, None),
            _ => continue,
        };
        let (done, count, page) = plan.as_ref().map_or((0, 0, String::new()), |plan| {
            let is_done = |step: &&engine_core::plan::Step| step.state == engine_core::plan::State::Done;
            (plan.steps.iter().filter(is_done).count(), plan.steps.len(), plan.page.clone())
        });
        objects.push(json!({"name": name, "state": state, "done": done, "steps": count, "page": page,
            "owner": plan.as_ref().and_then(|plan| plan.owner.clone())}));
        rows.push(vec![toned(Tone::Strong, &name), state, format!("{done} of {count} steps"), page]);
    }
    if ui.is_json() {
        ui.object(&json!({"version": 1, "plans": objects}));
    } else if rows.is_empty() {
        ui.talk("no plan is open");
    } else {
        ui.text(&aligned(&rows, ""));
    }
    Ok(())
}

fn standing(plan: &Plan) -> &'static str {
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
