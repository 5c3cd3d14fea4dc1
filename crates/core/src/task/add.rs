//! Tasks that were typed, put into a file.

use super::{Meta, NewTask, Place, State, TaskFile};

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
}

impl Added {
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
    let mut text = text.to_owned();
    let mut all = Vec::new();
    for task in tasks {
        let file = TaskFile::parse(&text);
        let name = file.unused(&task.meta.name);
        let Some(twin) = file.twin(&task.meta.name) else {
            let meta = Meta { name: name.clone(), ..task.meta.clone() };
            let new = file.with_new_task(&NewTask { meta, notes: task.notes.clone() }, None, Place::Last);
            if TaskFile::parse(&new).twin(&name).is_none() {
                return Err(Hidden);
            }
            let model = task.meta.model_or_default().to_owned();
            all.push(Added { name, model, known: None, noted: false });
            text = new;
            continue;
        };
        let has = |note: &&String| !file.lines_of(twin).iter().any(|line| line.contains(note.as_str()));
        let news: Vec<&String> = task.notes.iter().filter(has).collect();
        all.push(Added {
            name: twin.meta.name.clone(),
            model: twin.meta.model_or_default().to_owned(),
            known: Some(twin.state),
            noted: !news.is_empty(),
        });
        text = file.with_notes(twin, &news);
    }
    Ok((text, all))
}

impl TaskFile<'_> {
    /// A name that no task of the file has: this one, or with a number behind it.
    pub fn unused(&self, name: &str) -> String {
        let is_used = |name: &str| {
            let name = name.to_lowercase();
            self.tasks().any(|task| task.meta.name.to_lowercase() == name)
        };
        if !is_used(name) {
            return name.to_owned();
        }
        (2_usize..).map(|number| format!("{name} ({number})")).find(|name| !is_used(name)).unwrap_or_default()
    }
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
            "## Pending Tasks\n- [ ] **A** — | sonnet\n  - one\n  - two\n- [x] **B** — | sonnet\n- [ ] **B (2)** — | sonnet\n  - why\n- [ ] **b (3)** — | sonnet\n- [ ] **C** — | sonnet\n"
        );
        let shown: Vec<String> =
            added.iter().map(|added| format!("{} {} {}", added.name, added.is_new(), added.noted)).collect();
        assert_eq!(
            shown,
            ["A false true", "B (2) true false", "b (3) true false", "C true false", "C false false"]
        );
    }
}
