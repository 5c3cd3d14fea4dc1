//! Which agent session works in which work session, and which owns which plan. Each pair is written in two files.
//!
//! The truth is the work session's `state.json` and the plan's own file. The agent session has a copy of what rules ask
//! (`SessionState.work` and `.plan`), with a mark beside its file, so that a hook reads one file at most. Commands write
//! the truth first and the copy after it. A process that is killed between the two leaves a stale copy; the next command
//! repairs it.

use crate::project::Project;
use crate::session_file::SessionFile;

pub mod plan;
pub mod work;

fn agent_session(project: &Project, id: &str) -> SessionFile {
    SessionFile::new(&project.sessions_folder(), id)
}

/// Keeps a line for an agent session that lost something to another. One that has ended has nobody to tell.
fn lose(project: &Project, session: &str, line: String) -> std::io::Result<()> {
    let file = agent_session(project, session);
    if file.peek().ended.is_none() && file.age().is_some() {
        file.update(|state| state.lost.push(line))?;
    }
    Ok(())
}
