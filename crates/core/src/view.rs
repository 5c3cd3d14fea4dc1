//! What a rule may look at, by noun. Everything is read when asked for, so a rule that does not ask costs nothing.
//!
//! A rule names the nouns that it needs, and a test stubs only those. [`Replay`] is what is still known when an event is judged again
//! later; [`View`] is everything. A rule that is declared to replay gets a [`Replay`], so the compiler checks that it asks nothing else.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use engine_shell::Analysis;
use engine_text::path::join;
use engine_text::stamp::Stamp;

use crate::approval::Request;
use crate::chain::{Began, Condition, Stored};
use crate::client::{Client, ClientProcess, ContextUse, Snapshot};
use crate::config::Config;
use crate::dialect::Dialect;
use crate::enrich;
use crate::evidence::recorder::Ran;
use crate::note::Scoped;
use crate::plan::{Armed, BoundPlan, Plan};
use crate::policy::{Asked, AskedBranch, ProjectPolicy, Unsaved};
use crate::ran::JudgedCall;
use crate::restored::{self, Deeds};
use crate::runner::Look;
use crate::session::SessionState;
use crate::skill::{Found, Known};
use crate::stage::Stages;
use crate::status::Holder;
use crate::task::Task;
use crate::trust::{RuleChange, UntoldTexts};
use crate::work::BoundWork;

/// The project, its configuration, and the variables of the process.
pub trait Project {
    fn config(&self) -> &Config;

    /// The folder that holds `.engine/`.
    fn root(&self) -> &Path;

    fn variable(&self, name: &str) -> Option<String>;

    /// Whether the person trusts the project, so that its texts may be told to a model.
    fn is_trusted(&self) -> bool {
        !self.config().acceptance().is_untrusted
    }
}

/// The agent session that the event belongs to.
pub trait Session {
    /// Its state, as it was when first asked for.
    fn session(&self) -> &SessionState;

    /// How the settings files stand now, by their paths; those that say nothing of the engine are left out.
    fn wiring(&self) -> Vec<(String, Snapshot)>;

    /// The client that sends this event, where the system tells. A replay has none.
    fn sender(&self) -> Option<ClientProcess> {
        None
    }

    /// Whether a client still runs.
    fn runs(&self, client: ClientProcess) -> bool {
        let _ = client;
        false
    }
}

/// What the agent session works on.
pub trait Work {
    /// The work session that it is bound to. Cheap where there is none.
    fn work(&self) -> Option<&BoundWork>;

    /// Its open plan. Cheap where there is none.
    fn plan(&self) -> Option<&BoundPlan>;

    /// What `/do` began and no locked plan has taken over yet. Cheap where there is nothing. A replay has nothing.
    fn armed(&self) -> Option<&Armed> {
        None
    }

    /// The quick plan that was being closed when a hook was killed. Cheap where there is nothing. A replay has nothing.
    fn closing(&self) -> Option<&str> {
        None
    }

    /// Whether directives wait for the next event of some agent. Cheap where none do. A replay has none.
    fn has_queued_directives(&self) -> bool {
        false
    }

    /// The runs that the recorder has noted since an event last asked, the oldest first. An event that asks claims them: no other gets
    /// them. Cheap where neither a plan nor a work session is open. A replay has none.
    fn recorded(&self) -> &[Ran] {
        &[]
    }

    /// The folder in which a call of a tool began: the event that ends it may carry the folder in which it ended. A replay does not
    /// know.
    fn began_in(&self, call: &str) -> Option<String> {
        let _ = call;
        None
    }

    /// A call of a tool as it was judged before it ran, if that is known. A replay does not know.
    fn judged(&self, call: &str) -> Option<JudgedCall> {
        let _ = call;
        None
    }
}

/// The time.
pub trait Clock {
    fn now(&self) -> Stamp;
}

/// The plans of the project. What asks opens files.
pub trait Plans {
    /// An open plan by its name.
    fn open_plan(&self, name: &str) -> Option<Plan>;

    /// Open plans whose agent session is not alive, those that were changed last first.
    fn orphaned_plans(&self) -> Vec<Plan>;

    /// The plan that was open when the person cleared the context of this client.
    fn cleared_plan(&self) -> Option<ClearedPlan>;
}

