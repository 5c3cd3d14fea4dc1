//! Tasks: the checkbox lines of `session.md`, read and changed without touching any other byte.
//!
//! ```markdown
//! ## Pending Tasks
//! - [ ] **Fix the parser** — `/fix parser` | opus | restart
//!   Blocked: waiting for the grammar
//! ```
//!
//! A [`TaskFile`] is a reading of a text; it never fails. A line in a task section that looks like a task but
//! cannot be read is kept as it stands and named by `validate`. Edits ([`edit`]) are splices of that text.

mod add;
pub mod conflict;
mod edit;
mod line;
mod loss;
pub mod merge;
mod prompt;
mod validate;

pub use add::{Added, Hidden, with_added};
pub use edit::Place;
pub use line::{flat, is_model};
pub use loss::{Loss, LossKind, losses};
pub use prompt::{Call, Calls, NewTask, from_prompt};
pub use validate::Flaw;

use std::collections::{BTreeMap, BTreeSet};

use crate::config::FilePath;
use engine_text::markdown::{Lines, is_indented};
use engine_text::undecoded::shown;

/// The file that holds the tasks.
pub const FILE: FilePath = FilePath {
    name: "tasks.file",
    about: "The file with tasks and handoff, from the project's root. Unset: session.md, or agents/session.md if that is there.",
};

/// Sections that hold tasks, in any of the seeds' spellings.
pub const SECTIONS: &[&str] = &["Pending Tasks", "In-tree Tasks", "Worktree Tasks"];

/// The token of a task that has none yet; `engine task validate --fix` replaces it.
pub const NEW_TOKEN: &str = "PNDNG";

/// The model that a task is meant for if it names none.
pub const DEFAULT_MODEL: &str = "sonnet";

/// Where a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    Pending,
    InProgress,
    Done,
    Blocked,
    Failed,
    Cancelled,
}

impl State {
    pub const ALL: &'static [Self] =
        &[Self::Pending, Self::InProgress, Self::Done, Self::Blocked, Self::Failed, Self::Cancelled];

    /// The character in the box.
    pub fn mark(self) -> char {
        match self {
            Self::Pending => ' ',
            Self::InProgress => '>',
            Self::Done => 'x',
            Self::Blocked => '!',
            Self::Failed => '†',
            Self::Cancelled => '-',
        }
    }

    pub fn from_mark(mark: char) -> Option<Self> {
        let lower = if mark == 'X' { 'x' } else { mark };
        Self::ALL.iter().copied().find(|state| state.mark() == lower)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in progress",
            Self::Done => "done",
            Self::Blocked => "blocked",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What a task line says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Meta {
    pub name: String,
    /// A mark behind the name that finds the task again in history, without its `#`.
    pub token: Option<String>,
    /// What starts it, without its ticks.
    pub command: Option<String>,
    /// Other words in front of the fields.
    pub detail: Option<String>,
    /// In lower case; nothing when the line names none.
    pub model: Option<String>,
    pub restart: bool,
    /// Names of tasks that must be done before.
    pub needs: Vec<String>,
    pub id: Option<String>,
    /// Fields that we do not know, as they stand. They survive every edit.
    pub others: Vec<String>,
}

impl Meta {
    pub fn model_or_default(&self) -> &str {
        self.model.as_deref().unwrap_or(DEFAULT_MODEL)
    }
}

/// One task of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub state: State,
    pub meta: Meta,
    /// Why it is blocked or failed.
    pub reason: Option<String>,
    /// The section's heading.
    pub section: String,
    /// Counted from 1.
    pub line: usize,
    /// Index of its line, and how many lines belong to it, itself included.
    first: usize,
    count: usize,
}

impl Task {
    /// How the name may stand in a line of a task file: in bold and escaped, or bare as in older ones.
    pub fn spellings(name: &str) -> [String; 2] {
        [format!("**{}**", line::escape(name)), format!("] {name}")]
    }

    /// Whether it is blocked, and for this reason.
    pub fn is_blocked_by(&self, reason: &str) -> bool {
        self.state == State::Blocked && self.reason.as_deref() == Some(line::flat(reason).as_str())
    }

    /// Whether there is still something to do about it.
    pub fn is_open(&self) -> bool {
        !matches!(self.state, State::Done | State::Cancelled)
    }
}

/// A line in a task section that was meant to be a task and cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damaged {
    /// The line as it stands, without its list mark.
    pub text: String,
    pub why: &'static str,
    pub line: usize,
}

