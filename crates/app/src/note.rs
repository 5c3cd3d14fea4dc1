//! Notes: what is to be remembered, one fact each. A new one is kept in one call; what else is near it is shown beside.

use std::collections::HashMap;
use std::path::Path;

use engine_core::note::{Entry, FoundNote, Note, Notes, PERSON, Place, is_slug};
use engine_store::approve::Caller;
use engine_store::note_cache;
use engine_store::note_file::{self, Held};
use engine_store::note_reads::{self, Reach};
use engine_store::project::Project;
use engine_store::session_file::SessionFile;
use engine_store::task_owners::short;
use engine_store::{clock, git, places};

use engine_text::line::printable;

use crate::error::{CommandError, Outcome};
use crate::{here, trust};

mod consent;
pub mod edit;
pub mod offer;
pub mod remember;
pub mod review;

/// What every command of notes works on.
pub struct CommandContext {
    pub project: Project,
    pub caller: Caller,
}

impl CommandContext {
    pub fn open() -> Result<Self, CommandError> {
        Ok(Self { project: here::project()?, caller: here::caller() })
    }

    /// Refuses an agent the notes of a project that is not trusted.
    pub fn may_tell(&self) -> Outcome {
        trust::may_tell("the memory", &self.project, &self.caller)
    }

    pub fn notes(&self) -> Result<Notes, CommandError> {
        let folder = self.project.memory_folder();
        note_file::load(&self.project).map_err(|error| CommandError::at(folder.display(), error))
    }

    pub fn text(&self, entry: &Entry) -> Result<String, CommandError> {
        note_file::text(&self.project, entry.place, &entry.slug)
            .map_err(|error| CommandError::at(entry.id(), error))
    }

    /// The path as a person would type it.
    pub fn file(&self, entry: &Entry) -> String {
        self.shown(&note_file::path(&self.project, entry.place, &entry.slug))
    }

    fn shown(&self, path: &Path) -> String {
        if let Ok(below) = path.strip_prefix(self.project.root()) {
            return printable(&below.display().to_string());
        }
        let home = places::home().and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned));
        let shown = home.map_or_else(|| path.display().to_string(), |below| format!("~/{}", below.display()));
        printable(&shown)
    }

    fn hold(&self, place: Place) -> Result<Held<'_>, CommandError> {
        note_file::hold(&self.project, place).map_err(|error| not_kept(self, place, error))
    }

    /// The commit that is checked out, as notes name it.
    fn head(&self) -> Option<String> {
        note_file::commit(&self.project)
    }

    /// From where a note is known that is made now.
    fn source(&self) -> Option<String> {
        let Some(session) = self.caller.session() else {
            return matches!(self.caller, Caller::Person).then(|| PERSON.to_owned());
        };
        let state = SessionFile::new(&self.project.sessions_folder(), session).peek();
        let plan = state.plan.map(|plan| format!("plan {}", plan.name));
        let work = || state.work.map(|work| format!("session {}", work.name));
        Some(plan.or_else(work).unwrap_or_else(|| format!("session {}", short(session))))
    }

    /// Has hooks know of a change. Where that fails, the start of the next session does it.
    fn changed(&self) {
        drop(note_cache::refresh(&self.project));
    }

    /// Counts notes that a command prints, by their ids.
    pub fn note_shown(&self, ids: &[&str]) {
        note_reads::count(&self.project, ids.iter().copied(), Reach::Shown, clock::now());
    }

    /// How many commits there are since each note was found true, by the commits that they name.
    pub fn ages(&self, notes: &Notes) -> HashMap<String, u64> {
        note_cache::ages(self.project.root(), notes.notes().map(|(_, note)| note))
    }
}

/// How many commits there are since one, of those that changed files of a scope. Nothing where git does not know it.
fn since(root: &Path, checked: &str, scope: &[String]) -> Option<u64> {
    if !is_commit(checked) {
        return None;
    }
    let range = format!("{checked}..HEAD");
    let paths: Vec<String> = scope.iter().map(|pattern| pathspec(pattern)).collect();
    let mut args = vec!["rev-list", "--count", range.as_str(), "--"];
    args.extend(paths.iter().map(String::as_str));
    git::text(root, &args)?.trim().parse().ok()
}

/// Whether git has this commit.
fn exists(root: &Path, checked: &str) -> bool {
    git::text(root, &["rev-parse", "--verify", "--quiet", &format!("{checked}^{{commit}}")]).is_some()
}

/// Nothing that git would take for an option or for an expression.
fn is_commit(word: &str) -> bool {
    (4..=64).contains(&word.len()) && word.chars().all(|c| c.is_ascii_hexdigit())
}

/// A pattern as git reads it.
fn pathspec(pattern: &str) -> String {
    let pattern = pattern.trim_end_matches('/');
    if pattern.contains(['*', '?']) { format!(":(glob){pattern}") } else { format!(":(literal){pattern}") }
}

/// The one note that is meant.
pub fn one<'n>(notes: &'n Notes, word: &str) -> Result<&'n Entry, CommandError> {
    match notes.find(word) {
        FoundNote::One(entry) => Ok(entry),
        FoundNote::Several(ids) => Err(CommandError::refused(format!("{word} could be: {}", ids.join(", ")))
            .hint("give more of the slug")),
        FoundNote::None => {
            Err(CommandError::refused(format!("no note {word}")).hint("list them: engine note list --all"))
        }
    }
}

/// The one note that is meant, if its file can be read.
fn readable<'n>(
    notes: &'n Notes,
    word: &str,
    context: &CommandContext,
) -> Result<(&'n Entry, &'n Note), CommandError> {
    let entry = one(notes, word)?;
    match &entry.note {
        Ok(note) => Ok((entry, note)),
        Err(why) => {
            let refused = CommandError::refused(format!("{} is damaged: {why}", entry.id()))
                .hint(format!("mend it: {}", context.file(entry)));
            // Another name could be more than a word to a shell.
            Err(if is_slug(&entry.slug) {
                refused.hint(format!("or put it away: engine note drop {}", entry.id()))
            } else {
                refused
            })
        }
    }
}

fn not_kept(context: &CommandContext, place: Place, error: std::io::Error) -> CommandError {
    let folder = note_file::folder(&context.project, place).unwrap_or_default();
    CommandError::refused(format!("it was not kept: {error}"))
        .hint(format!("notes are in {}", context.shown(&folder)))
        .caused_by(error)
}
