//! `engine glob`: files by a pattern, through links, newest first.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_store::walk;
use engine_text::glob;
use serde_json::json;

use crate::ui::Ui;

#[derive(Debug, Args)]
pub(crate) struct GlobArgs {
    pub(crate) pattern: String,
    /// The folder that the pattern is below; nothing: this one
    pub(crate) root: Option<PathBuf>,
    /// At most so many
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

pub(super) fn run(args: &GlobArgs, ui: &Ui) -> Outcome {
    let root = args.root.as_deref().unwrap_or(Path::new(""));
    if root.is_file() {
        return Err(CommandError::refused(format!("{} is not a folder", root.display())));
    }
    let mut walks = glob::alternatives(&args.pattern).into_iter().map(|pattern| matches(&pattern, root, ui));
    let mut found = walks.next().unwrap_or_default();
    for more in walks {
        found.extend(more);
        found = each_once(found);
    }
    found.sort_by_cached_key(|path| Reverse(changed(path)));
    let more = args.limit.map_or(0, |limit| found.len().saturating_sub(limit));
    found.truncate(found.len() - more);
    if ui.is_json() {
        let files: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
        ui.object(&json!({"version": 1, "pattern": args.pattern, "files": files, "more": more}));
        return Ok(());
    }
    let mut lines = String::new();
    for path in &found {
        lines.push_str(&format!("{}\n", path.display()));
    }
    ui.text(&lines);
    if found.is_empty() && more == 0 {
        ui.talk(format!("nothing matches {}", args.pattern));
    }
    if more > 0 {
        ui.talk(format!("and {more} more"));
    }
    Ok(())
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
fn matches(pattern: &str, root: &Path, ui: &Ui) -> Vec<PathBuf> {
    let (lead, rest) = glob::lead_and_rest(pattern);
    let start = root.join(lead);
    // Nothing is this folder to a person, and to the disk a dot.
    let is_here = start.as_os_str().is_empty();
    let start = if is_here { PathBuf::from(".") } else { start };
    let below = |path: &Path| path.strip_prefix(&start).map_or_else(|_| path.to_owned(), Path::to_owned);
    let walked = walk::files(std::slice::from_ref(&start), glob::depth(rest), |path| {
        glob::matches(rest, &below(path).to_string_lossy())
    });
    for (path, error) in &walked.unread {
        ui.talk(format!("{} was not read: {error}", path.display()));
    }
    walked.files.iter().map(|path| if is_here { below(path) } else { path.clone() }).collect()
}

fn changed(path: &Path) -> SystemTime {
    fs::metadata(path).and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}
