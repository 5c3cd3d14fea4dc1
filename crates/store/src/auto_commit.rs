//! Commits some paths of a project and nothing else. What the person has staged stays staged.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::project::Project;
use crate::read::read_string;
use crate::{git, lock};

/// Hooks of the repository run with a commit; one that asks a person would never end.
const PATIENCE: Duration = Duration::from_secs(5);

/// States of a repository in which a commit would be part of something else, by what they leave in its folder.
const UNDER_WAY: [(&str, &str); 5] = [
    ("MERGE_HEAD", "a merge is under way"),
    ("rebase-merge", "a rebase is under way"),
    ("rebase-apply", "a rebase is under way"),
    ("CHERRY_PICK_HEAD", "a cherry-pick is under way"),
    ("REVERT_HEAD", "a revert is under way"),
];

/// Commits what has changed of these pathspecs, if anything has. The error says why it did not.
pub fn commit(project: &Project, pathspecs: &[String], message: &str) -> Result<(), String> {
    let root = project.root();
    let Some(folder) = git::text(root, &["rev-parse", "--absolute-git-dir"]) else {
        return Err("there is no git repository".to_owned());
    };
    let folder = PathBuf::from(folder.trim());
    // Calls that ran side by side wait for each other: git itself would refuse.
    let state = project.state_folder();
    let held = lock::hold_local(&state.join("autocommit.lock"), lock::AUTO_COMMIT)
        .map_err(|error| error.to_string())?;
    let changes = changes(root, pathspecs)?;
    if changes.paths.is_empty() {
        return Ok(());
    }
    if let Some((_, why)) = UNDER_WAY.iter().find(|(mark, _)| folder.join(mark).exists()) {
        return Err((*why).to_owned());
    }
    if changes.unmerged {
        return Err("there are conflicts".to_owned());
    }
    if read_string(&folder.join("HEAD")).is_ok_and(|head| !head.starts_with("ref:")) {
        return Err("no branch is checked out".to_owned());
    }
    // A commit takes only what is known to git.
    run(root, &["add", "--intent-to-add"], &changes.new)?;
    let done = run(root, &["commit", "--only", "--quiet", "-m", message], &changes.paths);
    if done.is_err() {
        // Why there is no commit matters more than why this failed, too.
        let _ = run(root, &["reset", "--quiet"], &changes.new);
    }
    drop(held);
    done
}

/// The error is what git said about it.
fn run(root: &Path, args: &[&str], paths: &[String]) -> Result<(), String> {
    if paths.is_empty() {
        return Ok(());
    }
    let call = git::Call::new(root, args).on(paths).within(PATIENCE);
    call.text().map(drop).map_err(|failure| failure.to_string())
}

#[derive(Default)]
struct Changes {
    paths: Vec<String>,
    /// Those of them that git does not know yet.
    new: Vec<String>,
    unmerged: bool,
}

fn changes(root: &Path, pathspecs: &[String]) -> Result<Changes, String> {
    let mut args = vec!["status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--"];
    args.extend(pathspecs.iter().map(String::as_str));
    let Some(status) = git::text(root, &args) else { return Err("git status failed".to_owned()) };
    // Its paths start at the repository's top.
    let top = git::text(root, &["rev-parse", "--show-cdup"]).unwrap_or_default();
    let place = |path: &str| format!("{}{path}", top.trim_end());
    let mut changes = Changes::default();
    let mut dropped = Vec::new();
    for entry in status.split('\0') {
        // A name that is no text cannot be told to git again; the others need not wait for it.
        if entry.contains(char::REPLACEMENT_CHARACTER) {
            continue;
        }
        // The path is behind so many words, and may have blanks itself.
        let behind = |words: usize| entry.splitn(words + 1, ' ').nth(words).map(place);
        match entry.chars().next() {
            Some('1') => {
                if entry.starts_with("1 D") {
                    dropped.extend(behind(8));
                }
                changes.paths.extend(behind(8));
            }
            // A folder is a repository of its own, and none of ours.
            Some('?') if !entry.ends_with('/') => {
                changes.new.extend(behind(1));
                changes.paths.extend(behind(1));
            }
            Some('u') => {
                changes.unmerged = true;
                changes.paths.extend(behind(10));
            }
            _ => {}
        }
    }
    // What the person took out of git and kept on disk is neither to be committed nor to be put back.
    dropped.retain(|path| changes.new.contains(path));
    changes.new.retain(|path| !dropped.contains(path));
    changes.paths.retain(|path| !dropped.contains(path));
    Ok(changes)
}
