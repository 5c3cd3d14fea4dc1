//! What a policy rule looks at: one tool call, taken apart.

use std::cell::OnceCell;
use std::rc::Rc;

use super::git::Unsaved;
use super::secrets::Holds;
use crate::dialect::Dialect;
use engine_shell::{Analysis, Effect, Run};
use engine_text::path::join;

/// A tool call as rules see it.
pub struct CallFacts {
    pub tool: String,
    /// The command as it was given; empty for other tools.
    pub text: String,
    pub analysis: Rc<Analysis>,
    pub effects: Vec<Effect>,
    pub places: Places,
    /// The current branch is one that takes changes by review only.
    pub on_protected_branch: bool,
    /// The run that would make a Markdown file too long.
    pub over_long: Option<usize>,
    /// Absolute patterns of files that are not changed.
    pub protected: Vec<String>,
    /// Known skills among the programs that are named by an absolute path of one part.
    pub skills: Vec<String>,
    /// The texts of settings files that a start of the client takes over, by run.
    pub settings: Vec<(usize, String)>,
    /// What git knows of changes in files that a run would discard, by run.
    pub unsaved: Vec<(usize, Unsaved)>,
    /// Runs that would move a branch, of which git says that it does not exist.
    pub new_branches: Vec<usize>,
    /// What files that are read hold, where their name lets a key be in them.
    pub held: Vec<(String, Holds)>,
    /// What the tables of programs find, by run and rule; looked up when a rule first asks.
    pub operations: OnceCell<Vec<(usize, &'static str)>>,
    /// Fields of the tool's input, for rules of the project.
    pub fields: Vec<(String, String)>,
    pub context: Context,
    /// The names of the client whose tool it is.
    pub dialect: &'static Dialect,
}

/// What a tool does to a file by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileUse {
    Read(String),
    Write(String),
    /// With everything below it.
    Delete(String),
}

/// In what the call happens, for rules that are limited to it.
#[derive(Debug, Clone, Default)]
pub struct Context {
    pub skill: Option<String>,
    pub phase: Option<String>,
    pub agent_type: Option<String>,
    pub mode: Option<String>,
    pub branch: Option<String>,
}

/// Folders of the system: what is in them is not the agent's.
const SYSTEM: &[&str] = &[
    "/",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/proc",
    "/root",
    "/sbin",
    "/srv",
    "/sys",
    "/usr",
    "/usr/bin",
    "/usr/lib",
    "/usr/local",
    "/usr/sbin",
    "/usr/share",
    "/var",
    "/var/lib",
    "/Users",
    "/System",
    "/Library",
    "/Applications",
    "/private",
    "/private/etc",
    "/private/var",
];

/// Folders that mean something.
#[derive(Debug, Clone, Default)]
pub struct Places {
    pub root: String,
    pub cwd: String,
    pub home: Option<String>,
    pub temporary: Option<String>,
}

impl Places {
    /// A folder whose loss is never meant: the system's, the home, the project, what holds it, and any repository.
    pub fn is_vital(&self, path: &str, pattern: bool) -> bool {
        // `x/*` is everything in x.
        let folder = everything_in(path).filter(|_| pattern).unwrap_or(path);
        SYSTEM.contains(&folder)
            || self.home.as_deref() == Some(folder)
            || folder == self.root
            || self.root.starts_with(&format!("{folder}/"))
            || self.is_repository(path, folder, pattern)
    }

    /// A `.git`, or something in it but a lock, which is left over when git was stopped.
    fn is_repository(&self, path: &str, folder: &str, pattern: bool) -> bool {
        let is_lock = folder.rsplit('.').next() == Some("lock");
        (is_in_repository(folder) && !is_lock)
            || (pattern && engine_text::glob::expands_to(path, &format!("{}/.git", self.root)))
    }

    /// The absolute path that a tool means: `~` is the home folder.
    fn place(&self, path: &str) -> String {
        let below = path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        match (below, &self.home) {
            (Some(below), Some(home)) => join("/", &format!("{home}{below}")),
            _ => join(&self.cwd, path),
        }
    }

    pub fn is_inside(&self, path: &str) -> bool {
        path == self.root || path.starts_with(&format!("{}/", self.root))
    }

    pub fn is_temporary(&self, path: &str) -> bool {
        let below = |folder: &str| path.starts_with(&format!("{}/", folder.trim_end_matches('/')));
        below("/tmp")
            || below("/var/tmp")
            || below("/private/tmp")
            || self.temporary.as_deref().is_some_and(below)
    }

    /// A path below the home folder, without it.
    pub fn below_home<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(self.home.as_deref()?)?.strip_prefix('/')
    }
}

/// A path below the home folder of somebody, without it.
pub(super) fn below_other_home(path: &str) -> Option<&str> {
    if let Some(rest) = path.strip_prefix("/root/") {
        return Some(rest);
    }
    let rest = path.strip_prefix("/home/").or_else(|| path.strip_prefix("/Users/"))?;
    Some(rest.split_once('/')?.1)
}

