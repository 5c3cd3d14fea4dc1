//! Whether this hook is silent, because another entry starts the engine for the same event.

use engine_claude::entry::Form;
use engine_claude::standby::{self, Around};
use engine_core::event::{Kind, Source};
use engine_store::session_file::SessionFile;

use super::HookProcess;
use crate::judging;

/// An entry of a person's own never is, and looks at nothing.
pub fn stands_back(form: Form, text: &str, around: &HookProcess) -> bool {
    if form == Form::Direct {
        return false;
    }
    let Some(of_client) = Around::of_this_process(around.now) else { return false };
    let Ok(event) = engine_claude::decode(text) else { return false };
    // A client that starts has read its settings just now; in a running one the agent session may be older than they are.
    let is_start = matches!(
        event.kind,
        Kind::SessionStart { source: Source::Startup | Source::Resume | Source::Fork, .. }
    );
    let began = || {
        if is_start {
            return Some(around.now);
        }
        let project = judging::project_of(&event, around.client_project.as_deref())?;
        SessionFile::new(&project.sessions_folder(), &event.session).peek().started
    };
    standby::stands_back(&event.name, form, &of_client, began)
}
