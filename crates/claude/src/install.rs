//! Putting engine into a project and taking it out again.
//!
//! Everything is planned first, as a list of files with their text before and after, and written then. What was
//! written is remembered in a manifest: taking out restores a file that is still as we left it to its exact
//! bytes, and removes only our own parts from one that has changed since.

use std::io;
use std::path::{Path, PathBuf};

use fs_err as fs;

use crate::event_name::EventName;
use crate::wiring::{self, Settings, is_ours, wired_events};
use engine_store::atomic::{self, Durability};
use engine_store::git;
use engine_store::links::resolve;
use engine_store::lock;
use engine_store::places;
use engine_store::project::Project;
use engine_store::read::{read_bytes, read_string};
use engine_store::reason::reason;
use engine_text::line::text_seal;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json_edit::{EditError, check_strict};
use crate::settings::{self, Kept, StatusLine};

mod granted;
mod line;
mod manifest;
mod refresh;
mod shipped;
mod uninstall;
mod written;

use manifest::{Manifest, Touched, project_manifest, user_manifest, without_mark, without_us};
pub use refresh::{Drift, drift, plan_refresh};
pub use shipped::{Shipment, ShippedFile, Standing};
pub use uninstall::{KeptFile, Removal, plan_uninstall};
use written::{AGENTS, CLIENT_FOLDER, FRAGMENT, INSTRUCTIONS, SKILLS, exclude_file};

/// Which of the client's settings files holds our hook entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// `.claude/settings.json`, committed: for the whole team.
    Project,
    /// `.claude/settings.local.json`: for you, in this project.
    Local,
    /// `~/.claude/settings.json`: for you, in every project that has an `.engine/`.
    User,
}

impl Scope {
    pub const ALL: [Self; 3] = [Self::Project, Self::Local, Self::User];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Local => "local",
            Self::User => "user",
        }
    }
}

/// The client's own folder in the person's home.
pub fn client_home() -> Option<PathBuf> {
    let configured =
        std::env::var_os("CLAUDE_CONFIG_DIR").filter(|value| !value.is_empty()).map(PathBuf::from);
    configured.or_else(|| Some(places::home()?.join(".claude")))
}

/// The settings file of a scope.
pub fn settings_file(root: &Path, scope: Scope) -> Option<PathBuf> {
    match scope {
        Scope::Project => Some(root.join(".claude/settings.json")),
        Scope::Local => Some(root.join(".claude/settings.local.json")),
        Scope::User => Some(client_home()?.join("settings.json")),
    }
}

/// All settings files that can hold hooks for this project. The client may have been started below the
/// project's root and then reads those of its own folder.
pub fn settings_files(root: &Path) -> Vec<PathBuf> {
    let client_project = std::env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    let mut roots = vec![root];
    roots.extend(client_project.as_deref().filter(|folder| folder.is_absolute() && *folder != root));
    let mut files: Vec<PathBuf> = Vec::new();
    for root in roots {
        files.extend([Scope::Project, Scope::Local].iter().filter_map(|scope| settings_file(root, *scope)));
    }
    files.extend(settings_file(root, Scope::User));
    files
}

/// A skill or an agent that comes with the binary.
#[derive(Debug, Clone, Copy)]
pub struct Shipped {
    pub name: &'static str,
    pub text: &'static str,
    /// What lies beside a skill's text: path from its folder, and text.
    pub files: &'static [(&'static str, &'static str)],
}

/// Commands that the agent may run without a dialog: they read, or change tasks, tags, logs, directives and the queue. Nothing that runs
/// other programs is among them. What changes configuration (`evidence learn --set`) asks the person itself.
pub const EVERYDAY_COMMANDS: &[&str] = &[
    "status",
    "task",
    "handoff",
    "session",
    "log",
    "chain",
    "plan",
    "evidence",
    "tag",
    "sigil",
    "glob",
    "directives",
    "discover-directives",
    "skill list",
    "skill check",
    "policy",
    "learn",
    "q",
    "why",
    "explain",
    "rules",
    "journal",
    "show",
    "config show",
    "config get",
];

