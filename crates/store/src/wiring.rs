//! What engine's own commands left in the settings files, so that a running session does not take a change by `engine
//! init`, `config set` or `uninstall` for an attack on its hooks.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use engine_core::client::Snapshot;
use fs_err as fs;

use crate::atomic::{self, Durability};
use crate::links::resolve;
use crate::project::Project;

fn path(project: &Project) -> PathBuf {
    project.own_state_folder().join("wiring.json")
}

/// By the real path of the settings file.
pub fn read(project: &Project) -> BTreeMap<PathBuf, Snapshot> {
    let text = fs::read_to_string(path(project)).ok();
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Notes how a settings file is about to be written.
pub fn note(project: &Project, settings: &Path, snapshot: Snapshot) -> io::Result<()> {
    let mut wiring = read(project);
    wiring.insert(resolve(settings), snapshot);
    Project::make_local(&project.own_state_folder())?;
    atomic::replace(&path(project), &serde_json::to_vec(&wiring)?, Durability::Process)
}
