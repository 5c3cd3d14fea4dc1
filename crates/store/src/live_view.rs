//! The world as it is on this machine, read when a rule asks.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use engine_core::approval::Request;
use engine_core::chain::{Began, Condition, Stored};
use engine_core::client::{Client, ClientProcess, ContextUse, Snapshot};
use engine_core::config::Config;
use engine_core::dialect::Dialect;
use engine_core::evidence::recorder::Ran;
use engine_core::evidence::{EditScope, known, touch};
use engine_core::host::surroundings;
use engine_core::journal::Entry;
use engine_core::plan::{Armed, BoundPlan, Plan};
use engine_core::policy::{Asked, AskedBranch, ProjectPolicy, Unsaved};
use engine_core::ran::JudgedCall;
use engine_core::restored::{Deeds, Found};
use engine_core::runner::Look;
use engine_core::session::{SessionState, UserInput};
use engine_core::skill::{self, Known};
use engine_core::status::Holder;
use engine_core::task::Task;
use engine_core::trust::{RuleChange, UntoldTexts};
use engine_core::view::{self, Files, Own, Project as _, Settings, Shell as _, Skills, Told, Unread};
use engine_core::work::BoundWork;

use engine_shell::{Analyser, Analysis, Surroundings};
use engine_text::stamp::Stamp;

use crate::chain_end;
use crate::cleared_file::{self, Cleared};
use crate::clock;
use crate::content;
use crate::deeds;
use crate::git;
use crate::journal_file;
use crate::links::Links;
use crate::own_program;
use crate::plan_file::{self, PlanFile};
use crate::policy_file;
use crate::process;
use crate::project::Project;
use crate::read::{read_beginning, read_text};
use crate::recorder;
use crate::seen_file;
use crate::session_file::SessionFile;
use crate::task_file;
use crate::task_owners::Owners;
use crate::told;
use crate::trust;
use crate::unsaved;
use crate::wiring;
use crate::work_file::WorkFile;
use crate::worktree;

mod enrich;
mod notes;
mod stages;

/// Whether the programs of this system read options as those of GNU do.
pub const IS_GNU: bool = cfg!(target_os = "linux");

/// Plans that the start of a session looks at; those that were changed last.
const MOST_PLANS: usize = 50;

/// Messages of the person that a new context is told.
const MOST_WORDS: usize = 3;

/// What the analysis of an event's commands may take.
const MOST_TIME: Duration = Duration::from_millis(300);

pub struct LiveView<'a> {
    project: &'a Project,
    config: Config,
    session_file: SessionFile,
    client: Box<dyn Client + 'a>,
    session_id: String,
    owners: OnceCell<Owners<'a>>,
    session: OnceCell<SessionState>,
    bound: OnceCell<bool>,
    planned: OnceCell<bool>,
    asking: OnceCell<bool>,
    recorded: OnceCell<Vec<Ran>>,
    claims: bool,
    policy: OnceCell<ProjectPolicy>,
    own: OnceCell<Vec<PathBuf>>,
    programs: OnceCell<Vec<PathBuf>>,
    resolved_settings: OnceCell<Vec<PathBuf>>,
    links: Links,
    surroundings: RefCell<Option<Surroundings>>,
    analyser: Analyser,
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
            asking: OnceCell::new(),
            recorded: OnceCell::new(),
            claims: false,
            policy: OnceCell::new(),
            own: OnceCell::new(),
            programs: OnceCell::new(),
            resolved_settings: OnceCell::new(),
            links: Links::default(),
            surroundings: RefCell::new(None),
            analyser: Analyser::new(clock::runs_out_after(MOST_TIME)),
        }
    }

    /// The same with the session's state, where it has been read already.
    #[must_use]
    pub fn with_state(self, state: Option<SessionState>) -> Self {
        Self { session: state.map_or_else(OnceCell::new, OnceCell::from), ..self }
    }

    /// The same for the event itself: what the recorder has noted is claimed by it. Otherwise it is only looked at.
    #[must_use]
    pub fn claiming(self) -> Self {
        Self { claims: true, ..self }
    }

    /// The same with what an earlier view of the event has claimed.
    #[must_use]
    pub fn with_recorded(self, recorded: Option<Vec<Ran>>) -> Self {
        Self { recorded: recorded.map_or_else(OnceCell::new, OnceCell::from), ..self }
    }

    /// What was claimed; nothing if no rule has asked.
    pub fn into_recorded(self) -> Option<Vec<Ran>> {
        self.recorded.into_inner()
    }

    fn is_planned(&self) -> bool {
        *self.planned.get_or_init(|| self.session_file.has_plan())
    }

    fn has_approvals(&self) -> bool {
        *self.asking.get_or_init(|| self.session_file.has_approvals())
    }

    fn cleared(&self) -> Option<Cleared> {
        cleared_file::read(self.project, self.variable(self.dialect().pid_variable)?.parse().ok()?)
    }

    pub fn session_file(&self) -> &SessionFile {
        &self.session_file
    }

    fn surroundings_of(&self, cwd: &str) -> Surroundings {
        let around = surroundings(cwd, self.variable("HOME"), self.variable("TMPDIR"), self.dialect());
        let root = Some(self.root().to_string_lossy().into_owned());
        let wrappers = view::Policy::policy(self).extra_wrappers();
        Surroundings { root, is_gnu: IS_GNU, wrappers, ..around }
    }
}

