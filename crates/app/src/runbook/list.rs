//! All runbooks of the project.

use engine_core::plan::{Plan, State};
use engine_store::config_file;
use engine_store::project::Project;
use engine_store::stage_file::StageFiles;
use engine_text::line::one_line;
use serde::Serialize;

use super::find;
use crate::plan::drift::standing;

/// One runbook, in a line.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    pub name: String,
    /// Steps that agents or the main agent do.
    pub steps: usize,
    pub errors: usize,
    /// `not prepared`, `ready`, `running 2/5`, `halted`, `built`, `closed`, `cannot be read: …`.
    pub state: String,
}

/// How much is shown of why one cannot be read.
const REASON: usize = 200;

/// Those that have a runbook file.
pub fn list(project: &Project) -> Vec<Listed> {
    let config = config_file::load(project);
    let files = StageFiles::new(project, &config);
    let names = files.names().names.into_iter().filter(|name| files.has_runbook(name));
    let listed = |name: String| match find(project, &name) {
        Ok(found) => Listed {
            steps: found.reading.runbook.steps.len(),
            errors: found.errors(),
            state: found.plan.as_ref().map_or_else(|| "not prepared".to_owned(), state),
            name,
        },
        Err(error) => {
            let why = files.unread(&name).unwrap_or_else(|| one_line(&error.message, REASON));
            Listed { name, steps: 0, errors: 0, state: format!("cannot be read: {why}") }
        }
    };
    names.map(listed).collect()
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
