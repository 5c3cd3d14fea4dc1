//! The queue: ideas that were captured for later, one Markdown file each, and which of them may be pulled next.
//!
//! ```markdown
//! ---
//! title: Implement dark mode
//! state: open
//! created: 2026-11-15T20:34:41.000Z
//! after: [20261115-203000-name-the-colours]
//! ---
//!
//! ## Goal
//! …
//! ## Original fragment
//! ```
//!
//! The name of the file without its end is the item's id. A text is read by [`Item::read`], written anew by [`Capture`],
//! and changed by splices ([`with_fields`], [`with_sections`]): every other byte stays, and what was typed first of all.

use std::fmt;

mod capture;
mod edit;
mod item;

pub use capture::{Capture, title_of};
pub use edit::{NotEdited, sections, with_fields, with_sections};
pub use item::{Item, body, fragment, section};

/// The sections of an item. What was typed stays as it was, so only the others can be written anew.
pub const SECTIONS: [&str; 4] = ["Context", "Goal", "Approach", "Relevant files"];
/// The last section: what was typed, verbatim, in a fence that is longer than any in it.
pub const FRAGMENT: &str = "Original fragment";

/// More than anybody types; less than what would make the queue slow.
pub const LARGEST_FRAGMENT: usize = 1 << 20;

/// Where an item stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Open,
    /// Claimed: somebody works on it.
    Pulled,
    Done,
    Dropped,
}

impl State {
    pub const ALL: [Self; 4] = [Self::Open, Self::Pulled, Self::Done, Self::Dropped];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Pulled => "pulled",
            Self::Done => "done",
            Self::Dropped => "dropped",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }

    /// Something is still to be done about it.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Open | Self::Pulled)
    }
}

/// One file of the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub id: String,
    /// The item, or why the file is none.
    pub item: Result<Item, String>,
}

/// All items, the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Queue {
    entries: Vec<Entry>,
}

/// What a word that should name an item turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub enum FoundItem<'q> {
    One(&'q Entry),
    Several(Vec<&'q str>),
    None,
}

/// Why an item is not free: another one that comes before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    pub id: String,
    pub why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It is not done yet.
    Is(State),
    /// There is none of that name.
    Unknown,
    Damaged,
    /// It waits for this one in turn.
    Cycle,
}

impl Why {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Is(state) => state.as_str(),
            Self::Unknown => "unknown",
            Self::Damaged => "damaged",
            Self::Cycle => "cycle",
        }
    }

    /// Time alone will not help: somebody must change something.
    pub fn is_stuck(self) -> bool {
        !matches!(self, Self::Is(State::Open | State::Pulled))
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, why } = self;
        match why {
            Why::Is(State::Dropped) => write!(f, "after {id}, which was dropped"),
            Why::Is(_) => write!(f, "after {id}"),
            Why::Unknown => write!(f, "after {id}, which is not in the queue"),
            Why::Damaged => write!(f, "after {id}, which cannot be read"),
            Why::Cycle => write!(f, "after {id}, which waits for this one"),
        }
    }
}

impl Queue {
    pub fn new(mut entries: Vec<Entry>) -> Self {
        // A damaged file has no moment but that in its name.
        entries.sort_by(|one, two| (one.created(), &one.id).cmp(&(two.created(), &two.id)));
        Self { entries }
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.entries.iter().filter_map(|entry| entry.item.as_ref().ok())
    }

    /// The item that an id, or the beginning of one, names.
    pub fn find(&self, word: &str) -> FoundItem<'_> {
        if let Some(whole) = self.get(word) {
            return FoundItem::One(whole);
        }
        let fits = |entry: &&Entry| !word.is_empty() && entry.id.starts_with(word);
        let found: Vec<&Entry> = self.entries.iter().filter(fits).collect();
        match found[..] {
            [] => FoundItem::None,
            [one] => FoundItem::One(one),
            _ => FoundItem::Several(found.iter().map(|entry| entry.id.as_str()).collect()),
        }
    }

    fn get(&self, id: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.id == id)
    }

    /// The oldest open item that waits for nothing.
    pub fn next(&self) -> Option<&Item> {
        self.items().find(|item| item.state == State::Open && self.waits(item).is_empty())
    }

    /// What an item waits for.
    pub fn waits(&self, item: &Item) -> Vec<Wait> {
        let why = |id: &str| match self.get(id).map(|entry| &entry.item) {
            _ if id == item.id => Some(Why::Cycle),
            None => Some(Why::Unknown),
            Some(Err(_)) => Some(Why::Damaged),
            Some(Ok(before)) if before.state == State::Done => None,
            Some(Ok(before)) if self.leads_to(before, &item.id) => Some(Why::Cycle),
            Some(Ok(before)) => Some(Why::Is(before.state)),
        };
        item.after.iter().filter_map(|id| Some(Wait { id: id.clone(), why: why(id)? })).collect()
    }

    /// Whether `from` waits for `id`, however many are between them.
    fn leads_to(&self, from: &Item, id: &str) -> bool {
        let mut seen = vec![from.id.as_str()];
        let mut next = vec![from];
        while let Some(item) = next.pop() {
            for before in item.after.iter().filter_map(|id| self.get(id)?.item.as_ref().ok()) {
                if before.id == id {
                    return true;
                }
                if before.state != State::Done && !seen.contains(&before.id.as_str()) {
                    seen.push(&before.id);
                    next.push(before);
                }
            }
        }
        false
    }
}

impl Entry {
    /// Moments of this form sort by themselves.
    fn created(&self) -> &str {
        self.item.as_ref().map_or("", |item| item.created.as_str())
    }
}

#[cfg(test)]
mod tests;
