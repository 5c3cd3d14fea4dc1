//! The lines that a file gets and loses.

use std::path::Path;

use engine_claude::install::FileChange;
use engine_text::diff;
use engine_text::line::printable;

use super::summary;
use crate::ui::{Tone, Ui, toned};

/// How much of a file is new, and how much goes.
pub(super) fn size(change: &FileChange) -> String {
    let (more, fewer) = diff::counts(
        change.before.as_deref().unwrap_or_default(),
        change.after.as_deref().unwrap_or_default(),
    );
    if fewer == 0 { format!(" (+{more} lines)") } else { format!(" (+{more} -{fewer} lines)") }
}

/// The change of a file as a diff.
pub(super) fn of(root: &Path, change: &FileChange) -> String {
    let path = summary::shown(root, &change.path);
    let (old, new) = (format!("a/{path}"), format!("b/{path}"));
    let none = || "/dev/null".to_owned();
    diff::unified(
        change.before.as_deref().unwrap_or_default(),
        change.after.as_deref().unwrap_or_default(),
        &change.before.as_ref().map_or_else(none, |_| old),
        &change.after.as_ref().map_or_else(none, |_| new),
    )
}

/// A diff in its colours. What steers a terminal is written as an escape.
pub(super) fn show(diff: &str, ui: &Ui) {
    for line in diff.lines() {
        let plain = printable(line);
        ui.line(match line.as_bytes().first() {
            Some(b'+') => toned(Tone::Good, &plain),
            Some(b'-') => toned(Tone::Bad, &plain),
            Some(b'@') => toned(Tone::Quiet, &plain),
            _ => plain,
        });
    }
}
