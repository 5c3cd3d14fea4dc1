//! Looks up what somebody claims: in the journal, on the disk, in git. Nothing is asked over the network.

use std::path::{Path, PathBuf};

use engine_core::evidence::ledger::{self, Line};
use engine_core::evidence::{EditScope, Evidence, Kind, find, known, shows_nothing};
use engine_core::journal::Entry;
use engine_store::links::resolve;
use engine_store::project::Project;
use engine_store::{config_file, git, journal_file, places};
use fs_err as fs;

/// What is looked at.
pub struct EvidenceQuery<'a> {
    pub project: &'a Project,
    /// From when on, in RFC 3339.
    pub since: &'a str,
    /// What began then, and how long it has been since, for messages: `the lock of plan x`, `since the lock`.
    pub what: String,
    pub within: &'static str,
    /// Whose doings count; nothing: everybody's.
    pub sessions: Option<Vec<&'a str>>,
    /// Paths are named from the project's root, or from here.
    pub folder: Option<&'a Path>,
}

impl EvidenceQuery<'_> {
    /// What is wrong with a claim.
    pub fn wrong(&self, kind: Kind, value: &str) -> Option<String> {
        match kind {
            Kind::Command => self.command(value),
            Kind::File => self.file(value),
            Kind::Commit => self.commit(value),
            Kind::Push => self.push(value),
        }
    }

    fn command(&self, wanted: &str) -> Option<String> {
        if shows_nothing(wanted) {
            return Some(format!(
                "`{wanted}` ends well whatever the work is like; name a command that would fail without it"
            ));
        }
        let entries = match self.entries() {
            Ok(entries) => entries,
            Err(error) => return Some(format!("the journal cannot be read: {error}")),
        };
        let again = format!("engine check -- {wanted}");
        match self.in_scope(|scope| find(&entries, wanted, scope)) {
            Evidence::Passed => None,
            Evidence::Failed { exit } => Some(format!("`{wanted}` ended with {exit} when it ran last")),
            Evidence::Never => Some(format!("`{wanted}` was not run {}: {again}", self.within)),
            Evidence::Stale { edited } => {
                Some(format!("`{wanted}` passed, but {edited} was changed since: {again}"))
            }
            Evidence::Unknown { why } => {
                Some(format!("whether `{wanted}` passed cannot be told ({why}): {again}"))
            }
        }
    }

    fn in_scope<T>(&self, look: impl FnOnce(&EditScope<'_>) -> T) -> T {
        let root = self.project.root().to_string_lossy();
        let home = places::home().map(|home| home.to_string_lossy().into_owned());
        look(&EditScope { home: home.as_deref(), ..EditScope::new(&root, &engine_claude::DIALECT) })
    }

    /// The checks that ran, and the edits between them.
    pub fn ledger(&self) -> std::io::Result<Vec<Line>> {
        let config = config_file::load(self.project);
        let entries = self.entries()?;
        Ok(self.in_scope(|scope| ledger::read(&entries, scope, &config.commands(&known::CHECKS))))
    }

    /// The journal of these sessions since then.
    fn entries(&self) -> std::io::Result<Vec<Entry>> {
        let first_day = self.since.get(..10).unwrap_or_default();
        let mut entries = Vec::new();
        for (day, path) in journal_file::days(&self.project.journal_folder()) {
            if day.as_str() < first_day {
                continue;
            }
            journal_file::read_day(&path, |entry| {
                let is_ours =
                    self.sessions.as_ref().is_none_or(|ours| ours.contains(&entry.session.as_str()));
                if is_ours && entry.at.as_str() >= self.since {
                    entries.push(entry);
                }
            })?;
        }
        Ok(entries)
    }

    fn file(&self, path: &str) -> Option<String> {
        let folders: Vec<&Path> = std::iter::once(self.project.root()).chain(self.folder).collect();
        let inside: Vec<PathBuf> = folders.iter().map(|folder| resolve(folder)).collect();
        let is_inside = |place: &PathBuf| inside.iter().any(|folder| resolve(place).starts_with(folder));
        let mut places = folders.iter().map(|folder| folder.join(path)).filter(is_inside);
        let found = places.find_map(|place| fs::metadata(place).ok());
        match found {
            None => Some(format!("there is no file {path} in this project")),
            Some(data) if !data.is_file() => Some(format!("{path} is no file")),
            Some(data) if data.len() == 0 => Some(format!("{path} is empty")),
            Some(_) => None,
        }
    }

    fn commit(&self, name: &str) -> Option<String> {
        let root = self.project.root();
        let spec = format!("{name}^{{commit}}");
        let Some(hash) = git::text(root, &["rev-parse", "--verify", "--quiet", &spec]) else {
            return Some(format!("there is no commit {name}"));
        };
        let hash = hash.trim();
        let is_ours = git::git(root, &["merge-base", "--is-ancestor", hash, "HEAD"]);
        if is_ours.and_then(|done| done.code) != Some(0) {
            return Some(format!("commit {name} is not on the branch that is checked out"));
        }
        let at = git::text(root, &["log", "-1", "--format=%cI", hash]).unwrap_or_default();
        let (made, started) = (crate::time::parse(at.trim()), crate::time::parse(self.since));
        // Commits know seconds only.
        let is_older = made.zip(started).is_some_and(|(made, started)| made.0 / 1000 < started.0 / 1000);
        is_older.then(|| format!("commit {name} is older than {}", self.what))
    }

    /// By what git knows of the other side: nothing is fetched.
    fn push(&self, name: &str) -> Option<String> {
        let name = if matches!(name, "" | "true") { "HEAD" } else { name };
        if let Some(why) = self.commit(name) {
            return Some(why);
        }
        let contains = git::text(self.project.root(), &["branch", "--remotes", "--contains", name]);
        match contains {
            None => Some(format!("there is no commit {name}")),
            Some(branches) if branches.trim().is_empty() => Some(format!("{name} is on no remote branch")),
            Some(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;