/// What to install.
#[allow(clippy::struct_excessive_bools, reason = "each is an option of the command")]
pub struct InstallOptions<'a> {
    pub scope: Scope,
    pub events: &'a [EventName],
    /// The absolute path of this binary, for scopes that are not shared.
    pub program: &'a Path,
    pub permissions: bool,
    /// The checks that the project names: the agent may have the engine run them.
    pub checks: &'a [&'a str],
    pub skills: &'a [Shipped],
    pub agents: &'a [Shipped],
    /// A tool call is blocked when the engine itself fails.
    pub closed: bool,
    /// The text of the fragment that CLAUDE.md imports.
    pub fragment: Option<&'a str>,
    /// Set the client's status line, if nobody has.
    pub statusline: bool,
    /// Text of a new `config.toml`.
    pub config: &'a str,
    /// By which what an earlier version installed is known.
    pub shipment: &'a Shipment,
    /// Edit a settings file that the client would ignore.
    pub force: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error("engine is wired already in {} ({scope} scope)", path.display())]
    WiredElsewhere { scope: &'static str, path: PathBuf },
    #[error("engine is wired already by the plugin {plugin} in {}", path.display())]
    WiredByPlugin { plugin: String, path: PathBuf },
    #[error("{}: {error}", path.display())]
    Settings { path: PathBuf, error: EditError },
    #[error("{}: {}", path.display(), reason(error))]
    Io { path: PathBuf, error: io::Error },
    #[error("no home folder: HOME is not set")]
    NoHome,
}

/// One file to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    pub path: PathBuf,
    /// Nothing: the file is not there.
    pub before: Option<String>,
    /// Nothing: the file goes.
    pub after: Option<String>,
}

/// What will be done, and what there is to say about it.
#[derive(Debug, Default)]
pub struct Plan {
    pub changes: Vec<FileChange>,
    pub notes: Vec<String>,
    project: Manifest,
    user: Manifest,
    /// Folders that go if they are empty then, innermost first.
    emptied: Vec<PathBuf>,
}

/// Keeps two commands from changing settings and manifest at once.
pub fn lock(project: &Project) -> io::Result<fs::File> {
    let folder = project.own_state_folder();
    Project::make_local(&folder)?;
    lock::hold(&folder.join("install.lock"))
}

/// Where our entries stand now.
pub struct Wiring {
    pub scope: Scope,
    pub path: PathBuf,
    pub events: Vec<String>,
    /// The commands of our entries, with their arguments.
    pub commands: Vec<(String, Vec<String>)>,
}

/// The scopes that wire engine, as far as their files can be read.
pub fn wirings(root: &Path) -> Vec<Wiring> {
    let mut found = Vec::new();
    for scope in Scope::ALL {
        let Some(path) = settings_file(root, scope) else { continue };
        let Ok(text) = read_string(&path) else { continue };
        let Some(hooks) = Settings::read(&text).map(|settings| settings.hooks()) else { continue };
        let events = wired_events(&hooks);
        if !events.is_empty() {
            let commands = events.iter().map(|event| command_of(&hooks, event)).collect();
            found.push(Wiring { scope, path, events, commands });
        }
    }
    found
}

/// The first of our commands under an event.
fn command_of(hooks: &Value, event: &str) -> (String, Vec<String>) {
    let groups = hooks[event].as_array().into_iter().flatten();
    let mut hooks = groups.flat_map(|group| group["hooks"].as_array().into_iter().flatten());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let ours = hooks.find(|hook| is_ours(hook));
    ours.map(|hook| match hook["args"].as_array() {
        Some(args) => (text(&hook["command"]), args.iter().map(text).collect()),
        None => ("sh".to_owned(), vec!["-c".to_owned(), text(&hook["command"])]),
    })
    .unwrap_or_default()
}

/// Our plugin, where a settings file enables it.
pub fn enabled_plugin(root: &Path) -> Option<(String, PathBuf)> {
    Scope::ALL.iter().find_map(|scope| {
        let path = settings_file(root, *scope)?;
        let text = read_string(&path).ok()?;
        let plugin = Settings::read(&text)?.plugin()?;
        Some((plugin, path))
    })
}

