//! The loose ends of a work session.

use engine_core::dialogue;
use engine_core::work::debrief::{Loose, loose_ends};
use engine_store::read::read_string;
use engine_store::work_file::WorkFile;
use fs_err as fs;

use super::CommandContext;
use crate::error::CommandError;

/// Files of other endings hold no tags.
const MARKDOWN: &str = ".md";

/// The loose ends of a work session.
pub fn debrief(
    context: &CommandContext,
    path: &str,
) -> Result<(WorkFile, Vec<(String, Loose)>), CommandError> {
    let work = context.existing(path)?;
    let found = all(&work);
    Ok((work, found))
}

/// The loose ends of every Markdown file in the folder, by file.
pub(super) fn all(work: &WorkFile) -> Vec<(String, Loose)> {
    let entries = fs::read_dir(work.folder()).into_iter().flatten().flatten();
    let mut files: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        // What people said is a record, not work.
        .filter(|name| name.ends_with(MARKDOWN) && name != dialogue::FILE)
        .collect();
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let text = read_string(&work.folder().join(&file)).unwrap_or_default();
        let ends = loose_ends(&text, file.ends_with("_LOG.md"), file.ends_with("_PLAN.md"));
        found.extend(ends.into_iter().map(|loose| (file.clone(), loose)));
    }
    found
}

/// Tags in the text that nobody has decided, by file.
pub(super) fn bare_tags(work: &WorkFile) -> Vec<(String, Loose)> {
    all(work).into_iter().filter(|(_, loose)| loose.kind == "tag").collect()
}
