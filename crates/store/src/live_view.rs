//! The world as it is on this machine, read when a rule asks.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

use engine_core::config::Config;
use engine_core::plan::BoundPlan;
use engine_core::policy::ProjectPolicy;
use engine_core::session::{BoundWork, ContextUse, SessionState, Snapshot};
use engine_core::skill::Known;
use engine_core::status::Holder;
use engine_core::task::Task;
use engine_core::view::{Unread, View};
use engine_core::work::{self, Payload};

use crate::cleared_file::{self, Cleared};
use crate::git;
use crate::policy_file;
use crate::project::Project;
use crate::session_file::SessionFile;
use crate::task_file::{self, Owners};
use crate::wiring;
use crate::work_file::WorkFile;

/// No file that a rule reads has any business being larger.
const READ_LIMIT: u64 = 4 << 20;

/// What only the client's adapter knows. Asked only when a rule does.
pub trait Client {
    /// The settings files that can hold hooks for this project.
    fn settings_files(&self) -> Vec<PathBuf>;
    fn skill(&self, name: &str) -> Option<Known>;
    /// How full the model's context is, by the transcript.
    fn context_use(&self, transcript: &Path) -> Option<ContextUse>;
    /// What the main agent said last, by the transcript.
    fn last_words(&self, transcript: &Path) -> Option<String>;
}

pub struct LiveView<'a> {
    project: &'a Project,
    config: Config,
    session_file: SessionFile,
    client: Box<dyn Client + 'a>,
    session_id: String,
    owners: OnceCell<Owners>,
    session: OnceCell<SessionState>,
    bound: OnceCell<bool>,
    planned: OnceCell<bool>,
    policy: OnceCell<ProjectPolicy>,
    own: OnceCell<Vec<PathBuf>>,
    resolved_settings: OnceCell<Vec<PathBuf>>,
    links: Links,
}

impl<'a> LiveView<'a> {
    pub fn new(project: &'a Project, config: Config, session: &str, client: Box<dyn Client + 'a>) -> Self {
        Self {
            project,
            config,
            session_file: SessionFile::new(&project.sessions_folder(), session),
            client,
            session_id: session.to_owned(),
            owners: OnceCell::new(),
            session: OnceCell::new(),
            bound: OnceCell::new(),
            planned: OnceCell::new(),
            policy: OnceCell::new(),
            own: OnceCell::new(),
            resolved_settings: OnceCell::new(),
            links: Links::default(),
        }
    }

    fn cleared(&self) -> Option<Cleared> {
        cleared_file::read(self.project, self.variable("CLAUDE_PID")?.parse().ok()?)
    }

    pub fn session_file(&self) -> &SessionFile {
        &self.session_file
    }
}

impl View for LiveView<'_> {
    fn config(&self) -> &Config {
        &self.config
    }

    fn session(&self) -> &SessionState {
        self.session.get_or_init(|| self.session_file.peek())
    }

    fn work(&self) -> Option<&BoundWork> {
        let is_bound = *self.bound.get_or_init(|| self.session_file.is_bound());
        if is_bound { self.session().work.as_ref() } else { None }
    }

    fn plan(&self) -> Option<&BoundPlan> {
        let has_plan = *self.planned.get_or_init(|| self.session_file.has_plan());
        if has_plan { self.session().plan.as_ref() } else { None }
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn root(&self) -> &Path {
        self.project.root()
    }

    fn own_folders(&self) -> &[PathBuf] {
        self.own.get_or_init(|| {
            let config = crate::places::user_config().and_then(|file| Some(file.parent()?.to_owned()));
            let project = [self.project.folder(), self.project.local_folder().to_owned()];
            let all = project.into_iter().chain(config).chain(crate::places::user_state());
            all.map(|folder| self.links.resolve(&folder)).collect()
        })
    }

    fn own_directives(&self) -> Option<PathBuf> {
        crate::places::user_directives()
    }

    fn settings_files(&self) -> &[PathBuf] {
        self.resolved_settings.get_or_init(|| {
            let mut files: Vec<PathBuf> =
                self.client.settings_files().iter().map(|file| self.links.resolve(file)).collect();
            files.sort();
            files.dedup();
            files
        })
    }

    fn installed(&self, settings: &Path) -> Option<Snapshot> {
        wiring::read(self.project).remove(settings)
    }

    fn resolve(&self, cwd: &str, path: &str) -> PathBuf {
        self.links.resolve(&Path::new(cwd).join(expanded(path)))
    }

    fn task_file(&self) -> String {
        let path = task_file::path(self.project, &self.config);
        path.strip_prefix(self.project.root()).unwrap_or(&path).display().to_string()
    }

    fn tasks(&self) -> Result<String, Unread> {
        self.read(&task_file::path(self.project, &self.config))
    }

    fn holder(&self, task: &Task) -> Holder {
        let owners = self
            .owners
            .get_or_init(|| Owners::load(self.project, &task_file::path(self.project, &self.config)));
        owners.holder(self.project, task, Some(&self.session_id))
    }

    fn policy(&self) -> &ProjectPolicy {
        self.policy.get_or_init(|| policy_file::load(self.project).policy)
    }

    fn branch(&self) -> Option<String> {
        git::branch(self.project.root())
    }

    fn changed_files(&self) -> Vec<String> {
        let status = git::text(self.project.root(), &["status", "--porcelain", "--no-renames", "-z"]);
        let entries = status.as_deref().unwrap_or_default().split('\0');
        entries
            .filter_map(|entry| entry.get(3..))
            .filter(|path| !path.is_empty())
            .map(str::to_owned)
            .collect()
    }

    fn payload(&self, work: &str) -> Option<Payload> {
        let state = WorkFile::new(self.project, work).peek()?;
        // What is kept for whoever holds the work is for nobody else.
        let is_ours = |holder: &work::Holder| {
            holder.id == self.session_id || self.cleared().is_some_and(|cleared| cleared.session == holder.id)
        };
        state.overflow.payload.filter(|_| state.agent_session.as_ref().is_none_or(is_ours))
    }

    fn cleared_work(&self) -> Option<BoundWork> {
        self.cleared().map(|cleared| cleared.work)
    }

    fn context_use(&self, transcript: &str) -> Option<ContextUse> {
        self.client.context_use(Path::new(transcript))
    }

    fn last_words(&self, transcript: &str) -> Option<String> {
        self.client.last_words(Path::new(transcript))
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn skill(&self, name: &str) -> Option<Known> {
        self.client.skill(name)
    }

    fn read(&self, path: &Path) -> Result<String, Unread> {
        read_text(path)
    }
}

/// The text of a file of reasonable kind and size.
pub(crate) fn read_text(path: &Path) -> Result<String, Unread> {
    let unreadable = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => Unread::Missing,
        _ => Unread::Unreadable(error.to_string()),
    };
    // A pipe or device would block or never end.
    let data = fs::metadata(path).map_err(unreadable)?;
    if !data.is_file() {
        return Err(Unread::Unreadable("not a file".into()));
    }
    if data.len() > READ_LIMIT {
        return Err(Unread::Unreadable(format!("larger than {} MB", READ_LIMIT >> 20)));
    }
    let mut text = String::new();
    File::open(path).and_then(|file| file.take(READ_LIMIT).read_to_string(&mut text)).map_err(unreadable)?;
    Ok(text)
}

