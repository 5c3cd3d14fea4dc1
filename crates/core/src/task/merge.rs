//! Merges two versions of a task file with the version that both come from: tasks by what they are and how they stand, the handoff
//! section by section, the rest line by line.
//!
//! ```text
//! base   - [ ] **A**      ours   - [x] **A**      theirs   - [ ] **A**      merged   - [x] **A**
//!                                - [ ] **B**               - [ ] **C**               - [ ] **B**
//!                                                                                    - [ ] **C**
//! ```
//!
//! A task is the same one by its id, else its token, else its name. What one side changed is taken; if both changed the state,
//! [`winner`] decides. Notes of both sides are kept. A task that one side deleted and the other left alone goes; one that the other
//! changed stays. Only if both sides changed the words of a task differently, or the same lines outside tasks and handoff, both versions
//! are kept between conflict markers, with the merged state in both.
//!
//! Sections are found by their headings, so a side that renames, adds or deletes headings may take the ground from this. The merged text is
//! therefore checked ([`check`]); where something would be missing, the texts are merged line by line, and if something would be missing
//! then, too, both stay between markers.

mod blocks;
mod check;
mod document;
mod form;
mod lines;
mod order;
mod parts;
mod text;

use std::collections::{HashMap, HashSet};

use self::document::{Block, BlockKey, Ids, Kind, Section, SectionKey, ids, sections};
use self::form::Form;
use self::order::order;
use self::parts::TaskParts;
use super::{State, TaskFile, conflict};

/// What came of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    Clean(String),
    /// The text has conflict markers.
    Conflict(String),
    /// The versions cannot be taken apart, for this reason.
    Unmergeable(&'static str),
}

/// How markers look.
#[derive(Debug, Clone, Copy)]
pub struct Markers<'a> {
    pub size: usize,
    pub ours: &'a str,
    pub theirs: &'a str,
}

impl Default for Markers<'_> {
    fn default() -> Self {
        Self { size: 7, ours: "ours", theirs: "theirs" }
    }
}

impl Markers<'_> {
    fn around(&self, mine: &str, other: &str) -> String {
        let line = |sign: &str| sign.repeat(self.size);
        let (ours, theirs) = (self.ours, self.theirs);
        format!("{} {ours}\n{mine}{}\n{other}{} {theirs}\n", line("<"), line("="), line(">"))
    }
}

/// Of two states that both sides gave a task, the one that counts. What says more about the work wins: a result over an attempt, an
/// attempt over a plan.
///
/// done > cancelled > failed > blocked > in progress > pending
pub fn winner(one: State, other: State) -> State {
    let rank = |state: State| match state {
        State::Pending => 0,
        State::InProgress => 1,
        State::Blocked => 2,
        State::Failed => 3,
        State::Cancelled => 4,
        State::Done => 5,
    };
    if rank(other) > rank(one) { other } else { one }
}

/// Of three versions of a value: that of the side that changed it; nothing if both did, differently.
fn taken<T: PartialEq + Copy>(base: Option<T>, ours: T, theirs: T) -> Option<T> {
    if ours == theirs || base == Some(theirs) {
        Some(ours)
    } else if base == Some(ours) {
        Some(theirs)
    } else {
        None
    }
}

/// Merges two versions.
pub fn merge(base: &str, ours: &str, theirs: &str, markers: Markers<'_>) -> Merged {
    if let Some(text) = taken(Some(base), ours, theirs) {
        return Merged::Clean(text.to_owned());
    }
    // That of two branches which were merged both ways is a merge by itself, and may have some.
    if [ours, theirs].iter().any(|text| !conflict::ranges(text).is_empty()) {
        return Merged::Unmergeable("a version has conflict markers already");
    }
    let forms = [base, ours, theirs].map(Form::of);
    let is_mixed = forms.iter().any(|(form, _)| form.is_mixed);
    let texts = forms.each_ref().map(|(form, text)| form.plain(text, is_mixed));
    let files = texts.each_ref().map(|text| TaskFile::parse(text));
    if files.iter().any(|file| file.lines.open_fence.is_some()) {
        return Merged::Unmergeable("a version has a code fence or comment that is never closed");
    }
    let known = ids(&[&files[0], &files[1], &files[2]]);
    let Some((text, has_conflict)) = merged(&files, &known, markers) else {
        return Merged::Unmergeable("too many lines differ");
    };
    let [(base, _), (ours, _), (theirs, _)] = &forms;
    let text = Form::merged(*base, *ours, *theirs).applied(&text, is_mixed);
    if has_conflict { Merged::Conflict(text) } else { Merged::Clean(text) }
}

