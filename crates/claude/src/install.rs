//! Putting engine into a project and taking it out again.
//!
//! Everything is planned first, as a list of files with their text before and after, and written then. What was
//! written is remembered in a manifest: taking out restores a file that is still as we left it to its exact
//! bytes, and removes only our own parts from one that has changed since.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use fs_err as fs;

use crate::entry::{Form, Starter};
use crate::event_name::EventName;
use crate::reach::{Wiring, enabled_plugin, wirings};
use crate::wiring;
use engine_store::atomic::{self, Durability};
use engine_store::links::resolve;
use engine_store::lock;
use engine_store::merge_driver;
use engine_store::project::Project;
use engine_store::read::{read_bytes, read_string};
use engine_store::reason::reason;
use engine_text::line::text_seal;

use crate::json_edit::{EditError, check_strict};
use crate::settings::{self, Kept, StatusLine};

mod granted;
mod line;
mod lines;
mod manifest;
mod merge;
mod neighbours;
mod permissions;
mod refresh;
mod shipped;
mod uninstall;
mod written;

pub use crate::sources::{Scope, client_home, settings_file};

use lines::EXCLUDED;
use manifest::{Manifest, Touched, project_manifest, user_manifest, without_mark, without_us};
use permissions::CHECK_ENTRY;
pub use permissions::{ON_REQUEST, PLAIN, RUNBOOK, permission_entries};
pub use refresh::{Drift, drift, plan_refresh};
pub use shipped::{Shipment, ShippedFile, Standing};
pub use uninstall::{Applied, KeptFile, Part, Removal, plan_uninstall};
use written::{AGENTS, CLIENT_FOLDER, FRAGMENT, INSTRUCTIONS, SKILLS};

/// A skill or an agent that comes with the binary.
#[derive(Debug, Clone, Copy)]
pub struct Shipped {
    pub name: &'static str,
    pub text: &'static str,
    /// What lies beside a skill's text: path from its folder, and text.
    pub files: &'static [(&'static str, &'static str)],
}

/// What becomes of the hook entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hooks {
    /// Something else starts the engine: the plugin, or an entry that stands already.
    Leave,
    /// They are written in the form of this version.
    Wire,
    /// Those of an earlier form keep it.
    Rewire,
}

/// What to install.
#[allow(clippy::struct_excessive_bools, reason = "each is an option of the command")]
pub struct InstallOptions<'a> {
    pub scope: Scope,
    pub hooks: Hooks,
    /// Keep git from showing what is one person's alone.
    pub hides: bool,
    pub events: &'a [EventName],
    /// The absolute path of this binary, for scopes that are not shared.
    pub program: &'a Path,
    pub permissions: bool,
    /// The checks that the project names: the agent may have the engine run them.
    pub checks: &'a [&'a str],
    pub skills: &'a [Shipped],
    /// The plugin brings all skills, with its name in front.
    pub with_plugin: bool,
    pub agents: &'a [Shipped],
    /// A tool call is blocked when the engine itself fails.
    pub closed: bool,
    /// The text of the fragment that CLAUDE.md imports.
    pub fragment: Option<&'a str>,
    /// Set the client's status line, if nobody has.
    pub statusline: bool,
    /// Text of a new `config.toml`.
    pub config: &'a str,
    /// The task file, from the project's root, if git is to merge it by its tasks.
    pub merged: Option<&'a str>,
    /// By which what an earlier version installed is known.
    pub shipment: &'a Shipment,
    /// Edit a settings file that the client would ignore.
    pub force: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error("engine is wired already in {} ({scope} scope)", path.display())]
    WiredElsewhere { scope: &'static str, path: PathBuf },
    #[error("{}: {error}", path.display())]
    Settings { path: PathBuf, error: EditError },
    #[error("{}: {}; nothing was written", path.display(), reason(error))]
    Unwritable { path: PathBuf, error: io::Error },
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
    /// What the agent may do without a dialog when it is done, by entries of ours.
    pub permitted: Vec<String>,
    project: Manifest,
    user: Manifest,
    /// Folders that go if they are empty then, innermost first.
    emptied: Vec<PathBuf>,
    /// The program that git is to merge with.
    driver: Option<PathBuf>,
    /// Files that are not written, because a link leads out of the project there.
    outside: Vec<PathBuf>,
}

