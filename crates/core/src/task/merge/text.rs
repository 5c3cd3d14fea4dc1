//! What is left where tasks cannot be merged by what they are, because a side has changed the headings above them: the texts line by line,
//! and at last both texts between markers.

use std::collections::HashMap;
use std::ops::Range;

use super::document::{Ids, identity};
use super::{Markers, check, lines};
use crate::task::{Task, TaskFile};

/// Both sides with the states that the merged tasks have, so that a line in which only the box differs is the same one.
pub(super) fn with_merged_states([base, ours, theirs]: [&TaskFile<'_>; 3], ids: &Ids) -> [String; 2] {
    let [base, mine, other] = [base, ours, theirs].map(|file| only(file, ids));
    let mut marks: [Vec<(Range<usize>, char)>; 2] = [Vec::new(), Vec::new()];
    for (key, task) in &mine {
        let (Some(one), Some(Some(two)), was) = (task, other.get(key), base.get(key)) else { continue };
        let was = was.copied().flatten().map(|was| was.state);
        let mark = check::merged_state(was, one.state, two.state).mark();
        marks[0].push((ours.box_of(one), mark));
        marks[1].push((theirs.box_of(two), mark));
    }
    let [of_ours, of_theirs] = marks;
    [(ours, of_ours), (theirs, of_theirs)].map(|(file, mut marks)| {
        marks.sort_by_key(|(at, _)| at.start);
        let mut text = String::with_capacity(file.text().len());
        let mut from = 0;
        for (at, mark) in marks {
            text.push_str(&file.text()[from..at.start]);
            text.push(mark);
            from = at.end;
        }
        text + &file.text()[from..]
    })
}

/// The tasks of a file; nothing for a key that two have.
fn only<'t>(file: &'t TaskFile<'_>, ids: &Ids) -> HashMap<String, Option<&'t Task>> {
    let mut found = HashMap::new();
    for task in file.tasks() {
        found.entry(identity(&task.meta, ids)).and_modify(|one| *one = None).or_insert(Some(task));
    }
    found
}

/// Line by line; whether there are markers. Nothing where too many lines differ.
pub(super) fn by_lines(base: &str, ours: &str, theirs: &str, markers: Markers<'_>) -> Option<(String, bool)> {
    let merged = lines::merge(base, ours, theirs, |mine, other| markers.around(mine, other))?;
    Some((merged.text, merged.has_conflict))
}

/// Both texts between markers, but for the lines at either end that they share.
pub(super) fn both(ours: &str, theirs: &str, markers: Markers<'_>) -> String {
    let [mine, other] = [ours, theirs].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let head = mine.iter().zip(&other).take_while(|(one, two)| one == two).count();
    let (rest, others) = (&mine[head..], &other[head..]);
    let tail = rest.iter().rev().zip(others.iter().rev()).take_while(|(one, two)| one == two).count();
    let between =
        markers.around(&rest[..rest.len() - tail].concat(), &others[..others.len() - tail].concat());
    format!("{}{between}{}", mine[..head].concat(), rest[rest.len() - tail..].concat())
}
