//! What an agent's context holds of directives: what it was told, what it must read itself, and what comes with its next events.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::event::LineSpan;

/// More do not wait: what is beyond is found again by the next call in its folder.
const MOST_QUEUED: usize = 200;
/// Parts of one file that are remembered.
const MOST_PARTS: usize = 50;

/// The directives of one agent's context.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ContextDirectives {
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub delivered: BTreeSet<String>,
    /// Named, not read yet.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub pending: BTreeSet<String>,
    /// Calls since the first of them was named.
    pub waited: u32,
    /// What comes with the next events, in this order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub queued: Vec<Queued>,
    /// The lines of pending ones that were shown: from one to another.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub shown: BTreeMap<String, Vec<(u64, u64)>>,
}

/// A directive that did not fit into an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queued {
    /// How it is named: the file's identity.
    pub path: String,
    /// Where it was found.
    pub file: PathBuf,
}

impl ContextDirectives {
    /// How many it was told of. Each event that tells something makes it more.
    pub fn seen(&self) -> usize {
        self.delivered.len() + self.pending.len()
    }

    /// What one event told, named, queued, and found to be gone.
    pub fn take(&mut self, delivered: &[String], pending: &[String], queued: &[Queued], gone: &[String]) {
        self.delivered.extend(delivered.iter().cloned());
        self.pending.extend(pending.iter().cloned());
        self.pending.retain(|path| !delivered.contains(path));
        for one in queued {
            if self.queued.len() < MOST_QUEUED && self.queued.iter().all(|other| other.path != one.path) {
                self.queued.push(one.clone());
            }
        }
        let (delivered, pending) = (&self.delivered, &self.pending);
        self.queued.retain(|one| {
            !(delivered.contains(&one.path) || pending.contains(&one.path) || gone.contains(&one.path))
        });
        self.settle();
    }

    /// Lines of a file that was named were shown: with most of them it is read.
    pub fn show(&mut self, path: &str, lines: (u64, u64), of: u64) {
        if !self.pending.contains(path) {
            return;
        }
        let parts = self.shown.entry(path.to_owned()).or_default();
        if parts.len() < MOST_PARTS {
            parts.push(lines);
        }
        if covers(parts, of) {
            self.pending.remove(path);
            self.delivered.insert(path.to_owned());
        }
        self.settle();
    }

    fn settle(&mut self) {
        let pending = &self.pending;
        self.shown.retain(|path, _| pending.contains(path));
        if self.pending.is_empty() {
            self.waited = 0;
        }
    }
}

/// Whether parts are at least four fifths of a text with so many lines.
pub fn covers(parts: &[(u64, u64)], of: u64) -> bool {
    let mut parts = parts.to_vec();
    parts.sort_unstable();
    let (mut seen, mut end) = (0, 0);
    for (first, last) in parts {
        let first = first.max(end + 1);
        let last = last.min(of);
        if last >= first {
            seen += last - first + 1;
            end = last;
        }
    }
    seen.saturating_mul(5) >= of.saturating_mul(4)
}

/// What a call shows of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    Nothing,
    Lines(LineSpan),
    /// So many of the last lines.
    Last(u64),
}

impl Shown {
    pub const ALL: Self = Self::Lines(LineSpan::ALL);

    /// The lines from one to another, of a text with so many.
    pub fn of(self, lines: u64) -> Option<(u64, u64)> {
        match self {
            Self::Nothing => None,
            Self::Lines(LineSpan { first, count }) => Some((first, first.saturating_add(count) - 1)),
            Self::Last(count) => Some((lines.saturating_sub(count) + 1, lines)),
        }
    }

    /// What is left of it where another program shows only a part.
    pub fn through(self, next: Self) -> Self {
        if self == Self::ALL {
            next
        } else if next == Self::ALL {
            self
        } else {
            Self::Lines(LineSpan::UNKNOWN)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts that were shown, of how many lines, and whether that is enough.
    type Case = (&'static [(u64, u64)], u64, bool);

    #[test]
    fn four_fifths_of_the_lines_are_all() {
        let cases: [Case; 9] = [
            (&[(1, 3)], 100, false),
            (&[(1, 79)], 100, false),
            (&[(1, 80)], 100, true),
            (&[(1, 40), (41, 80)], 100, true),
            (&[(41, 80), (1, 40)], 100, true),
            (&[(1, 50), (1, 50)], 100, false),
            (&[(1, 60), (40, 90)], 100, true),
            (&[(1, 3)], 1, true),
            (&[(1, 0)], 10, false),
        ];
        for (parts, of, expected) in cases {
            assert_eq!(covers(parts, of), expected, "{parts:?} of {of}");
        }
        assert!(covers(&[], 0));
        assert_eq!(Shown::Last(10).of(4), Some((1, 4)));
        assert_eq!(Shown::ALL.of(4), Some((1, u64::MAX - 1)));
        assert_eq!(Shown::Lines(LineSpan::UNKNOWN).of(4), Some((1, 0)));
        assert_eq!(Shown::ALL.through(Shown::Last(2)), Shown::Last(2));
        assert_eq!(Shown::Last(2).through(Shown::Last(3)), Shown::Lines(LineSpan::UNKNOWN));
    }

    fn queued(path: &str) -> Queued {
        Queued { path: path.to_owned(), file: PathBuf::from(path) }
    }

    fn paths(told: &ContextDirectives) -> String {
        told.queued.iter().map(|one| one.path.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_told_leaves_the_queue() {
        let one = |path: &str| vec![path.to_owned()];
        let mut told = ContextDirectives::default();
        told.take(&one("a"), &[], &[queued("b"), queued("c"), queued("b"), queued("d")], &[]);
        assert_eq!((paths(&told).as_str(), told.seen()), ("b c d", 1));
        told.take(&one("c"), &[], &[queued("a")], &one("d"));
        assert_eq!((paths(&told).as_str(), told.seen()), ("b", 2), "what is known is not queued");
        told.take(&[], &one("b"), &[], &[]);
        assert_eq!((paths(&told).as_str(), told.seen()), ("", 3));
        let many: Vec<Queued> = (0..1000).map(|at| queued(&at.to_string())).collect();
        told.take(&[], &[], &many, &[]);
        assert_eq!(told.queued.len(), MOST_QUEUED);
    }

    #[test]
    fn a_file_is_read_in_parts() {
        let mut told = ContextDirectives { waited: 4, ..ContextDirectives::default() };
        told.show("a", (1, 100), 100);
        assert_eq!(told.shown.len() + told.delivered.len(), 0, "it was not named");
        told.pending.insert("a".to_owned());
        told.show("a", (1, 50), 100);
        assert_eq!((told.pending.len(), told.waited), (1, 4));
        told.show("a", (51, 90), 100);
        assert_eq!((told.pending.len(), told.delivered.len(), told.waited, told.shown.len()), (0, 1, 0, 0));
    }

    #[test]
    fn an_older_state_is_read() {
        let told: ContextDirectives =
            serde_json::from_str(r#"{"delivered":["a"],"pending":["b"],"waited":2}"#).unwrap();
        assert_eq!((told.seen(), told.waited, told.queued.len()), (2, 2, 0));
        assert_eq!(
            serde_json::to_string(&told).unwrap(),
            r#"{"delivered":["a"],"pending":["b"],"waited":2}"#
        );
    }
}