impl view::Project for LiveView<'_> {
    fn config(&self) -> &Config {
        &self.config
    }

    fn root(&self) -> &Path {
        self.project.root()
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}

impl view::Session for LiveView<'_> {
    fn session(&self) -> &SessionState {
        self.session.get_or_init(|| self.session_file.peek())
    }

    fn sender(&self) -> Option<ClientProcess> {
        process::process(process::sender()?).as_ref().map(process::kept)
    }

    fn runs(&self, client: ClientProcess) -> bool {
        process::runs(client)
    }

    fn wiring(&self) -> Vec<(String, Snapshot)> {
        let mut found = Vec::new();
        for path in self.settings_files() {
            let Ok(text) = self.read(path) else { continue };
            let snapshot = self.client.snapshot(&text);
            if snapshot != Snapshot::default() {
                found.push((path.to_string_lossy().into_owned(), snapshot));
            }
        }
        found
    }
}

impl view::Work for LiveView<'_> {
    fn work(&self) -> Option<&BoundWork> {
        let is_bound = *self.bound.get_or_init(|| self.session_file.is_bound());
        if is_bound { view::Session::session(self).work.as_ref() } else { None }
    }

    fn plan(&self) -> Option<&BoundPlan> {
        if self.is_planned() { view::Session::session(self).plan.as_ref() } else { None }
    }

    fn armed(&self) -> Option<&Armed> {
        if self.is_planned() { view::Session::session(self).armed.as_ref() } else { None }
    }

    fn closing(&self) -> Option<&str> {
        if self.is_planned() { view::Session::session(self).closing.as_deref() } else { None }
    }

    fn has_queued_directives(&self) -> bool {
        let is_queued =
            || view::Session::session(self).directives.values().any(|told| !told.queued.is_empty());
        self.has_approvals() && is_queued()
    }

    fn recorded(&self) -> &[Ran] {
        self.recorded.get_or_init(|| {
            let is_open = self.is_planned() || *self.bound.get_or_init(|| self.session_file.is_bound());
            match (is_open, self.claims) {
                (false, _) => Vec::new(),
                (true, false) => recorder::peek(self.project, &self.session_id),
                (true, true) => recorder::take(self.project, &self.session_id),
            }
        })
    }

    fn began_in(&self, call: &str) -> Option<String> {
        journal_file::began_in(&self.project.journal_folder(), clock::now(), self.dialect().pre_tool, call)
    }

    fn judged(&self, call: &str) -> Option<JudgedCall> {
        journal_file::judged(&self.project.journal_folder(), clock::now(), self.dialect().pre_tool, call)
    }
}

impl view::Briefs for LiveView<'_> {
    fn changed_since(&self, content: &str) -> Option<Vec<String>> {
        let now = content::take(self.project, content::PATIENCE).ok()?;
        let changed = content::changed(self.project, content, &now)?;
        Some(changed.into_iter().map(|file| file.path).collect())
    }

    fn with_prompt(&self, input: &str, prompt: &str) -> Option<String> {
        self.client.with_prompt(input, prompt)
    }
}

