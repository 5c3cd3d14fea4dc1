//! Changes of files for a person: the files of skills and agents are counted, all others are named.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use engine_app::wording::counted;
use engine_claude::install::{FileChange, client_home};

use crate::ui::{Tone, toned};

/// Fewer files than these are named.
const COUNTED: usize = 3;

/// Files that are counted together: of one folder of the client, and with one word.
#[derive(Default)]
struct Group {
    files: usize,
    skills: BTreeSet<String>,
    agents: usize,
}

/// A line for each change, or for many of them. `word` says what is done with a file, `behind` what more there is to say of it.
pub(in crate::commands) fn lines(
    root: &Path,
    changes: &[FileChange],
    verbose: bool,
    word: impl Fn(&FileChange) -> String,
    behind: impl Fn(&FileChange) -> String,
) -> Vec<String> {
    let mut groups: BTreeMap<(String, PathBuf), Group> = BTreeMap::new();
    for change in changes {
        let Some((folder, part)) = part(root, &change.path) else { continue };
        let group = groups.entry((word(change), folder)).or_default();
        group.files += 1;
        match part {
            Part::Skill(name) => drop(group.skills.insert(name)),
            Part::Agent => group.agents += 1,
        }
    }
    groups.retain(|_, group| !verbose && group.files > COUNTED);
    let mut lines = Vec::new();
    for change in changes {
        let key = part(root, &change.path).map(|(folder, _)| (word(change), folder));
        let said = toned(Tone::Good, &word(change));
        match key.filter(|key| groups.contains_key(key)) {
            None => lines.push(format!("{said} {}{}", shown(root, &change.path), behind(change))),
            Some(key) => {
                // All of them at the place of the first.
                let group = std::mem::take(groups.get_mut(&key).unwrap_or(&mut Group::default()));
                if group.files > 0 {
                    lines.push(format!("{said} {}", described(root, &key.1, &group)));
                }
            }
        }
    }
    lines
}

/// `16 skills and 10 agents in .claude/ (67 files; -v lists them)`
fn described(root: &Path, folder: &Path, group: &Group) -> String {
    let skills = (!group.skills.is_empty()).then(|| counted(group.skills.len() as u64, "skill"));
    let agents = (group.agents > 0).then(|| counted(group.agents as u64, "agent"));
    let parts: Vec<String> = skills.into_iter().chain(agents).collect();
    let is_one_each = group.skills.len() + group.agents == group.files;
    let files = if is_one_each { String::new() } else { format!("{} files; ", group.files) };
    format!("{} in {}/ ({files}-v lists them)", parts.join(" and "), shown(root, folder))
}

enum Part {
    Skill(String),
    Agent,
}

/// The folder of the client, and what of it a file belongs to.
fn part(root: &Path, path: &Path) -> Option<(PathBuf, Part)> {
    let folders = [Some(root.join(".claude")), client_home()];
    let folder = folders.into_iter().flatten().find(|folder| path.starts_with(folder))?;
    let mut names = path.strip_prefix(&folder).ok()?.iter().map(|name| name.to_string_lossy().into_owned());
    let part = match names.next()?.as_str() {
        "skills" => Part::Skill(names.next()?),
        "agents" => Part::Agent,
        _ => return None,
    };
    Some((folder, part))
}

/// A path as a person reads it in this project.
pub(in crate::commands) fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}
