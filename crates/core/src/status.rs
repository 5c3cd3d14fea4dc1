//! STATUS: where the work stands, in the seed's layout. The same text for `engine status`, for the model and for
//! the person.

use crate::stage::{Guide, Stages, without_task, without_task_line};
use crate::task::{DEFAULT_MODEL, Item, State, Task, TaskFile, conflict};

/// Who works on a task that is pending or in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holder {
    /// The one who asks, or nobody that is still there.
    Free,
    /// Another session that is alive, or somebody in another worktree: `session 1a2b3c4d, worktree ../fix`.
    Elsewhere(String),
    /// It is over in another worktree, whose branch is not merged: `worktree ../fix`.
    Over(String),
}

impl Holder {
    pub fn is_free(&self) -> bool {
        *self == Self::Free
    }
}

/// A task that is not there to be taken, and who or where the reason is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held<'t> {
    pub task: &'t Task,
    pub by: String,
}

impl Held<'_> {
    fn line(&self) -> String {
        format!("{} ({})", self.task.meta.name, self.by)
    }
}

/// The tasks of a file, sorted by where they stand.
#[derive(Debug, Clone)]
pub struct Status<'t> {
    pub in_progress: Vec<&'t Task>,
    pub elsewhere: Vec<Held<'t>>,
    /// Over in another worktree and open in this one.
    pub over_elsewhere: Vec<Held<'t>>,
    pub next: Option<&'t Task>,
    /// Pending ones behind the next, and lines that cannot be read, as `- ` lines.
    pub pending: Vec<String>,
    pub blocked: Vec<&'t Task>,
    pub failed: Vec<&'t Task>,
    pub done: usize,
    pub cancelled: usize,
}

impl<'t> Status<'t> {
    pub fn of(file: &'t TaskFile<'_>, holder: impl Fn(&Task) -> Holder) -> Self {
        let with = |state: State| file.tasks().filter(move |task| task.state == state);
        let (mut in_progress, mut elsewhere, mut over_elsewhere) = (Vec::new(), Vec::new(), Vec::new());
        let (mut next, mut pending) = (None, Vec::new());
        for item in file.items() {
            let task = match item {
                Item::Damaged(damaged) => {
                    pending.push(damaged.text.clone());
                    continue;
                }
                Item::Task(task) => task,
            };
            if !matches!(task.state, State::Pending | State::InProgress) {
                continue;
            }
            match holder(task) {
                Holder::Elsewhere(by) => elsewhere.push(Held { task, by }),
                Holder::Over(by) => over_elsewhere.push(Held { task, by }),
                Holder::Free if task.state == State::InProgress => in_progress.push(task),
                Holder::Free if next.is_none() && file.unmet(task).is_empty() => next = Some(task),
                Holder::Free => pending.push(pending_line(file, task)),
            }
        }
        Self {
            in_progress,
            elsewhere,
            over_elsewhere,
            next,
            pending,
            blocked: with(State::Blocked).collect(),
            failed: with(State::Failed).collect(),
            done: with(State::Done).count(),
            cancelled: with(State::Cancelled).count(),
        }
    }

    /// The text, without a newline at its end. A task whose command names a plan has the command that the plan's stage asks for.
    pub fn render(&self, plans: &(impl Stages + ?Sized)) -> String {
        let block = |word: &str, task: &Task| block(word, task, Guide::of(&task.meta, plans).as_ref());
        let mut parts: Vec<String> = Vec::new();
        parts.extend(self.in_progress.iter().map(|task| block("In progress", task)));
        parts.extend(self.elsewhere.iter().map(|held| format!("In progress elsewhere: {}", held.line())));
        parts.extend(list("Done elsewhere, not merged here", self.over_elsewhere.iter().map(Held::line)));
        parts.extend(self.next.iter().map(|task| block("Next", task)));
        parts.extend(list("Pending", self.pending.iter().cloned()));
        parts.extend(list("Blocked", self.blocked.iter().map(|task| with_reason(task))));
        parts.extend(list("Failed", self.failed.iter().map(|task| with_reason(task))));
        if parts.is_empty() {
            parts.push(NOTHING.to_owned());
        }
        let counts = [(self.done, "done"), (self.cancelled, "cancelled")];
        let counts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        if !counts.is_empty() {
            parts.push(counts.join(", "));
        }
        parts.join("\n\n")
    }
}

/// STATUS of the text of a task file, whose conflict markers come first. Plans without a task are counted at its end.
pub fn render(
    name: &str,
    text: &str,
    holder: impl Fn(&Task) -> Holder,
    plans: &(impl Stages + ?Sized),
) -> String {
    let file = TaskFile::parse(text);
    let status = Status::of(&file, holder).render(plans);
    let plans = without_task_line(&without_task(&file, plans));
    let parts: Vec<String> = conflict::report(name, text).into_iter().chain([status]).chain(plans).collect();
    parts.join("\n\n")
}

