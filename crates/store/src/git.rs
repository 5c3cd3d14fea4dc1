//! The one way to run git: never with a prompt, never with the person's stdin.

use std::path::Path;
use std::process::{Command, Stdio};

pub struct Done {
    pub code: Option<i32>,
    pub stdout: String,
}

/// Runs git in a folder; nothing if there is no git.
pub fn git(folder: &Path, args: &[&str]) -> Option<Done> {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(args).env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0");
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    Some(Done { code: output.status.code(), stdout: String::from_utf8_lossy(&output.stdout).into_owned() })
}

/// What git printed, if it ended well.
pub fn text(folder: &Path, args: &[&str]) -> Option<String> {
    git(folder, args).filter(|done| done.code == Some(0)).map(|done| done.stdout)
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