impl view::Approvals for LiveView<'_> {
    fn approvals(&self) -> &[Request] {
        if self.has_approvals() { &view::Session::session(self).approvals } else { &[] }
    }

    fn spent(&self) -> &[String] {
        if self.has_approvals() { &view::Session::session(self).spent } else { &[] }
    }

    fn lost(&self) -> &[String] {
        if self.has_approvals() { &view::Session::session(self).lost } else { &[] }
    }

    fn asks(&self, input: &str, request: &Request, is_answered: bool) -> bool {
        self.client.asks(input, &request.dialog(), is_answered)
    }

    fn question(&self, request: &Request) -> String {
        self.client.question(&request.dialog())
    }

    fn other_answerer(&self) -> Option<String> {
        let state = view::Session::session(self);
        if state.settings_held {
            return Some("the client has settings that stand in no file any more".to_owned());
        }
        match state.started {
            Some(began) => self.client.other_answerer(began, clock::now()),
            None => Some("it is not known when the session began".to_owned()),
        }
    }

    fn forged(&self) -> Option<String> {
        let (Some(sender), Some(parent)) = (process::sender(), process::parent()) else {
            return Some("it did not come through the client's socket".to_owned());
        };
        if sender != parent {
            return Some(format!("process {sender} sent it, and process {parent} started the hook"));
        }
        let client = view::Session::session(self).client;
        if let Some(client) = client.filter(|client| client.pid != sender && process::runs(*client)) {
            let pid = client.pid;
            return Some(format!("process {sender} sent it, and the session's client is process {pid}"));
        }
        if !process::process(sender).is_some_and(|process| self.client.is_agent(&process)) {
            return Some(format!("process {sender} sent it, which is no client"));
        }
        let agent = process::above(sender).into_iter().find(|above| self.client.is_agent(above))?;
        Some(format!("the client runs below a coding agent: {} (process {})", agent.name, agent.pid))
    }
}

impl view::Trust for LiveView<'_> {
    fn is_gone(&self) -> bool {
        self.project.is_gone()
    }

    fn rule_changes(&self) -> Vec<RuleChange> {
        policy_file::load(self.project, self.config.acceptance()).changes
    }

    fn content(&self) -> String {
        trust::content(self.project, &self.config)
    }

    fn untold_texts(&self) -> UntoldTexts {
        trust::untold_texts(self.project, &self.config)
    }

    fn knows(&self, news: &str) -> bool {
        trust::knows(self.project, news)
    }

    fn changed_context(&self) -> Option<Vec<String>> {
        trust::changed_context(self.project)
    }
}

impl view::Tasks for LiveView<'_> {
    fn task_file(&self) -> String {
        task_file::name(self.project, &self.config)
    }

    fn tasks(&self) -> Result<Told, Unread> {
        told::read_kept(self.project.root(), &task_file::path(self.project, &self.config))
    }

    fn holder(&self, task: &Task) -> Holder {
        let owners = self
            .owners
            .get_or_init(|| Owners::load(self.project, &task_file::path(self.project, &self.config)));
        owners.holder(task, Some(&self.session_id))
    }

    fn task_file_at(&self, path: &Path) -> Option<Result<Told, Unread>> {
        let root = self.project.root();
        let candidates = task_file::candidates(&self.config);
        let is_it = |name: &&&str| {
            let written = root.join(name);
            // Who deletes a link names the link.
            let link = || Some(self.links.resolve(written.parent()?).join(written.file_name()?));
            self.links.resolve(&written) == path || link().as_deref() == Some(path)
        };
        if let Some(name) = candidates.iter().find(is_it) {
            let file = task_file::path_in(root, &self.config);
            return (file == root.join(name)).then(|| told::read_kept(root, &file));
        }
        let name = candidates.iter().find(|name| path.ends_with(name))?;
        let other = worktree::counterpart(root, path)?;
        (path == other.join(name)).then(|| told::read_kept(&other, path))
    }
}

impl view::Files for LiveView<'_> {
    fn resolve(&self, cwd: &str, path: &str) -> PathBuf {
        self.links.resolve(&Path::new(cwd).join(expanded(path)))
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn read(&self, path: &Path) -> Result<String, Unread> {
        read_text(path)
    }

    fn beginning(&self, path: &Path, bytes: usize) -> Option<String> {
        read_beginning(path, bytes)
    }
}

impl view::Telling for LiveView<'_> {
    fn told(&self, path: &Path) -> Result<Told, Unread> {
        // The person's own lie where the person wants them.
        let own = [self.own_directives(), crate::places::user_context()];
        if own.into_iter().flatten().any(|own| path.starts_with(own)) {
            return self.read(path).map(|text| Told { text, remark: None });
        }
        told::read(self.project.root(), path)
    }

    fn told_end(&self, path: &Path, bytes: u64) -> Result<(String, bool), Unread> {
        told::read_end(self.project.root(), path, bytes)
    }
}

