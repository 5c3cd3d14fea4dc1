//! The current folder and the project around it.

use std::path::{Path, PathBuf};

use engine_store::approve::Caller;
use engine_store::links::resolve;
use engine_store::project::Project;
use engine_store::work_file;

use crate::error::{CommandError, Outcome};

/// The current folder.
pub fn folder() -> Result<PathBuf, CommandError> {
    std::env::current_dir().map_err(|error| {
        CommandError::refused(format!("the current folder cannot be read: {error}")).caused_by(error)
    })
}

/// This program, as the hooks are to call it.
pub fn program() -> Result<PathBuf, CommandError> {
    std::env::current_exe().map_err(|error| {
        CommandError::refused(format!("the path of this program is not known: {error}")).caused_by(error)
    })
}

/// `sessions/` of the project around the current folder, if there is one. Where it is named, everything in it is searched: it is
/// the project's own place for work, whether git keeps it or not.
pub(crate) fn sessions() -> Option<PathBuf> {
    project().ok().map(|project| work_file::folder(&project))
}

/// The project around the current folder.
pub fn project() -> Result<Project, CommandError> {
    let cwd = folder()?;
    Project::open(None, &cwd).ok_or_else(|| no_project(&cwd))
}

fn no_project(cwd: &Path) -> CommandError {
    CommandError::refused(format!("no project: there is no .engine/ in {} or above it", cwd.display()))
        .hint("make one: engine init")
}

/// Who runs this command.
pub fn caller() -> Caller {
    Caller::of_this_process(engine_claude::agents::is_agent)
}

/// An agent may log and tag without asking, so this must not become a way around what guards the engine's files and settings:
/// none of them is Markdown.
pub fn must_be_markdown(file: &Path, what: &str) -> Outcome {
    let real = resolve(&std::path::absolute(file)?);
    let is_markdown = |path: &Path| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("md"));
    if !is_markdown(file) || !is_markdown(&real) {
        return Err(CommandError::refused(format!("{} is no {what}: its name ends in .md", file.display())));
    }
    if real.exists() && !real.is_file() {
        return Err(CommandError::refused(format!("{} is not a file", file.display())));
    }
    Ok(())
}
