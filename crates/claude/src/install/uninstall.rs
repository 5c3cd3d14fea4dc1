//! Taking engine out again.
//!
//! The manifest says what was installed into this checkout. A clone has none, and one may be lost, so whatever it does not name is known by
//! what it says: see [`super::shipped`]. What is ours and was changed since stays, and is named.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use engine_store::git;
use engine_store::merge_driver;
use engine_store::project::{FOLDER, Project};
use engine_store::worktree::main_checkout;
use fs_err as fs;

use super::granted;
use super::line;
use super::lines::{hidden_folder, marker};
use super::manifest::{
    Manifest, ProjectManifest, Touched, began_as_ours, user_manifest, without_mark, without_us,
};
use super::merge::{self, ATTRIBUTES};
use super::neighbours::{merging, neighbours, with_local_settings};
use super::shipped::{CONFIG, Shipment, ShippedFile, Standing, folders_above};
use super::written::{AGENTS, CLIENT_FOLDER, FRAGMENT, INSTRUCTIONS, SKILLS, exclude_file};
use super::{
    EXCLUDED, FileChange, InstallError, Scope, beside, client_home, enabled_plugin, failed, leads_out, read,
    settings_file, write_change,
};
use crate::settings::{self, StatusLine};

/// What a status line has that runs ours.
const STATUS_LINE: &str = "engine statusline";

/// What is taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What is in the project. `hides`: its `.engine/` stays, and git is not to show it.
    Project { hides: bool },
    /// What is in the client's folder of the person, for all projects.
    User,
}

/// What was taken out, and why not all was.
#[derive(Debug, Default)]
pub struct Applied {
    pub done: Vec<FileChange>,
    pub has_driver: bool,
    pub failures: Vec<InstallError>,
}

/// What `engine uninstall` does, and what there is to say about it.
#[derive(Debug, Default)]
pub struct Removal {
    /// Settings first: once they are written, the client calls us no more.
    pub changes: Vec<FileChange>,
    pub kept: Vec<KeptFile>,
    pub notes: Vec<String>,
    /// Those that are empty then go.
    folders: BTreeSet<PathBuf>,
    /// For whoever goes on if this is stopped.
    manifest: Option<(PathBuf, Manifest)>,
    /// The merge driver is in the configuration of the clone, and goes.
    pub has_driver: bool,
}

/// A file of ours, or one that names us, that stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptFile {
    pub path: PathBuf,
    pub why: String,
}

impl Removal {
    /// Whether nothing of engine's is installed.
    pub fn is_nothing(&self) -> bool {
        self.changes.is_empty() && !self.has_driver
    }

    fn keep(&mut self, path: &Path, why: impl Into<String>) {
        self.kept.push(KeptFile { path: path.to_owned(), why: why.into() });
    }
}

/// The manifest that counts, and what is planned by it.
struct Planner<'a> {
    project: &'a Project,
    shipment: &'a Shipment,
    part: Part,
    manifest: Manifest,
    /// Named by the notes of the manifest.
    left_out: Vec<PathBuf>,
    /// The other projects of the repository.
    others: BTreeSet<PathBuf>,
    removal: Removal,
}

/// Plans `engine uninstall`. A settings file that cannot be read stops it.
pub fn plan_uninstall(project: &Project, shipment: &Shipment, part: Part) -> Result<Removal, InstallError> {
    let of_project = match part {
        Part::Project { .. } => Manifest::of_project(project),
        Part::User => ProjectManifest {
            manifest: Manifest::load(user_manifest()),
            path: user_manifest(),
            ..ProjectManifest::default()
        },
    };
    let ProjectManifest { manifest, path, notes, left_out } = of_project;
    let removal = Removal {
        manifest: path.map(|path| (path, manifest.clone())),
        notes,
        folders: manifest.folders.iter().cloned().collect(),
        ..Removal::default()
    };
    let others = if part == Part::User { BTreeSet::new() } else { neighbours(project.root()) };
    let mut planner = Planner { project, shipment, part, manifest, left_out, others, removal };
    let mut files = shipment.files(project);
    files.retain(|file| planner.concerns(&file.path));
    planner.settings(&files)?;
    planner.lines(&files)?;
    planner.shipped(&files)?;
    planner.others()?;
    planner.temporaries();
    planner.empty_folders();
    if part != Part::User {
        planner.driver();
        planner.name_the_rest();
    }
    Ok(planner.removal)
}

