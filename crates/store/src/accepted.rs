//! What the person accepted of a configuration: one record per project and one for the person's own `config.toml`, in the person's state
//! folder.
//!
//! ```text
//! ~/.local/state/engine/accepted/4f1c…9a.json   {"version": 1, "root": "/home/ada/shop", "trusted": true, "config": {…}, "policy": "…"}
//! ~/.local/state/engine/accepted/user.json
//! ```
//!
//! Worktrees of one repository share a record, and each may have accepted entries of its own. A project without one is not trusted.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use engine_core::config::Value;
use engine_core::versioned::{self, Unusable};
use fs_err as fs;
use serde::{Deserialize, Serialize};

use crate::atomic::Durability;
use crate::lock;
use crate::places;
use crate::project::Project;
use crate::record::{Fault, Layout, Record, SetAside, Versioned};

const VERSION: u32 = 1;
/// What messages call it.
const NAME: &str = "the accepted configuration";

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    version: u32,
    /// The project's folder, or the person's own file.
    root: PathBuf,
    /// Whether the person trusts the project. Without it only the entries below are accepted.
    #[serde(default)]
    pub trusted: bool,
    #[serde(flatten)]
    files: AcceptedFiles,
    /// Those of worktrees in which something was accepted that the main checkout does not have.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    worktrees: BTreeMap<PathBuf, AcceptedFiles>,
}

/// What was accepted of the files of one checkout.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedFiles {
    /// Entries of `config.toml`.
    #[serde(default)]
    pub config: BTreeMap<String, Value>,
    /// The text of `policy.toml`.
    #[serde(default)]
    pub policy: String,
}

impl Accepted {
    /// What was accepted of the files of a checkout; of one in which nothing was, that of the main checkout.
    pub fn into_files(mut self, whose: Whose<'_>) -> AcceptedFiles {
        whose.worktree().and_then(|root| self.worktrees.remove(root)).unwrap_or(self.files)
    }

    /// The same, to be changed for this checkout only.
    pub fn files_mut(&mut self, whose: Whose<'_>) -> &mut AcceptedFiles {
        match whose.worktree() {
            Some(root) => self.worktrees.entry(root.to_owned()).or_insert_with(|| self.files.clone()),
            None => &mut self.files,
        }
    }
}

impl Versioned for Accepted {
    const LAYOUT: Layout = Layout::Pretty;
    const DURABILITY: Durability = Durability::Disk;

    fn parse(text: &str) -> Result<Self, Unusable> {
        let accepted: Self =
            serde_json::from_str(text).map_err(|error| Unusable::Damaged(error.to_string()))?;
        versioned::readable(accepted.version, VERSION).map(|()| accepted)
    }
}

/// Which record.
#[derive(Debug, Clone, Copy)]
pub enum Whose<'a> {
    Project(&'a Project),
    /// The person's own `config.toml`, by its path.
    User {
        state: &'a Path,
        config: &'a Path,
    },
}

impl Whose<'_> {
    fn worktree(&self) -> Option<&Path> {
        match self {
            Self::Project(project) => project.worktree(),
            Self::User { .. } => None,
        }
    }

    fn root(&self) -> PathBuf {
        match self {
            Self::Project(project) => {
                let root = project.main_root();
                fs::canonicalize(root).unwrap_or_else(|_| root.to_owned())
            }
            Self::User { config, .. } => config.to_path_buf(),
        }
    }
}

/// The file of a record, `None` without a folder for the person's state.
pub fn file(whose: Whose<'_>) -> Option<PathBuf> {
    Some(match whose {
        Whose::Project(project) => places::accepted_of(project.user_state()?, &whose.root()),
        Whose::User { state, .. } => places::accepted_of_user(state),
    })
}

/// By which a change of a record is noticed: each change makes a new file.
pub type Stamp = (u64, i64, i64, u64);

/// The stamp of a record, `None` if there is none. Cheap where the project's folder is written without links.
pub fn stamp(whose: Whose<'_>) -> Option<Stamp> {
    if let Whose::Project(project) = whose {
        let written = stamp_of(&places::accepted_of(project.user_state()?, project.main_root()));
        if written.is_some() {
            return written;
        }
    }
    stamp_of(&file(whose)?)
}

fn stamp_of(file: &Path) -> Option<Stamp> {
    let data = file.metadata().ok()?;
    Some((data.len(), data.ctime(), data.ctime_nsec(), data.ino()))
}

/// What is known of what was accepted.
#[derive(Debug, Default)]
pub struct Known {
    pub accepted: Option<Accepted>,
    /// Why a record does not count that exists. One that is damaged is kept under another name.
    pub trouble: Option<String>,
}