impl view::Shell for LiveView<'_> {
    fn analysis(&self, command: &str, cwd: &str) -> Rc<Analysis> {
        let mut known = self.surroundings.borrow_mut();
        // The rest is the same for all commands of an event, and a handful of rules ask for each of them.
        let around = known.get_or_insert_with(|| self.surroundings_of(cwd));
        if around.cwd != cwd {
            cwd.clone_into(&mut around.cwd);
        }
        self.analyser.analyse(command, around)
    }

    fn too_large(&self) -> Option<&'static str> {
        self.analyser.too_large().or_else(|| self.links.too_many())
    }
}

impl view::Skills for LiveView<'_> {
    fn dialect(&self) -> &'static Dialect {
        self.client.dialect()
    }

    fn skill(&self, name: &str) -> Option<Known> {
        self.client.skill(name)
    }

    fn skill_files(&self, name: &str) -> skill::Found {
        self.client.skill_files(name)
    }

    fn agent_files(&self, name: &str) -> skill::Found {
        self.client.agent_files(name)
    }
}

impl view::Policy for LiveView<'_> {
    fn policy(&self) -> &ProjectPolicy {
        self.policy.get_or_init(|| policy_file::load(self.project, self.config.acceptance()).policy)
    }
}

impl view::Git for LiveView<'_> {
    fn branch(&self) -> Option<String> {
        git::branch(self.project.root())
    }

    fn unsaved(&self, asked: &Asked) -> Unsaved {
        unsaved::look(asked)
    }

    fn has_branch(&self, asked: &AskedBranch) -> Option<bool> {
        git::has_branch(asked)
    }
}

impl view::Outcomes for LiveView<'_> {
    fn unmet(&self, began: &Began) -> Vec<Condition> {
        let root = self.project.root().to_string_lossy();
        let (home, temporary) = (self.variable("HOME"), self.variable("TMPDIR"));
        let scope = EditScope {
            home: home.as_deref(),
            temporary: temporary.as_deref(),
            checks: &self.config.commands(&known::CHECKS),
            ..EditScope::new(&root, self.dialect())
        };
        chain_end::unmet(self.project, &self.session_id, began, &scope)
    }

    fn contents(&self, began: &Began) -> BTreeMap<String, String> {
        chain_end::contents(self.project.root(), began)
    }

    fn head(&self) -> Option<String> {
        git::head(self.project.root())
    }

    fn changed_in_turn(&self) -> bool {
        let Some(began) = view::Session::session(self).turn_began else { return true };
        let root = self.project.root().to_string_lossy();
        let (home, temporary) = (self.variable("HOME"), self.variable("TMPDIR"));
        let (home, temporary) = (home.as_deref(), temporary.as_deref());
        let scope = EditScope { home, temporary, ..EditScope::new(&root, self.dialect()) };
        let changes = |entry: &Entry| touch::is_by(entry, &scope, &|line, cwd| self.analysis(line, cwd));
        let folder = self.project.journal_folder();
        journal_file::any_since(&folder, began, clock::now(), &self.session_id, &changes)
    }

    fn last_tool(&self) -> Option<String> {
        journal_file::last_tool(&self.project.journal_folder(), clock::now(), &self.session_id)
    }

    fn orphaned_chains(&self) -> Vec<(String, Stored)> {
        chain_end::untold(self.project)
    }

    fn cleared_chain(&self) -> Option<String> {
        self.cleared()?.chain
    }

    fn is_damaged(&self) -> bool {
        self.session_file.is_damaged()
    }

    fn left_chains(&self) -> Vec<(String, Stored)> {
        let others = chain_end::orphaned(self.project).into_iter();
        others.filter(|(session, _)| *session != self.session_id).collect()
    }
}

impl view::Changes for LiveView<'_> {
    fn changed_files(&self) -> Vec<String> {
        let status = git::text(self.project.root(), &["status", "--porcelain", "--no-renames", "-z"]);
        let entries = status.as_deref().unwrap_or_default().split('\0');
        entries
            .filter_map(|entry| entry.get(3..))
            .filter(|path| !path.is_empty())
            .map(str::to_owned)
            .collect()
    }
}

