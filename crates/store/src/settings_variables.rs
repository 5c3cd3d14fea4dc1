//! Variables of this process that the client has from settings files of the project. Until the project is trusted they do not count.
//!
//! The client keeps a variable when the file that set it is changed or gone. So they are remembered, in the person's state folder:
//!
//! ```text
//! ~/.local/state/engine/variables/4f1c…9a.json   [{"name": "ENGINE_OFF", "value": "1", "file": ".claude/settings.json"}]
//! ```
//!
//! A person's own variable of the same name and value cannot be told apart from one of a file.

use std::path::{Path, PathBuf};

use engine_core::config::ProjectVariable;
use engine_text::line::fingerprint;
use engine_text::{BYTE_ORDER_MARK, field};

use crate::atomic::put;
use crate::project::Project;
use crate::read::{read_bytes, read_text};

/// Files of the client that a repository can carry.
const FILES: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];

/// The engine's variables of this process that a settings file sets to the same value, or did.
pub fn set_by(project: &Project) -> Vec<ProjectVariable> {
    let mut found = in_files(project);
    let is_set = |one: &ProjectVariable| std::env::var(&one.name).is_ok_and(|set| set == one.value);
    for earlier in remembered(project).into_iter().filter(is_set) {
        if found.iter().all(|other| other.name != earlier.name) {
            found.push(earlier);
        }
    }
    found
}

/// Remembers the variables that were found. Where that fails they count when the file is gone, and nothing else.
pub fn remember(project: &Project, found: &[ProjectVariable]) {
    if found.is_empty() {
        return;
    }
    let mut all = remembered(project);
    let is_known = |one: &ProjectVariable, all: &[ProjectVariable]| {
        all.iter().any(|other| (&other.name, &other.value) == (&one.name, &one.value))
    };
    let before = all.len();
    for one in found {
        if !is_known(one, &all) {
            all.push(one.clone());
        }
    }
    if all.len() > before
        && let (Some(file), Ok(bytes)) = (file(project), serde_json::to_vec(&all))
    {
        put(&file, &bytes);
    }
}

fn remembered(project: &Project) -> Vec<ProjectVariable> {
    let bytes = file(project).and_then(|file| read_bytes(&file).ok());
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Where they are remembered.
pub(crate) fn file(project: &Project) -> Option<PathBuf> {
    let name = fingerprint(&project.main_root().to_string_lossy());
    Some(project.user_state()?.join("variables").join(format!("{name}.json")))
}

fn in_files(project: &Project) -> Vec<ProjectVariable> {
    let started_in = std::env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    let below = started_in.filter(|folder| folder != project.root() && folder.starts_with(project.root()));
    let mut found = Vec::new();
    // The client reads the local file of the repository's root, too.
    let repository = project.repository().map(Path::to_owned);
    for folder in [project.root().to_owned()].into_iter().chain(below).chain(repository) {
        for file in FILES {
            let Ok(text) = read_text(&folder.join(file)) else { continue };
            for (name, value) in variables(&text) {
                let is_set = std::env::var(&name).is_ok_and(|set| set == value);
                if is_set && found.iter().all(|other: &ProjectVariable| other.name != name) {
                    found.push(ProjectVariable { name, value, file: file.to_owned() });
                }
            }
        }
    }
    found
}

/// The engine's variables in a settings file.
fn variables(text: &str) -> Vec<(String, String)> {
    let keys = field::all(text.trim_start_matches(BYTE_ORDER_MARK)).unwrap_or_default();
    let env = keys.get("env").and_then(|raw| field::all(raw.get())).unwrap_or_default();
    let ours = env.into_iter().filter(|(name, _)| name.starts_with("ENGINE_"));
    ours.map(|(name, raw)| {
        let text = serde_json::from_str::<String>(raw.get());
        (name, text.unwrap_or_else(|_| raw.get().to_owned()))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_sets_the_variables_of_its_env() {
        for (text, expected) in [
            (r#"{"env": {"ENGINE_OFF": "1", "PATH": "/x"}}"#, &[("ENGINE_OFF", "1")][..]),
            (
                "\u{feff}{\"env\": {\"ENGINE_OFF\": 1}, \"env\": {\"ENGINE_OFF\": true}}",
                &[("ENGINE_OFF", "true")],
            ),
            (r#"{"env": "ENGINE_OFF"}"#, &[]),
            ("{", &[]),
        ] {
            let expected: Vec<_> =
                expected.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            assert_eq!(variables(text), expected, "{text}");
        }
    }
}