/// Plans `engine init`. Nothing is written.
pub fn plan_init(project: &Project, options: &InstallOptions<'_>) -> Result<Plan, InstallError> {
    let root = project.root();
    let own_file = settings_file(root, options.scope).ok_or(InstallError::NoHome)?;
    if let Some(other) = wirings(root).into_iter().find(|wiring| wiring.path != own_file) {
        return Err(InstallError::WiredElsewhere { scope: other.scope.as_str(), path: other.path });
    }
    if let Some((plugin, path)) = enabled_plugin(root) {
        return Err(InstallError::WiredByPlugin { plugin, path });
    }
    let mut plan = Plan {
        project: Manifest::of_project(project).manifest,
        user: Manifest::load(user_manifest()),
        ..Plan::default()
    };
    let config = project.config_file();
    if !options.config.is_empty() && read(&config)?.is_none() {
        plan.change(project, config, None, Some(options.config.to_owned()));
    }
    let command = match options.scope {
        Scope::Project => "engine".to_owned(),
        Scope::Local | Scope::User => options.program.to_string_lossy().into_owned(),
    };
    let client_folder = match options.scope {
        Scope::User => client_home().ok_or(InstallError::NoHome)?,
        Scope::Project | Scope::Local => root.join(CLIENT_FOLDER),
    };
    let mut installed = Vec::new();
    for skill in options.skills {
        let folder = client_folder.join(SKILLS).join(skill.name);
        if plan.install_file(project, options.shipment, &folder.join("SKILL.md"), skill.text)? {
            installed.push(*skill);
            for (path, text) in skill.files {
                plan.install_file(project, options.shipment, &folder.join(path), text)?;
            }
        }
    }
    for agent in options.agents {
        plan.install_file(
            project,
            options.shipment,
            &client_folder.join(AGENTS).join(format!("{}.md", agent.name)),
            agent.text,
        )?;
    }
    let local_file = root.join(".claude/settings.local.json");
    let permitted =
        if options.permissions { permission_entries(&installed, options.checks) } else { Vec::new() };
    let stale = if options.permissions { plan.stale_checks(&local_file, &permitted) } else { Vec::new() };
    let permit =
        |text: &str, kept: &Kept| settings::disallow(&settings::allow(text, &permitted)?, &stale, kept);
    let kept = plan.project.files.get(&local_file).map(|file| file.kept.clone()).unwrap_or_default();
    // A binary that was moved or removed since leaves entries that run nothing.
    let is_gone = |command: &str| Path::new(command).is_absolute() && !Path::new(command).exists();
    let show_line = options.statusline && plan.has_no_other_line(root, &own_file)?;
    plan.edit(project, &own_file, options.force, |text| {
        let mut text = settings::wire(text, options.events, &command, options.closed, is_gone)?;
        if show_line {
            text = settings::show_line(&text, &command, is_gone)?;
        }
        if own_file == local_file { permit(&text, &kept) } else { Ok(text) }
    })?;
    if own_file != local_file {
        plan.edit(project, &local_file, options.force, |text| permit(text, &kept))?;
    }
    if let Some(text) = options.fragment {
        let folder = match options.scope {
            Scope::User => client_home().ok_or(InstallError::NoHome)?,
            Scope::Project | Scope::Local => root.to_owned(),
        };
        let name = match options.scope {
            Scope::User => FRAGMENT.to_owned(),
            Scope::Project | Scope::Local => format!("{CLIENT_FOLDER}/{FRAGMENT}"),
        };
        if plan.install_file(project, options.shipment, &folder.join(&name), text)? {
            plan.add_line(project, folder.join(INSTRUCTIONS), &format!("@{name}"))?;
        }
    }
    if plan.changes.iter().any(|change| change.path == local_file)
        && let Some(path) = ignore_list(root)
    {
        plan.add_line(project, path, EXCLUDED)?;
    }
    Ok(plan)
}

/// How the entry for a check begins.
const CHECK_ENTRY: &str = "Bash(engine check -- ";

/// The entries for engine's own commands, for the skills that are installed, and for exactly the checks that the project names.
pub fn permission_entries(skills: &[Shipped], checks: &[&str]) -> Vec<String> {
    let commands = EVERYDAY_COMMANDS.iter().map(|command| format!("Bash(engine {command}:*)"));
    let skills = skills.iter().map(|skill| format!("Skill({})", skill.name));
    // An entry with other signs may permit more than this one line: `*` stands for anything.
    let is_plain = |check: &str| {
        check
            .split_whitespace()
            .all(|word| word.chars().all(|c| c.is_alphanumeric() || "-_./:=@%+,".contains(c)))
    };
    let checks = checks.iter().filter(|check| is_plain(check)).map(|check| format!("{CHECK_ENTRY}{check})"));
    commands.chain(skills).chain(checks).collect()
}

impl Plan {
    /// Entries of ours for checks that the project names no more.
    fn stale_checks(&self, path: &Path, wanted: &[String]) -> Vec<String> {
        let ours = self.project.files.get(path).map(|file| file.permissions.as_slice()).unwrap_or_default();
        let is_stale = |entry: &&String| entry.starts_with(CHECK_ENTRY) && !wanted.contains(entry);
        ours.iter().filter(is_stale).cloned().collect()
    }

    fn manifest(&mut self, project: &Project, path: &Path) -> &mut Manifest {
        if path.starts_with(project.root()) { &mut self.project } else { &mut self.user }
    }

