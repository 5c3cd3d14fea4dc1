//! The index of what the project has written down, for the rule `enrich`: making it, asking it, and what became of what was told.

use std::collections::BTreeSet;

use engine_core::config::Config;
use engine_core::enrich::{self, Found, Index, ItemUse, Key, Kind, Passed, Report, Unfit};
use engine_core::event::{Event, Kind as What};
use engine_rules::{Mode, RULES, Rule};
use engine_store::config_file;
use engine_store::enrich_file::{self, Gathered, HOOK};
use engine_store::project::Project;

use crate::error::CommandError;
use crate::{here, trust};

mod usage;

/// Items that `engine enrich try` shows.
const SHOWN: usize = 8;

/// An index that was made.
#[derive(Debug)]
pub struct Made {
    pub counts: Vec<(Kind, usize)>,
    pub left_out: usize,
    pub retired: usize,
    /// From the root.
    pub file: String,
    pub bytes: u64,
    pub mode: Mode,
}

/// What a prompt would come to.
#[derive(Debug)]
pub struct Tried {
    pub words: Result<Vec<String>, Passed>,
    pub found: Found,
    pub mode: Mode,
}

/// How what was told was used.
#[derive(Debug)]
pub struct Used {
    pub report: Report,
    /// Items that are not told any more, and still as they were.
    pub retired: Vec<ItemUse>,
    pub mode: Mode,
}

/// What the rule does in a project.
pub fn mode(rules: &[Rule], config: &Config) -> Mode {
    rules.iter().find(|rule| rule.id == engine_rules::enrich::ID).map_or(Mode::Off, |rule| rule.mode(config))
}

/// Makes the index anew and retires what is never read.
pub fn index(project: &Project) -> Result<Made, CommandError> {
    let config = config_file::load(project);
    let retired = retired(project, &usage::report(project, None)?.unwrap_or_default());
    let gathered = enrich_file::make(project, &config, &retired, None)?.unwrap_or_default();
    let path = enrich_file::path(project);
    let keys: BTreeSet<Key> = gathered.items.iter().map(enrich::Item::key).collect();
    Ok(Made {
        counts: counts(&gathered),
        left_out: gathered.left_out,
        retired: retired.intersection(&keys).count(),
        file: path.strip_prefix(project.root()).unwrap_or(&path).display().to_string(),
        bytes: std::fs::metadata(&path).map(|data| data.len()).unwrap_or_default(),
        mode: mode(RULES, &config),
    })
}

fn counts(gathered: &Gathered) -> Vec<(Kind, usize)> {
    let count = |kind: Kind| (kind, gathered.items.iter().filter(|item| item.kind == kind).count());
    Kind::ALL.map(count).into_iter().filter(|(_, count)| *count > 0).collect()
}

/// Those that were, and those that nobody reads.
fn retired(project: &Project, report: &Report) -> BTreeSet<Key> {
    let unread = report.items.iter().filter(|(_, item)| item.is_unread()).map(|(key, _)| *key);
    enrich_file::retired(project).into_iter().chain(unread).collect()
}

/// What the rule would find for a prompt. Nobody is told, and nothing is kept.
pub fn ask(project: &Project, prompt: &str) -> Result<Tried, CommandError> {
    trust::may_tell("the notes", project, &here::caller())?;
    let config = config_file::load(project);
    let bytes = enrich_file::read(project).map_err(|why| unusable(&why))?;
    let index = Index::open(&bytes).map_err(|why| unusable(&why.to_string()))?;
    let words = enrich::asked(prompt, &config);
    let found = words.as_ref().map(|words| index.search(words, SHOWN)).unwrap_or_default();
    Ok(Tried { words, found, mode: mode(RULES, &config) })
}

fn unusable(why: &str) -> CommandError {
    CommandError::refused(format!("nothing can be found: {why}")).hint("make the index: engine enrich index")
}

/// What the journal says of everything that was told, or in shadow would have been.
pub fn report(project: &Project) -> Result<Used, CommandError> {
    trust::may_tell("the notes", project, &here::caller())?;
    let report = usage::report(project, None)?.unwrap_or_default();
    let bytes = enrich_file::read(project).unwrap_or_default();
    let rows = Index::open(&bytes).map(|index| {
        let retired = index.rows().filter(|row| row.is_retired);
        let use_of = |key: Key, path: &str, line: u32| {
            let known = report.items.get(&key).cloned().unwrap_or_default();
            ItemUse { path: path.to_owned(), line, ..known }
        };
        retired.map(|row| use_of(row.key, row.path, row.line)).collect()
    });
    Ok(Used { retired: rows.unwrap_or_default(), report, mode: mode(RULES, &config_file::load(project)) })
}

/// Brings the index up to date after something was written down. It is a cache: what fails here is made up for later.
pub fn follow(project: &Project) {
    let config = config_file::load(project);
    if mode(RULES, &config) != Mode::Off {
        let _ = enrich_file::make(project, &config, &enrich_file::retired(project), Some(HOOK));
    }
}

/// The same when a session begins, if something is newer, and when it ends, when what is never read is retired, too.
pub(crate) fn at_session(event: &Event<'_>, rules: &[Rule], project: &Project, config: &Config) {
    let ends = match event.kind {
        What::SessionStart { .. } => false,
        What::SessionEnd { .. } => true,
        _ => return,
    };
    if mode(rules, config) == Mode::Off
        || project.is_gone()
        || (!ends && enrich_file::is_current(project, config))
    {
        return;
    }
    let report = if ends { usage::report(project, Some(HOOK)).ok().flatten() } else { None };
    let retired = retired(project, &report.unwrap_or_default());
    let _ = enrich_file::make(project, config, &retired, Some(HOOK));
}

/// What is wrong with the index, where the rule needs one.
pub(crate) fn fault(project: &Project, config: &Config) -> Option<String> {
    if mode(RULES, config) == Mode::Off {
        return None;
    }
    let again = "Make it anew: engine enrich index";
    let bytes = match enrich_file::read(project) {
        Ok(bytes) => bytes,
        Err(why) => return Some(format!("{why}, so nothing is found. {again}")),
    };
    match Index::open(&bytes) {
        Err(Unfit::Version(_)) => {
            Some(format!("the index is of another release, so nothing is found. {again}"))
        }
        Err(Unfit::Damaged) => Some(format!("the index is damaged, so nothing is found. {again}")),
        Ok(_) if !enrich_file::is_current(project, config) => {
            Some(format!("the index is older than what it was made from. {again}"))
        }
        Ok(_) => None,
    }
}

#[cfg(test)]
mod tests;
