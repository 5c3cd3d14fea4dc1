//! What the commits of this repository say and change.

use std::collections::HashMap;

use anyhow::{Result, bail};

use super::pages::CHANGELOG;
use crate::cargo;

/// More pages than this were changed for one reason that no page is about, such as a word that got another name.
const MOST_PAGES: usize = 5;
/// A commit that adds more lines to the changelog rewrote it.
const MOST_LINES: usize = 3;

/// One commit that changed pages.
pub(super) struct Commit {
    pub(super) subject: String,
    /// The pages besides the changelog.
    pub(super) pages: Vec<String>,
    /// What it added to the changelog, each entry as one line.
    pub(super) entries: Vec<String>,
}

/// The output of a command of git in this repository.
pub(super) fn git(args: &[&str]) -> Result<String> {
    let mut git = std::process::Command::new("git");
    let output = git.args(["-c", "core.quotepath=off"]).args(args).current_dir(cargo::root()).output()?;
    if !output.status.success() {
        bail!("git {} failed: {}", args.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

pub(super) fn commits() -> Result<Vec<Commit>> {
    let log = git(&["log", "--no-merges", "--format=%x01%H%x02%s", "--name-only", "--", "*.md"])?;
    let mut entries = added()?;
    let commit = |record: &str| {
        let (head, files) = record.split_once('\n').unwrap_or((record, ""));
        let (hash, subject) = head.split_once('\u{2}')?;
        let pages = files.lines().filter(|name| !name.is_empty() && *name != CHANGELOG);
        let pages: Vec<String> = pages.map(str::to_owned).collect();
        let entries = entries.remove(hash).unwrap_or_default();
        let is_of_few = (1..=MOST_PAGES).contains(&pages.len());
        is_of_few.then(|| Commit { subject: subject.to_owned(), pages, entries })
    };
    Ok(log.split('\u{1}').skip(1).filter_map(commit).collect())
}

/// What each commit added to the changelog.
fn added() -> Result<HashMap<String, Vec<String>>> {
    let log = git(&["log", "--no-merges", "--format=%x01%H", "-p", "-U0", "--", CHANGELOG])?;
    let mut all = HashMap::new();
    for record in log.split('\u{1}').skip(1) {
        let (hash, diff) = record.split_once('\n').unwrap_or((record, ""));
        let mut entries: Vec<String> = Vec::new();
        for line in diff.lines().filter(|line| !line.starts_with("+++")) {
            if let Some(entry) = line.strip_prefix("+- ") {
                entries.push(entry.to_owned());
            } else if let (Some(more), Some(last)) = (line.strip_prefix("+  "), entries.last_mut()) {
                last.push(' ');
                last.push_str(more);
            }
        }
        if entries.len() <= MOST_LINES {
            all.insert(hash.to_owned(), entries);
        }
    }
    Ok(all)
}
