//! A new runbook from the template.

use engine_core::runbook::template;
use engine_store::atomic::Durability;
use engine_store::project::Project;
use engine_store::told;

use super::{FOLDER, files_of, is_here, is_source};
use crate::error::CommandError;

/// Writes plans/NAME/runbook.md. One that is there stays as it is. The path comes back.
pub fn new(project: &Project, name: &str, tdd: bool) -> Result<String, CommandError> {
    is_here(project)?;
    let folder = project.root().join(FOLDER).join(name);
    if let Some(other) = files_of(&folder).into_iter().find(|file| is_source(file)) {
        return Err(CommandError::refused(format!("{FOLDER}/{name}/{other} is there already"))
            .hint(format!("check it: engine runbook check {name}")));
    }
    let path = format!("{FOLDER}/{name}/runbook.md");
    let file = project.root().join(&path);
    told::replace(project.root(), &file, template(name, tdd).as_bytes(), Durability::Disk)?;
    Ok(path)
}
