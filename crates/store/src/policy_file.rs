//! Reading `.engine/policy.toml` and `.engine/policy.tests.toml`.
//!
//! For the hook the rules are kept as JSON, valid while size and time of the file are what they were. A rule that cannot be
//! used is left out and named; the others count.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use engine_core::policy::{ProjectPolicy, ProjectRule, RuleTest};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toml_edit::{Document, Item};

use crate::atomic::{self, Durability};
use crate::project::Project;
use crate::read::read_bytes;
use crate::told::read_own;
use engine_core::view::Unread;

/// The rules that can be used, and what is wrong with the others.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Loaded {
    pub policy: ProjectPolicy,
    pub problems: Vec<Problem>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    pub line: usize,
    pub text: String,
}

#[derive(Serialize, Deserialize)]
struct Cache {
    path: PathBuf,
    stamp: (u64, u64),
    loaded: Loaded,
}

pub fn path(project: &Project) -> PathBuf {
    project.folder().join("policy.toml")
}

pub fn tests_path(project: &Project) -> PathBuf {
    project.folder().join("policy.tests.toml")
}

/// The project's policy, for the hook.
pub fn load(project: &Project) -> Loaded {
    let path = path(project);
    let Some(stamp) = stamp(&path) else { return Loaded::default() };
    let cache = project.state_folder().join("policy.json");
    let kept = read_bytes(&cache).ok().and_then(|bytes| serde_json::from_slice::<Cache>(&bytes).ok());
    if let Some(kept) = kept.filter(|kept| kept.path == path && kept.stamp == stamp) {
        return kept.loaded;
    }
    let loaded = read(project);
    let kept = Cache { path, stamp, loaded };
    if let Ok(bytes) = serde_json::to_vec(&kept)
        && Project::make_local(&project.state_folder()).is_ok()
    {
        let _ = atomic::replace(&cache, &bytes, Durability::Process);
    }
    kept.loaded
}

fn stamp(path: &Path) -> Option<(u64, u64)> {
    let data = path.metadata().ok()?;
    let time = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((data.len(), u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)))
}

/// The same, read anew: for commands.
pub fn read(project: &Project) -> Loaded {
    match read_own(&path(project)) {
        Ok(text) => rules(&text),
        Err(Unread::Missing) => Loaded::default(),
        Err(Unread::Unreadable(text)) => {
            Loaded { problems: vec![Problem { line: 0, text }], ..Loaded::default() }
        }
    }
}

fn rules(text: &str) -> Loaded {
    let mut loaded = Loaded::default();
    let (rules, problems) = tables::<ProjectRule>(text, "rule");
    loaded.problems = problems;
    for (line, rule) in rules {
        let twin = loaded.policy.rules.iter().any(|other| other.id == rule.id);
        let problem = if twin { Some(format!("{} is there twice", rule.id)) } else { rule.problem() };
        match problem {
            Some(text) => loaded.problems.push(Problem { line, text }),
            None => loaded.policy.rules.push(rule),
        }
    }
    loaded
}

/// The tests beside the rules.
pub fn tests(project: &Project) -> (Vec<(usize, RuleTest)>, Vec<Problem>) {
    match read_own(&tests_path(project)) {
        Ok(text) => tables(&text, "test"),
        Err(_) => (Vec::new(), Vec::new()),
    }
}

/// The tables `[[name]]` of a text with their lines; one that does not fit is named, the others count.
fn tables<T: DeserializeOwned>(text: &str, name: &str) -> (Vec<(usize, T)>, Vec<Problem>) {
    let mut found = Vec::new();
    let mut problems = Vec::new();
    let line_of = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let line = error.span().map_or(1, |span| line_of(span.start));
            let why = error.message().lines().next().unwrap_or("not valid TOML").to_owned();
            return (
                found,
                vec![Problem { line, text: format!("not valid TOML: {why}; the whole file is ignored") }],
            );
        }
    };
    for (key, item) in document.iter() {
        let line = item.span().map_or(1, |span| line_of(span.start));
        let Some(tables) = item.as_array_of_tables().filter(|_| key == name) else {
            problems.push(Problem { line, text: format!("{key} is not known here; use [[{name}]]") });
            continue;
        };
        for table in tables {
            let line = table.span().map_or(line, |span| line_of(span.start));
            match toml_edit::de::from_str::<T>(&as_text(table)) {
                Ok(value) => found.push((line, value)),
                Err(error) => problems.push(Problem {
                    line,
                    text: error.message().lines().next().unwrap_or_default().to_owned(),
                }),
            }
        }
    }
    (found, problems)
}

/// A table as a document of its own.
fn as_text(table: &toml_edit::Table) -> String {
    let mut whole = toml_edit::DocumentMut::new();
    for (key, item) in table {
        let item = match item {
            Item::Value(value) => Item::Value(value.clone().decorated(" ", "")),
            other => other.clone(),
        };
        whole.insert(key, item);
    }
    whole.to_string()
}