/// Merges the base, ours and theirs; with whether there are markers.
type Way<'w> = &'w dyn Fn([&TaskFile<'_>; 3]) -> Option<(String, bool)>;

/// The first way of merging after which nothing is missing, whoever merges. What is between markers holds all. Nothing where too many
/// lines differ to compare them.
fn merged(files: &[TaskFile<'_>; 3], known: &Ids, markers: Markers<'_>) -> Option<(String, bool)> {
    let [base, ours, theirs] = files.each_ref();
    let turned = [base, theirs, ours];
    let first = |way: Way<'_>| {
        let holds = |versions: [&TaskFile<'_>; 3]| {
            way(versions).filter(|(text, has_conflict)| {
                check::holds(&TaskFile::parse(text), versions, known, *has_conflict)
            })
        };
        let (found, other) = (holds([base, ours, theirs])?, holds(turned)?);
        (found.1 || tasks_of(&found.0) == tasks_of(&other.0)).then_some(found)
    };
    if let Some(found) = first(&|versions| by_tasks(versions, known, markers)) {
        return Some(found);
    }
    let by_lines = |versions: [&TaskFile<'_>; 3]| {
        let [mine, other] = text::with_merged_states(versions, known);
        text::by_lines(base.text(), &mine, &other, markers)
    };
    by_lines([base, ours, theirs])?;
    first(&|versions| by_lines(versions)).or_else(|| {
        let [mine, other] = text::with_merged_states([base, ours, theirs], known);
        Some((text::both(&mine, &other, markers), true))
    })
}

/// The tasks of a text and how they stand, in any order.
fn tasks_of(text: &str) -> Vec<(String, State)> {
    let mut tasks: Vec<_> =
        TaskFile::parse(text).tasks().map(|task| (task.meta.name.clone(), task.state)).collect();
    tasks.sort();
    tasks
}

/// Tasks by what they are. Nothing where a section holds tasks in one version and text in another: a side has changed the headings above
/// it, and only it knows what the tasks below are now.
fn by_tasks(files: [&TaskFile<'_>; 3], known: &Ids, markers: Markers<'_>) -> Option<(String, bool)> {
    let parts = files.map(|file| sections(file, known));
    let mut kinds: HashMap<&SectionKey, Kind> = HashMap::new();
    for section in parts.iter().flatten() {
        if *kinds.entry(&section.key).or_insert(section.kind) != section.kind {
            return None;
        }
    }
    let mut merge = Merge { markers, has_conflict: false, is_too_much: false };
    let text = merge.document(&parts);
    let is_marked = !conflict::ranges(&text).is_empty();
    (!merge.is_too_much && is_marked == merge.has_conflict).then_some((text, merge.has_conflict))
}

struct Merge<'m> {
    markers: Markers<'m>,
    has_conflict: bool,
    /// Too many lines differ to compare them all.
    is_too_much: bool,
}

/// A task in one version.
struct Version<'v> {
    section: &'v SectionKey,
    body: &'v str,
}

/// The tasks of the merged text, by the sections that they go to.
type Settled<'v> = HashMap<&'v SectionKey, HashMap<&'v BlockKey, String>>;

impl Merge<'_> {
    fn document(&mut self, parts: &[Vec<Section>; 3]) -> String {
        // Tasks go by themselves: one may have been moved from section to section.
        let settled = self.tasks(parts);
        let sections = parts.each_ref().map(|part| {
            part.iter().map(|section| (&section.key, section)).collect::<HashMap<&SectionKey, &Section>>()
        });
        let find = |key: &SectionKey| sections.each_ref().map(|version| version.get(key).copied());
        let keys = parts.each_ref().map(|part| part.iter().map(|section| &section.key).collect::<Vec<_>>());
        let order = order(&keys[0], &keys[1], &keys[2], |key| match find(key) {
            [_, Some(_), Some(_)] | [None, ..] => true,
            [Some(base), Some(one), None] | [Some(base), None, Some(one)] => {
                one.raw != base.raw || settled.contains_key(key)
            }
            [Some(_), None, None] => false,
        });
        let close = parts.iter().flat_map(|part| closely_following(part)).collect::<HashSet<_>>();
        let nothing = HashMap::new();
        let mut text = String::new();
        for key in order {
            // A section that was the last one may end without a blank line.
            if key.0 > 0 && !text.is_empty() && !ends_blank(&text) && !close.contains(key) {
                text.push('\n');
            }
            text.push_str(&self.section(find(key), settled.get(key).unwrap_or(&nothing)));
        }
        text
    }

    fn tasks<'v>(&mut self, parts: &'v [Vec<Section>; 3]) -> Settled<'v> {
        let versions = parts.each_ref().map(|part| {
            let blocks = part.iter().flat_map(|section| section.tasks().map(move |block| (section, block)));
            let version = |(section, block): (&'v Section, &'v Block)| {
                (&block.key, Version { section: &section.key, body: &block.body })
            };
            blocks.map(version).collect::<HashMap<&BlockKey, Version<'v>>>()
        });
        let [base, ours, theirs] = &versions;
        let has_twin = |key: &BlockKey| {
            versions.iter().any(|version| [0, 1].iter().all(|nth| version.contains_key(&key.nth(*nth))))
        };
        let mut settled = Settled::new();
        for key in ours.keys().chain(theirs.keys().filter(|key| !ours.contains_key(*key))) {
            let mut of_key = versions.each_ref().map(|version| version.get(key));
            // Where the base has a conflict of its own, nobody knows what either side has changed.
            if base.contains_key(&key.nth(1))
                && [ours, theirs].iter().all(|side| !side.contains_key(&key.nth(1)))
            {
                of_key[0] = None;
            }
            let (section, body) = match of_key {
                [base, Some(ours), Some(theirs)] => {
                    let section = taken(base.map(|base| base.section), ours.section, theirs.section);
                    // Moved to two places: the first by name, whoever merges.
                    let section = section.unwrap_or_else(|| ours.section.min(theirs.section));
                    (section, self.task(base.map(|base| base.body), ours.body, theirs.body))
                }
                // Deleted by one side, and left alone by the other. Of two tasks with one name nobody knows which was meant.
                [Some(base), Some(one), None] | [Some(base), None, Some(one)]
                    if base.body == one.body && !has_twin(key) =>
                {
                    continue;
                }
                [_, Some(one), None] | [_, None, Some(one)] => (one.section, one.body.to_owned()),
                [_, None, None] => continue,
            };
            settled.entry(section).or_default().insert(*key, body);
        }
        settled
    }

    fn section(&mut self, versions: [Option<&Section>; 3], tasks: &HashMap<&BlockKey, String>) -> String {
        let [base, ours, theirs] = versions;
        let Some(shape) = ours.or(theirs) else { return String::new() };
        let was = base.map(|base| base.raw.as_str());
        // What only one side touched is taken as it is, if its tasks are too.
        let whole = match (ours, theirs) {
            (Some(ours), Some(theirs)) => taken(was, ours.raw.as_str(), theirs.raw.as_str()),
            (Some(one), None) | (None, Some(one)) if base.is_none() || shape.kind == Kind::Other => {
                Some(one.raw.as_str())
            }
            _ => None,
        };
        let has_all = |section: &&Section| {
            section.tasks().count() == tasks.len()
                && section.tasks().all(|block| tasks.get(&block.key) == Some(&block.body))
        };
        let untouched =
            [ours, theirs].into_iter().flatten().find(|section| Some(section.raw.as_str()) == whole);
        if let Some(section) = untouched.filter(has_all) {
            return section.raw.clone();
        }
        if shape.kind != Kind::Other {
            return blocks::merge(versions, tasks);
        }
        let [base, ours, theirs] = versions.map(|version| version.map_or("", |section| &section.raw));
        let Some(merged) = lines::merge(base, ours, theirs, |mine, other| self.markers.around(mine, other))
        else {
            self.is_too_much = true;
            return String::new();
        };
        self.has_conflict |= merged.has_conflict;
        merged.text
    }

    /// Two versions of a task.
    fn task(&mut self, base: Option<&str>, ours: &str, theirs: &str) -> String {
        if let Some(body) = taken(base, ours, theirs) {
            return body.to_owned();
        }
        let parts = (base.map(TaskParts::of), TaskParts::of(ours), TaskParts::of(theirs));
        parts::merge(parts.0.as_ref(), &parts.1, &parts.2).unwrap_or_else(|| {
            self.has_conflict = true;
            // Only the words are in question.
            match parts::state(parts.0.as_ref(), &parts.1, &parts.2) {
                Some(state) => self.markers.around(&parts.1.with_state(state), &parts.2.with_state(state)),
                None => self.markers.around(ours, theirs),
            }
        })
    }
}

fn ends_blank(text: &str) -> bool {
    text.ends_with("\n\n") || text.ends_with("\n\r\n")
}

/// The sections that begin directly behind a line that is not blank.
fn closely_following(sections: &[Section]) -> impl Iterator<Item = &SectionKey> {
    let is_close = |pair: &&[Section]| !pair[0].raw.is_empty() && !ends_blank(&pair[0].raw);
    sections.windows(2).filter(is_close).map(|pair| &pair[1].key)
}

#[cfg(test)]
mod tests;
