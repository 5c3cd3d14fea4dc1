//! The index for the rule `enrich`: `.engine/state/enrich.idx` of each checkout, since branches differ in what they have written down.
//!
//! It is a cache: it may be deleted at any time, and what cannot be used is made anew. It is made by commands, and by the hook when a
//! session begins or ends, within a limit. Whoever writes it replaces the whole file, so a reader sees the old one or the new one, and a
//! kill leaves the old one.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use engine_core::config::Config;
use engine_core::enrich::{self, Index, Item, Key, MOST_ITEMS, Source};
use engine_core::note::Place;
use fs_err as fs;

use crate::atomic::{self, Durability};
use crate::lock;
use crate::note_file;
use crate::plan_file::{self, PlanFile};
use crate::project::Project;
use crate::read::read_bytes;
use crate::reason::reason;
use crate::{task_file, told};

/// Folders of this name hold decisions.
const DECISIONS: [&str; 3] = ["decisions", "adr", "adrs"];
/// Folders that hold nothing that a person wrote for the project, besides those whose names begin with a dot.
const SKIPPED: [&str; 6] = ["node_modules", "target", "vendor", "dist", "build", "venv"];
/// How deep folders of decisions are looked for, and how deep they are read.
const DEEPEST: usize = 6;
const DEEPEST_DECISIONS: usize = 3;
/// Folders that are looked into.
const MOST_FOLDERS: usize = 5000;

/// What a hook may take for it.
pub const HOOK: Duration = Duration::from_millis(300);

/// What an index was made from.
#[derive(Debug, Default)]
pub struct Gathered {
    /// The newest first.
    pub items: Vec<Item>,
    /// More than an index holds.
    pub left_out: usize,
    sources: Vec<Source>,
}

pub fn path(project: &Project) -> PathBuf {
    project.own_state_folder().join("enrich.idx")
}

/// The file as it is, or why there is none.
pub fn read(project: &Project) -> Result<Vec<u8>, String> {
    read_bytes(&path(project)).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "there is no index".to_owned(),
        _ => reason(&error),
    })
}

/// Whether the index is there, can be used and is as new as what it was made from. Folders of decisions that are new are not looked for.
pub fn is_current(project: &Project, config: &Config) -> bool {
    let Ok(bytes) = read(project) else { return false };
    let Ok(index) = Index::open(&bytes) else { return false };
    let sources = index.sources();
    let learnings = shown(project, &task_file::learnings(project, config));
    sources.iter().any(|one| one.path == learnings)
        && sources.iter().all(|one| source(project, &project.root().join(&one.path)) == *one)
}

/// Makes the index anew. `None`: it took too long, or another process is about it, and the old index stays.
pub fn make(
    project: &Project,
    config: &Config,
    retired: &BTreeSet<Key>,
    limit: Option<Duration>,
) -> io::Result<Option<Gathered>> {
    let until = limit.map(|limit| Instant::now() + limit);
    let patience = if limit.is_some() { Duration::ZERO } else { lock::RARE };
    let held = lock::hold_local(&path(project).with_extension("lock"), patience);
    let _held = match held {
        Err(error) if limit.is_some() && error.kind() == io::ErrorKind::TimedOut => return Ok(None),
        held => held?,
    };
    let Some(gathered) = gather(project, config, until) else { return Ok(None) };
    let bytes = enrich::build(&gathered.items, &gathered.sources, retired);
    atomic::sweep(&path(project));
    atomic::replace(&path(project), &bytes, Durability::Process)?;
    Ok(Some(gathered))
}

/// The items that are not told any more, by the index as it is.
pub fn retired(project: &Project) -> BTreeSet<Key> {
    let bytes = read(project).unwrap_or_default();
    let Ok(index) = Index::open(&bytes) else { return BTreeSet::new() };
    index.rows().filter(|row| row.is_retired).map(|row| row.key).collect()
}

/// Everything that is indexed; nothing if the time is up before.
fn gather(project: &Project, config: &Config, until: Option<Instant>) -> Option<Gathered> {
    let mut gathering = Gathering { project, until, found: Vec::new(), sources: Vec::new() };
    gathering.notes()?;
    gathering.learnings(config)?;
    gathering.decisions()?;
    gathering.plans()?;
    let Gathering { mut found, sources, .. } = gathering;
    found.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.path.cmp(&other.1.path)));
    let left_out = found.len().saturating_sub(MOST_ITEMS);
    let items = found.into_iter().take(MOST_ITEMS).map(|(_, item)| item).collect();
    Some(Gathered { items, left_out, sources })
}

