//! The one way to run git: never with a prompt, never with the person's stdin.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::project::FOLDER;

pub struct Done {
    pub code: Option<i32>,
    pub stdout: String,
}

/// Runs git in a folder; nothing if there is no git.
pub fn git(folder: &Path, args: &[&str]) -> Option<Done> {
    let output = command(folder, args).output().ok()?;
    Some(Done { code: output.status.code(), stdout: String::from_utf8_lossy(&output.stdout).into_owned() })
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(args).env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// What git printed, if it ended well.
pub fn text(folder: &Path, args: &[&str]) -> Option<String> {
    git(folder, args).filter(|done| done.code == Some(0)).map(|done| done.stdout)
}

/// The same for those who cannot wait: git is stopped when the time is over. It only reads, so nothing is left half done.
fn text_until(folder: &Path, args: &[&str], deadline: Instant) -> Option<String> {
    let mut child = command(folder, args).spawn().ok()?;
    let mut pipe = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.read_to_end(&mut bytes);
        let _ = sender.send(read.map(|_| bytes));
    });
    let bytes = receiver.recv_timeout(deadline.saturating_duration_since(Instant::now()));
    if bytes.is_err() {
        let _ = child.kill();
    }
    let well = child.wait().is_ok_and(|status| status.success());
    let bytes = bytes.ok()?.ok().filter(|_| well)?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Files of a folder that were changed of late, from there, the newest first: those that differ from the last commit, or, if
/// none does, those that it changed. Nothing where git does not answer in time.
pub fn recent_files(folder: &Path, patience: Duration) -> Vec<String> {
    let Some(top) = folder.ancestors().find(|top| top.join(".git").exists()) else { return Vec::new() };
    let deadline = Instant::now() + patience;
    let status = text_until(folder, &["status", "--porcelain", "--no-renames", "-z", "--", "."], deadline);
    let changed: Vec<&str> =
        status.as_deref().unwrap_or_default().split('\0').filter_map(|entry| entry.get(3..)).collect();
    let commit = if status.is_some() && changed.iter().all(|path| is_ours(path)) {
        let words = ["diff-tree", "--root", "--no-commit-id", "--name-only", "-r", "-z", "HEAD", "--", "."];
        text_until(folder, &words, deadline)
    } else {
        None
    };
    let committed = commit.as_deref().unwrap_or_default().split('\0');
    // Git names them from the top of the repository.
    let below = folder.strip_prefix(top).unwrap_or(folder).join("").display().to_string();
    let here = |path: &str| path.strip_prefix(&below).map(str::to_owned);
    let all = changed.into_iter().chain(committed).filter(|path| !path.is_empty());
    let mut files: Vec<String> = all.filter_map(here).filter(|path| !is_ours(path)).collect();
    files.sort_by_cached_key(|path| {
        std::cmp::Reverse(folder.join(path).metadata().and_then(|data| data.modified()).ok())
    });
    files
}

/// What engine itself writes is nobody's work.
fn is_ours(path: &str) -> bool {
    Path::new(path).components().any(|part| part.as_os_str() == FOLDER)
}

/// The branch that is checked out, read off the files: a process of git would cost more than everything else in a hook.
pub fn branch(folder: &Path) -> Option<String> {
    let git = folder.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
    let git = match std::fs::read_to_string(&git) {
        // A worktree names its folder.
        Ok(link) => git.parent()?.join(link.strip_prefix("gitdir:")?.trim()),
        Err(_) => git,
    };
    let head = std::fs::read_to_string(git.join("HEAD")).ok()?;
    head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
}
