//! What the intent router begins with. A project adds its own, or others by the same name, in `.engine/workflows/`, once it is trusted.

use std::collections::BTreeMap;

use engine_core::plan::PRESETS;
use engine_store::project::Project;
use engine_store::{config_file, told, trust};

use crate::error::CommandError;

/// All presets by name, or the named one.
pub fn presets(project: &Project, name: Option<&str>) -> Result<BTreeMap<String, String>, CommandError> {
    let mut presets = all(project)?;
    let Some(name) = name else { return Ok(presets) };
    let known: Vec<String> = presets.keys().cloned().collect();
    match presets.remove(name) {
        Some(text) => Ok(BTreeMap::from([(name.to_owned(), text)])),
        None => {
            Err(CommandError::refused(format!("there is no preset {name}; there are {}", known.join(", "))))
        }
    }
}

/// By name; those of the project count before ours.
fn all(project: &Project) -> Result<BTreeMap<String, String>, CommandError> {
    let mut presets: BTreeMap<String, String> =
        PRESETS.iter().map(|preset| (preset.name.to_owned(), preset.text.to_owned())).collect();
    if config_file::load(project).acceptance().is_untrusted {
        return Ok(presets);
    }
    for path in trust::workflow_files(project) {
        let text = told::read_if_there(project.root(), &path)
            .map_err(|error| CommandError::at(path.display(), error))?
            .unwrap_or_default();
        presets.insert(path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), text);
    }
    Ok(presets)
}

#[cfg(test)]
mod tests;
