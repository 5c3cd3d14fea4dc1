//! What was learnt: learnings.md.

use std::path::PathBuf;

use engine_core::learning::{self, Learning};
use engine_core::task::TaskFile;
use engine_store::project::Project;
use engine_store::{config_file, task_file};

use crate::error::{CommandError, Outcome};

/// The file of a project.
pub struct Learnings {
    project: Project,
    path: PathBuf,
}

impl Learnings {
    pub fn of(project: Project) -> Self {
        let path = task_file::learnings(&project, &config_file::load(&project));
        Self { project, path }
    }

    /// From the root.
    pub fn name(&self) -> String {
        self.path.strip_prefix(self.project.root()).unwrap_or(&self.path).display().to_string()
    }

    pub fn list(&self) -> Result<Vec<Learning>, CommandError> {
        Ok(learning::parse(&task_file::read(&self.project, &self.path)?))
    }

    /// Adds one that is not there by its title.
    pub fn add(&self, new: &Learning) -> Outcome {
        if new.title.is_empty() {
            return Err(CommandError::usage("a learning needs a title"));
        }
        let tasks = task_file::path(&self.project, &config_file::load(&self.project));
        let tasks = task_file::read(&self.project, &tasks).unwrap_or_default();
        if let Some(task) = TaskFile::parse(&tasks).twin(&new.title) {
            return Err(CommandError::refused(format!(
                "{} is the name of a task, {}, in line {} of its file",
                new.title,
                task.state.as_str(),
                task.line
            ))
            .hint("give the learning another title"));
        }
        task_file::edit(&self.project, &self.path, |text, _| {
            let is_twin = |old: &Learning| old.title.to_lowercase() == new.title.to_lowercase();
            match learning::parse(text).into_iter().find(is_twin) {
                Some(twin) => Err(CommandError::refused(format!(
                    "{} is there already, in line {}",
                    new.title, twin.line
                ))),
                None => Ok((Some(learning::with(text, new)), ())),
            }
        })?;
        crate::enrich::follow(&self.project);
        Ok(())
    }
}