impl view::Own for LiveView<'_> {
    fn own_folders(&self) -> &[PathBuf] {
        self.own.get_or_init(|| {
            let config = crate::places::user_config().and_then(|file| Some(file.parent()?.to_owned()));
            let project = [self.project.folder(), self.project.local_folder().to_owned()];
            let all = project.into_iter().chain(config).chain(self.project.user_state().map(Path::to_owned));
            all.map(|folder| self.links.resolve(&folder)).collect()
        })
    }

    fn program_folders(&self) -> Vec<PathBuf> {
        own_program::folders()
    }

    fn own_programs(&self) -> &[PathBuf] {
        self.programs.get_or_init(|| {
            let written = own_program::places();
            let real = written.iter().map(|path| self.links.resolve(path)).collect::<Vec<_>>();
            written.into_iter().chain(real).collect()
        })
    }

    fn own_program_name(&self) -> Option<OsString> {
        own_program::name()
    }

    fn has_other_names(&self, path: &Path) -> bool {
        own_program::has_other_names(path)
    }

    fn is_same_file(&self, one: &Path, other: &Path) -> bool {
        own_program::is_same_file(one, other)
    }

    fn own_directives(&self) -> Option<PathBuf> {
        crate::places::user_directives()
    }

    fn own_context(&self) -> Vec<PathBuf> {
        let is_of_project =
            |folder: &Path| self.links.resolve(folder).starts_with(self.links.resolve(self.root()));
        // Settings of a project may have set the variable.
        let folder = crate::places::user_context();
        let folder = folder.filter(|folder| self.is_trusted() || !is_of_project(folder));
        folder.map(|folder| crate::places::markdown_in(&folder)).unwrap_or_default()
    }
}

impl view::Settings for LiveView<'_> {
    fn client(&self) -> &dyn Client {
        &*self.client
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
}

impl view::Runners for LiveView<'_> {
    fn runners(&self, whole: bool) -> Option<Look> {
        seen_file::look(self.project, &*self.client, whole)
    }
}

impl view::Handover for LiveView<'_> {
    fn work_state(&self, work: &str) -> Found {
        let is_ours = |id: &str| id == self.session_id || self.cleared().is_some_and(|one| one.session == id);
        WorkFile::new(self.project, work).found(is_ours)
    }

    fn cleared_work(&self) -> Option<view::ClearedWork> {
        let Cleared { session, work, .. } = self.cleared()?;
        Some(view::ClearedWork { work: work?, session })
    }

    fn deeds(&self, sessions: &[String], since: Stamp) -> Deeds {
        let root = self.project.root().to_string_lossy();
        let (home, temporary) = (self.variable("HOME"), self.variable("TMPDIR"));
        let mut checks = self.config.commands(&known::CHECKS);
        let of_plan = view::Work::plan(self).map(|plan| plan.checks.as_slice()).unwrap_or_default();
        checks.extend(of_plan.iter().map(String::as_str));
        let scope = EditScope {
            home: home.as_deref(),
            temporary: temporary.as_deref(),
            checks: &checks,
            ..EditScope::new(&root, self.dialect())
        };
        deeds::read(self.project, sessions, since, &scope)
    }

    fn words(&self, transcript: Option<&str>, sessions: &[String]) -> Vec<String> {
        let words = self.client.words(transcript.map(Path::new), sessions, MOST_WORDS);
        let text = |input: UserInput| input.text;
        match words {
            Some(words) => words.into_iter().map(|words| words.text).collect(),
            // No transcript tells who wrote: what the client said was typed.
            None => deeds::last_input(self.project, sessions).map(text).into_iter().collect(),
        }
    }
}

impl view::Clock for LiveView<'_> {
    fn now(&self) -> Stamp {
        clock::now()
    }
}

impl view::Plans for LiveView<'_> {
    fn open_plan(&self, name: &str) -> Option<Plan> {
        PlanFile::new(self.project, name).peek_open()
    }

    fn orphaned_plans(&self) -> Vec<Plan> {
        let newest = plan_file::newest(self.project, MOST_PLANS).into_iter();
        let open = newest.filter_map(|name| self.open_plan(&name));
        open.filter(|plan| plan_file::is_orphaned(self.project, plan)).collect()
    }

    fn cleared_plan(&self) -> Option<view::ClearedPlan> {
        let cleared = self.cleared()?;
        Some(view::ClearedPlan { name: cleared.plan?, session: cleared.session })
    }
}

impl view::Transcript for LiveView<'_> {
    fn context_use(&self, transcript: &str) -> Option<ContextUse> {
        self.client.context_use(Path::new(transcript))
    }

    fn last_words(&self, transcript: &str) -> Option<String> {
        self.client.last_words(Path::new(transcript))
    }

    fn has_message(&self, transcript: &str, message: &str, since: Stamp) -> bool {
        self.client.has_message(Path::new(transcript), message, since)
    }
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

#[cfg(test)]
mod tests;
