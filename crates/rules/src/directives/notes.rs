//! Notes whose scope has a file that the agent works on: a line of data each, once per context like a directive.

use std::path::Path;

use super::View;
use engine_core::directive::context::ContextDirectives;
use engine_core::directive::touch::Touch;
use engine_core::note::{Scoped, id_of};
use engine_core::view::below_root;
use engine_text::line::{shell_line, units};

/// So many notes are told in one context of an agent.
const MOST: usize = 20;
/// All lines together.
const LONGEST: usize = 6000;
/// What stands among what was told when the rest was named.
const REST: &str = ".engine/memory";

/// All that may be told here, read once for an event that touches something, or for which something waits.
pub(super) fn all(view: &(impl View + ?Sized)) -> Vec<Scoped> {
    let mut notes = view.scoped_notes();
    if !notes.is_empty() && !view.is_trusted() {
        notes.retain(|note| note.mine);
    }
    notes
}

/// What of the notes is told with a call.
#[derive(Default)]
pub(super) struct OfCall<'n> {
    pub(super) notes: Vec<&'n Scoped>,
    /// The path of which more would be told. It is named once.
    rest: Option<String>,
}

impl OfCall<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.notes.is_empty() && self.rest.is_none()
    }

    /// Where the rest is, with what it is called among what was told.
    pub(super) fn rest(&self) -> Option<(String, String)> {
        let path = self.rest.clone()?;
        let words = ["engine", "note", "list", "--scope", &path].map(str::to_owned);
        Some((format!("More notes are about this file: {}", shell_line(&words)), REST.to_owned()))
    }
}

/// Those that are about what the call touched, and were not told before, as far as they have room in the context.
pub(super) fn of_call<'n>(
    notes: &'n [Scoped],
    touched: &[Touch],
    view: &(impl View + ?Sized),
    told: impl FnOnce() -> Option<&'n ContextDirectives>,
) -> OfCall<'n> {
    if notes.is_empty() {
        return OfCall::default();
    }
    let below: Vec<String> = touched
        .iter()
        .filter_map(|touch| below_root(&touch.path, view))
        .map(|path| in_worktree(&path, Path::new(view.dialect().worktrees)).to_string_lossy().into_owned())
        .collect();
    let about = |note: &Scoped| below.iter().find(|path| note.is_about(path)).cloned();
    let about: Vec<(&Scoped, String)> = notes.iter().filter_map(|note| Some((note, about(note)?))).collect();
    if about.is_empty() {
        return OfCall::default();
    }
    within(notes, about, told())
}

/// A path from the root of the worktree that the client made for an agent, if it is in one.
fn in_worktree<'p>(path: &'p Path, worktrees: &Path) -> &'p Path {
    let Ok(below) = path.strip_prefix(worktrees) else { return path };
    let mut parts = below.components();
    parts.next();
    parts.as_path()
}

/// As many of the notes that are about a path as have room beside those that were told.
fn within<'n>(
    notes: &'n [Scoped],
    about: Vec<(&'n Scoped, String)>,
    told: Option<&ContextDirectives>,
) -> OfCall<'n> {
    let is_known = |file: &String| {
        told.is_some_and(|told| {
            told.delivered.contains(file) || told.queued.iter().any(|queued| queued.path == *file)
        })
    };
    let before = told
        .into_iter()
        .flat_map(|told| told.delivered.iter().chain(told.queued.iter().map(|queued| &queued.path)));
    let mut count = before.filter(|path| id_of(path).is_some()).count();
    let mut length: usize =
        notes.iter().filter(|note| is_known(&note.file)).map(|note| units(&note.line)).sum();
    let mut of_call = OfCall::default();
    for (note, path) in about.into_iter().filter(|(note, _)| !is_known(&note.file)) {
        let longer = length + units(&note.line);
        if count < MOST && longer <= LONGEST {
            (count, length) = (count + 1, longer);
            of_call.notes.push(note);
        } else if of_call.rest.is_none() && told.is_none_or(|told| !told.delivered.contains(REST)) {
            of_call.rest = Some(path);
        }
    }
    of_call
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worktree_of_an_agent_has_the_same_paths() {
        for (path, expected) in [
            ("src/a.rs", "src/a.rs"),
            (".client/worktrees/w/src/a.rs", "src/a.rs"),
            (".client/worktrees2/w/src/a.rs", ".client/worktrees2/w/src/a.rs"),
        ] {
            assert_eq!(in_worktree(Path::new(path), Path::new(".client/worktrees")), Path::new(expected));
        }
    }

    #[test]
    fn a_context_has_room_for_so_many_notes() {
        let scoped = |at: usize, length: usize| Scoped {
            file: format!(".engine/memory/n{at}.md"),
            id: format!("n{at}"),
            mine: false,
            scope: vec!["src/**".to_owned()],
            line: "x".repeat(length),
        };
        for (length, first) in [(10, MOST), (2000, 3), (LONGEST + 1, 0)] {
            let notes: Vec<Scoped> = (0..MOST + 5).map(|at| scoped(at, length)).collect();
            let about = || notes.iter().map(|note| (note, "src/a b.rs".to_owned())).collect::<Vec<_>>();
            let mut told = ContextDirectives::default();
            let of_call = within(&notes, about(), Some(&told));
            assert_eq!(of_call.notes.len(), first, "{length}");
            let (line, name) = of_call.rest().unwrap();
            assert_eq!(line, "More notes are about this file: engine note list --scope 'src/a b.rs'");
            told.delivered.extend(of_call.notes.iter().map(|note| note.file.clone()));
            told.delivered.insert(name);
            assert!(within(&notes, about(), Some(&told)).is_empty(), "{length}: the rest is named once");
        }
    }
}
