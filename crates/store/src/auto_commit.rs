//! Commits what one call of a tool changed of some paths, and nothing else. How those files stood is kept when the call begins; what
//! differs at its end is the call's. What the person has staged stays staged, and what they had changed stays theirs.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine_text::line::fingerprint;
use fs_err as fs;

use crate::atomic::{self, Durability};
use crate::project::Project;
use crate::read::{read_bytes, read_string};
use crate::{git, lock};

mod status;

use status::{Entry, Status};

/// Hooks of the repository run with a commit; one that asks a person would never end.
const PATIENCE: Duration = Duration::from_secs(5);
/// Files whose state is kept at most.
const MOST_KEPT: usize = 10_000;
/// Files that are named one by one when they are left out.
const MOST_NAMED: usize = 3;

/// States of a repository in which a commit would be part of something else, by what they leave in its folder.
const UNDER_WAY: [(&str, &str); 5] = [
    ("MERGE_HEAD", "a merge is under way"),
    ("rebase-merge", "a rebase is under way"),
    ("rebase-apply", "a rebase is under way"),
    ("CHERRY_PICK_HEAD", "a cherry-pick is under way"),
    ("REVERT_HEAD", "a revert is under way"),
];

/// A call that has ended.
#[derive(Debug, Clone, Copy)]
pub struct Ended<'a> {
    pub call: &'a str,
    /// What it may have changed.
    pub pathspecs: &'a [String],
    /// The file that the tool itself names, from the root. It is known to be the call's, also where nobody saw the call begin.
    pub file: Option<&'a str>,
    pub message: &'a str,
}

/// Keeps how the files of some pathspecs stand before a call. The error says why it did not.
pub fn begin(project: &Project, call: &str, pathspecs: &[String]) -> Result<(), String> {
    let root = project.root();
    let said = |error: io::Error| error.to_string();
    let status = match git::top_of(root) {
        Some(top) => Status::now(root, top, pathspecs, PATIENCE)?,
        None => Status::default(),
    };
    if status.0.len() > MOST_KEPT {
        return Err(format!("more than {MOST_KEPT} files have changes there"));
    }
    let folder = folder(project);
    Project::make_local(&folder).map_err(said)?;
    atomic::replace(&folder.join(fingerprint(call)), &status.write(), Durability::Process).map_err(said)
}

/// Commits what a call has changed, if anything. What comes back says why it did not, one reason each.
pub fn commit(project: &Project, ended: &Ended<'_>) -> Vec<String> {
    let kept = folder(project).join(fingerprint(ended.call));
    let before = match read_bytes(&kept) {
        Ok(bytes) => Status::read(&bytes),
        Err(_) if ended.file.is_some() => Status::default(),
        // Nobody knows what was there before.
        Err(_) => return Vec::new(),
    };
    let _ = fs::remove_file(kept);
    let Some(top) = git::top_of(project.root()) else { return vec!["there is no git repository".to_owned()] };
    let repository = Repository { project, top };
    let mut why = Vec::new();
    match hold(project).and_then(|held| repository.commit(&before, ended, &mut why).map(|()| drop(held))) {
        Ok(()) => why,
        Err(failed) => {
            why.push(failed);
            why
        }
    }
}

/// What is kept, of this very checkout: worktrees differ in what they have changed.
pub(crate) fn folder(project: &Project) -> PathBuf {
    project.own_state_folder().join("autocommit")
}

/// Calls that ran side by side wait for each other: git itself would refuse.
fn hold(project: &Project) -> Result<fs::File, String> {
    let lock = project.state_folder().join("autocommit.lock");
    lock::hold_local(&lock, lock::AUTO_COMMIT).map_err(|error| error.to_string())
}

struct Repository<'p> {
    project: &'p Project,
    top: &'p Path,
}

/// What a call changed.
#[derive(Default)]
struct Changes<'s> {
    /// Clean before: all of it is the call's.
    own: BTreeMap<&'s [u8], &'s Entry>,
    /// Somebody had changed it before, as the entry says.
    mixed: Vec<(&'s [u8], &'s Entry)>,
    /// Repositories within this one.
    foreign: Vec<&'s [u8]>,
    unmerged: bool,
}

