//! What the log of the work says that a new context must know.

use crate::log::{Entry, Kind, PHASE};

use super::quote::quoted;

/// Kinds that change how the work goes on.
const TOLD: [Kind; 9] = [
    Kind::Decision,
    Kind::Block,
    Kind::Stuck,
    Kind::Parked,
    Kind::Debt,
    Kind::Concern,
    Kind::Revert,
    Kind::Invariant,
    Kind::Pitfall,
];
/// Of one entry, in bytes.
const LONGEST: usize = 220;
/// Entries that are read: of many only the last can fit.
const NEAR: usize = 12;

/// The entries of a log, parted at a save.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Logged {
    /// Decisions, blocks and what else matters, since the save or of all, the newest first.
    pub told: Vec<String>,
    /// The same from before the save.
    pub before: Vec<String>,
    /// The last entry, of whatever kind.
    pub last: Option<String>,
}

impl Logged {
    /// `saved`: how many entries there were at the save. A log that has fewer was written anew.
    pub fn of(text: &str, saved: usize) -> Self {
        let entries = crate::log::parse(text);
        let saved = if saved > entries.len() { 0 } else { saved };
        let (before, since) = entries.split_at(saved);
        let told = |entries: &[Entry<'_>]| -> Vec<String> {
            let kept =
                entries.iter().rev().filter(|entry| entry.kind.is_some_and(|kind| TOLD.contains(&kind)));
            let mut shown = kept.clone().take(NEAR).map(|entry| shown(entry, LONGEST)).collect::<Vec<_>>();
            shown.extend(kept.skip(NEAR).map(|_| "…".to_owned()));
            shown
        };
        let last = since.last().filter(|entry| !entry.kind.is_some_and(|kind| TOLD.contains(&kind)));
        Self { told: told(since), before: told(before), last: last.map(|entry| shown(entry, LONGEST)) }
    }
}

fn titled(entry: &Entry<'_>, bytes: usize) -> String {
    let title = quoted(entry.title, bytes);
    match entry.kind {
        Some(kind) if title.is_empty() => capital(kind.as_str()),
        Some(kind) => format!("{}: {title}", capital(kind.as_str())),
        None => title,
    }
}

fn shown(entry: &Entry<'_>, bytes: usize) -> String {
    let title = titled(entry, bytes);
    let lines = entry.body.lines().filter(|line| !line.trim_start().starts_with(PHASE));
    let body = quoted(&lines.collect::<Vec<_>>().join("\n"), bytes.saturating_sub(title.len() + 3));
    if body.chars().count() > 2 { format!("{title} ({body})") } else { title }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "# Log\n## [2026-02-07 10:00:00] Start: keys\n**Phase**: 2: Plan\nthe first\n\
        ## [2026-02-07 10:01:00] ⚖️ Keys, not words\n**Phase**: 2: Plan\nWords are slow.\n```\n## Decision: none\n```\n\
        ## Block: no key\n## [2026-02-07 10:02:00] Success: parser\n## odd\nx\n";

    #[test]
    fn what_matters_is_told_newest_first() {
        let logged = Logged::of(LOG, 0);
        assert_eq!(
            logged.told,
            ["Block: no key", "Decision: Keys, not words (Words are slow. ` ## Decision: none `)"]
        );
        assert_eq!((logged.before.len(), logged.last.as_deref()), (0, Some("odd")));
        let since = Logged::of(LOG, 2);
        assert_eq!((since.told.as_slice(), since.before.len()), (&["Block: no key".to_owned()][..], 1));
        assert_eq!(Logged::of(LOG, 99), logged, "it was written anew");
        assert_eq!(Logged::of("", 0), Logged::default());
    }
}
