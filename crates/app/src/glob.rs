//! Files by a pattern, through links, newest first.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use engine_store::reason::reason;
use engine_store::walk;
use engine_text::glob;
use fs_err as fs;

use crate::error::CommandError;

/// The files that fit a pattern.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Matched {
    pub files: Vec<PathBuf>,
    /// How many more there are beyond the limit.
    pub more: usize,
    /// What could not be read, a sentence each.
    pub unread: Vec<String>,
}

/// The files below a folder that a pattern means, the newest first.
pub fn files(pattern: &str, root: &Path, limit: Option<usize>) -> Result<Matched, CommandError> {
    if root.is_file() {
        return Err(CommandError::refused(format!("{} is not a folder", root.display())));
    }
    let mut unread = Vec::new();
    let mut walks =
        glob::alternatives(pattern).into_iter().map(|pattern| matches(&pattern, root, &mut unread));
    let mut found = walks.next().transpose()?.unwrap_or_default();
    for more in walks {
        found.extend(more?);
        found = each_once(found);
    }
    found.sort_by_cached_key(|path| Reverse(changed(path)));
    let more = limit.map_or(0, |limit| found.len().saturating_sub(limit));
    found.truncate(found.len() - more);
    Ok(Matched { files: found, more, unread })
}

/// One walk takes each file once, two may meet: the shortest path stays.
fn each_once(mut found: Vec<PathBuf>) -> Vec<PathBuf> {
    found.sort_by_cached_key(|path| (path.components().count(), path.clone()));
    let mut seen = HashSet::new();
    found.retain(|path| fs::canonicalize(path).is_ok_and(|real| seen.insert(real)));
    found.sort();
    found
}

/// The files that one pattern without braces means. The walk begins where the pattern has its first star, so that a link that
/// it names is taken by that name.
fn matches(pattern: &str, root: &Path, unread: &mut Vec<String>) -> Result<Vec<PathBuf>, CommandError> {
    let (lead, rest) = glob::lead_and_rest(pattern);
    let wanted = walk::Pattern::new(rest)
        .map_err(|error| CommandError::usage(format!("{pattern} is not a pattern: {error}")))?;
    let start = root.join(lead);
    // Nothing is this folder to a person, and to the disk a dot.
    let is_here = start.as_os_str().is_empty();
    let start = if is_here { PathBuf::from(".") } else { start };
    let below = |path: &Path| path.strip_prefix(&start).map_or_else(|_| path.to_owned(), Path::to_owned);
    let (starts, deepest) = (std::slice::from_ref(&start), glob::depth(rest));
    let wanted = |path: &Path| wanted.matches(&below(path));
    let walked = if rest.contains(['*', '?']) {
        walk::files_unignored(starts, deepest, wanted)
    } else {
        walk::files(starts, deepest, wanted)
    };
    unread.extend(
        walked
            .unread
            .iter()
            .map(|(path, error)| format!("{} was not read: {}", path.display(), reason(error))),
    );
    Ok(walked.files.iter().map(|path| if is_here { below(path) } else { path.clone() }).collect())
}

fn changed(path: &Path) -> SystemTime {
    fs::metadata(path).and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}