struct Gathering<'p> {
    project: &'p Project,
    until: Option<Instant>,
    /// With the time of their files.
    found: Vec<(i64, Item)>,
    sources: Vec<Source>,
}

impl Gathering<'_> {
    fn goes_on(&self) -> Option<()> {
        self.until.is_none_or(|until| Instant::now() < until).then_some(())
    }

    /// Takes a file or folder down as one that the items come from.
    fn seen(&mut self, path: &Path) -> i64 {
        let source = source(self.project, path);
        let modified = source.modified;
        self.sources.push(source);
        modified
    }

    fn take(&mut self, path: &Path, cut: impl FnOnce(&str, &str) -> Vec<Item>) -> Option<()> {
        self.goes_on()?;
        let modified = self.seen(path);
        if let Ok(told) = told::read(self.project.root(), path) {
            let items = cut(&shown(self.project, path), &told.text);
            self.found.extend(items.into_iter().map(|item| (modified, item)));
        }
        Some(())
    }

    fn notes(&mut self) -> Option<()> {
        let folder = self.project.memory_folder();
        self.seen(&folder);
        let notes = note_file::load(self.project).unwrap_or_default();
        let live: BTreeSet<PathBuf> = notes
            .live()
            .filter(|(entry, _)| entry.place == Place::Project)
            .map(|(entry, _)| note_file::path(self.project, entry.place, &entry.slug))
            .collect();
        for path in markdown(&folder) {
            let is_live = live.contains(&path);
            self.take(&path, |path, text| {
                enrich::note(path, text).filter(|_| is_live).into_iter().collect()
            })?;
        }
        Some(())
    }

    fn learnings(&mut self, config: &Config) -> Option<()> {
        let path = task_file::learnings(self.project, config);
        self.take(&path, enrich::learnings)
    }

    fn decisions(&mut self) -> Option<()> {
        let mut folders = vec![(self.project.root().to_owned(), 0, false)];
        let mut at = 0;
        while at < folders.len() && at < MOST_FOLDERS {
            self.goes_on()?;
            let (folder, depth, holds) = folders[at].clone();
            at += 1;
            if holds {
                self.seen(&folder);
                for path in markdown(&folder) {
                    self.take(&path, enrich::decisions)?;
                }
            }
            for (name, path) in below(&folder) {
                let begins = !holds && DECISIONS.contains(&name.as_str());
                let deepest = if holds { DEEPEST_DECISIONS } else { DEEPEST };
                if depth < deepest || begins {
                    folders.push((path, if begins { 0 } else { depth + 1 }, holds || begins));
                }
            }
        }
        Some(())
    }

    fn plans(&mut self) -> Option<()> {
        let folder = self.project.plans_folder();
        self.seen(&folder);
        for name in plan_file::newest(self.project, MOST_ITEMS) {
            self.goes_on()?;
            let path = folder.join(&name).with_extension("json");
            let modified = source(self.project, &path).modified;
            let plan = PlanFile::new(self.project, &name).peek().and_then(Result::ok);
            self.found.extend(plan.as_ref().and_then(enrich::plan).map(|item| (modified, item)));
        }
        Some(())
    }
}

/// Folders in a folder that are looked into, without links.
fn below(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut folders: Vec<(String, PathBuf)> = folders
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())))
        .filter(|(name, _)| !name.starts_with('.') && !SKIPPED.contains(&name.as_str()))
        .collect();
    folders.sort();
    folders
}

/// The Markdown files in a folder, without links.
fn markdown(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let mut files: Vec<PathBuf> = files
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .collect();
    files.sort();
    files
}

/// How a file or folder is now. One that is not there has no size and no time.
fn source(project: &Project, path: &Path) -> Source {
    let data = fs::metadata(path).ok();
    let modified = data.as_ref().and_then(|data| data.modified().ok()).map_or(0, nanoseconds);
    let size = data.filter(std::fs::Metadata::is_file).map_or(0, |data| data.len());
    Source { path: shown(project, path), size, modified }
}

fn nanoseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// From the root; worktrees share the plans of the main checkout, which are outside it.
fn shown(project: &Project, path: &Path) -> String {
    path.strip_prefix(project.root()).unwrap_or(path).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
