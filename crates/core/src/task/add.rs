//! Tasks that were typed, put into a file.

use super::{Meta, NewTask, State, Task, TaskFile};

/// What became of one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    /// The name under which it is in the file.
    pub name: String,
    pub model: String,
    /// How the open task stands that has the name already; nothing was added then but lines below it.
    pub known: Option<State>,
    /// Lines were added below the task that has the name.
    pub noted: bool,
    /// Another model was typed than the task has that has the name.
    pub other_model: Option<String>,
}

impl Added {
    fn known(meta: &Meta, state: State, noted: bool, typed: &Meta) -> Self {
        let (name, model) = (meta.name.clone(), meta.model_or_default().to_owned());
        let other_model = typed.model.clone().filter(|typed| *typed != model);
        Self { name, model, known: Some(state), noted, other_model }
    }

    pub fn is_new(&self) -> bool {
        self.known.is_none()
    }
}

/// What was written would not be seen: a fence or comment above it is never closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hidden;

/// The text with the tasks at its end. One whose name an open task has adds its lines to that; one whose name a task has that is over gets
/// a number.
pub fn with_added(text: &str, tasks: &[NewTask]) -> Result<(String, Vec<Added>), Hidden> {
    let file = TaskFile::parse(text);
    let mut all: Vec<Added> = Vec::new();
    // With the names as they were typed.
    let mut new: Vec<(String, NewTask)> = Vec::new();
    let mut to_add: Vec<(&Task, Vec<String>)> = Vec::new();
    for task in tasks {
        let typed = task.meta.name.to_lowercase();
        if let Some(twin) = file.twin(&task.meta.name) {
            let is_known =
                |note: &&String| file.lines_of(twin).iter().any(|line| line.contains(note.as_str()));
            let notes: Vec<String> = task.notes.iter().filter(|note| !is_known(note)).cloned().collect();
            all.push(Added::known(&twin.meta, twin.state, !notes.is_empty(), &task.meta));
            to_add.push((twin, notes));
        } else if let Some((_, twin)) = new.iter_mut().find(|(name, _)| *name == typed) {
            let notes: Vec<String> =
                task.notes.iter().filter(|note| !twin.notes.contains(note)).cloned().collect();
            all.push(Added::known(&twin.meta, State::Pending, !notes.is_empty(), &task.meta));
            twin.notes.extend(notes);
        } else {
            let name = unused(&task.meta.name, &file, &new);
            let model = task.meta.model_or_default().to_owned();
            all.push(Added { name: name.clone(), model, known: None, noted: false, other_model: None });
            let meta = Meta { name, ..task.meta.clone() };
            new.push((typed, NewTask { meta, notes: task.notes.clone() }));
        }
    }
    let mut text = text.to_owned();
    for (twin, notes) in to_add.into_iter().filter(|(_, notes)| !notes.is_empty()) {
        let file = TaskFile::parse(&text);
        if let Some(twin) = file.twin(&twin.meta.name) {
            text = file.with_notes(twin, &notes);
        }
    }
    let new: Vec<NewTask> = new.into_iter().map(|(_, task)| task).collect();
    let text = TaskFile::parse(&text).with_new_tasks(&new);
    let file = TaskFile::parse(&text);
    let is_seen = |task: &NewTask| file.twin(&task.meta.name).is_some();
    if new.iter().all(is_seen) { Ok((text, all)) } else { Err(Hidden) }
}

/// A name that no task has: this one, or with a number behind it.
fn unused(name: &str, file: &TaskFile<'_>, new: &[(String, NewTask)]) -> String {
    let is_used = |name: &str| {
        let name = name.to_lowercase();
        let is_it = |meta: &Meta| meta.name.to_lowercase() == name;
        file.tasks().any(|task| is_it(&task.meta)) || new.iter().any(|(_, task)| is_it(&task.meta))
    };
    let numbered = (2_usize..).map(|number| format!("{name} ({number})"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !is_used(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(name: &str, notes: &[&str]) -> NewTask {
        let notes = notes.iter().map(|&note| note.to_owned()).collect();
        NewTask { meta: Meta { name: name.to_owned(), ..Meta::default() }, notes }
    }

    #[test]
    fn new_known_and_over() {
        let text = "## Pending Tasks\n- [ ] **A** — | sonnet\n  - one\n- [x] **B** — | sonnet\n";
        let tasks = [
            typed("a", &["one", "two"]),
            typed("B", &["why"]),
            typed("b", &[]),
            typed("C", &[]),
            typed("c", &[]),
        ];
        let (text, added) = with_added(text, &tasks).unwrap();
        assert_eq!(
            text,
            "## Pending Tasks\n- [ ] **A** — | sonnet\n  - one\n  - two\n- [x] **B** — | sonnet\n- [ ] **B (2)** — | sonnet\n  - why\n- [ ] **C** — | sonnet\n"
        );
        let shown: Vec<String> =
            added.iter().map(|added| format!("{} {} {}", added.name, added.is_new(), added.noted)).collect();
        assert_eq!(
            shown,
            ["A false true", "B (2) true false", "B (2) false false", "C true false", "C false false"]
        );
    }
}
