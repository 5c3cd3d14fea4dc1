//! Whether a merged text holds what both sides wrote, asked of the texts alone, whatever way they were merged.
//!
//! Of a task: one that both sides have, that is new, or that one side changed, is read as a task, in the state that it should have. One
//! that a side only took out of the task sections, by renaming their heading for instance, is still there as a line. Of any other
//! line: as often as both sides have it, and as often as one side added it.

use std::collections::{HashMap, HashSet};

use super::document::{Ids, identity};
use super::{taken, winner};
use crate::task::{Meta, State, Task, TaskFile, line};

/// A line with a box, as it may stand anywhere.
type Boxed = (State, Meta);

/// A version, by what the check asks of it.
struct Reading<'t> {
    file: &'t TaskFile<'t>,
    tasks: HashMap<String, Vec<&'t Task>>,
    /// Tasks, and the lines that look like one in other sections, in code, in comments and below tasks.
    boxed: HashMap<String, Vec<Boxed>>,
    /// For each line that is not blank, of which task it is one.
    lines: Vec<(&'t str, Option<String>)>,
}

impl<'t> Reading<'t> {
    fn of(file: &'t TaskFile<'t>, ids: &Ids) -> Self {
        let mut reading = Self { file, tasks: HashMap::new(), boxed: HashMap::new(), lines: Vec::new() };
        for task in file.tasks() {
            reading.tasks.entry(identity(&task.meta, ids)).or_default().push(task);
        }
        for text in file.lines.all.iter().map(|line| line.text.trim_end()).filter(|text| !text.is_empty()) {
            let boxed = line::parse(text.trim_start()).and_then(Result::ok);
            let key = boxed.as_ref().map(|(_, meta)| identity(meta, ids));
            if let (Some(boxed), Some(key)) = (boxed, key.clone()) {
                reading.boxed.entry(key).or_default().push(boxed);
            }
            reading.lines.push((text, key));
        }
        reading
    }

    fn count(&self, key: &str) -> usize {
        self.tasks.get(key).map_or(0, Vec::len)
    }

    fn boxes(&self, key: &str) -> &[Boxed] {
        self.boxed.get(key).map_or(&[], Vec::as_slice)
    }

    /// The task of this key, if it is the only one.
    fn one(&self, key: &str) -> Option<&'t Task> {
        self.tasks.get(key)?.first().copied()
    }

    fn body(&self, task: &Task) -> Vec<&'t str> {
        self.file.lines_of(task)
    }
}

/// Whether the merged text holds what it has to.
pub(super) fn holds(
    merged: &TaskFile<'_>,
    [base, ours, theirs]: [&TaskFile<'_>; 3],
    ids: &Ids,
    has_conflict: bool,
) -> bool {
    if merged.lines.open_fence.is_some() {
        return false;
    }
    let versions = [base, ours, theirs].map(|file| Reading::of(file, ids));
    let merged = Reading::of(merged, ids);
    let [_, ours, theirs] = &versions;
    let keys: HashSet<&str> = ours.tasks.keys().chain(theirs.tasks.keys()).map(String::as_str).collect();
    keys.iter().all(|key| holds_task(key, &merged, &versions, has_conflict))
        && holds_lines(&merged, &versions, &keys)
}

fn holds_task(key: &str, merged: &Reading<'_>, versions: &[Reading<'_>; 3], has_conflict: bool) -> bool {
    let [base, ours, theirs] = versions;
    let (there, boxed) = (merged.count(key), merged.boxes(key));
    let most = ours.count(key).max(theirs.count(key));
    // Of two tasks with one name nobody knows which is which, so none goes.
    if most.max(base.count(key)) > 1 {
        let takes_out =
            |side: &Reading<'_>| side.count(key) < base.count(key) && side.count(key) < side.boxes(key).len();
        let is_taken_out = takes_out(ours) || takes_out(theirs);
        return there >= most || (is_taken_out && boxed.len() >= most);
    }
    if there > 1 && !has_conflict {
        return false;
    }
    let is_like = |state: State, meta: Option<&Meta>| {
        let fits = |task: &&Task| task.state == state && meta.is_none_or(|meta| task.meta == *meta);
        let mut tasks = merged.tasks.get(key).into_iter().flatten().copied();
        if has_conflict { tasks.any(|task| fits(&task)) } else { there == 1 && tasks.all(|task| fits(&task)) }
    };
    let is_read = |state: State| is_like(state, None);
    let was = base.one(key);
    match (ours.one(key), theirs.one(key)) {
        (Some(mine), Some(other)) => {
            let state = merged_state(was.map(|was| was.state), mine.state, other.state);
            match taken(was.map(|was| &was.meta), &mine.meta, &other.meta) {
                Some(meta) => is_like(state, Some(meta)),
                None => is_like(state, Some(&mine.meta)) && is_like(state, Some(&other.meta)),
            }
        }
        (Some(one), None) => holds_of_one((one, ours), theirs, base, key, merged, is_read),
        (None, Some(one)) => holds_of_one((one, theirs), ours, base, key, merged, is_read),
        (None, None) => true,
    }
}

/// A task that one side has, and the other has not, or not as a task.
fn holds_of_one(
    (task, side): (&Task, &Reading<'_>),
    other: &Reading<'_>,
    base: &Reading<'_>,
    key: &str,
    merged: &Reading<'_>,
    is_read: impl Fn(State) -> bool,
) -> bool {
    let Some(was) = base.one(key) else {
        // New, or a box elsewhere that became a task: the other side may have ended it where it was.
        return is_read(task.state) || other.boxes(key).iter().any(|(state, _)| is_read(*state));
    };
    let is_unchanged = side.body(task) == base.body(was);
    if other.boxes(key).is_empty() {
        return is_unchanged || is_read(task.state);
    }
    let is_same = (was.state, &was.meta) == (task.state, &task.meta);
    merged.boxes(key).iter().any(|(state, meta)| is_same || (*state, meta) == (task.state, &task.meta))
}

/// The state that a task has to have.
pub(super) fn merged_state(base: Option<State>, ours: State, theirs: State) -> State {
    taken(base, ours, theirs).unwrap_or_else(|| winner(ours, theirs))
}

/// The lines that are not those of tasks.
fn holds_lines(merged: &Reading<'_>, versions: &[Reading<'_>; 3], tasks: &HashSet<&str>) -> bool {
    let counted = |reading: &Reading<'_>| {
        let mut counts: HashMap<String, usize> = HashMap::new();
        let is_text = |key: &Option<String>| key.as_ref().is_none_or(|key| !tasks.contains(key.as_str()));
        for (text, _) in reading.lines.iter().filter(|(_, key)| is_text(key)) {
            *counts.entry((*text).to_owned()).or_default() += 1;
        }
        counts
    };
    let [base, ours, theirs] = versions.each_ref().map(counted);
    let kept = counted(merged);
    let of = |counts: &HashMap<String, usize>, text: &str| counts.get(text).copied().unwrap_or_default();
    ours.keys().chain(theirs.keys()).all(|text| {
        let (was, mine, other) = (of(&base, text), of(&ours, text), of(&theirs, text));
        let wanted =
            if mine >= was && other >= was { mine.max(other) } else { (mine + other).saturating_sub(was) };
        of(&kept, text) >= wanted
    })
}
