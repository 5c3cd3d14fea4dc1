//! The one way to run git: in a named folder, never with a prompt or the person's stdin, never on a repository that the
//! environment names instead of the folder.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::project::FOLDER;
use crate::read::read_string;

/// Variables that point git to another repository than that of its folder. A hook of git that calls `engine` sets them.
const OTHER_REPOSITORY: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
];
/// How long git may take to put its locks away when it is told to end.
const FAREWELL: Duration = Duration::from_secs(1);
/// How often a git that may not take long is looked at.
const PAUSE: Duration = Duration::from_micros(500);
/// How much of the end of a long error is looked at.
const LONGEST_ERROR: usize = 4096;

/// One call of git.
pub(crate) struct Call<'a> {
    folder: &'a Path,
    args: &'a [&'a str],
    /// The paths that it works on; given on stdin, because there may be many.
    paths: Option<&'a [String]>,
    patience: Option<Duration>,
}

/// How a call ended.
pub struct Done {
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    stderr: String,
}

impl Done {
    /// What git complained about, among advice: its own line, else what a hook printed last.
    fn reason(&self) -> &str {
        let said = &self.stderr;
        let is_gits = |line: &&str| line.starts_with("fatal: ") || line.starts_with("error: ");
        let is_said = |line: &&str| !line.trim().is_empty() && !line.starts_with("hint: ");
        let own = said.lines().find(is_gits).or_else(|| said.lines().rfind(is_said));
        own.map_or("it failed", str::trim)
    }
}

/// Why a call did not end well.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("git: {0}")]
    NotRun(#[from] io::Error),
    #[error("git {command} took more than {} seconds", patience.as_secs())]
    TooLong { command: String, patience: Duration },
    #[error("git {command}: {reason}")]
    Refused { command: String, reason: String },
}

