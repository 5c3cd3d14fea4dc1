//! What a work session could leave for the next agents. Proposes, and writes nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use engine_core::config::Config;
use engine_core::directive::candidate::{Candidate, candidates, stands_in};
use engine_core::directive::{FOLDER, Type};
use engine_store::links::resolve;
use engine_store::project::Project;
use engine_store::reason::reason;
use engine_store::work_file::{self, WorkFile};
use engine_store::{config_file, content, directive_file, log_file};
use engine_text::line::one_line;

use super::Place;
use crate::error::CommandError;
use crate::session::CommandContext;

/// A person is asked about each: more are not read.
const MOST: usize = 5;
/// Longer texts are whole in the log, and with `--json`.
const WIDEST: usize = 300;

/// What a work session could leave for the next agents.
pub struct Review {
    pub work: WorkFile,
    pub mentions: First<Mention>,
    pub invariants: First<Proposed>,
    pub pitfalls: First<Proposed>,
    /// What could not be read, a sentence each.
    pub unread: Vec<String>,
}

/// Reviews the named or bound work session. Proposes, and writes nothing.
pub fn review(context: &CommandContext, session: Option<&str>) -> Result<Review, CommandError> {
    if session.is_none() && context.bound().is_none() {
        return Err(CommandError::refused("no work session is bound here, so none is reviewed")
            .hint("engine directives review sessions/YYYY_MM_DD_TOPIC")
            .hint("engine session list shows all"));
    }
    let work = context.named_or_bound(session)?;
    let bench = Bench { config: config_file::load(&context.project), project: context.project.clone() };
    let mut unread = Vec::new();
    let mut mentions = bench.mentions(&mut unread);
    if let Some(changed) = bench.changed_in(&work) {
        mentions.retain(|mention| changed.contains(&mention.line()));
    }
    let mentions = First::of(mentions);
    let (invariants, pitfalls): (Vec<_>, Vec<_>) = bench
        .candidates(&work, &mut unread)?
        .into_iter()
        .partition(|found| found.candidate.kind.name == "INVARIANTS");
    let (invariants, pitfalls) = (First::of(invariants), First::of(pitfalls));
    Ok(Review { work, mentions, invariants, pitfalls, unread })
}

/// The first of what was found, and how many more there are.
pub struct First<T> {
    pub found: Vec<T>,
    pub more: usize,
}

impl<T> First<T> {
    fn of(mut found: Vec<T>) -> Self {
        let more = found.len().saturating_sub(MOST);
        found.truncate(MOST);
        Self { found, more }
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }
}

/// A file of this work session that AGENTS.md does not mention.
pub struct Mention {
    pub place: Place,
    pub kind: &'static Type,
}

impl Mention {
    pub fn line(&self) -> String {
        self.place.shown_file(self.kind)
    }
}

/// An entry that a log offers.
pub struct Proposed {
    /// From the root.
    pub log: String,
    pub candidate: Candidate,
    pub place: Place,
}

impl Proposed {
    pub fn line(&self) -> String {
        let Candidate { line, kind, text, .. } = &self.candidate;
        format!("{}:{line} for {}: {}", self.log, self.place.shown_file(kind), one_line(text, WIDEST))
    }
}

struct Bench {
    project: Project,
    config: Config,
}

impl Bench {
    fn place(&self, folder: &Path) -> Result<Place, CommandError> {
        Place::at(self.project.clone(), &self.config, folder)
    }

    /// The files that differ from what they were when the work session began; nothing if that is not known.
    fn changed_in(&self, work: &WorkFile) -> Option<BTreeSet<String>> {
        let began_on = work.peek()?.runs.first()?.content.clone()?;
        let now = content::take(&self.project, content::PATIENCE).ok()?;
        let changed = content::changed(&self.project, &began_on, &now)?;
        Some(changed.into_iter().map(|changed| changed.path).collect())
    }

    /// All directive files of the project that are not mentioned beside them.
    fn mentions(&self, unread: &mut Vec<String>) -> Vec<Mention> {
        let walked = directive_file::folders(self.project.root(), |path| self.place(path).is_err());
        for (path, error) in &walked.unread {
            unread.push(format!("{} was not read: {}", path.display(), reason(error)));
        }
        let mut found = Vec::new();
        // Directives in folders that are skipped are nobody's.
        for place in walked.files.iter().filter_map(|folder| self.place(folder).ok()) {
            match place.unmentioned() {
                Ok(kinds) => {
                    found.extend(kinds.into_iter().map(|kind| Mention { place: place.clone(), kind }));
                }
                // One that cannot be read keeps nothing else back.
                Err(error) => unread.push(error.message),
            }
        }
        found
    }

    /// What the logs of a session offer and no directive says yet.
    fn candidates(&self, work: &WorkFile, unread: &mut Vec<String>) -> Result<Vec<Proposed>, CommandError> {
        let mut found: Vec<Proposed> = Vec::new();
        for log in log_file::all(work.folder())? {
            let name = log.file_name().unwrap_or_default().to_string_lossy();
            let log_name = format!("{}/{name}", work.shown());
            let text = match directive_file::read(&self.project, &log) {
                Ok(text) => text.unwrap_or_default(),
                Err(error) => {
                    unread.push(format!("{log_name} was not read: {}", reason(&error)));
                    continue;
                }
            };
            for candidate in candidates(&text) {
                let place = self.target(&candidate)?;
                let file = place.file(candidate.kind);
                let twin = |other: &Proposed| {
                    other.candidate.text == candidate.text && other.place.file(other.candidate.kind) == file
                };
                let standing = directive_file::read(&self.project, &file).ok().flatten().unwrap_or_default();
                if !stands_in(&standing, &candidate) && !found.iter().any(twin) {
                    found.push(Proposed { log: log_name.clone(), candidate, place });
                }
            }
        }
        Ok(found)
    }

    /// The folder that a candidate is about: the first that it names; for a file the nearest above it that has directives; else
    /// the root.
    fn target(&self, candidate: &Candidate) -> Result<Place, CommandError> {
        let root = self.project.root();
        let sessions = resolve(&work_file::folder(&self.project));
        let folder_of = |path: &String| -> Option<PathBuf> {
            let path = root.join(path);
            if !path.exists() || resolve(&path).starts_with(&sessions) {
                return None;
            }
            if path.is_dir() {
                return Some(path);
            }
            let has_own = |folder: &&Path| folder.starts_with(root) && folder.join(FOLDER).is_dir();
            Some(path.ancestors().skip(1).find(has_own).unwrap_or(root).to_owned())
        };
        let mut named = candidate.paths.iter().filter_map(folder_of);
        named.find_map(|folder| self.place(&folder).ok()).map_or_else(|| self.place(root), Ok)
    }
}

#[cfg(test)]
mod tests;
