//! All notes together: which one a word names, and which of them are still told.

use engine_text::line::printable;

use super::Note;

/// Where a note is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Project,
    /// In the person's own folder, for every project.
    Person,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub place: Place,
    pub slug: String,
    /// The note, or why the file is none.
    pub note: Result<Note, String>,
}

impl Entry {
    /// By what commands name it: `mine/` tells the person's own apart.
    pub fn id(&self) -> String {
        let slug = printable(&self.slug);
        match self.place {
            Place::Project => slug,
            Place::Person => format!("mine/{slug}"),
        }
    }
}

/// All notes, those of the project first, by their slugs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    entries: Vec<Entry>,
}

/// What a word that should name a note turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub enum FoundNote<'n> {
    One(&'n Entry),
    Several(Vec<String>),
    None,
}

impl Notes {
    pub fn new(mut entries: Vec<Entry>) -> Self {
        entries.sort_by(|one, two| (one.place, &one.slug).cmp(&(two.place, &two.slug)));
        Self { entries }
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Those that can be read.
    pub fn notes(&self) -> impl Iterator<Item = (&Entry, &Note)> {
        self.entries.iter().filter_map(|entry| Some((entry, entry.note.as_ref().ok()?)))
    }

    /// Those that are told and found: they can be read, and no other took their place.
    pub fn live(&self) -> impl Iterator<Item = (&Entry, &Note)> {
        self.notes().filter(|(entry, _)| self.successor(entry).is_none())
    }

    /// The note that an id, a slug, or the beginning of one, names.
    pub fn find(&self, word: &str) -> FoundNote<'_> {
        let word = word.strip_suffix(".md").unwrap_or(word);
        let word = word.rsplit_once("memory/").map_or(word, |(_, slug)| slug);
        if let Some(whole) = self.entries.iter().find(|entry| entry.id() == word || entry.slug == word) {
            return FoundNote::One(whole);
        }
        let fits = |entry: &&Entry| {
            !word.is_empty() && (entry.slug.starts_with(word) || entry.id().starts_with(word))
        };
        let found: Vec<&Entry> = self.entries.iter().filter(fits).collect();
        match found[..] {
            [] => FoundNote::None,
            [one] => FoundNote::One(one),
            _ => FoundNote::Several(found.iter().map(|entry| entry.id()).collect()),
        }
    }

    /// The note that took the place of this one, if there is any. Of notes that supersede each other in a circle none is left out.
    pub fn successor<'n>(&'n self, entry: &'n Entry) -> Option<&'n Entry> {
        self.successors(entry).find(|later| !self.leads_to(entry, later))
    }

    /// All that say that they supersede it.
    pub(super) fn successors<'n>(&'n self, entry: &'n Entry) -> impl Iterator<Item = &'n Entry> {
        let supersedes = move |note: &Note| note.supersedes.contains(&entry.slug);
        let is_of_place = move |later: &Entry| later.place == entry.place && later.slug != entry.slug;
        let of_place = self.notes().filter(move |(later, note)| is_of_place(later) && supersedes(note));
        of_place.map(|(later, _)| later)
    }

    pub(super) fn at(&self, place: Place, slug: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.place == place && entry.slug == slug)
    }

    /// Whether a note supersedes another one, however many are between them.
    pub(super) fn leads_to(&self, from: &Entry, to: &Entry) -> bool {
        let mut seen = vec![from.slug.as_str()];
        let mut next = vec![from];
        while let Some(entry) = next.pop() {
            for slug in entry.note.iter().flat_map(|note| &note.supersedes) {
                if *slug == to.slug {
                    return true;
                }
                if !seen.contains(&slug.as_str()) {
                    seen.push(slug);
                    next.extend(self.at(from.place, slug));
                }
            }
        }
        false
    }
}
