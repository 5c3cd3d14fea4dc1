//! What was bound when a person cleared the context: the client's process is the only link to the session that follows.

use std::fs;
use std::io;
use std::path::PathBuf;

use engine_core::session::BoundWork;

use crate::atomic::{self, Durability};
use crate::project::Project;

fn path(project: &Project, client: u32) -> PathBuf {
    project.state_folder().join(format!("cleared-{client}.json"))
}

pub fn write(project: &Project, client: u32, work: &BoundWork) -> io::Result<()> {
    Project::make_local(&project.state_folder())?;
    atomic::replace(&path(project, client), &serde_json::to_vec(work)?, Durability::Process)
}

pub fn read(project: &Project, client: u32) -> Option<BoundWork> {
    serde_json::from_slice(&fs::read(path(project, client)).ok()?).ok()
}

/// It was told.
pub fn remove(project: &Project, client: u32) {
    let _ = fs::remove_file(path(project, client));
}
