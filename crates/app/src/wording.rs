//! Small pieces of sentences that several messages share.

use std::path::PathBuf;

use engine_store::process::Life;
use engine_store::session_file::Presence;
use engine_text::stamp::span;

/// `1 event`, `2 events`.
pub fn counted(count: impl Into<u64>, word: &str) -> String {
    let count = count.into();
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

/// What is known of the agent session that holds something, behind its id. A silence of less than a minute is none.
pub fn presence(known: Option<&Presence>) -> String {
    let Some(known) = known.filter(|known| !known.has_ended) else { return " (ended)".to_owned() };
    let process = match known.process {
        Life::Runs => ", its process runs",
        Life::Gone => ", its process is gone",
        Life::Unknown if known.is_alive() => "",
        Life::Unknown => ", taken for ended",
    };
    let silent = u64::try_from(known.silent.as_millis()).unwrap_or(u64::MAX);
    let silent = if silent < 60_000 { String::new() } else { format!(", silent for {}", span(silent)) };
    format!("{silent}{process}")
}

/// Behind a search that found nothing: the files that git ignores and that were left out, and the command that names one.
pub fn but_ignored(ignored: &[PathBuf], that: &str, command: &str) -> String {
    let Some(first) = ignored.first() else { return String::new() };
    let files = counted(ignored.len() as u64, "file");
    format!("; git ignores {files} {that}. To name one: {command} '{}'", first.display())
}