impl Planner<'_> {
    fn touched(&self, path: &Path) -> Option<&Touched> {
        self.manifest.files.get(path)
    }

    /// Whether a path is of the part that is taken out.
    fn concerns(&self, path: &Path) -> bool {
        let own = self.project.root().join(CLIENT_FOLDER);
        let is_users = client_home().is_some_and(|home| home != own && path.starts_with(home));
        is_users == (self.part == Part::User)
    }

    fn change(&mut self, path: &Path, before: String, after: Option<String>) {
        self.removal.changes.push(FileChange { path: path.to_owned(), before: Some(before), after });
    }

    /// Folders above a file of ours, which no manifest names.
    fn made(&mut self, path: &Path) {
        self.removal.folders.extend(folders_above(self.project, path));
    }

    fn settings(&mut self, files: &[ShippedFile]) -> Result<(), InstallError> {
        let skills = skills_without_text(files, self.shipment);
        for scope in Scope::ALL {
            let Some(path) = settings_file(self.project.root(), scope) else { continue };
            if !self.concerns(&path) {
                continue;
            }
            let broken = |error| InstallError::Settings { path: path.clone(), error };
            let Some(text) = read(&path)? else { continue };
            let touched = self.touched(&path).cloned();
            // A file that says nothing of us may be as broken as its owner likes.
            if touched.is_none() && !text.contains("engine") {
                continue;
            }
            let after = without_us(&path, &text, touched.as_ref(), &skills).map_err(broken)?;
            let left = granted::about_engine(without_mark(after.as_deref().unwrap_or("{}")).1);
            if !left.is_empty() {
                let why = format!("it permits {}, which is yours", left.join(", "));
                self.removal.keep(&path, why);
            }
            let line = settings::status_line(after.as_deref().unwrap_or("{}"));
            if matches!(line, Ok(StatusLine::Theirs))
                && after.as_deref().is_some_and(|text| text.contains(STATUS_LINE))
            {
                self.removal.keep(&path, "its status line runs engine, and is yours");
            }
            if after.as_ref() == Some(&text) || self.removal.changes.iter().any(|change| change.path == path)
            {
                continue;
            }
            if scope == Scope::User {
                self.removal.notes.push(format!("{}: engine is off in every project now", path.display()));
            }
            if touched.is_none() {
                self.made(&path);
            }
            self.change(&path, text, after);
        }
        Ok(())
    }

    /// Lines of ours in files of the person's.
    fn lines(&mut self, files: &[ShippedFile]) -> Result<(), InstallError> {
        let mut wanted: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
        for (path, touched) in &self.manifest.files {
            wanted
                .entry(path.clone())
                .or_default()
                .extend(touched.line.iter().flat_map(|lines| lines.lines().map(str::to_owned)));
        }
        let root = self.project.root().to_owned();
        let fragment = match self.part {
            Part::Project { .. } => {
                wanted.entry(root.join(ATTRIBUTES)).or_default().extend(merge::lines(&root));
                Some((root.clone(), format!("{CLIENT_FOLDER}/{FRAGMENT}")))
            }
            Part::User => client_home().map(|home| (home, FRAGMENT.to_owned())),
        };
        let mut imports = Vec::new();
        if let Some((folder, fragment)) = fragment {
            let (path, line) = (folder.join(INSTRUCTIONS), format!("@{fragment}"));
            if files.iter().any(|file| file.path == folder.join(&fragment) && self.stays(file)) {
                imports.push((path.clone(), line.clone(), fragment));
            }
            wanted.entry(path).or_default().insert(line);
        }
        self.hidden(&mut wanted)?;
        let is_looked_at =
            |path: &Path, lines: &BTreeSet<String>| !lines.is_empty() || path.ends_with(ATTRIBUTES);
        for (path, mut lines) in wanted.into_iter().filter(|(path, lines)| is_looked_at(path, lines)) {
            let Some(text) = text_if_any(&path)? else { continue };
            let touched = self.touched(&path).cloned();
            // The manifest names it for something else than lines.
            if touched.as_ref().is_some_and(|touched| touched.line.is_none()) {
                continue;
            }
            let has = |line: &String| line::removed(&text, line).is_some();
            if touched.is_none() && leads_out(&root, &path) {
                if lines.iter().any(has) {
                    self.removal.keep(&path, Standing::LeadsOut.why());
                }
                continue;
            }
            for (_, line, fragment) in imports.iter().filter(|(file, ..)| *file == path) {
                if has(line) && lines.remove(line) {
                    self.removal.keep(&path, format!("it imports {fragment}, which stays"));
                }
            }
            self.name_mentions(&path, &text, &lines, &imports);
            self.without_lines(&path, text, &lines, touched.as_ref());
        }
        Ok(())
    }

    /// Lines of the person's that rest on what goes.
    fn name_mentions(
        &mut self,
        path: &Path,
        text: &str,
        lines: &BTreeSet<String>,
        imports: &[(PathBuf, String, String)],
    ) {
        let left =
            lines.iter().fold(text.to_owned(), |text, line| line::removed(&text, line).unwrap_or(text));
        let names =
            |word: &str| left.split_whitespace().any(|part| part.trim_end_matches(['.', ',', ')']) == word);
        let driver = format!("merge={}", merge::NAME);
        let is_gone = imports.iter().all(|(file, ..)| file != path);
        if path.ends_with(ATTRIBUTES) && names(&driver) && merge_driver::is_ours(self.project.root()) {
            self.removal.keep(path, format!("a line of yours in it names {driver}, which is gone"));
        } else if let Some(import) = lines.iter().find(|line| line.starts_with('@') && names(line))
            && path.ends_with(INSTRUCTIONS)
            && is_gone
        {
            self.removal.keep(path, format!("a line of yours in it imports {}, which is gone", &import[1..]));
        }
    }

    /// What of the ignore list goes: lines with our comment in front, and what the manifest names.
    fn hidden(&mut self, wanted: &mut BTreeMap<PathBuf, BTreeSet<String>>) -> Result<(), InstallError> {
        let root = self.project.root().to_owned();
        let Some(exclude) = exclude_file(&root).filter(|_| self.part != Part::User) else { return Ok(()) };
        let Some(folder) = hidden_folder(&root) else { return Ok(()) };
        // All checkouts share it, and a linked worktree leaves alone what it did not write.
        if main_checkout(&root).is_some() && !self.manifest.files.contains_key(&exclude) {
            return Ok(());
        }
        let Some(text) = text_if_any(&exclude)? else { return Ok(()) };
        let has = |line: &str| line::removed(&text, line).is_some();
        let lines = wanted.entry(exclude.clone()).or_default();
        for line in [EXCLUDED, &folder].into_iter().filter(|line| has(&marker(line))) {
            lines.extend([marker(line), line.to_owned()]);
        }
        let local = settings_file(&root, Scope::Local);
        let is_unhidden =
            |change: &FileChange| Some(&change.path) == local.as_ref() && change.after.is_none();
        // Of an earlier version, without the comment: the line may be the client's, and is ours where the file that it hides was.
        if self.manifest.files.is_empty()
            && self.project.worktree().is_none()
            && self.removal.changes.iter().any(is_unhidden)
        {
            lines.extend([EXCLUDED.to_owned(), folder.clone()]);
        }
        let mut stays = Vec::new();
        if let Some(other) = with_local_settings(&self.others) {
            let why = format!("{EXCLUDED} stays in it for {}", other.display());
            stays.push((EXCLUDED, why));
        }
        let same = self.others.iter().find(|other| hidden_folder(other).as_deref() == Some(&folder));
        if let Some(other) = same {
            stays.push((&folder, format!("{folder} stays in it for {}", other.display())));
        } else if self.part == (Part::Project { hides: true }) {
            stays.push((&folder, format!("{folder} stays in it for as long as there is an {FOLDER}/")));
        }
        for (line, why) in stays {
            let [first, second] = [lines.remove(line), lines.remove(&marker(line))];
            if (first || second) && has(line) {
                self.removal.keep(&exclude, why);
            }
        }
        Ok(())
    }

    fn driver(&mut self) {
        if !merge_driver::is_ours(self.project.root()) {
            return;
        }
        match merging(&self.others) {
            None => self.removal.has_driver = true,
            Some(other) => self.removal.notes.push(format!(
                "merge.{} in git's configuration stays: {} uses it",
                merge::NAME,
                other.display()
            )),
        }
    }

    fn without_lines(
        &mut self,
        path: &Path,
        text: String,
        lines: &BTreeSet<String>,
        touched: Option<&Touched>,
    ) {
        // As a whole, if all of it goes and nobody has changed it since.
        let is_all = |touched: &&Touched| {
            let mut ours = touched.line.iter().flat_map(|ours| ours.lines());
            touched.after == text && !lines.is_empty() && ours.all(|line| lines.contains(line))
        };
        if let Some(touched) = touched.filter(is_all) {
            return self.change(path, text, touched.before.clone());
        }
        let left = lines.iter().fold(text.clone(), |text, line| line::removed(&text, line).unwrap_or(text));
        if left == text {
            return;
        }
        let is_gone = without_mark(&left).1.is_empty()
            && match touched {
                Some(touched) => touched.before.is_none(),
                None => began_as_ours(path, &text, |first| {
                    lines.iter().any(|line| line::removed(first, line).is_some())
                }),
            };
        self.change(path, text, (!is_gone).then_some(left));
    }

    /// Whether a file of ours is not as we left it, also by the manifest.
    fn stays(&self, file: &ShippedFile) -> bool {
        let as_left = || {
            let text = read(&file.path).ok().flatten();
            self.touched(&file.path).is_some_and(|touched| text.as_ref() == Some(&touched.after))
        };
        !file.standing.is_ours() && !as_left()
    }

    fn shipped(&mut self, files: &[ShippedFile]) -> Result<(), InstallError> {
        for file in files {
            let touched = self.touched(&file.path).cloned();
            if self.stays(file) {
                let was_ours = touched.is_some() && file.standing == Standing::Theirs;
                let standing = if was_ours { Standing::Edited } else { file.standing };
                let is_blank = file.name == CONFIG && file.text.trim().is_empty();
                // The notes of the manifest have named it.
                if !is_blank && !self.left_out.contains(&file.path) {
                    self.removal.keep(&file.path, standing.why());
                }
                continue;
            }
            let Some(text) = read(&file.path)? else { continue };
            // An earlier version of ours is nothing to go back to.
            let before = touched.as_ref().and_then(|touched| touched.before.clone());
            let before = before.filter(|before| !self.shipment.is_ours(&file.name, before));
            if touched.is_none() {
                self.made(&file.path);
            }
            if before.as_ref() != Some(&text) {
                self.change(&file.path, text, before);
            }
        }
        Ok(())
    }

    /// What else the manifest names.
    fn others(&mut self) -> Result<(), InstallError> {
        let settings: Vec<PathBuf> =
            Scope::ALL.iter().filter_map(|scope| settings_file(self.project.root(), *scope)).collect();
        let is_other = |path: &Path, touched: &Touched| {
            touched.line.is_none()
                && !settings.iter().any(|file| file == path)
                && self.shipment.name_of(self.project, path).is_none()
        };
        let known = self.manifest.files.clone().into_iter();
        let others: Vec<(PathBuf, Touched)> =
            known.filter(|(path, touched)| is_other(path, touched)).collect();
        for (path, touched) in others {
            match read(&path)? {
                None => {}
                Some(text) if text == touched.after => self.change(&path, text, touched.before),
                Some(_) => self.removal.keep(&path, Standing::Edited.why()),
            }
        }
        Ok(())
    }

    /// What a killed process has left beside our files: the beginning of a text that was to be there.
    fn temporaries(&mut self) {
        let mut found = Vec::new();
        for (path, texts) in self.known_texts() {
            found.extend(beside(&path, &texts).into_iter().map(|temporary| (path.clone(), temporary)));
        }
        for (path, temporary) in found {
            self.made(&path);
            self.change(&temporary, String::new(), None);
        }
    }

    /// What was to be in our files, by any command that may have been killed.
    fn known_texts(&self) -> BTreeMap<PathBuf, Vec<String>> {
        let mut texts: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
        for change in &self.removal.changes {
            let both = change.before.iter().chain(&change.after).cloned();
            texts.entry(change.path.clone()).or_default().extend(both);
        }
        for (path, touched) in &self.manifest.files {
            let both = touched.before.iter().chain([&touched.after]).cloned();
            texts.entry(path.clone()).or_default().extend(both);
        }
        let places = self.shipment.places(self.project);
        for (path, text) in places.into_iter().filter(|(path, _)| self.concerns(path)) {
            texts.entry(path).or_default().push(text.to_owned());
        }
        texts
    }

    /// Folders from which a killed process has taken the last file. `agents` and the like may be anybody's: they are ours where no manifest
    /// tells who made them.
    fn empty_folders(&mut self) {
        let own = self.project.root().join(CLIENT_FOLDER);
        let is_shared = |folder: &PathBuf| {
            [Some(own.clone()), client_home()].into_iter().flatten().any(|client| {
                *folder == client || [SKILLS, AGENTS].iter().any(|name| *folder == client.join(name))
            })
        };
        let has_manifest = !self.manifest.files.is_empty();
        let mut folders = self.shipment.folders(self.project);
        folders.retain(|folder| self.concerns(folder));
        folders.retain(|folder| !is_shared(folder) || (folder.starts_with(&own) && !has_manifest));
        self.removal.folders.extend(folders);
    }

    /// What engine does not take out by itself.
    fn name_the_rest(&mut self) {
        let root = self.project.root();
        if let Some((plugin, path)) = enabled_plugin(root) {
            let path = path.display();
            self.removal.notes.push(format!(
                "the plugin {plugin} is enabled in {path} and stays; take it out there, or with /plugin in the client"
            ));
        }
        let absent = self.shipment.not_checked_out(self.project);
        if absent > 0 {
            self.removal.notes.push(format!(
                "git has {absent} files of engine's that this sparse checkout leaves out; they stay until: git sparse-checkout disable && engine uninstall"
            ));
        }
    }
}

