//! `engine init --refresh`: what an earlier version installed is brought to this one.
//!
//! A file that nobody has changed is replaced, one that this version ships no more goes, and a skill gets the files that it lacks. A file
//! that somebody has changed is shown beside ours and left.

use std::path::{Path, PathBuf};

use engine_store::project::Project;
use engine_text::diff;

use super::manifest::{Manifest, Touched, user_manifest};
use super::shipped::{CONFIG, Shipment, ShippedFile, Standing, folders_above};
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
            // A configuration is there to be edited.
            Standing::Edited if file.name == CONFIG => {}
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

#[cfg(test)]
mod tests {
    use engine_text::line::text_seal;
    use fs_err as fs;

    use super::super::Shipped;
    use super::*;

    /// Names that nobody has in their own home.
    fn shipment() -> Shipment {
        let text = "---\nname: zzz-do\n---\nOne line.\nAnother line.\n";
        let skill = Shipped { name: "zzz-do", text, files: &[("modes/a.md", "mode a\n")] };
        let versions = [
            ("skills/zzz-do/SKILL.md", "old\n"),
            ("skills/zzz-gone/SKILL.md", "gone\n"),
            ("skills/zzz-gone/modes/x.md", "x\n"),
            ("agents/zzz-gone.md", "gone\n"),
        ];
        let lines = versions.iter().map(|(name, text)| format!("{name} {}\n", text_seal(text)));
        let versions = lines.collect::<Vec<_>>().concat();
        Shipment {
            skills: vec![skill],
            agents: Vec::new(),
            fragment: String::new(),
            config: String::new(),
            versions: versions.leak(),
        }
    }

    #[test]
    fn what_is_shipped_no_more_goes_unless_somebody_changed_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let write = |path: &str, text: &str| {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        };
        write(".claude/skills/zzz-do/SKILL.md", "old\n");
        write(".claude/skills/zzz-gone/SKILL.md", "gone\n");
        write(".claude/skills/zzz-gone/modes/x.md", "x\n");
        write(".claude/agents/zzz-gone.md", "gone, and mine\n");
        let (project, shipment) = (Project::at(&root), shipment());
        let drift = drift(&project, &shipment);
        let names = |files: &[ShippedFile]| files.iter().map(|file| file.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&drift.older), ["skills/zzz-do/SKILL.md"]);
        assert_eq!(names(&drift.retired), ["skills/zzz-gone/SKILL.md", "skills/zzz-gone/modes/x.md"]);
        let plan = plan_refresh(&project, &[], &shipment, &drift).unwrap();
        assert!(plan.changes.iter().all(|change| change.path.starts_with(&root)));
        plan.apply_without_manifest().unwrap();
        let mut left = Vec::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                left.push(entry.path().strip_prefix(&root).unwrap().display().to_string());
                folders.extend(Some(entry.path()).filter(|path| path.is_dir()));
            }
        }
        left.sort();
        assert_eq!(
            left,
            [
                ".claude",
                ".claude/agents",
                ".claude/agents/zzz-gone.md",
                ".claude/skills",
                ".claude/skills/zzz-do",
                ".claude/skills/zzz-do/SKILL.md",
                ".claude/skills/zzz-do/modes",
                ".claude/skills/zzz-do/modes/a.md"
            ]
        );
        assert_eq!(
            fs::read_to_string(root.join(".claude/skills/zzz-do/SKILL.md")).unwrap(),
            shipment.skills[0].text
        );
    }
}
