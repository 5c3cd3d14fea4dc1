//! Changes to a task file. Each gives the whole new text; only the lines of the task in question differ.

use std::ops::Range;

use engine_text::markdown::Line;

use super::{Meta, NewTask, SECTIONS, Section, State, Task, TaskFile, line};

/// Where a task goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place<'t> {
    First,
    Last,
    Before(&'t Task),
    After(&'t Task),
}

impl TaskFile<'_> {
    /// The task in another state. A reason is kept below it; the reason of an earlier state goes.
    pub fn with_state(&self, task: &Task, state: State, reason: Option<&str>) -> String {
        let own = &self.lines.all[task.first];
        let own_box = self.box_of(task);
        let word = if state == State::Failed { "Failed" } else { "Blocked" };
        let added = reason.map(|reason| format!("  {word}: {}", line::flat(reason)));
        let mut edits = vec![Edit { from: own_box.start, to: own_box.end, text: state.mark().to_string() }];
        edits.extend(self.old_reason(task));
        if let Some(line) = added {
            edits.push(self.below(own, &line));
        }
        self.spliced(edits)
    }

    /// Where the inside of the task's box stands in the text.
    pub(super) fn box_of(&self, task: &Task) -> Range<usize> {
        let own = &self.lines.all[task.first];
        let open = own.start + own.text.find('[').unwrap_or(0) + 1;
        open..open + self.lines.text[open..own.end].find(']').unwrap_or(0)
    }

    /// The task with other words behind its box.
    pub fn with_meta(&self, task: &Task, meta: &Meta) -> String {
        let own = &self.lines.all[task.first];
        let from = own.start + own.text.find(']').map_or(own.text.len(), |close| close + 1);
        let to = own.start + own.text.len();
        self.spliced(vec![Edit { from, to, text: format!(" {}", line::print(meta)) }])
    }

    /// A line more below the task.
    pub fn with_note(&self, task: &Task, note: &str) -> String {
        self.with_notes(task, &[note])
    }

    /// Lines more below the task.
    pub fn with_notes(&self, task: &Task, notes: &[impl AsRef<str>]) -> String {
        if notes.is_empty() {
            return self.lines.text.to_owned();
        }
        let last = &self.lines.all[task.first + task.count - 1];
        self.spliced(vec![self.below(last, &noted(notes).join(self.lines.newline()))])
    }

    /// A new task, at the end or the start of a section; without a section in the file, one is made at its end.
    pub fn with_new(&self, meta: &Meta, section: Option<&str>, place: Place<'_>) -> String {
        self.with_block(&format!("- [ ] {}", line::print(meta)), section, place)
    }

    /// New tasks at the end of a section, each with the lines below it.
    pub fn with_new_tasks(&self, tasks: &[NewTask]) -> String {
        let lines = |task: &NewTask| {
            let own = format!("- [ ] {}", line::print(&task.meta));
            std::iter::once(own).chain(noted(&task.notes)).collect::<Vec<_>>()
        };
        let lines: Vec<String> = tasks.iter().flat_map(lines).collect();
        if lines.is_empty() {
            return self.lines.text.to_owned();
        }
        self.with_block(&lines.join(self.lines.newline()), None, Place::Last)
    }

    /// Lines of tasks as they stood once, at the end.
    pub fn with_lines(&self, lines: &[String]) -> String {
        self.with_block(&lines.join(self.lines.newline()), None, Place::Last)
    }

    /// Lines of tasks in a section; it is made at the end of the file if there is none.
    fn with_block(&self, new: &str, section: Option<&str>, place: Place<'_>) -> String {
        let wanted = section.unwrap_or(SECTIONS[0]);
        let named = self.sections.iter().find(|known| known.name.eq_ignore_ascii_case(wanted));
        // Without a wish any section will do.
        match named.or_else(|| self.sections.first().filter(|_| section.is_none())) {
            Some(section) => self.spliced(vec![self.at(place, section, new)]),
            None => self.with_section(wanted, new),
        }
    }

    /// The task, with all its lines, at another place.
    pub fn with_moved(&self, task: &Task, section: Option<&str>, place: Place<'_>) -> String {
        let wanted = section.unwrap_or(&task.section);
        let Some(section) = self.sections.iter().find(|known| known.name.eq_ignore_ascii_case(wanted)) else {
            return self.lines.text.to_owned();
        };
        let block: Vec<&str> = self.lines_of(task);
        let added = self.at(place, section, &block.join(self.lines.newline()));
        let own = &self.lines.all[task.first];
        let last = &self.lines.all[task.first + task.count - 1];
        // Moved to where it stands: nothing to do.
        if (own.start..=last.end).contains(&added.from) {
            return self.lines.text.to_owned();
        }
        let mut text = self.spliced(vec![added, Edit { from: own.start, to: last.end, text: String::new() }]);
        // The last line of a file without a final newline may have moved up. A blank line before it needs its end.
        if !self.lines.text.ends_with('\n') {
            let ended = text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n'));
            if let Some(ended) = ended.filter(|ended| !ended.ends_with('\n')) {
                text.truncate(ended.len());
            }
        }
        text
    }

    fn with_section(&self, name: &str, new: &str) -> String {
        let newline = self.lines.newline();
        let text = self.lines.text;
        if text.trim().is_empty() {
            return format!("{text}# Session{newline}{newline}## {name}{newline}{newline}{new}{newline}");
        }
        let block = format!("## {name}{newline}{newline}{new}{newline}");
        if let Some(fence) = self.lines.open_fence {
            return self.spliced(vec![Edit { from: fence, to: fence, text: format!("{block}{newline}") }]);
        }
        let gap = if text.ends_with('\n') { newline.to_owned() } else { newline.repeat(2) };
        format!("{text}{gap}{block}")
    }

    /// The insertion of a block of lines at a place of a section.
    fn at(&self, place: Place<'_>, section: &Section, block: &str) -> Edit {
        let tasks: Vec<&Task> =
            self.tasks().filter(|task| (section.heading..section.end).contains(&task.first)).collect();
        // The task that the block goes above or below.
        let (beside, above) = match place {
            Place::Before(task) => (Some(task), true),
            Place::After(task) => (Some(task), false),
            Place::First => (tasks.first().copied(), true),
            Place::Last => (tasks.last().copied(), false),
        };
        match beside {
            Some(task) if above => self.above(&self.lines.all[task.first], block),
            Some(task) => self.below(&self.lines.all[task.first + task.count - 1], block),
            None => {
                let lines = &self.lines.all[section.heading..section.end];
                let last = lines.iter().rposition(|line| !line.fenced && !line.text.trim().is_empty());
                self.below(&lines[last.unwrap_or(0)], block)
            }
        }
    }

    fn above(&self, line: &Line<'_>, block: &str) -> Edit {
        Edit { from: line.start, to: line.start, text: format!("{block}{}", self.lines.newline()) }
    }

    fn below(&self, line: &Line<'_>, block: &str) -> Edit {
        let newline = self.lines.newline();
        let ended = self.lines.text[..line.end].ends_with('\n');
        let text = if ended { format!("{block}{newline}") } else { format!("{newline}{block}") };
        Edit { from: line.end, to: line.end, text }
    }

    /// The line that says why the task was blocked or failed; a remark of the person's that looks like it stays.
    fn old_reason(&self, task: &Task) -> Option<Edit> {
        if !matches!(task.state, State::Blocked | State::Failed) {
            return None;
        }
        let below = &self.lines.all[task.first + 1..task.first + task.count];
        let old = below.iter().find(|line| !line.fenced && line::reason(line.text).is_some())?;
        Some(Edit { from: old.start, to: old.end, text: String::new() })
    }

    /// The text with some ranges replaced.
    fn spliced(&self, mut edits: Vec<Edit>) -> String {
        edits.sort_by_key(|edit| (edit.from, edit.to));
        let mut out = String::with_capacity(self.lines.text.len() + 80);
        let mut kept = 0;
        for edit in edits {
            out.push_str(&self.lines.text[kept..edit.from]);
            out.push_str(&edit.text);
            kept = edit.to;
        }
        out.push_str(&self.lines.text[kept..]);
        out
    }
}

/// Lines below a task.
fn noted(notes: &[impl AsRef<str>]) -> Vec<String> {
    notes.iter().map(|note| format!("  - {}", line::flat(note.as_ref()))).collect()
}

/// A range of the text and what comes in its place.
struct Edit {
    from: usize,
    to: usize,
    text: String,
}