impl Repository<'_> {
    fn commit(&self, before: &Status, ended: &Ended<'_>, why: &mut Vec<String>) -> Result<(), String> {
        let root = self.project.root();
        let after = Status::now(root, self.top, ended.pathspecs, PATIENCE)?;
        let owed = Owed::load(self.project);
        let changes = self.changes(before, &after, &owed);
        let within = ended.file.and_then(|file| self.repository_of(file));
        let foreign = changes.foreign.iter().map(|name| shown(name)).chain(within);
        why.extend(foreign.map(|name| format!("{name} is a repository of its own")));
        if changes.own.is_empty() && changes.mixed.is_empty() {
            return Ok(());
        }
        let done = self.free(&changes).and_then(|()| {
            why.extend(left_out(&changes.mixed));
            self.commit_own(&changes.own, ended.message)
        });
        owed.note(self.project, &changes.own, done.is_err());
        done
    }

    fn changes<'s>(&self, before: &'s Status, after: &'s Status, owed: &Owed) -> Changes<'s> {
        let mut changes = Changes::default();
        for (name, entry) in &after.0 {
            let was = before.0.get(name);
            // What the call itself took out of git and kept on disk is not put back.
            if was.is_some_and(|was| was.stamp == entry.stamp) || (was.is_none() && entry.is_dropped()) {
                continue;
            }
            let path = self.top.join(OsStr::from_bytes(name));
            if fs::symlink_metadata(&path).is_ok_and(|data| data.is_dir()) {
                changes.foreign.push(name);
                continue;
            }
            changes.unmerged |= entry.is_unmerged();
            match was.filter(|was| !owed.is(name, was)) {
                Some(was) => changes.mixed.push((name, was)),
                None => {
                    changes.own.insert(name, entry);
                }
            }
        }
        changes
    }

    /// The repository within this one that a file from the root is in.
    fn repository_of(&self, file: &str) -> Option<String> {
        let within = |folder: &&Path| self.project.root().join(folder).join(".git").exists();
        let folders = Path::new(file).ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        folders.into_iter().find(within).map(|folder| folder.display().to_string())
    }

    /// Whether a commit now would be one by itself.
    fn free(&self, changes: &Changes<'_>) -> Result<(), String> {
        let folder = git::text(self.project.root(), &["rev-parse", "--absolute-git-dir"]);
        let folder = PathBuf::from(folder.ok_or("git does not answer")?.trim());
        if let Some((_, why)) = UNDER_WAY.iter().find(|(mark, _)| folder.join(mark).exists()) {
            return Err((*why).to_owned());
        }
        if changes.unmerged {
            return Err("there are conflicts".to_owned());
        }
        if read_string(&folder.join("HEAD")).is_ok_and(|head| !head.starts_with("ref:")) {
            return Err("no branch is checked out".to_owned());
        }
        Ok(())
    }

    fn commit_own(&self, own: &BTreeMap<&[u8], &Entry>, message: &str) -> Result<(), String> {
        if own.is_empty() {
            return Ok(());
        }
        // Its names start at the top.
        let new = own.iter().filter(|(_, entry)| entry.is_new());
        let new: Vec<&[u8]> = new.map(|(name, _)| *name).collect();
        let all: Vec<&[u8]> = own.keys().copied().collect();
        // A commit takes only what is known to git.
        self.run(&["add", "--intent-to-add"], &new)?;
        let before = git::head(self.top);
        let done = self.run(&["commit", "--only", "--quiet", "-m", message], &all);
        if done.is_err() {
            // Why there is no commit matters more than why this failed, too.
            let _ = self.run(&["reset", "--quiet"], &new);
            return done;
        }
        match self.strange(own) {
            Some(name) => {
                self.undo(before.as_deref(), &all)?;
                Err(format!("a hook of the repository adds {} to the commit", shown(&name)))
            }
            None => Ok(()),
        }
    }

    /// A file in the last commit that is not the call's: a hook may add what it likes.
    fn strange(&self, own: &BTreeMap<&[u8], &Entry>) -> Option<Vec<u8>> {
        let args =
            ["diff-tree", "-r", "-z", "--root", "--no-commit-id", "--name-only", "--no-renames", "HEAD"];
        let raw = git::Call::new(self.top, &args).within(PATIENCE).raw(&[0]).ok()?;
        let mut names = raw.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        names.find(|name| !own.contains_key(name)).map(<[u8]>::to_vec)
    }

    /// Takes the last commit back. Files stay as they are, and so does what the person has staged.
    fn undo(&self, before: Option<&str>, names: &[&[u8]]) -> Result<(), String> {
        let after = git::head(self.top).ok_or("git does not answer")?;
        let args = match before {
            Some(before) => vec!["update-ref", "HEAD", before, &after],
            None => vec!["update-ref", "-d", "HEAD", &after],
        };
        let call = git::Call::new(self.top, &args).within(PATIENCE);
        call.text().map_err(|failure| failure.to_string())?;
        match before {
            Some(_) => self.run(&["reset", "--quiet"], names),
            None => self.run(&["rm", "--cached", "--quiet"], names),
        }
    }

    /// The error is what git said about it.
    fn run(&self, args: &[&str], names: &[&[u8]]) -> Result<(), String> {
        if names.is_empty() {
            return Ok(());
        }
        let call = git::Call::new(self.top, args).on(names).within(PATIENCE);
        call.text().map(drop).map_err(|failure| failure.to_string())
    }
}

/// Why files that the call changed are left out: what the person had done to them would go with the commit.
fn left_out(mixed: &[(&[u8], &Entry)]) -> Vec<String> {
    let line = |(name, was): &(&[u8], &Entry)| {
        let why =
            if was.is_staged() { "was staged before this call" } else { "had changes before this call" };
        format!("{} {why}", shown(name))
    };
    let more = mixed.len().saturating_sub(MOST_NAMED);
    let more = (more > 0).then(|| format!("{more} more had changes before this call"));
    mixed.iter().take(MOST_NAMED).map(line).chain(more).collect()
}

fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).trim_end_matches('/').to_owned()
}

/// Files whose changes are a call's and could not be committed: a later call that changes them again commits both.
struct Owed(Status);

impl Owed {
    fn file(project: &Project) -> PathBuf {
        folder(project).join("owed")
    }

    fn load(project: &Project) -> Self {
        Self(read_bytes(&Self::file(project)).map(|bytes| Status::read(&bytes)).unwrap_or_default())
    }

    /// Whether a file stood as an earlier call had left it.
    fn is(&self, name: &[u8], was: &Entry) -> bool {
        self.0.0.get(name).is_some_and(|owed| owed.stamp == was.stamp)
    }

    fn note(mut self, project: &Project, own: &BTreeMap<&[u8], &Entry>, failed: bool) {
        let before = self.0.clone();
        for (name, entry) in own {
            if !failed {
                self.0.0.remove(*name);
            } else if self.0.0.len() < MOST_KEPT {
                self.0.0.insert(name.to_vec(), (*entry).clone());
            }
        }
        if self.0 != before {
            let written = Project::make_local(&folder(project))
                .and_then(|()| atomic::replace(&Self::file(project), &self.0.write(), Durability::Process));
            // Lost, it makes the next commit leave a file out, which is told then.
            let _ = written;
        }
    }
}