    /// A file of its own: ours alone, or with lines of ours in it.
    fn change(&mut self, project: &Project, path: PathBuf, before: Option<String>, after: Option<String>) {
        let known = self.manifest(project, &path).files.get(&path);
        // What was there before us stays what it was, however often we come again.
        let first = match known {
            Some(old) if before.as_ref() == Some(&old.after) => old.before.clone(),
            _ => before.clone(),
        };
        let touched =
            Touched { before: first, after: after.clone().unwrap_or_default(), ..Touched::default() };
        self.record(project, FileChange { path, before, after }, touched);
    }

    /// One line more at the end of a file of the person's, unless it is there.
    fn add_line(&mut self, project: &Project, path: PathBuf, line: &str) -> Result<(), InstallError> {
        let before = read(&path)?;
        let present = before.as_deref().unwrap_or_default();
        // A file of ours has a whole line.
        let added = if before.is_none() { Some(format!("{line}\n")) } else { line::added(present, line) };
        let Some(after) = added else { return Ok(()) };
        let touched = Touched {
            before: before.clone(),
            after: after.clone(),
            line: Some(line.to_owned()),
            ..Touched::default()
        };
        self.record(project, FileChange { path, before, after: Some(after) }, touched);
        Ok(())
    }

    fn record(&mut self, project: &Project, change: FileChange, touched: Touched) {
        if change.before == change.after {
            return;
        }
        let made: Vec<PathBuf> = change
            .path
            .ancestors()
            .skip(1)
            .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
            .map(Path::to_owned)
            .collect();
        let manifest = self.manifest(project, &change.path);
        for folder in made.into_iter().rev() {
            if !manifest.folders.contains(&folder) {
                manifest.folders.push(folder);
            }
        }
        manifest.files.insert(change.path.clone(), touched);
        self.changes.push(change);
    }

    /// Edits a settings file; a missing one starts as an empty object.
    fn edit(
        &mut self,
        project: &Project,
        path: &Path,
        force: bool,
        edit: impl FnOnce(&str) -> Result<String, EditError>,
    ) -> Result<(), InstallError> {
        let broken = |error| InstallError::Settings { path: path.to_owned(), error };
        let before = read(path)?;
        let (mark, text) = before.as_deref().map(without_mark).unwrap_or_default();
        let text = if text.trim().is_empty() { "{}\n" } else { text };
        if !force {
            check_strict(text).map_err(broken)?;
        }
        let after = edit(text).map_err(broken)?;
        // Nothing to add to a file that is not there: it need not be made.
        if after == text && before.as_deref().is_none_or(|before| before.trim().is_empty()) {
            return Ok(());
        }
        let touched = self.manifest(project, path).files.get(path).cloned();
        let clean = match &before {
            Some(before) => without_us(path, before, touched.as_ref(), &[]).map_err(broken)?,
            None => None,
        };
        let clean_text = clean.as_deref().map_or("{}", |clean| without_mark(clean).1);
        let clean_text = if clean_text.trim().is_empty() { "{}" } else { clean_text };
        let kept = settings::containers(clean_text).map_err(broken)?;
        let present = settings::allowed(clean_text).map_err(broken)?;
        let added =
            settings::allowed(&after).map_err(broken)?.into_iter().filter(|entry| !present.contains(entry));
        let after = format!("{mark}{after}");
        let permissions = added.collect();
        let touched = Touched { before: clean, after: after.clone(), kept, permissions, line: None };
        self.record(project, FileChange { path: path.to_owned(), before, after: Some(after) }, touched);
        Ok(())
    }

    /// Whether no settings file shows another status line. One in a file that counts less than ours would be hidden by
    /// ours, one in a file that counts more would hide it: each is somebody's choice, and is reported.
    fn has_no_other_line(&mut self, root: &Path, own_file: &Path) -> Result<bool, InstallError> {
        for path in Scope::ALL.iter().filter_map(|scope| settings_file(root, *scope)) {
            let line =
                read(&path)?.filter(|text| !text.trim().is_empty()).map(|text| settings::status_line(&text));
            match line {
                Some(Ok(StatusLine::Theirs)) => {
                    self.notes.push(format!(
                        "{} has a status line, which was kept; for parts of ours in it: engine statusline --part NAME",
                        path.display()
                    ));
                    return Ok(false);
                }
                Some(Ok(StatusLine::Ours(_))) if path != own_file => return Ok(false),
                // A file that cannot be read is told of when it is to be changed.
                _ => {}
            }
        }
        Ok(true)
    }