/// A plan by its name, and the agent session that ended with the clear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClearedPlan {
    pub name: String,
    pub session: String,
}

/// What an agent that judges is told. Read only where one is started.
pub trait Briefs {
    /// The files that differ from an earlier content of the project, from its root.
    fn changed_since(&self, content: &str) -> Option<Vec<String>>;

    /// The input of the tool that starts an agent, with another prompt.
    fn with_prompt(&self, input: &str, prompt: &str) -> Option<String>;
}

/// What needs a person's word.
pub trait Approvals {
    /// The requests of this agent session. Cheap where there are none.
    fn approvals(&self) -> &[Request];

    /// What a person's word was used for, in lines that have not been shown.
    fn spent(&self) -> &[String];

    /// What another agent session took from this one, and it does not know yet.
    fn lost(&self) -> &[String];

    /// Whether the input of the tool that asks is the dialog of a request, and nothing else; with the answer, once there is one.
    fn asks(&self, input: &str, request: &Request, is_answered: bool) -> bool;

    /// The input for that dialog.
    fn question(&self, request: &Request) -> String;

    /// Why the answer in a dialog may be another hook's and no person's.
    fn other_answerer(&self) -> Option<String>;

    /// Why this event cannot carry a person's word: something else than the session's client sent it.
    fn forged(&self) -> Option<String>;
}

/// What of the project's files the person has not accepted. What asks opens files.
pub trait Trust {
    /// Whether there is no `.engine/`, only what the person accepted of it.
    fn is_gone(&self) -> bool {
        false
    }

    /// How the rules of `.engine/policy.toml` differ from those that were accepted.
    fn rule_changes(&self) -> Vec<RuleChange>;

    /// A name for what the project's files say now.
    fn content(&self) -> String;

    /// The texts of the project that are not told to a model while it is not trusted.
    fn untold_texts(&self) -> UntoldTexts;

    /// Whether the person knows of this already, from this session or an earlier one.
    fn knows(&self, news: &str) -> bool;

    /// Context files that differ from those of the last session; `None` if there is nothing to remember.
    fn changed_context(&self) -> Option<Vec<String>>;
}

/// The task file.
pub trait Tasks {
    /// Its name, from the project's root.
    fn task_file(&self) -> String;

    /// Its text, for a model or a person.
    fn tasks(&self) -> Result<Told, Unread>;

    /// Who works on a task in progress, as this session sees it.
    fn holder(&self, task: &Task) -> Holder;

    /// The text of the task file that a path is, if it is one: the project's, or that of another worktree of its repository. No other
    /// file is opened. A replay has none.
    fn task_file_at(&self, path: &Path) -> Option<Result<Told, Unread>> {
        let _ = path;
        None
    }
}

/// What the project has written down. What asks reads one file.
pub trait Enrich {
    /// The items that fit the words of a prompt, the best first, whether they are to be told or not; or why nothing can be found.
    fn fitting(&self, words: &[String]) -> Result<enrich::Found, String>;
}

/// Files and folders, as they are now.
pub trait Files {
    /// The path that a tool names, absolute, without `..`, through symbolic links as far as they exist.
    fn resolve(&self, cwd: &str, path: &str) -> PathBuf;

    /// Whether there is something at a path.
    fn exists(&self, path: &Path) -> bool;

    /// The text of a file, or why there is none. For a judgement only: the file may be any that a link leads to. What comes into a
    /// context is read by [`Telling`].
    fn read(&self, path: &Path) -> Result<String, Unread>;

    /// The first bytes of a file, as far as they are text. For a judgement only.
    fn beginning(&self, path: &Path, bytes: usize) -> Option<String> {
        let text = self.read(path).ok()?;
        Some(text[..text.floor_char_boundary(bytes)].to_owned())
    }
}

/// Files of the project whose text comes into a context. A file that leads out of the project or to a secret has none.
pub trait Telling {
    fn told(&self, path: &Path) -> Result<Told, Unread>;

    /// The end of a file that may be long, and whether that is all of it.
    fn told_end(&self, path: &Path, bytes: u64) -> Result<(String, bool), Unread> {
        let _ = bytes;
        self.told(path).map(|told| (told.text, true))
    }
}

/// Command lines, taken apart.
pub trait Shell {
    /// What a command line does that is run in a folder. Several rules ask for the same one of an event.
    fn analysis(&self, command: &str, cwd: &str) -> Rc<Analysis>;