/// What STATUS says when there is no task.
pub const NOTHING: &str = "No pending tasks.";

fn block(word: &str, task: &Task, guide: Option<&Guide>) -> String {
    let mut text = format!("{word}: {}", task.meta.name);
    if let Some(command) = &task.meta.command {
        let shown = guide.map_or_else(|| format!("`{command}`"), |guide| guide.command(command));
        text.push_str(&format!("\n  {shown}"));
    }
    if let Some(guide) = guide {
        text.push_str(&format!("\n  Plan: {}", guide.standing.shown()));
    }
    let meta = guide.map_or_else(|| task.meta.clone(), |guide| guide.applied(&task.meta));
    let restart = if meta.restart { "yes" } else { "no" };
    text.push_str(&format!("\n  Model: {} | Restart: {restart}", meta.model_or_default()));
    text
}

fn pending_line(file: &TaskFile<'_>, task: &Task) -> String {
    let model = task.meta.model_or_default();
    let unmet = file.unmet(task).join(", ");
    let name = &task.meta.name;
    match (model == DEFAULT_MODEL, unmet.is_empty()) {
        (true, true) => name.clone(),
        (false, true) => format!("{name} ({model})"),
        (true, false) => format!("{name} (waits for {unmet})"),
        (false, false) => format!("{name} ({model}; waits for {unmet})"),
    }
}

fn with_reason(task: &Task) -> String {
    match &task.reason {
        Some(reason) => format!("{}: {reason}", task.meta.name),
        None => task.meta.name.clone(),
    }
}

fn list(word: &str, lines: impl Iterator<Item = String>) -> Option<String> {
    let mut text = format!("{word}:");
    let heading = text.len();
    for line in lines {
        text.push_str("\n- ");
        text.push_str(&line);
    }
    (text.len() > heading).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str) -> String {
        Status::of(&TaskFile::parse(text), |task| match task.meta.name.split(' ').next() {
            Some("Theirs") => Holder::Elsewhere("session 1a2b3c4d".to_owned()),
            Some("Merge") => Holder::Over("worktree fix".to_owned()),
            _ => Holder::Free,
        })
        .render(&())
    }

    #[test]
    fn the_seeds_layout() {
        let text = "## Pending Tasks\n- [ ] **Implement ambient awareness** — `/plan-adhoc plans/ambient-awareness/design.md` | sonnet | no restart\n- [ ] **Design runbook identifiers** — `/design plans/runbook-identifiers/problem.md` | opus\n";
        insta::assert_snapshot!(rendered(text), @r"
        Next: Implement ambient awareness
          `/plan-adhoc plans/ambient-awareness/design.md`
          Model: sonnet | Restart: no

        Pending:
        - Design runbook identifiers (opus)
        ");
    }

    #[test]
    fn every_state_has_its_place() {
        let text = "## Pending Tasks\n- [>] **Fix the parser** — `/fix parser`\n- [>] **Theirs** — | opus\n\
            - [ ] **Merge me** —\n- [ ] **Design runbook identifiers** — `/design plans/runbook-identifiers/problem.md` | opus\n- [ ] **Tidy docs** — | sonnet\n\
            - [ ] **Later** — | haiku | needs: Tidy docs\n- [ ] **broken\n- [!] **Publish crate** —\n  Blocked: waiting for the key\n\
            - [†] **Port it** —\n- [x] a\n- [x] b\n- [-] c\n";
        insta::assert_snapshot!(rendered(text), @r"
        In progress: Fix the parser
          `/fix parser`
          Model: sonnet | Restart: no

        In progress elsewhere: Theirs (session 1a2b3c4d)

        Done elsewhere, not merged here:
        - Merge me (worktree fix)

        Next: Design runbook identifiers
          `/design plans/runbook-identifiers/problem.md`
          Model: opus | Restart: no

        Pending:
        - Tidy docs
        - Later (haiku; waits for Tidy docs)
        - [ ] **broken

        Blocked:
        - Publish crate: waiting for the key

        Failed:
        - Port it

        2 done, 1 cancelled
        ");
    }

    #[test]
    fn nothing_to_do() {
        for text in ["", "# Session\n", "## Pending Tasks\n\n## Notes\n", "- [ ] elsewhere\n"] {
            assert_eq!(rendered(text), NOTHING);
        }
        assert_eq!(rendered("## Pending Tasks\n- [x] a\n"), "No pending tasks.\n\n1 done");
    }
}