/// Keeps two commands from changing settings and manifest at once.
pub fn lock(project: &Project) -> io::Result<fs::File> {
    let folder = project.own_state_folder();
    Project::make_local(&folder)?;
    lock::hold(&folder.join("install.lock"))
}

/// Where another entry stands beside which one in this scope would run engine twice. A committed one stands back for a person's own, and the
/// client runs the same command once.
fn wired_elsewhere(root: &Path, scope: Scope, own_file: &Path, program: &str) -> Option<InstallError> {
    let mut others = wirings(root).into_iter().filter(|wiring| wiring.path != own_file);
    let is_beside =
        |other: &Wiring| other.form == Form::Team || other.gone().is_some() || other.starts(program);
    let other = others.find(|other| scope != Scope::Project && !is_beside(other))?;
    Some(InstallError::WiredElsewhere { scope: other.scope.as_str(), path: other.path })
}

/// Plans `engine init`. Nothing is written.
pub fn plan_init(project: &Project, options: &InstallOptions<'_>) -> Result<Plan, InstallError> {
    let root = project.root();
    let own_file = settings_file(root, options.scope).ok_or(InstallError::NoHome)?;
    let program = options.program.to_string_lossy();
    if options.hooks != Hooks::Leave
        && let Some(error) = wired_elsewhere(root, options.scope, &own_file, &program)
    {
        return Err(error);
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
    let starter = starter(root, options, &program);
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
    let (permitted, stale) = if options.permissions {
        plan.permissions(&local_file, &installed, options)
    } else {
        Default::default()
    };
    let permit =
        |text: &str, kept: &Kept| settings::disallow(&settings::allow(text, &permitted)?, &stale, kept);
    let kept = plan.project.files.get(&local_file).map(|file| file.kept.clone()).unwrap_or_default();
    let show_line = options.statusline && plan.has_no_other_line(root, &own_file)?;
    plan.edit(project, &own_file, options.force, |text| {
        let mut text = text.to_owned();
        if options.hooks != Hooks::Leave {
            text = settings::wire(&text, options.events, starter, options.closed, is_gone)?;
        }
        let set = if show_line { settings::show_line } else { settings::mend_line };
        text = set(&text, starter, is_gone)?;
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
            plan.add_lines(project, folder.join(INSTRUCTIONS), &[format!("@{name}")])?;
        }
    }
    if let Some(file) = options.merged {
        plan.merge(project, file, options.program)?;
    }
    if options.hides {
        plan.hide(project, options.scope, &local_file)?;
    }
    plan.permitted = permitted;
    plan.name_outside(root);
    Ok(plan)
}

/// A binary that was moved or removed since leaves entries that run nothing.
fn is_gone(program: &str) -> bool {
    Path::new(program).is_absolute() && !Path::new(program).exists()
}

/// What the entries of a scope start.
fn starter<'p>(root: &Path, options: &InstallOptions<'_>, program: &'p str) -> Starter<'p> {
    let own_file = settings_file(root, options.scope);
    let is_earlier = |wiring: &Wiring| Some(&wiring.path) == own_file.as_ref() && wiring.form == Form::Direct;
    match options.scope {
        Scope::Project if options.hooks == Hooks::Rewire && wirings(root).iter().any(is_earlier) => {
            Starter::Program("engine")
        }
        Scope::Project => Starter::Team,
        Scope::Local | Scope::User => Starter::Program(program),
    }
}

impl Plan {
    /// The entries of one more scope.
    fn wire_also(&mut self, project: &Project, options: &InstallOptions<'_>) -> Result<(), InstallError> {
        let path = settings_file(project.root(), options.scope).ok_or(InstallError::NoHome)?;
        let program = options.program.to_string_lossy();
        let starter = starter(project.root(), options, &program);
        self.edit(project, &path, options.force, |text| {
            let text = match options.hooks {
                Hooks::Leave => text.to_owned(),
                _ => settings::wire(text, options.events, starter, options.closed, is_gone)?,
            };
            settings::mend_line(&text, starter, is_gone)
        })
    }

    /// Whether a file is not to be written because a link leads out of the project there. Settings are edited wherever they are.
    fn is_outside(&mut self, project: &Project, path: &Path) -> bool {
        let is_outside = leads_out(project.root(), path);
        if is_outside {
            self.outside.push(path.to_owned());
        }
        is_outside
    }

    fn name_outside(&mut self, root: &Path) {
        let mut links: BTreeMap<PathBuf, u64> = BTreeMap::new();
        for path in &self.outside {
            let below = path.ancestors().take_while(|above| *above != root);
            let link = below.filter(|above| above.is_symlink()).last().unwrap_or(path);
            *links.entry(link.to_owned()).or_default() += 1;
        }
        self.notes.extend(links.into_iter().map(|(link, files)| {
            let files = if files == 1 {
                "1 file of engine's was".to_owned()
            } else {
                format!("{files} files of engine's were")
            };
            format!(
                "{} leads out of the project, to {}: {files} not written there",
                link.display(),
                resolve(&link).display()
            )
        }));
    }

    /// Whether all of it can be written. So a refusal comes before the first file.
    pub fn check(&self, project: &Project) -> Result<(), InstallError> {
        if self.changes.is_empty() {
            return Ok(());
        }
        let state = project.own_state_folder();
        project.keeps_local().map_err(|error| InstallError::Unwritable { path: state.clone(), error })?;
        let real: Vec<PathBuf> = self.changes.iter().map(|change| resolve(&change.path)).collect();
        let folders: BTreeSet<&Path> =
            real.iter().filter_map(|path| path.parent()).chain([state.as_path()]).collect();
        for folder in folders {
            atomic::may_write_below(folder)
                .map_err(|(path, error)| InstallError::Unwritable { path, error })?;
        }
        Ok(())
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
        // Blanks of the person's stay in front, and what we put behind them goes again.
        let is_blank = text.trim().is_empty();
        let text = if is_blank { format!("{text}{{}}\n") } else { text.to_owned() };
        if !force {
            check_strict(&text).map_err(broken)?;
        }
        let signed = if is_blank { Ok(text.clone()) } else { settings::with_signs(&text) };
        let after =
            edit(&signed.map_err(broken)?).and_then(|after| settings::settled(&after)).map_err(broken)?;
        // Nothing to add to a file that is not there: it need not be made.
        if after == text && before.as_deref().is_none_or(|before| before.trim().is_empty()) {
            return Ok(());
        }
        let touched = self.manifest(project, path).files.get(path).cloned();
        let clean = match &before {
            Some(before) => without_us(path, before, touched.as_ref(), &[]).map_err(broken)?,
            None => None,
        };
        let clean_text = clean.as_deref().map_or("", |clean| without_mark(clean).1);
        let is_made = clean_text.trim().is_empty();
        let kept = if is_made { Ok(Kept::new()) } else { settings::containers(clean_text) };
        let kept = kept.map_err(broken)?;
        let clean_text = if is_made { "{}" } else { clean_text };
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
        if self.is_outside(project, path) {
            return Ok(false);
        }
        let before = read(path)?;
        let ours = self.manifest(project, path).files.get(path).map(|touched| touched.after.clone());
        let standing = |present: &str| {
            let name = shipment.name_of(project, path);
            name.map_or(Standing::Theirs, |name| shipment.standing(&name, present))
        };
        match &before {
            None => self.change(project, path.to_owned(), None, Some(text.to_owned())),
            Some(present) if present == text || text_seal(present) == text_seal(text) => {}
            Some(present) if ours.as_ref() == Some(present) || standing(present).is_ours() => {
                self.update(project, path, present, text);
            }
            Some(present) if standing(present) == Standing::Edited => {
                self.notes.push(format!(
                    "{} was edited and was kept; compare: engine init --refresh --dry-run",
                    path.display()
                ));
                return Ok(false);
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
        if let Some(program) = &self.driver {
            let git = Path::new(".git/config");
            merge_driver::configure(project.root(), program).map_err(failed(git))?;
        }
        // The manifest of a project that is not trusted was not read, and stays for when it is.
        if self.changes.is_empty() {
            return Ok(());
        }
        let state = project.own_state_folder();
        Project::make_local(&state).map_err(failed(&state))?;
        let path = project_manifest(project);
        self.project.root = Some(project.root().to_owned());
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

/// Whether a file of the project is behind a link that leads out of it. Git says where its own files are.
fn leads_out(root: &Path, path: &Path) -> bool {
    path.starts_with(root) && !path.ends_with("info/exclude") && !resolve(path).starts_with(resolve(root))
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

fn read(path: &Path) -> Result<Option<String>, InstallError> {
    match read_string(path) {
        Ok(text) => Ok(Some(text)),
        // A file in the place of a folder is found when it is to be written.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(InstallError::Io { path: path.to_owned(), error }),
    }
}