    /// Why something that a rule has looked at for this event could not be judged to its end: a command, or the paths that it names.
    fn too_large(&self) -> Option<&'static str>;
}

/// The client's names and skills.
pub trait Skills {
    fn dialect(&self) -> &'static Dialect;

    /// What is known of a skill by its name.
    fn skill(&self, name: &str) -> Option<Known>;

    /// Where the text of a skill is. A replay does not know.
    fn skill_files(&self, name: &str) -> Found {
        let _ = name;
        Found::default()
    }

    /// Where the text of an agent is. A replay does not know.
    fn agent_files(&self, name: &str) -> Found {
        let _ = name;
        Found::default()
    }
}

/// The project's own policy.
pub trait Policy {
    fn policy(&self) -> &ProjectPolicy;
}

/// The repository.
pub trait Git {
    /// The branch that is checked out.
    fn branch(&self) -> Option<String>;

    /// Whether files that a command would discard have changes. It starts git, so it is asked for such a command only. What a replay
    /// does not know is nothing.
    fn unsaved(&self, asked: &Asked) -> Unsaved {
        let _ = asked;
        Unsaved::Nothing
    }

    /// Whether a branch exists that a command would move. It starts git, so it is asked for such a command only. Nothing if git cannot
    /// be asked, as in a replay.
    fn has_branch(&self, asked: &AskedBranch) -> Option<bool> {
        let _ = asked;
        None
    }
}

/// How chains of skills come to their ends.
pub trait Outcomes {
    /// What is missing of the facts by which an entry of a chain counts as done.
    fn unmet(&self, _began: &Began) -> Vec<Condition> {
        Vec::new()
    }

    /// What the files hold now by which an entry that begins will count as done: a fingerprint by path.
    fn contents(&self, _began: &Began) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// Whether a file was changed or a commit made since the person's last prompt. Read from the journal; where that does not tell, and in
    /// a replay, it may have been.
    fn changed_in_turn(&self) -> bool {
        true
    }

    /// The commit that the project is at.
    fn head(&self) -> Option<String> {
        None
    }

    /// The tool of the main agent's last event; none where that was no call of a tool. A replay does not know.
    fn last_tool(&self) -> Option<String> {
        None
    }

    /// Chains whose client is gone and of which no session was told, by their sessions.
    fn orphaned_chains(&self) -> Vec<(String, Stored)> {
        Vec::new()
    }

    /// The chain that ended when the person cleared the context.
    fn cleared_chain(&self) -> Option<String> {
        None
    }

    /// Whether what the session remembers cannot be read.
    fn is_damaged(&self) -> bool {
        false
    }

    /// All chains whose client is gone, by their sessions.
    fn left_chains(&self) -> Vec<(String, Stored)> {
        Vec::new()
    }
}

/// What has changed since the last commit.
pub trait Changes {
    /// Files that differ from it, from the project's root.
    fn changed_files(&self) -> Vec<String>;
}

/// The engine's own folders and program.
pub trait Own {
    /// Those of the project, and the person's configuration and state, with links resolved.
    fn own_folders(&self) -> &[PathBuf];

    /// Where the engine's program is: as it runs, as it was started, as a shell finds it; with links resolved, and without. A replay
    /// has none.
    fn own_programs(&self) -> &[PathBuf] {
        &[]
    }

