//! The skills that the client has: which can be in a chain, what is wrong with them, new ones.

use std::path::{Path, PathBuf};

use engine_claude::skills::{self, Origin, SkillEntry, is_built_in};
use engine_core::chain::{Standing, is_name};
use engine_core::sigil::Index;
use engine_core::skill::{Checked, FEATURES, Severity, World, check, features, template};
use engine_store::project::Project;
use engine_store::read::read_string;
use engine_store::reason::reason;
use fs_err as fs;

use crate::error::CommandError;
use crate::here;
use crate::registry::Skills;
use crate::sigil::{DocumentScope, Documents};

/// The project's root, or where we are.
pub fn root() -> Result<PathBuf, CommandError> {
    let cwd = here::folder()?;
    Ok(Project::open(None, &cwd).map_or(cwd, |project| project.root().to_owned()))
}

/// Why a skill cannot be an entry of a chain; nothing if it can.
pub fn why_not(found: &SkillEntry, skills: &Skills) -> Option<String> {
    if let Some(hidden_by) = &found.hidden_by {
        return Some(format!("hidden by {hidden_by}"));
    }
    if !is_name(&found.name) {
        return Some("its name cannot be typed in a chain".to_owned());
    }
    let wrapped = skills.is_wrapped(&found.name);
    let known = engine_core::skill::Known::of(&found.declared);
    match engine_core::skill::standing(Some(&known), wrapped) {
        Standing::Entry | Standing::FreeText { callable: true } => None,
        Standing::OnlyTyped | Standing::FreeText { callable: false } => {
            Some("the model cannot call it".to_owned())
        }
        Standing::NotCooperative | Standing::Unknown => match found.declared.problems.first() {
            Some(problem) if problem.line > 0 => Some(format!("line {}: {}", problem.line, problem.text)),
            Some(problem) => Some(problem.text.clone()),
            None => Some("not cooperative".to_owned()),
        },
    }
}

/// The SKILL.md files that are meant by paths or names.
pub fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, CommandError> {
    if paths.is_empty() {
        let root = root()?;
        let own = skills::all(&root).into_iter().filter(|found| found.origin == Origin::Project);
        let files: Vec<PathBuf> =
            own.filter_map(|found| found.path).filter(|path| path.ends_with("SKILL.md")).collect();
        if files.is_empty() {
            return Err(CommandError::nothing("the project has no skills")
                .hint("name a path, or make one: engine skill new NAME"));
        }
        return Ok(files);
    }
    let mut files = Vec::new();
    for path in paths {
        if path.is_file() {
            files.push(path.clone());
        } else if path.join("SKILL.md").is_file() {
            files.push(path.join("SKILL.md"));
        } else if !path.exists() {
            files.push(named(path)?);
        } else {
            let below = std::fs::read_dir(path).map_err(|error| CommandError::at(path.display(), error))?;
            let mut found: Vec<PathBuf> =
                below.flatten().map(|entry| entry.path().join("SKILL.md")).collect();
            found.retain(|file| file.is_file());
            found.sort();
            if found.is_empty() {
                return Err(CommandError::refused(format!("{}: no SKILL.md in it", path.display())));
            }
            files.extend(found);
        }
    }
    Ok(files)
}

/// The SKILL.md of a skill that the client has, by its name.
fn named(typed: &Path) -> Result<PathBuf, CommandError> {
    let typed = typed.to_string_lossy();
    let name = typed.trim_start_matches('/');
    let is_meant = |found: &SkillEntry| {
        (found.name == name || found.alias.as_deref() == Some(name)) && found.hidden_by.is_none()
    };
    let found = skills::all(&root()?).into_iter().find(is_meant);
    let file = found.and_then(|found| found.path).filter(|path| path.ends_with("SKILL.md"));
    file.ok_or_else(|| {
        CommandError::refused(format!("{typed} is neither a path nor the name of a skill with a SKILL.md"))
            .hint("the names: engine skill list")
    })
}

fn text_of(file: &Path) -> Result<String, CommandError> {
    read_string(file).map_err(|error| CommandError::at(file.display(), error))
}

fn folder_of(file: &Path) -> String {
    let full = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    full.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
}

