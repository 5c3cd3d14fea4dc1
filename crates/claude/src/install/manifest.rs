//! The manifest of what was written, and what a file would be without it.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

use engine_store::atomic::{self, Durability};
use engine_store::git;
use engine_store::places;
use engine_store::project::Project;
use engine_store::read::read_string;
use engine_store::trust;
use engine_text::BYTE_ORDER_MARK;
use engine_text::line::printable;
use fs_err as fs;
use serde::{Deserialize, Serialize};

use super::granted;
use super::written::{CLIENT_FOLDER, Unrestorable, is_settings, unrestorable};
use crate::json_edit::EditError;
use crate::settings::{self, Kept};

/// What was written, so that it can be taken back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Manifest {
    pub(super) version: u32,
    /// Of the project, when it was written: the folder may be moved since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) root: Option<PathBuf>,
    pub(super) files: BTreeMap<PathBuf, Touched>,
    /// Folders that we made, outermost first.
    pub(super) folders: Vec<PathBuf>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Touched {
    /// The text that the file would have without us; nothing if there would be none.
    pub(super) before: Option<String>,
    pub(super) after: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) kept: Kept,
    /// Entries that we added to `permissions.allow`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) permissions: Vec<String>,
    /// The lines that we added to a file of the person's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<String>,
}

const MANIFEST: &str = "install.json";
/// Files by which the root is known where an earlier version did not note it.
const SURE: [&str; 3] = [".engine/config.toml", ".claude/settings.local.json", ".claude/settings.json"];
/// How many files a note names.
const NAMED: usize = 5;

/// The manifest of a project, as far as it counts: it comes with a clone, and may be anybody's.
#[derive(Debug, Default)]
pub(super) struct ProjectManifest {
    pub(super) manifest: Manifest,
    /// Where it is kept; nothing if it does not count at all.
    pub(super) path: Option<PathBuf>,
    /// What of it does not count.
    pub(super) notes: Vec<String>,
    /// The files that these notes are about.
    pub(super) left_out: Vec<PathBuf>,
}