    /// Adds a file of ours, in place of an earlier version of it. One of the person's with the same name is kept and reported. Whether ours
    /// is there then.
    fn install_file(
        &mut self,
        project: &Project,
        shipment: &Shipment,
        path: &Path,
        text: &str,
    ) -> Result<bool, InstallError> {
        let before = read(path)?;
        let ours = self.manifest(project, path).files.get(path).map(|touched| touched.after.clone());
        let is_known = |present: &str| {
            shipment.name_of(project, path).is_some_and(|name| shipment.is_ours(&name, present))
        };
        match &before {
            None => self.change(project, path.to_owned(), None, Some(text.to_owned())),
            Some(present) if present == text || text_seal(present) == text_seal(text) => {}
            Some(present) if ours.as_ref() == Some(present) || is_known(present) => {
                self.update(project, path, present, text);
            }
            Some(_) => {
                self.notes.push(format!("{} is yours and was kept; ours was not installed", path.display()));
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Writes everything, the manifest first: what it names and finds unwritten is left alone later.
    pub fn apply(mut self, project: &Project) -> Result<(), InstallError> {
        // The manifest of a project that is not trusted was not read, and stays for when it is.
        if self.changes.is_empty() {
            return Ok(());
        }
        let state = project.own_state_folder();
        Project::make_local(&state).map_err(failed(&state))?;
        let path = project_manifest(project);
        self.project.save(&path).map_err(failed(&path))?;
        if let Some(path) = user_manifest() {
            if !self.user.files.is_empty() {
                let folder = path.parent().unwrap_or(Path::new("."));
                fs::create_dir_all(folder).map_err(failed(folder))?;
            }
            self.user.save(&path).map_err(failed(&path))?;
        }
        write_all(project, &self.changes)?;
        self.remove_empty();
        Ok(())
    }

    /// The same where there is no `.engine/`, and none is to be made: what was written is known by what it says.
    pub fn apply_without_manifest(self) -> Result<(), InstallError> {
        for change in &self.changes {
            write_change(change, None)?;
        }
        self.remove_empty();
        Ok(())
    }

    fn remove_empty(&self) {
        for folder in &self.emptied {
            let _ = fs::remove_dir(folder);
        }
    }
}

fn failed(path: &Path) -> impl Fn(io::Error) -> InstallError + use<> {
    let path = path.to_owned();
    move |error| InstallError::Io { path: path.clone(), error }
}

/// Writes files. Of settings it is noted first how they will stand, so that running sessions know it was us.
fn write_all(project: &Project, changes: &[FileChange]) -> Result<(), InstallError> {
    let settings: Vec<PathBuf> =
        Scope::ALL.iter().filter_map(|scope| settings_file(project.root(), *scope)).collect();
    for change in changes {
        write_change(change, settings.contains(&change.path).then_some(project))?;
    }
    Ok(())
}

/// Writes a file; if it is one of settings, noted in a project.
fn write_change(change: &FileChange, noted: Option<&Project>) -> Result<(), InstallError> {
    if let Some(project) = noted {
        let text = change.after.as_deref().unwrap_or("{}");
        engine_store::wiring::note(project, &change.path, wiring::snapshot(text))
            .map_err(failed(&change.path))?;
    }
    change.apply().map_err(failed(&change.path))
}

impl FileChange {
    fn apply(&self) -> io::Result<()> {
        match &self.after {
            Some(text) => {
                fs::create_dir_all(self.path.parent().unwrap_or(Path::new(".")))?;
                atomic::replace(&self.path, text.as_bytes(), Durability::Disk)
            }
            // We have made what a link leads to, and not the link.
            None => fs::remove_file(resolve(&self.path)),
        }
    }
}

/// Temporary files beside a file that hold the beginning of one of these texts: a process was killed while it wrote them.
fn beside(path: &Path, texts: &[String]) -> Vec<PathBuf> {
    let is_beginning = |temporary: &PathBuf| {
        let bytes = read_bytes(temporary).ok();
        bytes.is_some_and(|bytes| texts.iter().any(|text| text.as_bytes().starts_with(&bytes)))
    };
    atomic::temporaries(path).into_iter().filter(is_beginning).collect()
}

/// The client has git ignore this file when it makes it; so do we when we make it.
const EXCLUDED: &str = "**/.claude/settings.local.json";

/// The repository's private ignore list, if git would show the local settings file.
fn ignore_list(root: &Path) -> Option<PathBuf> {
    let ignored = git::git(root, &["check-ignore", "-q", ".claude/settings.local.json"])?;
    // 0: ignored; 1: not; anything else: no repository.
    if ignored.code != Some(1) {
        return None;
    }
    exclude_file(root)
}

fn read(path: &Path) -> Result<Option<String>, InstallError> {
    match read_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(InstallError::Io { path: path.to_owned(), error }),
    }
}
