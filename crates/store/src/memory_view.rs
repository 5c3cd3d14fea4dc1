//! The world as a replayed session saw it, as far as that can still be known.
//!
//! Session state lives in memory and follows the events; configuration, policy, root and skills are those of the project now.
//! Tasks and the texts of files have changed since and answer nothing. What else has changed is no part of a replay's view, so a rule
//! that needs it cannot be declared to replay.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use engine_core::change::Change;
use engine_core::client::Client;
use engine_core::client::Snapshot;
use engine_core::config::Config;
use engine_core::dialect::Dialect;
use engine_core::host::surroundings;
use engine_core::plan::BoundPlan;
use engine_core::policy::ProjectPolicy;
use engine_core::session::SessionState;
use engine_core::skill::Known;
use engine_core::stage::Stages;
use engine_core::status::Holder;
use engine_core::task::Task;
use engine_core::view::{self, Project as _, Session as _, Skills, Told, Unread};
use engine_core::work::BoundWork;
use engine_shell::{Analyser, Analysis, Surroundings};
use engine_text::stamp::Stamp;

use crate::links;
use crate::live_view::IS_GNU;
use crate::project::Project;
use crate::{policy_file, task_file};

/// Variables that tell where a person's and temporary files lie, which is the same as it was then.
const PLACES: [&str; 2] = ["HOME", "TMPDIR"];

pub struct MemoryView<'a> {
    project: &'a Project,
    config: Config,
    policy: ProjectPolicy,
    client: Box<dyn Client + 'a>,
    skills: RefCell<HashMap<String, Option<Known>>>,
    session: SessionState,
    branch: Option<String>,
    analyser: Analyser,
}

impl<'a> MemoryView<'a> {
    pub fn new(project: &'a Project, config: Config, client: Box<dyn Client + 'a>) -> Self {
        Self {
            project,
            config,
            policy: policy_file::read(project).policy,
            client,
            skills: RefCell::default(),
            session: SessionState::default(),
            branch: None,
            analyser: Analyser::default(),
        }
    }

    /// Forgets the session before; the next events belong to another.
    pub fn begin(&mut self) {
        self.session = SessionState::default();
    }

    /// The branch that was checked out at the next event.
    pub fn set_branch(&mut self, branch: Option<String>) {
        self.branch = branch;
    }

    /// Does what the rules want done to the session's state.
    pub fn apply(&mut self, changes: &[Change], at: Stamp) {
        for change in changes {
            self.session.apply(change, at);
        }
    }
}

impl view::Project for MemoryView<'_> {
    fn config(&self) -> &Config {
        &self.config
    }

    fn root(&self) -> &Path {
        self.project.root()
    }

    fn variable(&self, name: &str) -> Option<String> {
        PLACES.contains(&name).then(|| std::env::var(name).ok()).flatten()
    }
}

impl view::Session for MemoryView<'_> {
    fn session(&self) -> &SessionState {
        &self.session
    }

    fn wiring(&self) -> Vec<(String, Snapshot)> {
        Vec::new()
    }
}

impl view::Work for MemoryView<'_> {
    fn work(&self) -> Option<&BoundWork> {
        self.session().work.as_ref()
    }

    fn plan(&self) -> Option<&BoundPlan> {
        self.session().plan.as_ref()
    }
}

impl view::Tasks for MemoryView<'_> {
    fn task_file(&self) -> String {
        task_file::name(self.project, &self.config)
    }

    fn tasks(&self) -> Result<Told, Unread> {
        Err(Unread::Missing)
    }

    fn holder(&self, _: &Task) -> Holder {
        Holder::Free
    }
}

/// The plans have moved on since.
impl Stages for MemoryView<'_> {}

impl view::Files for MemoryView<'_> {
    fn resolve(&self, cwd: &str, path: &str) -> PathBuf {
        links::resolve(&Path::new(cwd).join(path))
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn read(&self, _: &Path) -> Result<String, Unread> {
        Err(Unread::Missing)
    }
}

impl view::Shell for MemoryView<'_> {
    fn analysis(&self, command: &str, cwd: &str) -> Rc<Analysis> {
        let around = surroundings(cwd, self.variable("HOME"), self.variable("TMPDIR"), self.dialect());
        let root = Some(self.root().to_string_lossy().into_owned());
        let wrappers = view::Policy::policy(self).extra_wrappers();
        self.analyser.analyse(command, &Surroundings { root, is_gnu: IS_GNU, wrappers, ..around })
    }

    fn too_large(&self) -> Option<&'static str> {
        self.analyser.too_large()
    }
}

impl view::Skills for MemoryView<'_> {
    fn dialect(&self) -> &'static Dialect {
        self.client.dialect()
    }

    fn skill(&self, name: &str) -> Option<Known> {
        // A history asks for the same names over and over, and each question looks at files.
        let known = self.skills.borrow().get(name).cloned();
        known.unwrap_or_else(|| {
            let known = self.client.skill(name);
            self.skills.borrow_mut().insert(name.to_owned(), known.clone());
            known
        })
    }
}

impl view::Policy for MemoryView<'_> {
    fn policy(&self) -> &ProjectPolicy {
        &self.policy
    }
}

impl view::Outcomes for MemoryView<'_> {}

impl view::Git for MemoryView<'_> {
    fn branch(&self) -> Option<String> {
        self.branch.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use engine_core::client::NoClient;

    use super::*;

    #[test]
    fn state_follows_the_changes_and_a_skill_is_looked_up_once() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".engine")).unwrap();
        let project = Project::open(None, folder.path()).unwrap();
        let asked = Rc::new(Cell::new(0));
        let counting = asked.clone();
        let skill = move |name: &str| {
            counting.set(counting.get() + 1);
            (name == "design").then(Known::default)
        };
        let client = NoClient { dialect: &Dialect::NONE, skill };
        let mut view = MemoryView::new(&project, Config::default(), Box::new(client));
        for _ in 0..3 {
            assert!(view.skill("design").is_some() && view.skill("none").is_none());
        }
        assert_eq!(asked.get(), 2);
        view.apply(&[Change::TurnStarted { prompt: "go".into(), id: None }], Stamp(5));
        assert_eq!(view.session().turn, 1);
        view.begin();
        assert_eq!(view.session().turn, 0);
        assert_eq!(view.variable("PATH"), None);
    }
}