    /// The folders along PATH, in which a shell finds programs. A replay has none.
    fn program_folders(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// The name under which the program runs. Cheap.
    fn own_program_name(&self) -> Option<OsString> {
        None
    }

    /// Whether a file has more than one name, as hard links give it.
    fn has_other_names(&self, path: &Path) -> bool {
        let _ = path;
        false
    }

    /// Whether two paths name one file, by device and inode.
    fn is_same_file(&self, one: &Path, other: &Path) -> bool {
        let _ = (one, other);
        false
    }

    /// The person's own directives, which hold for every project.
    fn own_directives(&self) -> Option<PathBuf>;

    /// The person's own context files, which hold for every project, by their names. A replay has none.
    fn own_context(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}

/// What is to be remembered.
pub trait Notes {
    /// The notes that have a scope and are told. Cheap where there are none.
    fn scoped_notes(&self) -> Vec<Scoped>;
}

/// The client's settings files.
pub trait Settings {
    /// What only the client's adapter knows.
    fn client(&self) -> &dyn Client;

    /// The files that the client reads hooks from, with symbolic links resolved.
    fn settings_files(&self) -> &[PathBuf];

    /// What engine's own commands last left of us in a settings file, if they wrote it at all.
    fn installed(&self, settings: &Path) -> Option<Snapshot>;
}

/// What the client runs by itself: hooks, servers, helpers.
pub trait Runners {
    /// How it stands in the files that changed since it was looked at last; nothing where none did. `whole`: also in the client's own
    /// file, which is large and changes all the time.
    fn runners(&self, whole: bool) -> Option<Look>;
}

/// What one agent session leaves to the next. What asks opens files.
pub trait Handover {
    /// The state of a work session, if it is this session's, its predecessor's in this client, or nobody's.
    fn work_state(&self, work: &str) -> restored::Found;

    /// The work session that was bound when the person cleared the context of this client.
    fn cleared_work(&self) -> Option<ClearedWork>;

    /// What the journal has of agent sessions since a moment.
    fn deeds(&self, sessions: &[String], since: Stamp) -> Deeds;

    /// What a person wrote in agent sessions, the newest first. `transcript`: of the session that asks.
    fn words(&self, transcript: Option<&str>, sessions: &[String]) -> Vec<String>;
}

/// A work session as an agent session knew it, and the agent session that ended with the clear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClearedWork {
    pub work: BoundWork,
    pub session: String,
}

/// The client's transcript.
pub trait Transcript {
    /// How full the model's context is.
    fn context_use(&self, transcript: &str) -> Option<ContextUse>;

    /// What the main agent said last.
    fn last_words(&self, transcript: &str) -> Option<String>;

    /// Whether the agent has this very message, which was sent since a moment. Of a transcript that cannot be read: yes.
    fn has_message(&self, transcript: &str, message: &str, since: Stamp) -> bool;
}

/// What is still known when an event is judged again later. Tasks and the texts of files are unknown then; links and the existence of
/// files are those of today.
pub trait Replay:
    Outcomes + Project + Session + Work + Tasks + Stages + Files + Shell + Skills + Policy + Git
{
}

impl<V: Outcomes + Project + Session + Work + Tasks + Stages + Files + Shell + Skills + Policy + Git + ?Sized>
    Replay for V
{
}

/// The world as rules see it while the agent works: read-only, lazy.
pub trait View:
    Replay
    + Approvals
    + Briefs
    + Changes
    + Clock
    + Notes
    + Own
    + Plans
    + Enrich
    + Runners
    + Settings
    + Handover
    + Telling
    + Transcript
    + Trust
{
}

impl<
    V: Replay
        + Approvals
        + Briefs
        + Changes
        + Clock
        + Notes
        + Own
        + Plans
        + Enrich
        + Runners
        + Settings
        + Handover
        + Telling
        + Transcript
        + Trust
        + ?Sized,
> View for V
{
}

/// The folder in which the client keeps one folder per project, without links. `cwd` is where a relative path starts.
pub fn client_projects(cwd: &str, view: &(impl Project + Files + Skills + ?Sized)) -> PathBuf {
    let dialect = view.dialect();
    let own = view.variable(dialect.home_variable).filter(|folder| !folder.is_empty());
    let folder = own.as_deref().unwrap_or(dialect.home).trim_end_matches('/');
    view.resolve(cwd, &format!("{folder}/{}", dialect.projects))
}

/// The path relative to the project's root, or nothing if it is outside. The path as written is tried first, so files reached through a
/// linked folder count as part of the project.
pub fn below_root(path: &str, view: &(impl Project + Files + ?Sized)) -> Option<PathBuf> {
    let written = PathBuf::from(join("/", path));
    if let Ok(below) = written.strip_prefix(view.root()) {
        return Some(below.to_owned());
    }
    let root = view.resolve("/", &view.root().to_string_lossy());
    view.resolve("/", path).strip_prefix(root).ok().map(Path::to_owned)
}

/// The text of a file that comes into a context.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    pub text: String,
    /// What the person should know about the file.
    pub remark: Option<&'static str>,
}

/// Why a file has no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unread {
    Missing,
    Unreadable(String),
}