/// `~` as the file tools understand it.
fn expanded(path: &str) -> PathBuf {
    match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            crate::places::home().map_or_else(|| path.into(), |home| home.join(rest.trim_start_matches('/')))
        }
        _ => path.into(),
    }
}

/// The real path: links followed as far as the path exists, `.` and `..` taken out.
pub fn resolve(path: &Path) -> PathBuf {
    Links::default().resolve(path)
}

/// More links than a path can sensibly lead through; the system gives up here too.
const MOST_HOPS: usize = 40;

/// The links that were looked at: the paths of one event lie in the same few folders.
#[derive(Default)]
struct Links {
    known: RefCell<HashMap<PathBuf, PathBuf>>,
}

impl Links {
    fn resolve(&self, path: &Path) -> PathBuf {
        self.walk(path, 0)
    }

    fn walk(&self, path: &Path, hops: usize) -> PathBuf {
        let mut real = PathBuf::new();
        for part in path.components() {
            match part {
                Component::Normal(name) => real = self.followed(real.join(name), hops),
                Component::ParentDir => {
                    real.pop();
                }
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => real.push(part),
            }
        }
        real
    }

    /// What a path in a real folder stands for. A link to nowhere is followed: writing through it would make its target.
    fn followed(&self, path: PathBuf, hops: usize) -> PathBuf {
        if let Some(real) = self.known.borrow().get(&path) {
            return real.clone();
        }
        let real = match fs::read_link(&path) {
            Ok(target) if hops < MOST_HOPS => {
                self.walk(&path.parent().unwrap_or(Path::new("/")).join(target), hops + 1)
            }
            _ => path.clone(),
        };
        self.known.borrow_mut().insert(path, real.clone());
        real
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_links_dots_and_what_does_not_exist_yet() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        std::os::unix::fs::symlink(root.join("a"), root.join("link")).unwrap();
        std::os::unix::fs::symlink(root.join("a/new.txt"), root.join("dangling")).unwrap();
        let cases = [
            ("a/b/../c.txt", "a/c.txt"),
            ("link/b/x/y.txt", "a/b/x/y.txt"),
            ("none/../a/z", "a/z"),
            ("./a/./b", "a/b"),
            ("dangling", "a/new.txt"),
            ("a/b/../../link/../link/b", "a/b"),
        ];
        for (path, expected) in cases {
            assert_eq!(resolve(&root.join(path)), root.join(expected), "{path}");
        }
        // A link that leads to itself ends somewhere.
        std::os::unix::fs::symlink(root.join("loop"), root.join("loop")).unwrap();
        assert_eq!(resolve(&root.join("loop/x")), root.join("loop/x"));
    }

    struct NoClient;

    impl Client for NoClient {
        fn settings_files(&self) -> Vec<PathBuf> {
            Vec::new()
        }

        fn skill(&self, _: &str) -> Option<Known> {
            None
        }

        fn context_use(&self, _: &Path) -> Option<ContextUse> {
            None
        }

        fn last_words(&self, _: &Path) -> Option<String> {
            None
        }
    }

    #[test]
    fn a_payload_is_for_whoever_holds_the_work() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        let kept = Payload { summary: "half done".into(), ..Payload::default() };
        let work = WorkFile::new(&project, "2026_02_07_AUTH");
        work.make().unwrap();
        for (holder, asks, is_given) in
            [(None, "s1", true), (Some("s1"), "s1", true), (Some("s2"), "s1", false), (Some("s2"), "", false)]
        {
            work.begin(|state| {
                state.overflow.payload = Some(kept.clone());
                state.agent_session =
                    holder.map(|id: &str| work::Holder { id: id.to_owned(), bound_at: String::new() });
                Ok::<(), std::io::Error>(())
            })
            .unwrap();
            let view = LiveView::new(&project, Config::default(), asks, Box::new(NoClient));
            let expected = is_given.then(|| kept.clone());
            assert_eq!(view.payload("2026_02_07_AUTH"), expected, "{holder:?} holds it, {asks:?} asks");
            assert_eq!(view.payload("2026_02_07_OTHER"), None);
        }
    }
}
