//! `engine init --refresh`: what an earlier version installed is brought to this one.
//!
//! A file that nobody has changed is replaced, one that this version ships no more goes, and a skill gets the files that it lacks. A file
//! that somebody has changed is shown beside ours and left.

use std::path::{Path, PathBuf};

use engine_store::project::Project;
use engine_text::diff;

use super::manifest::{Manifest, Touched, user_manifest};
use super::shipped::{Shipment, ShippedFile, Standing, folders_above};
use super::{FileChange, InstallError, InstallOptions, Plan};

/// How the installed files differ from those of this version.
#[derive(Debug, Default)]
pub struct Drift {
    /// Files that are as this version ships them.
    pub current: usize,
    /// Those that an earlier version shipped, and is not changed.
    pub older: Vec<ShippedFile>,
    /// Those that this version ships no more.
    pub retired: Vec<ShippedFile>,
    /// Those that somebody has changed.
    pub edited: Vec<ShippedFile>,
    /// Files of installed skills that are not there.
    pub missing: Vec<(PathBuf, String)>,
}

impl Drift {
    /// Whether there is nothing of ours.
    pub fn is_bare(&self) -> bool {
        self.current + self.older.len() + self.retired.len() + self.edited.len() == 0
    }

    /// Whether a refresh has nothing to do.
    pub fn is_none(&self) -> bool {
        self.older.is_empty() && self.retired.is_empty() && self.missing.is_empty()
    }
}

/// Compares the installed files with this version.
pub fn drift(project: &Project, shipment: &Shipment) -> Drift {
    let mut drift = Drift::default();
    let mut skills = Vec::new();
    for file in shipment.files(project) {
        if file.standing.is_ours() && file.name.ends_with("/SKILL.md") {
            skills.push(file.clone());
        }
        match file.standing {
            Standing::Current => drift.current += 1,
            Standing::Older => drift.older.push(file),
            Standing::Retired => drift.retired.push(file),
            Standing::Edited => drift.edited.push(file),
            Standing::Theirs | Standing::Linked | Standing::LeadsOut => {}
        }
    }
    for (skill, folder) in skills.iter().filter_map(|file| Some((file, file.path.parent()?))) {
        let Some(skill) = shipment.skills.iter().find(|shipped| is_text_of(shipped.name, &skill.name)) else {
            continue;
        };
        let files = skill.files.iter().map(|(path, text)| (folder.join(path), (*text).to_owned()));
        drift.missing.extend(files.filter(|(path, _)| path.symlink_metadata().is_err()));
    }
    drift
}

fn is_text_of(skill: &str, name: &str) -> bool {
    name.strip_prefix("skills/").and_then(|rest| rest.strip_suffix("/SKILL.md")) == Some(skill)
}

impl ShippedFile {
    /// What ours has that this file lacks, and the reverse.
    pub fn compared(&self, shipment: &Shipment, version: &str) -> String {
        let ours = shipment.text(&self.name).unwrap_or_default();
        let theirs = self.text.replace("\r\n", "\n");
        diff::unified(&theirs, ours, &format!("{} (yours)", self.name), &format!("{} ({version})", self.name))
    }
}

/// Plans a refresh: the hook entries of each scope that wires engine, and the files.
pub fn plan_refresh(
    project: &Project,
    scopes: &[InstallOptions<'_>],
    shipment: &Shipment,
    drift: &Drift,
) -> Result<Plan, InstallError> {
    let mut plan = match scopes.first() {
        Some(first) => super::plan_init(project, first)?,
        None => Plan {
            project: Manifest::of_project(project).manifest,
            user: Manifest::load(user_manifest()),
            ..Plan::default()
        },
    };
    for other in scopes.iter().skip(1) {
        plan.wire_also(project, other)?;
    }
    for file in &drift.older {
        if let Some(text) = shipment.text(&file.name) {
            plan.update(project, &file.path, &file.text, text);
        }
    }
    for file in &drift.retired {
        plan.retire(project, &file.path, &file.text);
    }
    for (path, text) in &drift.missing {
        plan.change(project, path.clone(), None, Some(text.clone()));
    }
    Ok(plan)
}

impl Plan {
    /// Puts this version in the place of an earlier one, with the line ends that the file has.
    pub(super) fn update(&mut self, project: &Project, path: &Path, present: &str, text: &str) {
        let text = if present.contains("\r\n") { text.replace('\n', "\r\n") } else { text.to_owned() };
        let known = self.manifest(project, path).files.get(path);
        // The earlier version is ours: taken out, nothing is left.
        let before = known.filter(|known| known.after == present).and_then(|known| known.before.clone());
        let change =
            FileChange { path: path.to_owned(), before: Some(present.to_owned()), after: Some(text.clone()) };
        self.record(project, change, Touched { before, after: text, ..Touched::default() });
        let above = folders_above(project, path);
        let manifest = self.manifest(project, path);
        for folder in above.into_iter().rev() {
            if !manifest.folders.contains(&folder) {
                manifest.folders.push(folder);
            }
        }
    }

    /// Takes out a file that is shipped no more.
    fn retire(&mut self, project: &Project, path: &Path, present: &str) {
        self.manifest(project, path).files.remove(path);
        self.emptied.extend(folders_above(project, path));
        self.changes.push(FileChange {
            path: path.to_owned(),
            before: Some(present.to_owned()),
            after: None,
        });
    }
}