impl Removal {
    /// Writes it. A settings file that cannot be written stops it; of whatever else fails, the rest is done. `noted` is the project whose
    /// running sessions are to know that it was us.
    pub fn apply(mut self, project: &Project, noted: Option<&Project>) -> Result<Applied, InstallError> {
        let settings: Vec<PathBuf> =
            Scope::ALL.iter().filter_map(|scope| settings_file(project.root(), *scope)).collect();
        let mut applied = Applied::default();
        if let Some((path, manifest)) = self.manifest.as_mut().filter(|(_, known)| !known.files.is_empty()) {
            manifest.folders = self.folders.iter().cloned().collect();
            manifest.save(path).map_err(failed(path))?;
        }
        for change in std::mem::take(&mut self.changes) {
            let is_settings = settings.contains(&change.path);
            match write_change(&change, noted.filter(|_| is_settings)) {
                Ok(()) => {
                    if change.after.is_none() {
                        self.remove_empty(&change.path);
                    }
                    applied.done.push(change);
                }
                Err(error) => {
                    applied.failures.push(error);
                    if is_settings {
                        return Ok(applied);
                    }
                }
            }
        }
        self.tidy();
        if self.has_driver {
            match merge_driver::unconfigure(project.root()) {
                Ok(()) => applied.has_driver = true,
                Err(error) => applied.failures.push(failed(Path::new(".git/config"))(error)),
            }
        }
        if let Some((path, _)) = self.manifest.filter(|_| applied.failures.is_empty()) {
            Manifest::default().save(&path).map_err(failed(&path))?;
        }
        Ok(applied)
    }

