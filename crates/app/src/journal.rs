//! What the journal of a project tells. Reading it deletes nothing.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use engine_core::journal::Entry;
use engine_store::project::Project;
use engine_store::{clock, journal_file};
use engine_text::stamp::Stamp;
use serde::Serialize;

use crate::error::CommandError;
use crate::time;

/// Sessions of this name are made by `engine doctor` and count for nothing.
pub const DOCTOR_SESSION: &str = "engine-doctor";

/// What came together since midnight.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Today {
    pub events: u64,
    pub sessions: usize,
    pub denied: u64,
    pub asked: u64,
    pub notes: u64,
    pub bytes: u64,
    pub microseconds: u64,
    pub trouble: u64,
}

/// Counts from the person's midnight on. Days of the journal are UTC, so two files may be needed.
pub fn today(project: &Project) -> Result<Today, CommandError> {
    since(project, time::midnight(clock::now()))
}

fn since(project: &Project, from: Stamp) -> Result<Today, CommandError> {
    let (first_day, from) = (from.day(), from.rfc3339());
    let mut today = Today::default();
    let mut sessions = std::collections::BTreeSet::new();
    for (_, path) in
        journal_file::days(&project.journal_folder()).into_iter().filter(|(day, _)| *day >= first_day)
    {
        journal_file::read_day(&path, |entry: Entry| {
            if entry.at < from || entry.session.starts_with(DOCTOR_SESSION) {
                return;
            }
            today.events += 1;
            today.denied += u64::from(entry.verdict == "deny");
            today.asked += u64::from(entry.verdict == "ask");
            today.notes += u64::from(entry.bytes > 0);
            today.bytes += entry.bytes;
            today.microseconds += entry.us;
            today.trouble += u64::from(!entry.trouble.is_empty());
            sessions.insert(entry.session);
        })?;
    }
    today.sessions = sessions.len();
    Ok(today)
}

/// The newest event on which some rule spoke; where none did, the newest event.
pub fn last_decision(project: &Project) -> Result<Entry, CommandError> {
    let mut last = None;
    for (_, path) in journal_file::days(&project.journal_folder()).iter().rev() {
        let mut spoken = None;
        let mut any = None;
        journal_file::read_day(path, |entry| {
            if entry.session.starts_with(DOCTOR_SESSION) {
                return;
            }
            if entry.findings.is_empty() { any = Some(entry) } else { spoken = Some(entry) }
        })?;
        if let Some(entry) = spoken {
            return Ok(entry);
        }
        last = last.or(any);
    }
    last.ok_or_else(|| {
        CommandError::nothing("the journal is empty: no event has come yet")
            .hint("check the hooks: engine doctor")
    })
}

/// The decision that an id begins.
pub fn by_id(project: &Project, id: &str) -> Result<Entry, CommandError> {
    let mut found = journal_file::find(&project.journal_folder(), id)?;
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(CommandError::refused(format!("no decision {id} in the journal"))
            .hint("list them: engine journal")),
        _ => {
            let ids: Vec<String> = found.iter().take(5).map(|entry| entry.id.clone()).collect();
            Err(CommandError::refused(format!("{id} begins several ids: {}", ids.join(", "))))
        }
    }
}

/// How often a rule spoke, and when last.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Fired {
    pub count: u64,
    pub last: Option<String>,
}

/// How often each rule spoke.
pub fn fired(project: &Project) -> Result<BTreeMap<String, Fired>, CommandError> {
    let mut fired: BTreeMap<String, Fired> = BTreeMap::new();
    for (_, path) in journal_file::days(&project.journal_folder()) {
        journal_file::read_day(&path, |entry| {
            if entry.session.starts_with(DOCTOR_SESSION) {
                return;
            }
            for finding in &entry.findings {
                let fired = fired.entry(finding.rule.clone()).or_default();
                fired.count += 1;
                fired.last = Some(entry.at.clone());
            }
        })?;
    }
    Ok(fired)
}

/// Which entries are wanted; nothing said: all.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter<'a> {
    /// The beginning of the agent session's id.
    pub session: Option<&'a str>,
    pub event: Option<&'a str>,
    /// Only what was denied.
    pub denied: bool,
}

impl Filter<'_> {
    fn fits(&self, entry: &Entry) -> bool {
        self.session.is_none_or(|session| entry.session.starts_with(session))
            && self.event.is_none_or(|event| entry.event.eq_ignore_ascii_case(event))
            && (!self.denied || entry.verdict == "deny")
    }
}

/// Reads the days' files from where it stopped.
pub struct Reader<'p> {
    project: &'p Project,
    since: Stamp,
    read: HashMap<PathBuf, u64>,
}

impl<'p> Reader<'p> {
    pub fn new(project: &'p Project, since: Stamp) -> Self {
        Self { project, since, read: HashMap::new() }
    }

    /// Hands over what is new and fits. The files that have damaged lines come back, with how many.
    pub fn read_new(
        &mut self,
        filter: &Filter<'_>,
        show: &mut dyn FnMut(Entry),
    ) -> std::io::Result<Vec<(PathBuf, usize)>> {
        let first_day = self.since.day();
        let since = self.since.rfc3339();
        let mut damaged = Vec::new();
        let days = journal_file::days(&self.project.journal_folder());
        for (_, path) in days.into_iter().filter(|(day, _)| *day >= first_day) {
            let offset = self.read.get(&path).copied().unwrap_or(0);
            let (next, damage) = journal_file::read_from(&path, offset, &mut |entry| {
                if entry.at >= since && filter.fits(&entry) {
                    show(entry);
                }
            })?;
            if damage.lines > 0 {
                damaged.push((path.clone(), damage.lines));
            }
            self.read.insert(path, next);
        }
        Ok(damaged)
    }
}

#[cfg(test)]
mod tests;
