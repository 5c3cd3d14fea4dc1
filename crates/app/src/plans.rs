//! The plans of `plans/`, how far each is, and the task that goes on with it.

use engine_core::stage::{Stages, Standing, task_of};
use engine_core::task::TaskFile;
use engine_store::config_file;
use engine_store::stage_file::{Names, StageFiles};

use crate::error::CommandError;
use crate::task::CommandContext;

/// A plan in a list.
#[derive(Debug, PartialEq, Eq)]
pub struct Listed {
    pub standing: Standing,
    /// The first open task that names it.
    pub task: Option<String>,
}

impl Listed {
    /// Whether it should have a task and has none.
    pub fn is_without_task(&self) -> bool {
        self.task.is_none() && !self.standing.closed
    }
}

/// The plans of a project.
#[derive(Debug, PartialEq, Eq)]
pub struct Plans {
    pub listed: Vec<Listed>,
    /// Folders that would be plans under another name.
    pub misnamed: Vec<String>,
    /// How many folders were not looked at.
    pub left_out: usize,
}

/// The plans that are not over, with `over` all.
pub fn list(context: &CommandContext, over: bool) -> Result<Plans, CommandError> {
    let text = context.text()?;
    let file = TaskFile::parse(&text);
    let config = config_file::load(&context.project);
    let files = StageFiles::new(&context.project, &config);
    let Names { names, misnamed, left_out } = files.names();
    let listed = |standing: Standing| {
        let task = task_of(&file, &standing.plan).map(|task| task.meta.name.clone());
        Listed { standing, task }
    };
    let plans = names.iter().filter_map(|name| files.standing(name));
    let listed = plans.filter(|plan| over || !plan.stage.is_over()).map(listed).collect();
    Ok(Plans { listed, misnamed, left_out })
}
