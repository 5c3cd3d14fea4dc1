//! What else of a repository has engine: its other checkouts, and projects in folders of it. They share git's configuration and ignore list,
//! so what one of them still uses stays there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use engine_store::git;
use engine_store::project::FOLDER;
use engine_store::read::read_string;

use super::merge;
use super::written::exclude_file;
use super::{Scope, settings_file};

/// The roots of the other projects in the repository around one.
pub(super) fn neighbours(root: &Path) -> BTreeSet<PathBuf> {
    let listed = git::text(root, &["worktree", "list", "--porcelain"]).unwrap_or_default();
    let checkouts = listed.lines().filter_map(|line| line.strip_prefix("worktree ")).map(PathBuf::from);
    let hidden = exclude_file(root).and_then(|file| read_string(&file).ok()).unwrap_or_default();
    let mut found = BTreeSet::new();
    for checkout in checkouts {
        let pattern = format!(":(glob)**/{FOLDER}/config.toml");
        let tracked = git::text(&checkout, &["ls-files", "-z", "--", &pattern]).unwrap_or_default();
        let of_git = tracked.split('\0').filter_map(|file| file.strip_suffix("config.toml"));
        let of_us = hidden.lines().filter_map(|line| line.strip_prefix('/'));
        let folders = of_git.map(str::to_owned).chain(of_us.map(unescaped));
        let roots = folders.filter_map(|folder| Some(folder.strip_suffix(&format!("{FOLDER}/"))?.to_owned()));
        let roots = roots.chain([String::new()]).map(|below| match below.trim_end_matches('/') {
            "" => checkout.clone(),
            below => checkout.join(below),
        });
        found.extend(roots.filter(|root| root.join(FOLDER).is_dir()));
    }
    let same = |other: &PathBuf| other == root || engine_store::links::resolve(root) == *other;
    found.retain(|other| !same(other));
    found
}

/// The first of them that has git merge its tasks by our driver.
pub(super) fn merging(others: &BTreeSet<PathBuf>) -> Option<&Path> {
    others.iter().map(PathBuf::as_path).find(|other| !merge::lines(other).is_empty())
}

/// The first of them whose local settings hold entries of ours.
pub(super) fn with_local_settings(others: &BTreeSet<PathBuf>) -> Option<&Path> {
    let has = |other: &Path| {
        let text = settings_file(other, Scope::Local).and_then(|file| read_string(&file).ok());
        text.is_some_and(|text| text.contains(merge::NAME))
    };
    others.iter().map(PathBuf::as_path).find(|other| has(other))
}

/// A pattern that means itself, as the path that it was made of.
fn unescaped(pattern: &str) -> String {
    let mut out = String::new();
    let mut signs = pattern.chars();
    while let Some(sign) = signs.next() {
        out.extend(if sign == '\\' { signs.next() } else { Some(sign) });
    }
    out
}