pub fn read(whose: Whose<'_>) -> Known {
    let Some(file) = file(whose) else { return Known::default() };
    if let Whose::Project(project) = whose
        && is_inside(&file, project)
    {
        return if file.exists() {
            trouble(&format!("{} is in the project", file.display()))
        } else {
            Known::default()
        };
    }
    let record = record(file);
    match record.peek() {
        None => Known::default(),
        Some(Ok(accepted)) if accepted.root == whose.root() => {
            Known { accepted: Some(accepted), trouble: None }
        }
        Some(Ok(accepted)) => trouble(&format!("it is for {}", accepted.root.display())),
        Some(Err(Fault::Unread(error))) => trouble(&crate::reason::reason(&error)),
        Some(Err(Fault::Unusable(_))) => match record.hold().and_then(|held| Ok(held.read_or_new()?.1)) {
            Ok(Some(SetAside(text))) => Known { accepted: None, trouble: Some(text) },
            // Another process was quicker.
            Ok(None) => Known::default(),
            Err(error) => trouble(&error.to_string()),
        },
    }
}

fn trouble(why: &str) -> Known {
    Known { accepted: None, trouble: Some(format!("{NAME} was not used: {why}")) }
}

/// Changes a record, and makes it if need be.
pub fn change(whose: Whose<'_>, change: impl FnOnce(&mut Accepted)) -> io::Result<()> {
    let file = file(whose).ok_or_else(|| io::Error::other("no folder for your state: HOME is not set"))?;
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let record = record(file);
    let held = record.hold()?;
    let (mut accepted, _) = held.read_or_new()?;
    (accepted.version, accepted.root) = (VERSION, whose.root());
    change(&mut accepted);
    held.replace(&accepted)
}

/// Takes a record back. Whether there was one.
pub fn forget(project: &Project) -> io::Result<bool> {
    let Some(file) = file(Whose::Project(project)).filter(|file| file.exists()) else { return Ok(false) };
    let record = record(file);
    let held = record.hold()?;
    fs::remove_file(record.path())?;
    let _ = fs::remove_file(record.path().with_extension("lock"));
    drop(held);
    Ok(true)
}

fn record(file: PathBuf) -> Record<Accepted> {
    Record::new(NAME.to_owned(), file, lock::HOOK)
}

/// Whether a path of the person is in the project, because its settings moved the person's folders there.
pub(crate) fn is_inside(path: &Path, project: &Project) -> bool {
    let real = |path: &Path| crate::links::resolve(path);
    let path = real(path);
    [project.root(), project.main_root()].into_iter().any(|root| path.starts_with(real(root)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage() -> (tempfile::TempDir, Project) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("p");
        std::fs::create_dir_all(root.join(".engine")).unwrap();
        let project = Project::at(&root).with_user_state(&folder.path().join("state"));
        (folder, project)
    }

    #[test]
    fn a_record_is_for_one_folder() {
        let (folder, project) = stage();
        let whose = Whose::Project(&project);
        assert_eq!(read(whose).accepted, None);
        change(whose, |accepted| accepted.trusted = true).unwrap();
        let known = read(whose);
        assert!(known.accepted.is_some_and(|accepted| accepted.trusted));
        assert_eq!(known.trouble, None);
        // Through a link it is the same.
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(project.root(), &link).unwrap();
        let linked = Project::at(&link).with_user_state(&folder.path().join("state"));
        assert!(read(Whose::Project(&linked)).accepted.is_some());
        // Copied to the name of another, it counts for nothing.
        let other = Project::at(&folder.path().join("q")).with_user_state(&folder.path().join("state"));
        std::fs::copy(file(whose).unwrap(), file(Whose::Project(&other)).unwrap()).unwrap();
        let known = read(Whose::Project(&other));
        assert_eq!(known.accepted, None);
        let root = fs::canonicalize(project.root()).unwrap();
        assert_eq!(
            known.trouble,
            Some(format!("the accepted configuration was not used: it is for {}", root.display()))
        );
        assert!(forget(&project).unwrap());
        assert_eq!(read(whose).accepted, None);
        assert!(!forget(&project).unwrap());
    }

    #[test]
    fn one_in_the_project_does_not_count() {
        let (_folder, project) = stage();
        let state = project.root().join("state");
        let moved = project.clone().with_user_state(&state);
        change(Whose::Project(&moved), |accepted| accepted.trusted = true).unwrap();
        let known = read(Whose::Project(&moved));
        assert_eq!(known.accepted, None);
        let file = file(Whose::Project(&moved)).unwrap();
        let why = format!("the accepted configuration was not used: {} is in the project", file.display());
        assert_eq!(known.trouble, Some(why));
    }

    #[test]
    fn a_damaged_one_is_kept_aside_and_told_once() {
        let (_folder, project) = stage();
        let whose = Whose::Project(&project);
        change(whose, |accepted| accepted.trusted = true).unwrap();
        let file = file(whose).unwrap();
        std::fs::write(&file, "{").unwrap();
        let known = read(whose);
        assert_eq!(known.accepted, None);
        let text = known.trouble.unwrap();
        let kept = text.rsplit_once(" kept as ").unwrap().1;
        assert_eq!(
            text,
            format!(
                "the accepted configuration was damaged (EOF while parsing an object at line 1 column 1); it is kept as {kept}"
            )
        );
        assert_eq!(std::fs::read_to_string(file.with_file_name(kept)).unwrap(), "{");
        assert_eq!(read(whose).trouble, None);
    }
}
