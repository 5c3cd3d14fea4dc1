//! What was bound when a person cleared the context: the client's process is the only link to the session that follows.

use std::io;
use std::path::PathBuf;

use engine_core::work::BoundWork;
use fs_err as fs;
use serde::{Deserialize, Serialize};

use crate::atomic::{self, Durability};
use crate::project::Project;
use crate::read::read_bytes;

/// What the names of the files begin with.
pub(crate) const PREFIX: &str = "cleared-";

#[derive(Debug, Serialize, Deserialize)]
pub struct Cleared {
    /// The agent session that ended with it.
    pub session: String,
    #[serde(default)]
    pub work: Option<BoundWork>,
    /// The name of its open plan.
    #[serde(default)]
    pub plan: Option<String>,
    /// Its chain, in a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<String>,
}

fn path(project: &Project, client: u32) -> PathBuf {
    project.state_folder().join(format!("{PREFIX}{client}.json"))
}

pub fn write(project: &Project, client: u32, cleared: &Cleared) -> io::Result<()> {
    Project::make_local(&project.state_folder())?;
    atomic::replace(&path(project, client), &serde_json::to_vec(cleared)?, Durability::Process)
}

pub fn read(project: &Project, client: u32) -> Option<Cleared> {
    serde_json::from_slice(&read_bytes(&path(project, client)).ok()?).ok()
}

/// It was told, or is of no use any more.
pub fn remove(project: &Project, client: u32) {
    let _ = fs::remove_file(path(project, client));
}
