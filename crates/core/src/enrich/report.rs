//! What became of items that were told: was their file read or changed within the turn?
//!
//! A rule in shadow tells nothing, so what it notes is counted apart: there a read says that the agent needed the file and found it
//! alone.

use std::collections::BTreeMap;

use super::{Key, Noted};

/// Told so often and never read, an item is retired.
pub const RETIRED_AT: u32 = 5;

/// One thing that happened in an agent session, in the order of the journal.
#[derive(Debug, Clone, PartialEq)]
pub enum Step<'a> {
    /// A person's prompt. Nothing was looked up.
    Prompt,
    /// One that was looked up.
    Looked { shadow: bool, told: Vec<Noted>, characters: usize },
    /// A call that names files: the path of a tool, or a command line.
    Call { words: &'a str },
}

/// The use of one item, as long as nobody edits it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemUse {
    pub path: String,
    pub line: u32,
    /// How often it was told, and how often its file was read or changed then.
    pub told: u32,
    pub read: u32,
    /// The same of what a rule in shadow would have told.
    pub shadow_told: u32,
    pub shadow_read: u32,
}

impl ItemUse {
    pub fn is_unread(&self) -> bool {
        self.told >= RETIRED_AT && self.read == 0
    }
}

/// What a journal says of all items.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    pub items: BTreeMap<Key, ItemUse>,
    /// Prompts that were looked up, and those of them for which nothing was told, or would have been.
    pub looked: u32,
    pub silent: u32,
    /// Prompts that were not looked up: commands, shortcuts, continuations.
    pub passed: u32,
    /// What was told in all, or would have been, in characters.
    pub characters: usize,
}

impl Report {
    pub fn told(&self) -> u32 {
        self.items.values().map(|item| item.told + item.shadow_told).sum()
    }

    pub fn read(&self) -> u32 {
        self.items.values().map(|item| item.read + item.shadow_read).sum()
    }

    /// Three characters are counted as a token. None where nothing was read.
    pub fn tokens_per_read(&self) -> Option<usize> {
        let read = usize::try_from(self.read()).ok()?;
        self.characters.div_ceil(3).checked_div(read)
    }
}

/// Gathers a report from the steps of all agent sessions.
#[derive(Debug, Default)]
pub struct Usage {
    report: Report,
    /// What was told in the turn of each session and not read yet, and whether in shadow.
    open: BTreeMap<String, Vec<(Noted, bool)>>,
}

impl Usage {
    pub fn see(&mut self, session: &str, step: Step<'_>) {
        match step {
            Step::Prompt => {
                self.report.passed += 1;
                self.open.remove(session);
            }
            Step::Looked { shadow, told, characters } => {
                self.report.looked += 1;
                self.report.silent += u32::from(told.is_empty());
                self.report.characters += characters;
                for item in &told {
                    let used = self.report.items.entry(item.key).or_default();
                    (used.path, used.line) = (item.path.clone(), item.line);
                    *if shadow { &mut used.shadow_told } else { &mut used.told } += 1;
                }
                self.open.insert(session.to_owned(), told.into_iter().map(|item| (item, shadow)).collect());
            }
            Step::Call { words } => {
                let Some(open) = self.open.get_mut(session) else { return };
                let items = &mut self.report.items;
                open.retain(|(item, shadow)| {
                    let is_read = words.match_indices(&item.path).any(|(at, path)| is_path(words, at, path));
                    if let Some(used) = items.get_mut(&item.key).filter(|_| is_read) {
                        *if *shadow { &mut used.shadow_read } else { &mut used.read } += 1;
                    }
                    !is_read
                });
            }
        }
    }

    pub fn finish(self) -> Report {
        self.report
    }
}

/// Whether a path is there as a whole, and is not the end or the beginning of another name.
fn is_path(words: &str, at: usize, path: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let before = words[..at].chars().next_back();
    let mut after = words[at + path.len()..].chars();
    let follows = match after.next() {
        Some('.') => after.next().is_some_and(is_name),
        Some(c) => is_name(c) || c == '/',
        None => false,
    };
    !before.is_some_and(is_name) && !follows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(path: &str, key: u32) -> Noted {
        Noted { path: path.into(), line: 1, score: 1.0, key: Key(key) }
    }

    fn looked(shadow: bool, told: &[Noted]) -> Step<'static> {
        Step::Looked { shadow, told: told.to_vec(), characters: 300 * told.len() }
    }

    #[test]
    fn a_read_counts_within_the_turn_and_once() {
        let (a, b) = (item("docs/a.md", 1), item("docs/b.md", 2));
        let mut usage = Usage::default();
        for (session, step) in [
            ("s", looked(false, &[a.clone(), b.clone()])),
            ("t", Step::Call { words: "/p/docs/b.md" }),
            ("s", Step::Call { words: "cat docs/a.md.orig xdocs/a.md docs/a.md/x" }),
            ("s", Step::Call { words: "grep -n lock ./docs/a.md" }),
            ("s", Step::Call { words: "/p/docs/a.md" }),
            ("s", Step::Prompt),
            ("s", Step::Call { words: "/p/docs/b.md" }),
            ("t", looked(true, std::slice::from_ref(&b))),
            ("t", Step::Call { words: "sed -n 1p \"docs/b.md\"" }),
            ("t", looked(true, &[])),
        ] {
            usage.see(session, step);
        }
        let report = usage.finish();
        let used = |path: &str, told, read, shadow_told, shadow_read| ItemUse {
            path: path.into(),
            line: 1,
            told,
            read,
            shadow_told,
            shadow_read,
        };
        assert_eq!(
            report,
            Report {
                items: [(Key(1), used("docs/a.md", 1, 1, 0, 0)), (Key(2), used("docs/b.md", 1, 0, 1, 1))]
                    .into(),
                looked: 3,
                silent: 1,
                passed: 1,
                characters: 900,
            }
        );
        assert_eq!((report.told(), report.read(), report.tokens_per_read()), (3, 2, Some(150)));
        assert_eq!(Report::default().tokens_per_read(), None);
    }

    #[test]
    fn an_item_that_is_never_read_is_unread_after_five_times() {
        for (told, read, expected) in [(4, 0, false), (5, 0, true), (9, 0, true), (9, 1, false)] {
            assert_eq!(ItemUse { told, read, ..ItemUse::default() }.is_unread(), expected, "{told} {read}");
        }
        assert!(!ItemUse { shadow_told: 9, ..ItemUse::default() }.is_unread());
    }
}
