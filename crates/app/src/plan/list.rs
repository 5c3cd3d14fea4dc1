//! The plans of a project.

use engine_core::plan::{Plan, State};
use engine_store::plan_file::{PlanFile, names, page_path};
use engine_store::project::Project;

use super::drift::standing;

/// A plan in a list. One that cannot be read has no steps, and its fault as its state.
#[derive(Debug, PartialEq, Eq)]
pub struct Listed {
    pub name: String,
    pub state: String,
    pub done: usize,
    pub steps: usize,
    /// See [`page`]; empty if there is none.
    pub page: String,
    pub owner: Option<String>,
}

impl Listed {
    fn of(name: String, plan: Plan, project: &Project) -> Self {
        let page = page(&plan, project).unwrap_or_default();
        Self {
            name,
            state: standing(&plan).to_owned(),
            done: plan.steps.iter().filter(|step| step.state == State::Done).count(),
            steps: plan.steps.len(),
            page,
            owner: plan.owner,
        }
    }
}

/// Where the page of a plan is: from the root, or absolute where it is in another worktree. Nothing if there is none.
pub fn page(plan: &Plan, project: &Project) -> Option<String> {
    let path = page_path(project, plan);
    let shown = path.strip_prefix(project.root()).unwrap_or(&path).display().to_string();
    path.is_file().then_some(shown)
}

/// The open plans and those that cannot be read; with `closed` all.
pub fn list(project: &Project, closed: bool) -> Vec<Listed> {
    let listed = |name: String| match PlanFile::new(project, &name).peek()? {
        Ok(plan) => (plan.is_open() || closed).then(|| Listed::of(name, plan, project)),
        Err(fault) => {
            let state = fault.to_string();
            Some(Listed { name, state, done: 0, steps: 0, page: String::new(), owner: None })
        }
    };
    names(project).into_iter().filter_map(listed).collect()
}

#[cfg(test)]
mod tests {
    use engine_core::plan::{Closed, Step, VERSION};
    use serde_json::json;

    use super::*;
    use crate::stage::Stage;

    fn plan(name: &str) -> Plan {
        let steps = [State::Done, State::Open].map(|state| Step { state, ..Step::default() });
        Plan { version: VERSION, name: name.to_owned(), steps: steps.to_vec(), ..Plan::default() }
    }

    #[test]
    fn closed_plans_are_left_out_and_damaged_ones_are_not() {
        let stage = Stage::new();
        let write = |name: &str, text: &str| stage.write(&format!(".engine/state/plans/{name}.json"), text);
        let closed = Closed {
            at: "2026-11-15T11:00:00Z".to_owned(),
            approved: None,
            head: None,
            uncalled: Vec::new(),
        };
        write("open", &json!(plan("open")).to_string());
        write("shut", &json!(Plan { closed: Some(closed), ..plan("shut") }).to_string());
        write("torn", "{");
        let rows = |closed| {
            let plans = list(&stage.project(), closed).into_iter();
            plans
                .map(|plan| format!("{}: {}, {} of {}", plan.name, plan.state, plan.done, plan.steps))
                .collect()
        };
        let torn = "torn: damaged (EOF while parsing an object at line 1 column 1), 0 of 0";
        let open: Vec<String> = rows(false);
        let all: Vec<String> = rows(true);
        assert_eq!(open, ["open: draft, 1 of 2", torn]);
        assert_eq!(all, ["open: draft, 1 of 2", "shut: closed, 1 of 2", torn]);
    }
}
