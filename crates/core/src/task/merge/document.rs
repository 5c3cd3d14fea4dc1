//! A task file as sections and blocks: the parts by which it is merged. All parts together are the text.

use std::collections::HashMap;

use engine_text::markdown::is_indented;

use crate::handoff;
use crate::task::{self, Meta, NEW_TOKEN, Task, TaskFile};

/// What a section is merged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Tasks,
    /// Status, Done, Notes: paragraphs and list items.
    Handoff,
    /// Anything else, line by line.
    Other,
}

/// Level and name of a heading, in lower case, and how many such there are above it. Before the first heading: level 0.
pub(super) type SectionKey = (usize, String, usize);

#[derive(Debug, Clone)]
pub(super) struct Section {
    pub(super) key: SectionKey,
    pub(super) kind: Kind,
    pub(super) raw: String,
    /// The heading's line, and blank lines below it.
    pub(super) head: String,
    pub(super) blocks: Vec<Block>,
    /// Blank lines at the end.
    pub(super) tail: String,
}

impl Section {
    pub(super) fn tasks(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(|block| matches!(block.key, BlockKey::Task(..)))
    }
}

/// By what a block is the same block in another version, and how many such there are above it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum BlockKey {
    Task(String, usize),
    Text(String, usize),
}

impl BlockKey {
    /// The same with another number.
    pub(super) fn nth(&self, nth: usize) -> Self {
        match self {
            Self::Task(name, _) => Self::Task(name.clone(), nth),
            Self::Text(text, _) => Self::Text(text.clone(), nth),
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) key: BlockKey,
    pub(super) body: String,
    /// Blank lines behind it; of the last one of a section nobody knows.
    pub(super) after: Option<String>,
}

/// Ids by the names of tasks, over all versions: a task that gets an id in one of them stays the same.
pub(super) type Ids = HashMap<String, Option<String>>;

fn own_id(meta: &Meta) -> Option<String> {
    let token = meta.token.as_ref().filter(|token| *token != NEW_TOKEN);
    meta.id.as_ref().map(|id| format!("id {id}")).or_else(|| token.map(|token| format!("#{token}")))
}

pub(super) fn ids(files: &[&TaskFile<'_>]) -> Ids {
    let mut ids = Ids::new();
    for task in files.iter().flat_map(|file| file.tasks()) {
        let Some(id) = own_id(&task.meta) else { continue };
        let known = ids.entry(task.meta.name.clone()).or_insert_with(|| Some(id.clone()));
        if known.as_ref() != Some(&id) {
            *known = None;
        }
    }
    ids
}

/// By what a task is the same one in all versions.
pub(super) fn identity(meta: &Meta, ids: &Ids) -> String {
    let by_name = || ids.get(&meta.name).cloned().flatten();
    own_id(meta).or_else(by_name).unwrap_or_else(|| meta.name.clone())
}

/// The sections of a text, every line of which is ended.
pub(super) fn sections(file: &TaskFile<'_>, ids: &Ids) -> Vec<Section> {
    let lines = &file.lines;
    let headings = (1..lines.all.len()).filter(|index| lines.heading(*index).is_some());
    let starts: Vec<usize> = std::iter::once(0).chain(headings).collect();
    let mut reader = Reader::new(file, ids);
    let mut seen: HashMap<(usize, String), usize> = HashMap::new();
    let mut found = Vec::new();
    for (nth, start) in starts.iter().copied().enumerate() {
        let end = starts.get(nth + 1).copied().unwrap_or(lines.all.len());
        let heading = if lines.all.is_empty() { None } else { lines.heading(start) };
        let (level, name) = heading.map_or((0, String::new()), |(level, name)| (level, name.to_lowercase()));
        let times = seen.entry((level, name.clone())).or_default();
        let key = (level, name, *times);
        *times += 1;
        let kind = kind(file, start, &key);
        let first = reader.text_from(start + usize::from(level > 0)).min(end);
        let mut section = Section {
            key,
            kind,
            raw: reader.slice(start, end),
            head: reader.slice(start, first),
            blocks: if kind == Kind::Other { Vec::new() } else { reader.blocks(first, end) },
            tail: String::new(),
        };
        if let Some(last) = section.blocks.last_mut() {
            section.tail = last.after.take().unwrap_or_default();
        }
        found.push(section);
    }
    found
}

fn kind(file: &TaskFile<'_>, start: usize, (level, name, _): &SectionKey) -> Kind {
    let holds = |section: &task::Section| (section.heading..section.end).contains(&start);
    if *level > 0 && file.sections.iter().any(holds) {
        Kind::Tasks
    } else if *level == 2 && handoff::SECTIONS.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        Kind::Handoff
    } else {
        Kind::Other
    }
}

/// Takes the lines of a file apart.
struct Reader<'f, 't> {
    file: &'f TaskFile<'t>,
    ids: &'f Ids,
    /// Of each line, the next one that is not blank, itself included.
    next_text: Vec<usize>,
    /// Tasks by their first lines.
    tasks: HashMap<usize, &'f Task>,
    counts: HashMap<BlockKey, usize>,
}

impl<'f, 't> Reader<'f, 't> {
    fn new(file: &'f TaskFile<'t>, ids: &'f Ids) -> Self {
        let all = &file.lines.all;
        let mut next_text = vec![all.len(); all.len() + 1];
        for index in (0..all.len()).rev() {
            let is_blank = !all[index].fenced && all[index].text.trim().is_empty();
            next_text[index] = if is_blank { next_text[index + 1] } else { index };
        }
        let tasks = file.tasks().map(|task| (task.first, task)).collect();
        Self { file, ids, next_text, tasks, counts: HashMap::new() }
    }

