//! The files of a project that the person accepts: what is in them, accepting them, and what the person was told of them.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use engine_core::config::{Config, Layer, Value};
use engine_core::directive::{FOLDER, SKIP, TYPES, skipped};
use engine_core::handoff;
use engine_core::task::TaskFile;
use engine_core::trust::UntoldTexts;
use engine_text::line::{fingerprint, seal};
use fs_err as fs;
use serde::{Deserialize, Serialize};

use crate::accepted::{self, Whose};
use crate::atomic::{self, Durability};
use crate::project::Project;
use crate::read::{read_bytes, read_kept_if, read_text};
use crate::told::read_own;
use crate::{config_file, directive_file, places, policy_file, settings_variables, task_file, walk};

/// News that are remembered of a project.
const MOST_KEPT: usize = 50;
/// How deep the hook looks for directives when it counts them.
const DEEPEST: usize = 4;
/// The folder of the project's workflows, in `.engine/`.
const WORKFLOWS: &str = "workflows";
/// How deep context files may lie, and how many of them are looked at.
const CONTEXT_DEPTH: usize = 3;
const MOST_CONTEXT: usize = 100;

/// A text of the project that a model is told once the project is trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedText {
    /// From the project's root.
    pub path: String,
    pub text: String,
}

/// The files of `.engine/context/`, by their names.
pub fn context(project: &Project) -> Vec<TrustedText> {
    let is_text = |path: &Path| path.extension().is_some_and(|end| end == "md");
    let mut files = walk::files(&[project.folder().join("context")], CONTEXT_DEPTH, is_text).files;
    files.sort();
    files.truncate(MOST_CONTEXT);
    texts(project, files)
}

/// All directives of the project.
pub fn directives(project: &Project, config: &Config) -> Vec<TrustedText> {
    let names = config.names(&SKIP);
    let is_skipped =
        |path: &Path| path.file_name().is_some_and(|name| skipped(&names).iter().any(|other| name == *other));
    let folders = directive_file::folders(project.root(), is_skipped).files;
    let of = |folder: PathBuf| {
        TYPES.iter().map(move |kind| folder.join(FOLDER).join(kind.file())).filter(|file| file.is_file())
    };
    texts(project, folders.into_iter().flat_map(of).collect())
}

/// The handoff that a new session is told.
pub fn handoff(project: &Project, config: &Config) -> Option<TrustedText> {
    let path = task_file::path(project, config);
    let sections = handoff::sections(&read_kept_if(&path, |_, _| Ok(())).ok()?);
    let text = sections.join("\n\n");
    (!text.is_empty()).then(|| TrustedText { path: shown(project, &path), text })
}

/// The files of `.engine/workflows/`, by their names.
pub fn workflows(project: &Project) -> Vec<TrustedText> {
    texts(project, workflow_files(project))
}

pub fn workflow_files(project: &Project) -> Vec<PathBuf> {
    let is_workflow = |path: &Path| path.extension().is_some_and(|end| end == "toml");
    files_in(&project.folder().join(WORKFLOWS), is_workflow)
}

/// The notes of the project, by their names.
pub fn notes(project: &Project) -> Vec<TrustedText> {
    texts(project, note_files(project))
}

fn note_files(project: &Project) -> Vec<PathBuf> {
    files_in(&project.memory_folder(), |path| path.extension().is_some_and(|end| end == "md"))
}

/// How many lines of the task file are tasks, or should be; with the file.
pub fn tasks(project: &Project, config: &Config) -> (String, usize) {
    let path = task_file::path(project, config);
    let text = task_file::read(project, &path).unwrap_or_default();
    (shown(project, &path), TaskFile::parse(&text).items().len())
}

/// The files of the queue's items.
pub fn queue(project: &Project) -> Vec<PathBuf> {
    files_in(&project.queue_folder(), |path| path.extension().is_some_and(|end| end == "md"))
}

/// The files of a folder that are wanted, by their names.
fn files_in(folder: &Path, wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| wanted(path)).collect();
    files.sort();
    files
}

fn texts(project: &Project, files: Vec<PathBuf>) -> Vec<TrustedText> {
    let text =
        |path: PathBuf| Some(TrustedText { path: shown(project, &path), text: read_text(&path).ok()? });
    files.into_iter().filter_map(text).collect()
}

fn shown(project: &Project, path: &Path) -> String {
    path.strip_prefix(project.root()).unwrap_or(path).display().to_string()
}

/// The texts that a person accepts, read once: what is accepted is what was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptableFiles {
    config: String,
    policy: String,
    /// The person's own configuration.
    user: String,
}

