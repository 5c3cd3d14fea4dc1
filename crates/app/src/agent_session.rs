//! Which agent session a command means.

use engine_core::session::SessionState;
use engine_store::project::Project;
use engine_store::session_file::{self, SessionFile};

use crate::error::CommandError;

/// The one that is named by the beginning of its id; else the one that asks; else the only one alive. Where several are, those that
/// `matter` come first.
pub fn find(
    project: &Project,
    asked: Option<&str>,
    matter: impl Fn(&SessionState) -> bool,
) -> Result<String, CommandError> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let own = set("CLAUDE_CODE_SESSION_ID").or_else(|| set("ENGINE_SESSION_ID"));
    if let (None, Some(own)) = (asked, own) {
        return Ok(own);
    }
    let folder = project.sessions_folder();
    let asked = asked.unwrap_or_default();
    let live = session_file::live(&folder).into_iter();
    let mut matching: Vec<String> = live.filter(|id| id.starts_with(asked)).collect();
    if matching.len() > 1 {
        let is_it = |id: &&String| matter(&SessionFile::new(&folder, id).peek());
        let better: Vec<String> = matching.iter().filter(is_it).cloned().collect();
        matching = if better.is_empty() { matching } else { better };
    }
    match matching.as_slice() {
        [] if asked.is_empty() => Err(CommandError::nothing("no agent session is alive here")),
        [] => Err(CommandError::refused(format!("no living session begins with {asked}"))),
        [only] => Ok(only.clone()),
        several => {
            let error = CommandError::refused("several sessions are alive; name one with --session");
            Err(several.iter().fold(error, |error, id| error.hint(id.clone())))
        }
    }
}