    /// The first line from here on that is not blank; behind the last one, the end.
    fn text_from(&self, index: usize) -> usize {
        self.next_text.get(index).copied().unwrap_or(index)
    }

    fn slice(&self, from: usize, to: usize) -> String {
        let lines = &self.file.lines;
        let start = lines.all.get(from).map_or(lines.text.len(), |line| line.start);
        let end = lines.all.get(to).map_or(lines.text.len(), |line| line.start);
        lines.text[start..end].to_owned()
    }

    fn blocks(&mut self, first: usize, end: usize) -> Vec<Block> {
        let mut found = Vec::new();
        let mut index = first;
        while index < end {
            let (key, to) = match self.tasks.get(&index) {
                Some(task) => {
                    (BlockKey::Task(identity(&task.meta, self.ids), 0), (index + task.count).min(end))
                }
                None => {
                    let to = self.text_end(index, end);
                    (BlockKey::Text(self.slice(index, to).trim_end().to_owned(), 0), to)
                }
            };
            let next = self.text_from(to).min(end);
            found.push(Block {
                key: self.counted(&key),
                body: self.slice(index, to),
                after: Some(self.slice(to, next)),
            });
            index = next;
        }
        found
    }

    fn counted(&mut self, key: &BlockKey) -> BlockKey {
        let times = self.counts.entry(key.clone()).or_default();
        *times += 1;
        key.nth(*times - 1)
    }

    /// Where a paragraph or a list item ends: before a blank line, a task or another item. Blank lines inside an item belong to it if
    /// what follows is indented.
    fn text_end(&self, start: usize, end: usize) -> usize {
        let lines = &self.file.lines.all;
        let is_item = |index: usize| {
            let text = lines[index].text;
            !lines[index].fenced && !is_indented(text) && text.trim_start().starts_with(['-', '*', '+', '['])
        };
        let in_item = is_item(start);
        let mut index = start + 1;
        while index < end {
            let text = self.text_from(index);
            if text > index {
                let goes_on = in_item && text < end && !lines[text].fenced && is_indented(lines[text].text);
                if !goes_on {
                    break;
                }
                index = text;
            } else if !lines[index].fenced && is_item(index) {
                break;
            }
            index += 1;
        }
        index
    }
}
