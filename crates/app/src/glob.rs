//! Files by a pattern, through links, newest first.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use engine_store::reason::reason;
use engine_store::walk::{self, Walked};
use engine_text::glob;
use fs_err as fs;

use crate::error::CommandError;
use crate::here;

/// The files that fit a pattern.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Matched {
    pub files: Vec<PathBuf>,
    /// How many more there are beyond the limit.
    pub more: usize,
    /// What could not be read, a sentence each.
    pub unread: Vec<String>,
    /// Where no file fits: those that would, and are left out because git ignores them.
    pub ignored: Vec<PathBuf>,
}

/// The files below a folder that a pattern means, the newest first.
pub fn files(pattern: &str, root: &Path, limit: Option<usize>) -> Result<Matched, CommandError> {
    if root.is_file() {
        return Err(CommandError::refused(format!("{} is not a folder", root.display())));
    }
    let sessions = here::sessions();
    let patterns = glob::alternatives(pattern);
    let mut walked = matches(&patterns, root, &|starts, deepest, wanted| {
        walk::files_unignored(starts, sessions.as_deref(), deepest, wanted)
    })?;
    let ignored = if walked.files.is_empty() && walked.left_out {
        matches(&patterns, root, &|starts, deepest, wanted| walk::files(starts, deepest, wanted))?.files
    } else {
        Vec::new()
    };
    walked.files.sort_by_cached_key(|path| Reverse(changed(path)));
    let more = limit.map_or(0, |limit| walked.files.len().saturating_sub(limit));
    walked.files.truncate(walked.files.len() - more);
    let unread = walked
        .unread
        .iter()
        .map(|(path, error)| format!("{} was not read: {}", path.display(), reason(error)))
        .collect();
    Ok(Matched { files: walked.files, more, unread, ignored })
}

/// One walk takes each file once, two may meet: the shortest path stays.
fn each_once(mut found: Vec<PathBuf>) -> Vec<PathBuf> {
    found.sort_by_cached_key(|path| (path.components().count(), path.clone()));
    let mut seen = HashSet::new();
    found.retain(|path| fs::canonicalize(path).is_ok_and(|real| seen.insert(real)));
    found.sort();
    found
}

/// Walks from some folders, so deep, to the files that are wanted.
type Search<'a> = dyn Fn(&[PathBuf], usize, &dyn Fn(&Path) -> bool) -> Walked + 'a;

/// The files that any of some patterns without braces means.
fn matches(patterns: &[String], root: &Path, search: &Search<'_>) -> Result<Walked, CommandError> {
    let mut all = Walked::default();
    for pattern in patterns {
        let mut walked = matches_of_one(pattern, root, search)?;
        all.files.append(&mut walked.files);
        all.unread.append(&mut walked.unread);
        all.left_out |= walked.left_out;
    }
    if patterns.len() > 1 {
        all.files = each_once(all.files);
    }
    Ok(all)
}

/// The files that one pattern means. The walk begins where the pattern has its first star, so that a link that it names is taken
/// by that name.
fn matches_of_one(pattern: &str, root: &Path, search: &Search<'_>) -> Result<Walked, CommandError> {
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
    let mut walked = if rest.contains(['*', '?']) {
        search(starts, deepest, &wanted)
    } else {
        walk::files(starts, deepest, wanted)
    };
    if is_here {
        walked.files = walked.files.iter().map(|path| below(path)).collect();
    }
    Ok(walked)
}

fn changed(path: &Path) -> SystemTime {
    fs::metadata(path).and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}