impl<'a> Call<'a> {
    pub(crate) fn new(folder: &'a Path, args: &'a [&'a str]) -> Self {
        Self { folder, args, paths: None, patience: None }
    }

    /// Works on these paths, taken literally. It may change the repository then.
    pub(crate) fn on(self, paths: &'a [String]) -> Self {
        Self { paths: Some(paths), ..self }
    }

    /// Is stopped when the time is over, and its hooks with it.
    pub(crate) fn within(self, patience: Duration) -> Self {
        Self { patience: Some(patience), ..self }
    }

    /// What git printed, if it ended well.
    pub(crate) fn text(&self) -> Result<String, Failure> {
        let done = self.run()?;
        if done.code == Some(0) {
            return Ok(done.stdout);
        }
        Err(Failure::Refused { command: self.command_name(), reason: done.reason().to_owned() })
    }

    fn run(&self) -> Result<Done, Failure> {
        // Files, not pipes: a pipe fills up, or is held open by what a hook leaves running.
        let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
        let mut command = self.command();
        command.stdin(self.input()?).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
        let mut child = command.spawn()?;
        let Some(status) = self.ended(&mut child)? else {
            let patience = self.patience.unwrap_or_default();
            return Err(Failure::TooLong { command: self.command_name(), patience });
        };
        let (stdout, stderr) = (written(&mut stdout)?, written(&mut stderr)?);
        let stderr = &stderr[stderr.len().saturating_sub(LONGEST_ERROR)..];
        Ok(Done { code: status.code(), stdout: lossy(&stdout), stderr: lossy(stderr) })
    }

    fn command(&self) -> Command {
        let mut command = Command::new("git");
        command.env("GIT_TERMINAL_PROMPT", "0");
        for variable in OTHER_REPOSITORY {
            command.env_remove(variable);
        }
        if self.paths.is_some() {
            command.arg("--literal-pathspecs");
        } else {
            command.env("GIT_OPTIONAL_LOCKS", "0");
        }
        command.arg("-C").arg(self.folder).args(self.args);
        if self.paths.is_some() {
            command.args(["--pathspec-from-file=-", "--pathspec-file-nul"]);
        }
        if self.patience.is_some() {
            command.process_group(0);
        }
        command
    }

    fn input(&self) -> io::Result<Stdio> {
        let Some(paths) = self.paths else { return Ok(Stdio::null()) };
        let mut file = tempfile::tempfile()?;
        file.write_all(paths.join("\0").as_bytes())?;
        file.rewind()?;
        Ok(file.into())
    }

    /// How it ended; `None` if it had to be stopped.
    fn ended(&self, child: &mut Child) -> io::Result<Option<ExitStatus>> {
        let Some(patience) = self.patience else { return child.wait().map(Some) };
        if let Some(status) = wait(child, patience)? {
            return Ok(Some(status));
        }
        // Killed outright it would leave its index locked, and the person could commit nothing more.
        let _ = kill_process_group(Pid::from_child(child), Signal::TERM);
        if wait(child, FAREWELL)?.is_none() {
            child.kill()?;
            child.wait()?;
        }
        Ok(None)
    }

    fn command_name(&self) -> String {
        self.args.first().copied().unwrap_or_default().to_owned()
    }
}

fn wait(child: &mut Child, patience: Duration) -> io::Result<Option<ExitStatus>> {
    let began = Instant::now();
    loop {
        let ended = child.try_wait()?;
        if ended.is_some() || began.elapsed() > patience {
            return Ok(ended);
        }
        std::thread::sleep(PAUSE);
    }
}

fn written(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs git in a folder; `None` if git could not be run.
pub fn git(folder: &Path, args: &[&str]) -> Option<Done> {
    Call::new(folder, args).run().ok()
}

/// What git printed, if it ended well.
pub fn text(folder: &Path, args: &[&str]) -> Option<String> {
    Call::new(folder, args).text().ok()
}

/// Files of a folder that were changed of late, from there, the newest first: those that differ from the last commit, or, if
/// none does, those that it changed. Nothing where git does not answer in time.
pub fn recent_files(folder: &Path, patience: Duration) -> Vec<String> {
    let Some(top) = folder.ancestors().find(|top| top.join(".git").exists()) else { return Vec::new() };
    let began = Instant::now();
    let text =
        |args: &[&str]| Call::new(folder, args).within(patience.saturating_sub(began.elapsed())).text().ok();
    let status = text(&["status", "--porcelain", "--no-renames", "-z", "--", "."]);
    let changed: Vec<&str> =
        status.as_deref().unwrap_or_default().split('\0').filter_map(|entry| entry.get(3..)).collect();
    let commit = if status.is_some() && changed.iter().all(|path| is_ours(path)) {
        text(&["diff-tree", "--root", "--no-commit-id", "--name-only", "-r", "-z", "HEAD", "--", "."])
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
    let git = match read_string(&git) {
        // A worktree names its folder.
        Ok(link) => git.parent()?.join(link.strip_prefix("gitdir:")?.trim()),
        Err(_) => git,
    };
    let head = read_string(&git.join("HEAD")).ok()?;
    head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for args in [
            &["init", "-q", "-b", "main"][..],
            &["config", "user.name", "dev"],
            &["config", "user.email", "dev@example.com"],
            &["commit", "-q", "--allow-empty", "-m", "start"],
        ] {
            Call::new(folder.path(), args).text().unwrap();
        }
        folder
    }

    #[test]
    fn an_error_says_what_git_said() {
        let folder = repository();
        let failed = Call::new(folder.path(), &["rev-parse", "--verify", "nothing"]).text().unwrap_err();
        assert_eq!(failed.to_string(), "git rev-parse: fatal: Needed a single revision");
        let quiet = Call::new(folder.path(), &["rev-parse", "--verify", "-q", "nothing"]).text().unwrap_err();
        assert_eq!(quiet.to_string(), "git rev-parse: it failed");
        assert_eq!(git(folder.path(), &["rev-parse", "--verify", "-q", "nothing"]).unwrap().code, Some(1));
        assert_eq!(text(folder.path(), &["branch", "--show-current"]).unwrap(), "main\n");
    }

    #[test]
    fn the_folder_names_the_repository_and_nobody_is_asked() {
        let command = Call::new(Path::new("/p"), &["status"]).command();
        let variable = |name: &str| command.get_envs().find(|(key, _)| *key == name).map(|(_, value)| value);
        assert_eq!(variable("GIT_DIR"), Some(None), "it is taken away");
        assert_eq!(variable("GIT_INDEX_FILE"), Some(None));
        assert_eq!(variable("GIT_TERMINAL_PROMPT"), Some(Some("0".as_ref())));
        assert_eq!(variable("GIT_AUTHOR_NAME"), None, "the person's own settings stay");
    }

    #[test]
    fn many_paths_are_taken_literally() {
        let folder = repository();
        let paths: Vec<String> = (0..3000).map(|number| format!("a*[{number}] {}", "x".repeat(40))).collect();
        for path in &paths {
            fs::write(folder.path().join(path), "").unwrap();
        }
        fs::write(folder.path().join("ab[1]"), "").unwrap();
        Call::new(folder.path(), &["add"]).on(&paths).within(Duration::from_mins(1)).text().unwrap();
        let staged = text(folder.path(), &["diff", "--cached", "--name-only", "-z"]).unwrap();
        assert_eq!(staged.split_terminator('\0').count(), paths.len());
    }

    #[test]
    fn one_that_takes_too_long_is_stopped_with_what_it_started() {
        let folder = repository();
        let hook = folder.path().join(".git/hooks/pre-commit");
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        fs::write(&hook, "#!/bin/sh\necho $$ > started\nsleep 60\n").unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&hook, mode).unwrap();
        fs::write(folder.path().join("f"), "").unwrap();
        Call::new(folder.path(), &["add", "f"]).text().unwrap();
        let paths = ["f".to_owned()];
        let began = Instant::now();
        let slow = Call::new(folder.path(), &["commit", "-q", "-m", "x"]).on(&paths);
        let stopped = slow.within(Duration::from_secs(2)).text().unwrap_err();
        assert_eq!(stopped.to_string(), "git commit took more than 2 seconds");
        assert!(began.elapsed() < Duration::from_secs(30));
        assert!(!folder.path().join(".git/index.lock").exists());
    }
}