impl Manifest {
    pub(super) fn load(path: Option<PathBuf>) -> Self {
        let text = path.and_then(|path| read_string(&path).ok());
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Of a project that is not trusted, nothing; of another, what init writes.
    pub(super) fn of_project(project: &Project) -> ProjectManifest {
        let path = project_manifest(project);
        if !trust::is_trusted(project) {
            let note = || {
                let path = path.strip_prefix(project.root()).unwrap_or(&path).display();
                format!("nothing was restored from {path}, because this project is not trusted")
            };
            let notes = path.exists().then(note).into_iter().collect();
            return ProjectManifest { notes, ..ProjectManifest::default() };
        }
        let mut manifest = Self::load(Some(path.clone())).moved_to(project.root());
        let mut left_out: BTreeMap<Unrestorable, Vec<String>> = BTreeMap::new();
        let mut paths = Vec::new();
        manifest.files.retain(|file, _| {
            let why = unrestorable(project, file);
            // Settings are edited where a link leads, by what they say.
            let is_settings = is_settings(project, file) && why == Some(Unrestorable::LeadsOut);
            if let Some(why) = why.filter(|_| !is_settings) {
                paths.push(file.clone());
                let shown = file.strip_prefix(project.root()).unwrap_or(file);
                left_out.entry(why).or_default().push(printable(&shown.to_string_lossy()));
            }
            why.is_none()
        });
        let Self { files, folders, .. } = &mut manifest;
        let clients = project.root().join(CLIENT_FOLDER);
        let is_above = |folder: &Path| files.keys().any(|file| file.starts_with(folder));
        folders.retain(|folder| {
            let goes_up = folder.components().any(|part| part == Component::ParentDir);
            let is_clients = folder.starts_with(&clients) && !goes_up;
            folder != project.root() && (is_clients || is_above(folder))
        });
        let notes = left_out.iter().map(|(why, files)| not_restored(files, *why)).collect();
        ProjectManifest { manifest, path: Some(path), notes, left_out: paths }
    }

    /// The same with the paths below the folder in which the project is now.
    fn moved_to(self, root: &Path) -> Self {
        let named = |file: &Path| SURE.iter().find_map(|name| below(file, Path::new(name)));
        let Some(old) = self.root.clone().or_else(|| self.files.keys().find_map(|file| named(file))) else {
            return self;
        };
        let moved = |path: PathBuf| path.strip_prefix(&old).map_or(path.clone(), |rest| root.join(rest));
        Self {
            version: self.version,
            root: Some(root.to_owned()),
            files: self.files.into_iter().map(|(path, touched)| (moved(path), touched)).collect(),
            folders: self.folders.into_iter().map(moved).collect(),
        }
    }

    pub(super) fn save(&mut self, path: &Path) -> io::Result<()> {
        if self.files.is_empty() {
            return if path.exists() { fs::remove_file(path) } else { Ok(()) };
        }
        self.version = 1;
        atomic::replace(path, &serde_json::to_vec(self)?, Durability::Process)
    }
}

/// The folder that has a file under this name.
fn below(file: &Path, name: &Path) -> Option<PathBuf> {
    let folder = file.ancestors().nth(name.components().count())?;
    (folder.join(name) == file).then(|| folder.to_owned())
}

fn not_restored(files: &[String], why: Unrestorable) -> String {
    let (named, others) = files.split_at(files.len().min(NAMED));
    let others = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
    format!("not restored: {}{others}, {}", named.join(", "), why.as_str())
}

/// Of this very checkout: worktrees share the other state, but not their files.
pub(super) fn project_manifest(project: &Project) -> PathBuf {
    project.own_state_folder().join(MANIFEST)
}

pub(super) fn user_manifest() -> Option<PathBuf> {
    Some(places::user_state()?.join(MANIFEST))
}

/// A settings text as it would be without us; nothing if the file came with us. Without a manifest the entries for these skills are ours
/// where the others are.
pub(super) fn without_us(
    path: &Path,
    text: &str,
    touched: Option<&Touched>,
    skills: &[String],
) -> Result<Option<String>, EditError> {
    if let Some(touched) = touched.filter(|touched| touched.after == text) {
        return Ok(touched.before.clone());
    }
    let (mark, rest) = without_mark(text);
    if rest.trim().is_empty() {
        return Ok(Some(text.to_owned()));
    }
    // Where the manifest does not say it, the signs do.
    let known = Touched {
        permissions: granted::ours(rest, skills)?,
        kept: settings::signs(rest)?,
        ..Touched::default()
    };
    let is_ours = || Ok(!known.permissions.is_empty() || settings::has_ours(rest)?);
    if touched.is_none() && !is_ours()? {
        return Ok(Some(text.to_owned()));
    }
    let touched_or_known = touched.unwrap_or(&known);
    let Touched { kept, permissions, .. } = touched_or_known;
    let after = settings::disallow(&settings::unwire(rest, kept)?, permissions, kept)?;
    let after = settings::without_signs(&settings::with_root_before(&after, kept)?)?;
    let is_left = after.split_whitespace().collect::<String>() != "{}";
    if is_left || kept.contains_key("") {
        return Ok(Some(format!("{mark}{after}")));
    }
    // The brackets are ours, and so is what stands behind them.
    let blanks = &after[..after.len() - after.trim_start().len()];
    if !blanks.is_empty() {
        return Ok(Some(format!("{mark}{blanks}")));
    }
    let came_with_us = match touched {
        Some(touched) => !touched.after.is_empty() && touched.before.is_none(),
        None => began_as_ours(path, text, |first| {
            let first = without_mark(first).1;
            let has_ours = settings::has_ours(first).unwrap_or_default();
            has_ours || granted::ours(first, &[]).is_ok_and(|ours| !ours.is_empty())
        }),
    };
    Ok((!came_with_us).then_some(format!("{mark}{after}")))
}

/// Whether a file in which nothing but ours is left was made by us: as it was when git first had it, if git knows; else by the end of its
/// last line, which a file of ours has.
pub(super) fn began_as_ours(path: &Path, text: &str, is_ours: impl Fn(&str) -> bool) -> bool {
    !path.is_symlink() && git::first_version(path).map_or(text.ends_with('\n'), |first| is_ours(&first))
}

/// A byte order mark, if there is one, and the text behind it.
pub(super) fn without_mark(text: &str) -> (&str, &str) {
    text.split_at(text.len() - text.trim_start_matches(BYTE_ORDER_MARK).len())
}