impl AcceptableFiles {
    /// The files as they are; nothing of one that cannot be read.
    pub fn read(project: &Project) -> Self {
        let file = |path: PathBuf| read_own(&path).unwrap_or_default();
        Self {
            config: file(project.config_file()),
            policy: file(policy_file::path(project)),
            user: places::user_config().map(file).unwrap_or_default(),
        }
    }

    /// A name for all of them.
    pub fn name(&self) -> String {
        seal([self.config.as_str(), &self.policy, &self.user].join("\0").as_bytes())
    }
}

/// A name for what the configuration, the policy, the context files and the settings' variables say.
pub fn content(project: &Project, config: &Config) -> String {
    content_with(&AcceptableFiles::read(project), project, config)
}

fn content_with(files: &AcceptableFiles, project: &Project, config: &Config) -> String {
    let mut all = vec![files.config.clone(), files.policy.clone()];
    all.extend(context(project).into_iter().flat_map(|one| [one.path, one.text]));
    let variables = config.acceptance().variables.iter();
    all.extend(variables.map(|one| format!("{}={} {}", one.name, one.value, one.file)));
    seal(all.join("\0").as_bytes())
}

/// A name for all that trust puts in force.
pub fn whole_content(files: &AcceptableFiles, project: &Project, config: &Config) -> String {
    let mut all = vec![content_with(files, project, config)];
    let files = queue(project).into_iter().chain([task_file::path(project, config)]).collect();
    let texts = directives(project, config).into_iter().chain(texts(project, files));
    all.extend(texts.chain(workflows(project)).chain(notes(project)).flat_map(|one| [one.path, one.text]));
    seal(all.join("\0").as_bytes())
}

/// The texts of a project, for a line.
pub fn untold_texts(project: &Project, config: &Config) -> UntoldTexts {
    let is_directive = |path: &Path| directive_file::is_directive(path);
    UntoldTexts {
        context: context(project).into_iter().map(|one| one.path).collect(),
        directives: walk::files(&[project.root().to_owned()], DEEPEST, is_directive).files.len(),
        handoff: handoff(project, config).map(|one| one.path),
        tasks: tasks(project, config).1,
        queue: queue(project).len(),
        workflows: workflow_files(project).len(),
        notes: note_files(project).len(),
    }
}

/// Trusts the project with these files.
pub fn trust_project(project: &Project, files: &AcceptableFiles) -> io::Result<()> {
    accept_project(project, files, true)
}

/// The same, and notes the person's own configuration, if it was not noted before: what is written there from now on is a change.
pub fn trust(project: &Project, files: &AcceptableFiles) -> io::Result<()> {
    trust_project(project, files)?;
    match user(project) {
        Some(user) if accepted::stamp(user.whose()).is_none() => user.accept(&files.user),
        _ => Ok(()),
    }
}

/// Whether a person trusts the project.
pub fn is_trusted(project: &Project) -> bool {
    accepted::read(Whose::Project(project)).accepted.is_some_and(|one| one.trusted)
}

/// Whether nothing was accepted in the project before.
pub fn is_new(project: &Project) -> bool {
    accepted::stamp(Whose::Project(project)).is_none()
}

/// Trusts a project in which nothing was accepted before. Where something was, it stays as it is.
pub fn begin(project: &Project) -> io::Result<()> {
    if !is_new(project) {
        return Ok(());
    }
    trust(project, &AcceptableFiles::read(project))
}

/// Accepts the project's configuration and policy, and the person's own configuration.
pub fn accept(project: &Project, files: &AcceptableFiles) -> io::Result<()> {
    accept_project(project, files, false)?;
    user(project).map_or(Ok(()), |user| user.accept(&files.user))
}

fn accept_project(project: &Project, files: &AcceptableFiles, trusted: bool) -> io::Result<()> {
    let whose = Whose::Project(project);
    accepted::change(whose, |accepted| {
        accepted.trusted |= trusted;
        let accepted = accepted.files_mut(whose);
        accepted.config = config_file::entries(&files.config);
        accepted.policy.clone_from(&files.policy);
    })
}

/// The person's own configuration.
struct User {
    state: PathBuf,
    config: PathBuf,
}

/// `None` if a settings file of the project moved it into the project.
fn user(project: &Project) -> Option<User> {
    let user = User { state: project.user_state()?.to_owned(), config: places::user_config()? };
    (!accepted::is_inside(&user.config, project)).then_some(user)
}

