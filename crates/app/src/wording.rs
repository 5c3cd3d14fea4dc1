//! Small pieces of sentences that several messages share.

use std::path::PathBuf;

/// `1 event`, `2 events`.
pub fn counted(count: impl Into<u64>, word: &str) -> String {
    let count = count.into();
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

/// Behind a search that found nothing: the files that git ignores and that were left out, and the command that names one.
pub fn but_ignored(ignored: &[PathBuf], that: &str, command: &str) -> String {
    let Some(first) = ignored.first() else { return String::new() };
    let files = counted(ignored.len() as u64, "file");
    format!("; git ignores {files} {that}. To name one: {command} '{}'", first.display())
}
