//! The skills that the client has in a project, found the way it finds them (established by experiment, 2.1.325).
//!
//! In the order in which a name is looked up: the person's own, the project's (its folder, then those above it up to the
//! repository's root), the client's built-in ones, plugins. A plugin's skill is `plugin:folder`; if it declares a name,
//! that is a short form. Skills of `--add-dir` folders and of subfolders, which the client adds while it works, are looked for only where
//! a text is to be judged ([`below`]); whether a folder is trusted is not asked.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use engine_core::approval::Dialog;
use engine_core::client::{Client, ContextUse, Process, Snapshot, Words};
use engine_core::dialect::Dialect;
use engine_core::runner::Declared as Declares;
use engine_core::skill::{Declared, Found, Known};
use engine_store::project::Project;
use engine_text::field;
use engine_text::stamp::Stamp;

use crate::author::Author;
use crate::sources::{client_home, settings_files};
use crate::{DIALECT, agents, author, question, runners, tool, transcript, wiring};

mod agent_files;
mod answerer;
mod below;
mod cache;
mod plugins;
mod scan;

use below::Below;
use cache::Registry;
use scan::{Content, Scan, SkillFile};

/// Where a skill comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    User,
    Project,
    Plugin(String),
    BuiltIn,
}

impl Origin {
    pub fn describe(&self) -> String {
        match self {
            Self::User => "user".to_owned(),
            Self::Project => "project".to_owned(),
            Self::Plugin(name) => format!("plugin {name}"),
            Self::BuiltIn => "built in".to_owned(),
        }
    }
}

/// Skills that are part of the client, and its commands that are no skills.
pub const BUILT_IN_SKILLS: &[&str] = &[
    "batch",
    "claude-api",
    "code-review",
    "dataviz",
    "debug",
    "deep-research",
    "doctor",
    "fewer-permission-prompts",
    "loop",
    "plugin-authoring",
    "run",
    "run-skill-generator",
    "simplify",
    "update-config",
    "verify",
    "workflow-authoring",
];

const BUILT_IN_COMMANDS: &[&str] = &[
    "add-dir",
    "advisor",
    "agents",
    "artifacts",
    "auto-mode-setup",
    "autocompact",
    "background",
    "branch",
    "brief",
    "btw",
    "bug",
    "cd",
    "clear",
    "color",
    "compact",
    "config",
    "context",
    "copy",
    "cost",
    "desktop",
    "diff",
    "effort",
    "exit",
    "export",
    "fast",
    "feedback",
    "focus",
    "fork",
    "goal",
    "heapdump",
    "help",
    "hooks",
    "ide",
    "import",
    "init",
    "insights",
    "install",
    "install-github-app",
    "list-agents",
    "login",
    "logout",
    "loops",
    "mcp",
    "memory",
    "mobile",
    "model",
    "output-style",
    "passes",
    "permissions",
    "plan",
    "plugin",
    "privacy-settings",
    "recap",
    "reload-plugins",
    "reload-skills",
    "remote-control",
    "remote-env",
    "rename",
    "restart",
    "resume",
    "security-review",
    "session",
    "skills",
    "status",
    "stop",
    "tasks",
    "team-onboarding",
    "teleport",
    "terminal-setup",
    "theme",
    "tui",
    "ultraplan",
    "ultrareview",
    "upgrade",
    "usage",
    "version",
    "voice",
    "web-setup",
    "workflows",
];

/// Whether the client itself has a command or skill of this name.
pub fn is_built_in(name: &str) -> bool {
    BUILT_IN_SKILLS.contains(&name) || BUILT_IN_COMMANDS.contains(&name)
}

/// What decides which skills there are, apart from files.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    /// The folder in which the client was started.
    folder: PathBuf,
    home: Option<PathBuf>,
    /// Plugins that were named on the command line or in the environment.
    plugin_folders: Vec<PathBuf>,
}

impl Place {
    fn of(root: &Path) -> Self {
        let started =
            std::env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = started.unwrap_or_else(|| root.to_owned());
        let plugin_folders = plugins::named(&folder);
        Self { folder, home: client_home(), plugin_folders }
    }
}

/// A skill as `engine skill list` shows it.
#[derive(Debug)]
pub struct SkillEntry {
    /// How it is called: with its plugin's prefix.
    pub name: String,
    /// Another name that calls it.
    pub alias: Option<String>,
    pub origin: Origin,
    pub path: Option<PathBuf>,
    pub declared: Declared,
    /// Which skill of the same name comes first.
    pub hidden_by: Option<String>,
}

/// What the client loads that may hold hooks besides settings: the folders of plugins, and the files of skills and commands.
struct Loaded {
    plugins: Vec<PathBuf>,
    documents: Vec<PathBuf>,
    /// Settings files that the client was started with.
    settings: Vec<PathBuf>,
}

