//! What a rule may look at. Everything is read when asked for, so a rule that does not ask costs nothing.

use std::path::{Path, PathBuf};

use crate::client::Client;
use crate::client::{ContextUse, Snapshot};
use crate::config::Config;
use crate::plan::BoundPlan;
use crate::policy::ProjectPolicy;
use crate::session::SessionState;
use crate::skill::Known;
use crate::status::Holder;
use crate::task::Task;
use crate::work::BoundWork;
use crate::work::Payload;
use engine_text::path::join;

/// The world as rules see it: read-only, lazy.
///
/// The live hook answers from the disk; `engine explain` and tests answer from wherever they like.
pub trait View {
    /// What only the client's adapter knows.
    fn client(&self) -> &dyn Client;

    fn config(&self) -> &Config;

    /// The state of the event's session, as it was when first asked for.
    fn session(&self) -> &SessionState;

    /// The work session that the event's session is bound to. Cheap where there is none.
    fn work(&self) -> Option<&BoundWork>;

    /// The open plan of the event's session. Cheap where there is none.
    fn plan(&self) -> Option<&BoundPlan>;

    fn variable(&self, name: &str) -> Option<String>;

    /// The project: the folder that holds `.engine/`.
    fn root(&self) -> &Path;

    /// Engine's own folders, with links resolved: those of the project, and the person's configuration and state.
    fn own_folders(&self) -> &[PathBuf];

    /// The person's own directives, which hold for every project.
    fn own_directives(&self) -> Option<PathBuf>;

    /// The settings files that the client reads hooks from, with symbolic links resolved.
    fn settings_files(&self) -> &[PathBuf];

    /// What engine's own commands last left of us in a settings file, if they wrote it at all.
    fn installed(&self, settings: &Path) -> Option<Snapshot>;

    /// The path that a tool names, absolute, without `..`, through symbolic links as far as they exist.
    fn resolve(&self, cwd: &str, path: &str) -> PathBuf;

    /// The name of the task file, from the project's root.
    fn task_file(&self) -> String;

    /// The text of the task file.
    fn tasks(&self) -> Result<String, Unread>;

    /// Who works on a task in progress, as this session sees it.
    fn holder(&self, task: &Task) -> Holder;

    /// The project's own policy.
    fn policy(&self) -> &ProjectPolicy;

    /// The branch that is checked out.
    fn branch(&self) -> Option<String>;

    /// Files that differ from the last commit, from the project's root.
    fn changed_files(&self) -> Vec<String>;

    /// What waits in a work session for its next agent session.
    fn payload(&self, work: &str) -> Option<Payload>;

    /// The work session that was bound when the person cleared the context of this client.
    fn cleared_work(&self) -> Option<BoundWork>;

    /// How full the model's context is, by the client's transcript.
    fn context_use(&self, transcript: &str) -> Option<ContextUse>;

    /// What the main agent said last, by the client's transcript.
    fn last_words(&self, transcript: &str) -> Option<String>;

    /// Whether there is something at a path.
    fn exists(&self, path: &Path) -> bool;

    /// What is known of a skill by its name.
    fn skill(&self, name: &str) -> Option<Known>;

    /// The text of a file, or why there is none.
    fn read(&self, path: &Path) -> Result<String, Unread>;
}

/// A path from the project's root, if it is below it. As it is written where that is so: what a linked folder holds belongs to the
/// project, too.
pub fn below_root(path: &str, view: &dyn View) -> Option<PathBuf> {
    let written = PathBuf::from(join("/", path));
    if let Ok(below) = written.strip_prefix(view.root()) {
        return Some(below.to_owned());
    }
    let root = view.resolve("/", &view.root().to_string_lossy());
    view.resolve("/", path).strip_prefix(root).ok().map(Path::to_owned)
}

/// Why a file has no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unread {
    Missing,
    Unreadable(String),
}