/// The folder that a skill's file is in.
fn beside(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// What is wrong with skills, file by file.
#[derive(Debug, Default)]
pub struct Report {
    pub found: Vec<(PathBuf, Checked)>,
    /// What could not be read, a sentence each.
    pub unread: Vec<String>,
}

impl Report {
    pub fn count(&self, severity: Severity) -> u64 {
        self.found.iter().filter(|(_, checked)| checked.severity == severity).count() as u64
    }
}

/// Checks skills: front matter, names, tools, links, exits, sigils.
pub fn check_all(files: &[PathBuf]) -> Result<Report, CommandError> {
    let skills = Skills::here()?;
    // A skill that is checked together with the one that names it counts as there.
    let together: Vec<String> = files.iter().map(|file| folder_of(file)).collect();
    let surroundings = DocumentScope::of_root()?;
    let folders: Vec<PathBuf> = files.iter().map(|file| beside(file).to_owned()).collect();
    let Documents { documents, unread } = surroundings.documents(&folders)?;
    let sigils = Index::new(&documents);
    let mut report = Report { unread, ..Report::default() };
    for file in files {
        let text = match read_string(file) {
            Ok(text) => text,
            Err(error) => {
                let text = format!("it was not read: {}", reason(&error));
                report.found.push((file.clone(), Checked { severity: Severity::Error, line: 1, text }));
                continue;
            }
        };
        let folder = folder_of(file);
        let beside = beside(file);
        let found = check(
            &text,
            &World {
                folder: &folder,
                skill_tool: engine_claude::DIALECT.skill_tool,
                is_built_in: &is_built_in,
                is_skill: &|name| skills.find(name).is_some() || together.iter().any(|other| other == name),
                exists: &|path| beside.join(path).exists(),
                is_defined: &|name| sigils.is_defined(name, &surroundings.skill(beside)),
            },
        );
        report.found.extend(found.into_iter().map(|checked| (file.clone(), checked)));
    }
    Ok(report)
}

/// A tag in a skill's file that says: this feature is still to come.
const FOLLOW_UP: &str = "#needs-implementation";

/// In a code span it is only talked about.
fn is_tagged(text: &str) -> bool {
    text.match_indices(FOLLOW_UP).any(|(at, _)| !text[..at].ends_with('`'))
}

/// Which features a skill has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Featured {
    pub skill: String,
    /// One for each of [`FEATURES`].
    pub has: Vec<bool>,
    /// Its file says that what is missing is still to come.
    pub follow_up: bool,
}

/// Which skill has which feature. A feature that some have and others lack is a gap: it is to be carried over, or the
/// file says that it will be.
pub fn matrix(files: &[PathBuf]) -> Result<Vec<Featured>, CommandError> {
    let featured = |file: &PathBuf| {
        let text = text_of(file)?;
        let has =
            features(&text, engine_claude::DIALECT.skill_tool).into_iter().take(FEATURES.len()).collect();
        Ok(Featured { skill: folder_of(file), has, follow_up: is_tagged(&text) })
    };
    files.iter().map(featured).collect()
}

/// Makes a new skill in the project. Its file comes back, from the root.
pub fn make(root: &Path, name: &str) -> Result<PathBuf, CommandError> {
    if !is_name(name) || name.contains(':') {
        return Err(CommandError::usage(format!("{name} is no name for a skill: letters, digits, - and _")));
    }
    if is_built_in(name) {
        return Err(CommandError::refused(format!(
            "/{name} is a command of the client; the skill would take its place"
        )));
    }
    let twin = skills::all(root).into_iter().find(|found| found.name == name && found.hidden_by.is_none());
    if let Some(twin) = twin {
        let place = twin.path.map_or(String::new(), |path| format!(": {}", path.display()));
        return Err(CommandError::refused(format!("/{name} is there already{place}")));
    }
    let file = Path::new(".claude/skills").join(name).join("SKILL.md");
    let path = root.join(&file);
    fs::create_dir_all(beside(&path))?;
    let mut made = fs::OpenOptions::new().write(true).create_new(true).open(&path)?;
    std::io::Write::write_all(&mut made, template(name).as_bytes())?;
    Ok(file)
}

#[cfg(test)]
mod tests;