impl User {
    fn whose(&self) -> Whose<'_> {
        Whose::User { state: &self.state, config: &self.config }
    }

    fn accept(&self, text: &str) -> io::Result<()> {
        let entries = config_file::entries(text);
        accepted::change(self.whose(), |accepted| accepted.files_mut(self.whose()).config = entries)
    }
}

/// Accepts one entry that the person set in a file; what else was changed there stays held.
pub fn accept_entry(project: &Project, layer: Layer, name: &str, value: Value) -> io::Result<()> {
    let set = |whose: Whose<'_>| {
        accepted::change(whose, |accepted| {
            accepted.files_mut(whose).config.insert(name.to_owned(), value);
        })
    };
    if layer != Layer::User {
        return set(Whose::Project(project));
    }
    match user(project) {
        Some(user) if accepted::stamp(user.whose()).is_none() => {
            user.accept(&AcceptableFiles::read(project).user)
        }
        Some(user) => set(user.whose()),
        None => Ok(()),
    }
}

/// Forgets that the project was trusted, and what was kept of it. Whether anything was accepted.
pub fn forget(project: &Project) -> io::Result<bool> {
    let was_accepted = accepted::forget(project)?;
    let caches = ["config", "policy"].into_iter().filter_map(|kind| config_file::cache(project, kind));
    caches.chain(told_file(project)).for_each(|file| remove(&file));
    Ok(was_accepted)
}

/// Removes a file of the person's state. Its folder goes with the last one.
fn remove(file: &Path) {
    let _ = fs::remove_file(file);
    let _ = file.parent().map(std::fs::remove_dir);
}

/// The same where the engine is taken out. Without any project left the person's own configuration is forgotten, too.
pub fn uninstalled(project: &Project) -> io::Result<()> {
    forget(project)?;
    if let Some(file) = settings_variables::file(project) {
        remove(&file);
    }
    let Some(folder) =
        accepted::file(Whose::Project(project)).and_then(|file| Some(file.parent()?.to_owned()))
    else {
        return Ok(());
    };
    let is_users = |entry: io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| matches!(entry.file_name().to_str(), Some("user.json" | "user.lock")))
    };
    if fs::read_dir(&folder).is_ok_and(|mut entries| entries.all(is_users)) {
        fs::remove_dir_all(folder)?;
    }
    Ok(())
}

/// What the person was told of a project.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Told {
    #[serde(default)]
    news: Vec<String>,
    /// The context files of the last session, and a name for the text of each.
    #[serde(default)]
    context: Option<BTreeMap<String, String>>,
}

fn told_file(project: &Project) -> Option<PathBuf> {
    let name = fingerprint(&project.root().to_string_lossy());
    Some(project.user_state()?.join("told").join(format!("{name}.json")))
}

fn read_told(project: &Project) -> Told {
    let bytes = told_file(project).and_then(|file| read_bytes(&file).ok());
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

fn change_told(project: &Project, change: impl FnOnce(&mut Told)) -> io::Result<()> {
    let file =
        told_file(project).ok_or_else(|| io::Error::other("no folder for your state: HOME is not set"))?;
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    // Two sessions at once may tell the same; nothing rests on it.
    let mut told = read_told(project);
    change(&mut told);
    atomic::replace(&file, &serde_json::to_vec(&told)?, Durability::Process)
}

/// Whether the person was told this.
pub fn knows(project: &Project, news: &str) -> bool {
    read_told(project).news.contains(&seal(news.as_bytes()))
}

/// The person was told this.
pub fn told(project: &Project, news: &str) -> io::Result<()> {
    change_told(project, |told| {
        let news = seal(news.as_bytes());
        told.news.retain(|other| *other != news);
        told.news.push(news);
        let over = told.news.len().saturating_sub(MOST_KEPT);
        told.news.drain(..over);
    })
}

fn context_now(project: &Project) -> BTreeMap<String, String> {
    context(project).into_iter().map(|one| (one.path, seal(one.text.as_bytes()))).collect()
}

/// The context files that differ from those of the last session; `None` if all are the same.
pub fn changed_context(project: &Project) -> Option<Vec<String>> {
    let now = context_now(project);
    let Some(before) = read_told(project).context else {
        return (!now.is_empty()).then(Vec::new);
    };
    let differs = |path: &&String| now.get(*path) != before.get(*path);
    let mut changed: Vec<String> = now.keys().chain(before.keys()).filter(differs).cloned().collect();
    changed.sort();
    changed.dedup();
    (!changed.is_empty()).then_some(changed)
}

/// The context files were seen as they are.
pub fn context_seen(project: &Project) -> io::Result<()> {
    let now = context_now(project);
    change_told(project, |told| told.context = Some(now))
}
