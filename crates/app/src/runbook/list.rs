//! All runbooks of the project.

use engine_core::plan::{Plan, State};
use engine_store::project::Project;
use serde::Serialize;

use super::{FOLDER, files_of, find, is_source};
use crate::plan::drift::standing;

/// One runbook, in a line.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    pub name: String,
    /// Steps that agents or the main agent do.
    pub steps: usize,
    pub errors: usize,
    /// `not prepared`, `ready`, `running 2/5`, `halted`, `built`, `closed`.
    pub state: String,
}

/// Those that have a runbook file.
pub fn list(project: &Project) -> Vec<Listed> {
    let root = project.root().join(FOLDER);
    let is_runbook = |name: &String| {
        engine_core::plan::is_name(name) && files_of(&root.join(name)).iter().any(|file| is_source(file))
    };
    let names = files_of(&root).into_iter().filter(is_runbook);
    let listed = |name: String| {
        let found = find(project, &name).ok()?;
        Some(Listed {
            steps: found.reading.runbook.steps.len(),
            errors: found.errors().len(),
            state: found.plan.as_ref().map_or_else(|| "not prepared".to_owned(), state),
            name,
        })
    };
    names.filter_map(listed).collect()
}

/// How its plan stands, in a word or two.
pub fn state(plan: &Plan) -> String {
    let done = plan.steps.iter().filter(|step| step.state == State::Done).count();
    match standing(plan) {
        "draft" => "ready".to_owned(),
        "locked" if plan.is_built() => "built".to_owned(),
        "locked" => format!("running {done}/{}", plan.steps.len()),
        other => other.to_owned(),
    }
}