/// Whether a path is a `.git` or in one.
pub(super) fn is_in_repository(path: &str) -> bool {
    path.split('/').any(|part| part == ".git")
}

/// The folder of which a pattern means everything, hidden files or all others: `x/*`, `x/.*`, `x/?*`, `x/[!y]*`.
pub(super) fn everything_in(pattern: &str) -> Option<&str> {
    let (folder, name) = pattern.rsplit_once('/')?;
    let visible = name.strip_prefix('.').unwrap_or(name);
    let is_wild =
        visible.contains('*') && visible.bytes().all(|byte| matches!(byte, b'*' | b'?')) && visible != "**";
    let not_one = || {
        let rest = name.strip_prefix("[!").or_else(|| name.strip_prefix("[^"))?;
        let (class, stars) = rest.split_once(']')?;
        Some(!class.is_empty() && !stars.is_empty() && stars.bytes().all(|byte| byte == b'*'))
    };
    let is_all = is_wild || not_one() == Some(true);
    is_all.then_some(if folder.is_empty() { "/" } else { folder })
}

impl CallFacts {
    /// A command line for a shell.
    pub fn of_command(tool: &str, command: &str, analysis: Rc<Analysis>, places: Places) -> Self {
        let effects = analysis.effects.clone();
        Self { text: command.to_owned(), analysis, effects, ..Self::of_tool(tool, places) }
    }

    /// Any tool, of which only the name and the fields are known.
    pub fn of_tool(tool: &str, places: Places) -> Self {
        Self {
            tool: tool.to_owned(),
            text: String::new(),
            analysis: Rc::default(),
            effects: Vec::new(),
            places,
            on_protected_branch: false,
            over_long: None,
            protected: Vec::new(),
            skills: Vec::new(),
            settings: Vec::new(),
            unsaved: Vec::new(),
            new_branches: Vec::new(),
            held: Vec::new(),
            operations: OnceCell::new(),
            fields: Vec::new(),
            context: Context::default(),
            dialect: &Dialect::NONE,
        }
    }

    /// A tool that reads, writes or deletes files by itself.
    pub fn of_files(tool: &str, files: impl IntoIterator<Item = FileUse>, places: Places) -> Self {
        let effect = |(run, file): (usize, FileUse)| {
            let place = |path: String| places.place(&path);
            match file {
                FileUse::Read(path) => Effect::Read { run, path: place(path), pattern: false },
                FileUse::Write(path) => Effect::Write { run, path: place(path), pattern: false },
                FileUse::Delete(path) => {
                    Effect::Delete { run, path: place(path), recursive: true, pattern: false }
                }
            }
        };
        let effects: Vec<Effect> = files.into_iter().enumerate().map(effect).collect();
        // A run for each, so that a match shows its own file.
        let run = || Run { cwd: Some(places.cwd.clone()), ..Run::default() };
        let runs = effects.iter().map(|_| run()).collect();
        let analysis = Rc::new(Analysis { runs, effects: effects.clone(), ..Analysis::default() });
        Self { analysis, effects, ..Self::of_tool(tool, places) }
    }

    /// The file that a rule about files is about, where the run does not show it: behind a redirection, `{}` or a variable.
    pub(super) fn named_path(&self, rule: &str, run: usize) -> Option<&str> {
        let is_shown =
            || self.analysis.runs.get(run).is_none_or(|run| run.args.iter().all(|arg| !arg.unknown));
        let is_it = |effect: &&Effect| match rule {
            "files.protected" => self.is_protected(effect),
            "files.delete-root" | "files.chmod-root" => {
                effect.changes_content()
                    && effect.path().starts_with('/')
                    && self.places.is_vital(effect.path(), effect.is_pattern())
            }
            _ => false,
        };
        if rule != "files.protected" && is_shown() {
            return None;
        }
        self.effects.iter().filter(|effect| effect.run() == run).find(is_it).map(Effect::path)
    }

    /// An effect that changes a file which the project protects.
    pub(super) fn is_protected(&self, effect: &Effect) -> bool {
        effect.changes() && self.protected.iter().any(|pattern| self.analysis.meets(effect, pattern))
    }

    /// Runs on this machine that do something: no help text, no dry run.
    pub fn runs(&self) -> impl Iterator<Item = (usize, &Run)> {
        self.all_runs().filter(|(_, run)| !run.changes_nothing)
    }

    /// Runs here, on another machine or in a container that do something. What a client program does to a database or in a cloud is
    /// the same wherever it runs.
    pub(super) fn runs_anywhere(&self) -> impl Iterator<Item = (usize, &Run)> {
        self.analysis.runs.iter().enumerate().filter(|(_, run)| !run.changes_nothing)
    }

    /// Runs on this machine. What a project's rule names is for the project to say, a dry run too.
    pub fn all_runs(&self) -> impl Iterator<Item = (usize, &Run)> {
        self.analysis.runs.iter().enumerate().filter(|(_, run)| !run.remote)
    }
}