    /// Removes the folders of a file that are empty now.
    fn remove_empty(&self, path: &Path) {
        for folder in path.ancestors().skip(1).take_while(|folder| self.folders.contains(*folder)) {
            let _ = fs::remove_dir(folder);
        }
    }

    /// Removes what is left of a removal that was stopped: empty folders.
    pub fn tidy(&self) {
        let mut folders: Vec<&PathBuf> = self.folders.iter().collect();
        folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
        for folder in folders {
            // Only an empty one can be removed this way.
            let _ = fs::remove_dir(folder);
        }
    }
}

impl Standing {
    fn why(self) -> &'static str {
        match self {
            Self::Current | Self::Older | Self::Retired => "it is engine's",
            Self::Edited => "it was edited",
            Self::Theirs => "it has the name of a file of engine's and says something else",
            Self::Linked => "it is a link, or behind one",
            Self::LeadsOut => "it is behind a link that leads out of the project",
        }
    }
}

/// The skills of ours of which no text stays.
fn skills_without_text(files: &[ShippedFile], shipment: &Shipment) -> Vec<String> {
    let stays = |skill: &&str| {
        let name = format!("skills/{skill}/SKILL.md");
        files.iter().any(|file| file.name == name && !file.standing.is_ours())
    };
    shipment.skills.iter().map(|skill| skill.name).filter(|skill| !stays(skill)).map(str::to_owned).collect()
}

/// The text of a file of the person's, if it is one.
fn text_if_any(path: &Path) -> Result<Option<String>, InstallError> {
    match read(path) {
        Err(InstallError::Io { error, .. }) if error.kind() == io::ErrorKind::InvalidData => Ok(None),
        text => text,
    }
}

impl Shipment {
    /// How many of our files git has and a sparse checkout leaves out.
    fn not_checked_out(&self, project: &Project) -> usize {
        let root = project.root();
        let listed = git::text(root, &["ls-files", "-t", "-z", "--", CLIENT_FOLDER, ".engine/config.toml"]);
        let absent = |entry: &str| {
            let path = root.join(entry.strip_prefix("S ")?);
            (!path.exists()).then(|| self.name_of(project, &path)).flatten()
        };
        listed.unwrap_or_default().split('\0').filter_map(absent).count()
    }
}
