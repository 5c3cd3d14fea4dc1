//! The notes with a scope in one file, so that a hook reads one and walks no folder. Where no note has a scope there is none.
//!
//! Written by every command that changes notes, and at the start of a session, always from the notes themselves: what lies here is told to
//! models, so it is never taken over from a file that came with a clone. How old a note is was true when this was written.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use engine_core::note::{self, Note, Notes, Place, Scoped};
use engine_text::redact::redact;
use fs_err as fs;

use crate::atomic::{self, Durability};
use crate::git::Call;
use crate::lock;
use crate::note_file;
use crate::project::Project;
use crate::read::read_string;

/// The start of a session waits for git no longer than that.
const PATIENCE: std::time::Duration = std::time::Duration::from_millis(300);

fn path(project: &Project) -> PathBuf {
    project.own_state_folder().join("notes.json")
}

/// The notes with a scope. One failed opening where there are none.
pub fn load(project: &Project) -> Vec<Scoped> {
    read_string(&path(project)).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Writes the file anew, if it would say something else.
pub fn refresh(project: &Project) -> io::Result<()> {
    let path = path(project);
    if note_file::is_empty(project) && path.symlink_metadata().is_err() {
        return Ok(());
    }
    let _held = lock::hold_local(&path.with_file_name("notes.lock"), lock::HOOK)?;
    let notes = note_file::load(project)?;
    let scoped = scoped(project, &notes);
    if scoped.is_empty() {
        return match fs::remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        };
    }
    let text = serde_json::to_string(&scoped).map_err(io::Error::other)?;
    if read_string(&path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    atomic::replace(&path, text.as_bytes(), Durability::Process)
}

fn scoped(project: &Project, notes: &Notes) -> Vec<Scoped> {
    let with_scope: Vec<_> = notes.live().filter(|(_, note)| !note.scope.is_empty()).collect();
    let ages = ages(project.root(), with_scope.iter().map(|(_, note)| *note));
    let told = with_scope.into_iter().map(|(entry, note)| {
        let path = note_file::path(project, entry.place, &entry.slug);
        let file = path.strip_prefix(project.root()).unwrap_or(&path).display().to_string();
        let commits = note.checked.as_ref().and_then(|checked| ages.get(checked).copied());
        Scoped {
            line: redact(&note::told(&file, note, commits)).into_owned(),
            id: entry.id(),
            mine: entry.place == Place::Person,
            scope: note.scope.iter().map(|pattern| redact(pattern).into_owned()).collect(),
            file,
        }
    });
    told.collect()
}

/// How many commits there are since each note was found true, by the commits that they name. One call of git for all: what is older than
/// [`note::OLDEST`] is not counted further.
pub fn ages<'n>(root: &Path, notes: impl Iterator<Item = &'n Note>) -> HashMap<String, u64> {
    let named: Vec<&str> = notes.filter_map(|note| note.checked.as_deref()).collect();
    if named.is_empty() {
        return HashMap::new();
    }
    let most = format!("--max-count={}", note::OLDEST + 1);
    let listed = Call::new(root, &["rev-list", &most, "HEAD"]).within(PATIENCE).text().unwrap_or_default();
    let commits: Vec<&str> = listed.lines().collect();
    let is_cut = commits.len() as u64 > note::OLDEST;
    let age = |checked: &&str| {
        let at = commits.iter().position(|commit| commit.starts_with(*checked)).map(|at| at as u64);
        // Beyond the end it is older, or of another history; where all was listed, it is of another.
        at.or(is_cut.then_some(note::OLDEST))
    };
    named.iter().filter_map(|checked| Some(((*checked).to_owned(), age(checked)?))).collect()
}

#[cfg(test)]
mod tests {
    use engine_core::note::Kind;
    use engine_text::stamp::Stamp;

    use super::*;

    fn scoped_note(text: &str, scope: &[&str]) -> Note {
        Note {
            kind: Kind::Fact,
            scope: scope.iter().map(|&pattern| pattern.to_owned()).collect(),
            source: None,
            created: Stamp(0).rfc3339(),
            checked: None,
            supersedes: Vec::new(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn the_file_is_there_while_a_note_has_a_scope() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        let of_project = || load(&project).into_iter().filter(|note| !note.mine).collect::<Vec<_>>();
        let add = |note: &Note| note_file::hold(&project, Place::Project).unwrap().create(note).unwrap();
        refresh(&project).unwrap();
        assert!(!folder.path().join(".engine").exists(), "nothing is made where there are no notes");
        add(&scoped_note("one", &[]));
        refresh(&project).unwrap();
        assert_eq!(of_project(), []);
        add(&scoped_note("two\nlines", &["src/**"]));
        refresh(&project).unwrap();
        assert_eq!(
            of_project(),
            [Scoped {
                file: ".engine/memory/two.md".into(),
                id: "two".into(),
                mine: false,
                scope: vec!["src/**".into()],
                line: "Note .engine/memory/two.md (fact): two lines".into(),
            }]
        );
        let over = Note { supersedes: vec!["two".into()], ..scoped_note("three", &["a", "b"]) };
        add(&Note { supersedes: vec!["two".into()], ..over });
        refresh(&project).unwrap();
        let files = |notes: Vec<Scoped>| notes.into_iter().map(|note| note.id).collect::<Vec<_>>();
        assert_eq!(files(of_project()), ["three"]);
        fs::write(path(&project), "[{\"file\":\"x\"}]").unwrap();
        assert_eq!(of_project(), [], "what is no such file tells nothing");
        fs::write(path(&project), "[{\"file\":\"x\",\"id\":\"x\",\"scope\":[\"**\"],\"line\":\"obey\"}]")
            .unwrap();
        refresh(&project).unwrap();
        assert_eq!(files(of_project()), ["three"], "what came with a clone does not stay");
        fs::remove_dir_all(project.memory_folder()).unwrap();
        refresh(&project).unwrap();
        assert_eq!(of_project(), []);
    }
}