fn loaded(root: &Path) -> Loaded {
    let place = Place::of(root);
    let settings = plugins::started_with("--settings").into_iter();
    let settings = settings.map(|file| place.folder.join(file)).collect();
    let scan = look(&place, Scan::default());
    Loaded {
        plugins: scan.plugins,
        documents: scan.files.into_iter().map(|file| file.path).collect(),
        settings,
    }
}

/// The folders of the plugins that a client loads which is started in a folder.
pub(crate) fn plugin_folders(folder: &Path) -> Vec<PathBuf> {
    let place = Place { folder: folder.to_owned(), ..Place::of(folder) };
    look(&place, Scan::default()).plugins
}

/// Every skill, read anew.
pub fn all(root: &Path) -> Vec<SkillEntry> {
    let mut found: Vec<SkillEntry> = Vec::new();
    let add = |file: SkillEntry, found: &mut Vec<SkillEntry>| {
        let twin = found.iter().find(|other| other.name == file.name && other.hidden_by.is_none());
        let hidden_by = twin.map(|twin| match &twin.path {
            Some(path) => format!("{} ({})", twin.origin.describe(), path.display()),
            None => twin.origin.describe(),
        });
        found.push(SkillEntry { hidden_by, ..file });
    };
    let files = look(&Place::of(root), Scan::default()).files;
    let (plugins, own): (Vec<SkillFile>, Vec<SkillFile>) =
        files.into_iter().partition(|file| matches!(file.origin, Origin::Plugin(_)));
    for file in own {
        add(found_of(file), &mut found);
    }
    for name in BUILT_IN_SKILLS {
        let declared = Declared { callable: true, typable: true, ..Declared::default() };
        let (name, origin) = ((*name).to_owned(), Origin::BuiltIn);
        add(SkillEntry { name, alias: None, origin, path: None, declared, hidden_by: None }, &mut found);
    }
    for file in plugins {
        add(found_of(file), &mut found);
    }
    found
}

fn found_of(file: SkillFile) -> SkillEntry {
    let name = file.called();
    let alias = file.alias().filter(|alias| *alias != name).map(str::to_owned);
    let mut declared = match file.content {
        Content::Read(declared) => *declared,
        // A fresh look knows nothing from earlier.
        Content::Known { .. } => Declared::default(),
    };
    declared.callable &= !file.hidden;
    SkillEntry { name, alias, origin: file.origin, path: Some(file.path), declared, hidden_by: None }
}

impl SkillFile {
    /// The name that always calls it.
    fn called(&self) -> String {
        match &self.origin {
            Origin::Plugin(plugin) => format!("{plugin}:{}", self.name),
            _ => self.name.clone(),
        }
    }

    /// Another name that calls it, if no skill before it has it.
    fn alias(&self) -> Option<&str> {
        if self.is_command { None } else { self.content.alias() }
    }
}

/// Looks at everything that the client looks at.
fn look<'c>(place: &Place, mut scan: Scan<'c>) -> Scan<'c> {
    if let Some(home) = &place.home {
        scan.skills(&home.join("skills"), &Origin::User);
        scan.commands(&home.join("commands"), &Origin::User);
    }
    for folder in up_to_repository(&place.folder) {
        let folder = folder.join(".claude");
        // Without a project's own folder the person's would be read twice.
        if place.home.as_ref() != Some(&folder) {
            scan.skills(&folder.join("skills"), &Origin::Project);
            scan.commands(&folder.join("commands"), &Origin::Project);
        }
    }
    let settings = Settings::read(place, &mut scan);
    plugins::in_skill_folders(&settings, &mut scan);
    plugins::look(place, &settings, &mut scan);
    settings.override_skills(&mut scan);
    scan
}

/// The folder and those above it, up to the one that holds `.git`; without a repository all of them.
fn up_to_repository(folder: &Path) -> Vec<&Path> {
    let all: Vec<&Path> = folder.ancestors().collect();
    let root = all.iter().position(|folder| folder.join(".git").exists());
    all[..root.map_or(all.len(), |root| root + 1)].to_vec()
}

/// The settings files that say which plugins and skills are on, the most specific first.
struct Settings(Vec<String>);

impl Settings {
    fn read(place: &Place, scan: &mut Scan<'_>) -> Self {
        let folder = place.folder.join(".claude");
        let mut paths = vec![folder.join("settings.local.json"), folder.join("settings.json")];
        paths.extend(place.home.as_ref().map(|home| home.join("settings.json")));
        Self(paths.iter().filter_map(|path| scan.text(path)).collect())
    }

    /// Whether a plugin is on: only `true` counts, the most specific file that names it decides.
    fn enables(&self, plugin: &str) -> Option<bool> {
        self.0.iter().find_map(|text| {
            let plugins = field::raw(text, "enabledPlugins")?;
            Some(field::raw(plugins.get(), plugin)?.get() == "true")
        })
    }

    /// All plugins that some file names.
    fn plugins(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for text in &self.0 {
            let plugins = field::raw(text, "enabledPlugins").map_or("", |raw| raw.get());
            names.extend(field::all(plugins).into_iter().flatten().map(|(name, _)| name));
        }
        names.sort();
        names.dedup();
        names
    }