/// A task, or what should have been one, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::large_enum_variant, reason = "nearly all items are tasks")]
pub enum Item {
    Task(Task),
    Damaged(Damaged),
}

/// A task section of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Section {
    name: String,
    /// Index of the heading's line, and of the first line behind the section.
    heading: usize,
    end: usize,
}

/// A text, read.
#[derive(Debug, Clone)]
pub struct TaskFile<'a> {
    lines: Lines<'a>,
    sections: Vec<Section>,
    items: Vec<Item>,
    /// Names of tasks that are not done, where some task waits for others. What was cancelled is not done.
    open: BTreeSet<String>,
}

impl<'a> TaskFile<'a> {
    pub fn parse(text: &'a str) -> Self {
        let lines = Lines::new(text);
        let sections = sections(&lines);
        let mut items = Vec::new();
        for section in &sections {
            let mut index = section.heading + 1;
            while index < section.end {
                let line = &lines.all[index];
                match (!line.fenced).then(|| line::parse(line.text)).flatten() {
                    None => index += 1,
                    Some(Err(why)) => {
                        let text =
                            line.text.trim_start().trim_start_matches(['-', '*', '+']).trim().to_owned();
                        items.push(Item::Damaged(Damaged { text, why, line: index + 1 }));
                        index += 1;
                    }
                    Some(Ok((state, meta))) => {
                        let count = 1 + below(&lines, index + 1, section.end);
                        let below = &lines.all[index + 1..index + count];
                        let reason =
                            below.iter().filter(|line| !line.fenced).find_map(|line| line::reason(line.text));
                        let reason = reason.filter(|_| matches!(state, State::Blocked | State::Failed));
                        items.push(Item::Task(Task {
                            state,
                            meta,
                            reason: reason.map(str::to_owned),
                            section: section.name.clone(),
                            line: index + 1,
                            first: index,
                            count,
                        }));
                        index += count;
                    }
                }
            }
        }
        let mut file = Self { lines, sections, items, open: BTreeSet::new() };
        // Asked for only by tasks that wait for others.
        if file.tasks().any(|task| !task.meta.needs.is_empty()) {
            let names = |is_wanted: fn(&Task) -> bool| -> BTreeSet<String> {
                file.tasks().filter(|task| is_wanted(task)).map(|task| task.meta.name.clone()).collect()
            };
            let done = names(|task| task.state == State::Done);
            let cancelled = names(|task| task.state == State::Cancelled);
            file.open =
                names(Task::is_open).into_iter().chain(cancelled.difference(&done).cloned()).collect();
        }
        file
    }

    pub fn text(&self) -> &'a str {
        self.lines.text
    }

    pub fn items(&self) -> &[Item] {
        &self.items
    }

    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.items.iter().filter_map(|item| match item {
            Item::Task(task) => Some(task),
            Item::Damaged(_) => None,
        })
    }

    pub fn damaged(&self) -> impl Iterator<Item = &Damaged> {
        self.items.iter().filter_map(|item| match item {
            Item::Damaged(damaged) => Some(damaged),
            Item::Task(_) => None,
        })
    }

    /// The lines that belong to a task, its own first.
    pub fn lines_of(&self, task: &Task) -> Vec<&'a str> {
        self.lines.all[task.first..task.first + task.count].iter().map(|line| line.text).collect()
    }

    /// What stands in the way of a task: needed tasks of this file that are not done.
    pub fn unmet<'t>(&self, task: &'t Task) -> Vec<&'t str> {
        task.meta.needs.iter().map(String::as_str).filter(|name| self.open.contains(*name)).collect()
    }

    /// The tasks that wait for each other, this one first and last: `A → B → A`.
    pub fn circle(&self, task: &Task) -> Option<String> {
        let needs: BTreeMap<&str, &[String]> =
            self.tasks().map(|task| (task.meta.name.as_str(), task.meta.needs.as_slice())).collect();
        let mut seen = BTreeSet::new();
        let mut paths = vec![vec![task.meta.name.as_str()]];
        while let Some(path) = paths.pop() {
            for need in path.last().and_then(|last| needs.get(last)).copied().unwrap_or_default() {
                let longer = [path.as_slice(), &[need.as_str()]].concat();
                if *need == task.meta.name {
                    return Some(longer.join(" → "));
                }
                if seen.insert(need.as_str()) {
                    paths.push(longer);
                }
            }
        }
        None
    }

    /// The first pending task whose needs are met and that is free.
    pub fn next(&self, is_free: impl Fn(&Task) -> bool) -> Option<&Task> {
        self.tasks().find(|task| task.state == State::Pending && self.unmet(task).is_empty() && is_free(task))
    }

    /// Whether the file has a section of this name.
    pub fn has_section(&self, name: &str) -> bool {
        self.sections.iter().any(|section| section.name.eq_ignore_ascii_case(name))
    }

    /// An open task of this name, letters' case aside: there should be no second one.
    pub fn twin(&self, name: &str) -> Option<&Task> {
        let name = name.to_lowercase();
        self.tasks().find(|task| task.is_open() && task.meta.name.to_lowercase() == name)
    }

    pub fn find(&self, wanted: &str) -> FoundTask<'_> {
        find(self, wanted)
    }
}

