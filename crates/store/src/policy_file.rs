//! Reading `.engine/policy.toml` and `.engine/policy.tests.toml`.
//!
//! For the hook the rules are kept as JSON, valid while the file and the accepted copy are what they were. A rule that cannot be
//! used is left out and named; the others count. A rule that the person accepted counts as it was then, too (see [`crate::accepted`]).

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use engine_core::config::Acceptance;
use engine_core::policy::{ProjectPolicy, ProjectRule, ProjectWrapper, RuleTest};
use engine_core::trust::{RuleChange, RuleChangeKind};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toml_edit::{Document, Item};

use crate::accepted::{self, Whose};
use crate::atomic;
use crate::config_file;
use crate::project::Project;
use crate::read::read_bytes;
use crate::told::read_own;
use engine_core::view::Unread;

/// The rules that can be used, and what is wrong with the others.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Loaded {
    pub policy: ProjectPolicy,
    pub problems: Vec<Problem>,
    /// How the rules of the file differ from those that the person accepted.
    pub changes: Vec<RuleChange>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    pub line: usize,
    pub text: String,
}

#[derive(Serialize, Deserialize)]
struct Cache {
    path: PathBuf,
    stamp: Option<(u64, u64)>,
    accepted: Option<accepted::Stamp>,
    loaded: Loaded,
}

/// What is told of an untrusted project's rule: its own words are not for a model yet.
const UNTRUSTED: &str = "the project is not trusted, so the rule's own words are not told";

const POLICY: &str = ".engine/policy.toml";

pub fn path(project: &Project) -> PathBuf {
    // Joined at once: each hook asks for it.
    project.root().join(POLICY)
}

pub fn tests_path(project: &Project) -> PathBuf {
    project.folder().join("policy.tests.toml")
}

/// The project's policy, for the hook. `acceptance`: of the project's configuration.
pub fn load(project: &Project, acceptance: &Acceptance) -> Loaded {
    let path = path(project);
    let stamp = stamp(&path);
    if stamp.is_none() && !acceptance.has_policy {
        return Loaded::default();
    }
    let accepted = accepted::stamp(Whose::Project(project));
    let cache = config_file::cache(project, "policy");
    let kept = cache.as_deref().and_then(|cache| read_bytes(cache).ok());
    let kept = kept.and_then(|bytes| serde_json::from_slice::<Cache>(&bytes).ok());
    if let Some(kept) =
        kept.filter(|kept| kept.path == path && kept.stamp == stamp && kept.accepted == accepted)
    {
        return kept.loaded;
    }
    let loaded = read(project);
    let kept = Cache { path, stamp, accepted, loaded };
    if let Some(cache) = cache
        && let Ok(bytes) = serde_json::to_vec(&kept)
    {
        atomic::put(&cache, &bytes);
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
    let now = match read_own(&path(project)) {
        Ok(text) => rules(&text),
        Err(Unread::Missing) => Loaded::default(),
        Err(Unread::Unreadable(text)) => {
            Loaded { problems: vec![Problem { line: 0, text }], ..Loaded::default() }
        }
    };
    let whose = Whose::Project(project);
    let accepted = accepted::read(whose).accepted.unwrap_or_default();
    let is_trusted = accepted.trusted;
    with_accepted(now, &accepted.into_files(whose).policy, is_trusted)
}

/// The rules of the file, and beside them those that were accepted and are changed or gone.
fn with_accepted(mut loaded: Loaded, accepted: &str, is_trusted: bool) -> Loaded {
    let ProjectPolicy { rules: before, wrappers, .. } = rules(accepted).policy;
    for wrapper in wrappers {
        if !loaded.policy.wrappers.contains(&wrapper) {
            loaded.policy.wrappers.push(wrapper);
        }
    }
    let mut change = |id: &str, kind, how| loaded.changes.push(RuleChange { id: id.to_owned(), kind, how });
    for rule in &mut loaded.policy.rules {
        match before.iter().find(|old| old.id == rule.id) {
            Some(old) if old == rule => continue,
            Some(old) => change(&rule.id, RuleChangeKind::Changed, differing(old, rule)),
            None => change(&rule.id, RuleChangeKind::New, Vec::new()),
        }
        if !is_trusted {
            UNTRUSTED.clone_into(&mut rule.reason);
            rule.instead.clear();
            loaded.policy.untold.push(rule.id.clone());
        }
    }
    for old in before {
        let now = loaded.policy.rules.iter().find(|rule| rule.id == old.id);
        if now.is_none() {
            change(&old.id, RuleChangeKind::Removed, Vec::new());
        }
        if now != Some(&old) {
            loaded.policy.rules.push(old);
        }
    }
    loaded
}

/// The keys in which two rules differ, with both values.
fn differing(old: &ProjectRule, new: &ProjectRule) -> Vec<String> {
    let fields = |rule: &ProjectRule| match serde_json::to_value(rule) {
        Ok(serde_json::Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    let (old, new) = (fields(old), fields(new));
    let shown = |value: Option<&serde_json::Value>| value.map_or("none".to_owned(), ToString::to_string);
    let mut keys: Vec<&String> = old.keys().chain(new.keys()).collect();
    keys.sort();
    keys.dedup();
    let differs = keys.into_iter().filter(|key| old.get(*key) != new.get(*key));
    differs.map(|key| format!("{key}: {} → {}", shown(old.get(key)), shown(new.get(key)))).collect()
}

fn rules(text: &str) -> Loaded {
    let mut loaded = Loaded::default();
    let (rules, problems) = tables::<ProjectRule>(text, "rule", POLICY_TABLES);
    loaded.problems = problems;
    let mut ids = HashSet::new();
    for (line, rule) in rules {
        let twin = !ids.insert(rule.id.clone());
        let problem = if twin { Some(format!("{} is there twice", rule.id)) } else { rule.problem() };
        match problem {
            Some(text) => loaded.problems.push(Problem { line, text }),
            None => loaded.policy.rules.push(rule),
        }
    }
    let (wrappers, problems) = tables::<ProjectWrapper>(text, "wrapper", POLICY_TABLES);
    for problem in problems {
        // What is wrong with the whole file was found with the rules.
        if !loaded.problems.contains(&problem) {
            loaded.problems.push(problem);
        }
    }
    for (line, wrapper) in wrappers {
        match wrapper.problem() {
            Some(text) => loaded.problems.push(Problem { line, text }),
            None => loaded.policy.wrappers.push(wrapper),
        }
    }
    loaded
}

/// What a file of rules may hold.
const POLICY_TABLES: &[&str] = &["rule", "wrapper"];

/// The tests beside the rules.
pub fn tests(project: &Project) -> (Vec<(usize, RuleTest)>, Vec<Problem>) {
    match read_own(&tests_path(project)) {
        Ok(text) => tables(&text, "test", &["test"]),
        Err(_) => (Vec::new(), Vec::new()),
    }
}

/// The tables `[[name]]` of a text with their lines; one that does not fit is named, the others count. `known`: all tables that may be
/// there.
fn tables<T: DeserializeOwned>(text: &str, name: &str, known: &[&str]) -> (Vec<(usize, T)>, Vec<Problem>) {
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
        let Some(tables) = item.as_array_of_tables().filter(|_| known.contains(&key)) else {
            let names: Vec<String> = known.iter().map(|name| format!("[[{name}]]")).collect();
            problems
                .push(Problem { line, text: format!("{key} is not known here; use {}", names.join(" or ")) });
            continue;
        };
        if key != name {
            continue;
        }
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
