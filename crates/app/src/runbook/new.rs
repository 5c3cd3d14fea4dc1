//! A new runbook from the template.

use engine_core::runbook::template;
use engine_store::atomic::Durability;
use engine_store::project::Project;
use engine_store::told;

use super::FOLDER;
use crate::error::CommandError;

/// Writes plans/NAME/runbook.md. One that is there stays as it is. The path comes back.
pub fn new(project: &Project, name: &str, tdd: bool) -> Result<String, CommandError> {
    let path = format!("{FOLDER}/{name}/runbook.md");
    let file = project.root().join(&path);
    if std::fs::symlink_metadata(&file).is_ok() {
        return Err(CommandError::refused(format!("{path} is there already"))
            .hint(format!("check it: engine runbook check {name}")));
    }
    told::replace(project.root(), &file, template(name, tdd).as_bytes(), Durability::Disk)?;
    Ok(path)
}