/// Indented lines right below a task belong to it; blank lines between them too, but not behind them.
fn below(lines: &Lines<'_>, from: usize, end: usize) -> usize {
    let mut count = 0;
    for (offset, line) in lines.all[from..end].iter().enumerate() {
        if line.text.trim().is_empty() {
            continue;
        }
        if !is_indented(line.text) {
            break;
        }
        count = offset + 1;
    }
    count
}

fn sections(lines: &Lines<'_>) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    for heading in 0..lines.all.len() {
        let Some((_, name)) = lines.heading(heading) else { continue };
        let inside = found.last().is_some_and(|section| heading < section.end);
        let known = SECTIONS.iter().find(|known| known.eq_ignore_ascii_case(name));
        if let (Some(known), false) = (known, inside) {
            found.push(Section { name: (*known).to_owned(), heading, end: lines.section_end(heading) });
        }
    }
    found
}

/// The task that a person means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundTask<'t> {
    One(&'t Task),
    /// Several fit equally well.
    Several(Vec<&'t str>),
    None,
}

/// Fewer characters than these are asked about: a letter that was typed by mistake must not end a task.
const SHORTEST: usize = 3;

/// By exact name, id or token, else by the name in another case, else by the only beginning, else by the only name that holds all the
/// words, letters' case aside. Bytes that are not UTF-8 are typed as they are shown.
fn find<'t>(file: &'t TaskFile<'_>, wanted: &str) -> FoundTask<'t> {
    let wanted = &*shown(wanted.trim());
    let lower = wanted.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    if words.is_empty() {
        return FoundTask::None;
    }
    let exact = |task: &&Task| {
        let token = task.meta.token.as_deref().is_some_and(|token| wanted.trim_start_matches('#') == token);
        token || shown(&task.meta.name) == wanted || task.meta.id.as_deref() == Some(wanted)
    };
    let same = |task: &&Task| shown(&task.meta.name).to_lowercase() == lower;
    let prefix = |task: &&Task| shown(&task.meta.name).to_lowercase().starts_with(&lower);
    let fuzzy = |task: &&Task| {
        let name = shown(&task.meta.name).to_lowercase();
        words.iter().all(|word| name.contains(word))
    };
    let is_short = lower.chars().count() < SHORTEST;
    let steps: [&dyn Fn(&&Task) -> bool; 4] = [&exact, &same, &prefix, &fuzzy];
    for (nth, fits) in steps.into_iter().enumerate() {
        let is_sure = nth < 2 || !is_short;
        let fitting: Vec<&Task> = file.tasks().filter(|task| fits(task)).collect();
        // Of several with the very same name the one that is still open is meant.
        let name = fitting.first().map(|task| &task.meta.name);
        let twins = fitting.iter().all(|task| Some(&task.meta.name) == name);
        let open: Vec<&Task> = fitting.iter().copied().filter(|task| task.is_open()).collect();
        match (open.as_slice(), fitting.as_slice()) {
            (_, []) => {}
            _ if !is_sure => {
                return FoundTask::Several(fitting.iter().map(|task| task.meta.name.as_str()).collect());
            }
            (_, [one]) => return FoundTask::One(one),
            ([one], _) if twins => return FoundTask::One(one),
            _ => return FoundTask::Several(fitting.iter().map(|task| task.meta.name.as_str()).collect()),
        }
    }
    FoundTask::None
}

#[cfg(test)]
mod tests;