    /// `skillOverrides` takes skills away, or from the model. Plugins' skills are not concerned.
    fn override_skills(&self, scan: &mut Scan<'_>) {
        let word = |name: &str| {
            self.0.iter().find_map(|text| {
                let overrides = field::raw(text, "skillOverrides")?;
                field::string(overrides.get(), name).map(std::borrow::Cow::into_owned)
            })
        };
        if !self.0.iter().any(|text| text.contains("skillOverrides")) {
            return;
        }
        scan.files.retain_mut(|file| {
            if matches!(file.origin, Origin::Plugin(_)) {
                return true;
            }
            match word(&file.name).as_deref() {
                Some("off") => false,
                Some("user-invocable-only") => {
                    file.hidden = true;
                    true
                }
                _ => true,
            }
        });
    }
}

/// Claude Code in a project, for the rules and commands.
pub struct Claude {
    root: PathBuf,
    /// The root of the repository's main checkout, where that is not the root.
    repository: Option<PathBuf>,
    /// Where the registry is kept, if anywhere.
    state: Option<PathBuf>,
    registry: OnceCell<Registry>,
    /// What is in no place that the registry knows.
    below: OnceCell<Below>,
}

impl Claude {
    pub fn new(project: &Project) -> Self {
        let state = Some(project.local_folder().join("state/skills"));
        let repository = project.repository().map(Path::to_owned);
        Self {
            root: project.root().to_owned(),
            repository,
            state,
            registry: OnceCell::new(),
            below: OnceCell::new(),
        }
    }

    /// Around a folder that is no project: nothing is kept.
    pub fn around(folder: &Path) -> Self {
        Self {
            root: folder.to_owned(),
            repository: None,
            state: None,
            registry: OnceCell::new(),
            below: OnceCell::new(),
        }
    }
}

/// Where the text of a skill is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Located {
    File(PathBuf),
    /// Part of the client.
    BuiltIn,
}

impl Claude {
    /// Where the skill that a name calls is, by the registry: only files that changed are read.
    pub fn locate(&self, name: &str) -> Option<Located> {
        self.registry().locate(name)
    }

    fn registry(&self) -> &Registry {
        self.registry.get_or_init(|| Registry::open(Place::of(&self.root), self.state.clone()))
    }
}

impl Client for Claude {
    fn dialect(&self) -> &'static Dialect {
        &DIALECT
    }

    fn settings_files(&self) -> Vec<PathBuf> {
        settings_files(&self.root, self.repository.as_deref())
    }

    fn skill(&self, name: &str) -> Option<Known> {
        self.registry().find(name)
    }

    fn skill_files(&self, name: &str) -> Found {
        match self.locate(name) {
            Some(Located::File(path)) => Found { files: vec![path], is_cut: false },
            Some(Located::BuiltIn) => Found::default(),
            None if is_built_in(name) => Found::default(),
            None => self.below.get_or_init(|| Below::look(&Place::of(&self.root), &self.root)).find(name),
        }
    }

    fn agent_files(&self, name: &str) -> Found {
        agent_files::find(&self.root, name)
    }

    fn context_use(&self, path: &Path) -> Option<ContextUse> {
        transcript::context_use(path)
    }

    fn last_words(&self, path: &Path) -> Option<String> {
        transcript::last_words(path)
    }

    fn words(&self, near: Option<&Path>, sessions: &[String], most: usize) -> Option<Vec<Words>> {
        author::words(near, sessions, most)
    }

    fn has_message(&self, transcript: &Path, message: &str, since: Stamp) -> bool {
        author::author(transcript, message, since).map_or(true, |author| author != Author::Nobody)
    }

    fn asks(&self, input: &str, dialog: &Dialog, is_answered: bool) -> bool {
        question::asks(input, dialog, is_answered)
    }

    fn question(&self, dialog: &Dialog) -> String {
        question::input(dialog).to_string()
    }

    fn with_prompt(&self, input: &str, prompt: &str) -> Option<String> {
        tool::with_prompt(input, prompt)
    }

    fn other_answerer(&self, began: Stamp, now: Stamp) -> Option<String> {
        answerer::other_answerer(&self.root, self.settings_files(), began, now)
    }

    fn is_agent(&self, process: &Process) -> bool {
        agents::is_agent(process)
    }

    fn runner_files(&self, whole: bool) -> Vec<PathBuf> {
        runners::files(&self.root, self.settings_files(), whole)
    }

    fn declared(&self, file: &Path, text: &str) -> Declares {
        runners::declared(&self.root, file, text)
    }

    fn snapshot(&self, settings: &str) -> Snapshot {
        wiring::snapshot(settings)
    }

    fn harm(&self, before: &Snapshot, after: &str) -> Option<String> {
        wiring::harm(before, after)
    }

    fn harm_done(&self, before: &Snapshot, now: &str) -> Option<String> {
        wiring::harm_done(before, now)
    }
}
