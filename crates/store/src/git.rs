//! The one way to run git: in a named folder, never with a prompt or the person's stdin, never on a repository that the
//! environment names instead of the folder.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use engine_core::policy::AskedBranch;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::project::FOLDER;
use crate::read::read_small;

pub mod tree;

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
/// All variables of git begin so; those that name configuration can make git overlook a change.
const OF_GIT: &[u8] = b"GIT_";
/// Without the configuration of the person and the machine, without their attributes, without replaced objects, without a
/// network, in words that can be read.
const ALONE: [(&str, &str); 7] = [
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("LC_ALL", "C"),
];
/// Where git usually is.
const INSTALLED: [&str; 3] = ["/usr/local/bin/git", "/opt/homebrew/bin/git", "/usr/bin/git"];
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
    input: Input<'a>,
    own: Option<Own<'a>>,
    patience: Option<Duration>,
    is_offline: bool,
}

/// What git finds on stdin.
enum Input<'a> {
    Nothing,
    /// The paths that it works on; there may be many.
    Paths(&'a [&'a [u8]]),
    Bytes(&'a [u8]),
    /// Kept open for as long as git runs.
    Kept(&'a File),
}

/// A repository of the engine's own beside files that belong to another.
#[derive(Clone, Copy)]
pub(crate) struct Own<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) files: &'a Path,
}

/// How a call ended.
pub struct Done {
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    stderr: String,
}

/// How a call ended, with what it printed to the byte.
pub(crate) struct Raw {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Raw {
    fn read(self) -> Done {
        Done { code: self.code, stdout: lossy(&self.stdout), stderr: self.stderr }
    }
}

/// What git complained about, among advice: its own line, else what a hook printed last.
fn reason(said: &str) -> &str {
    let is_gits = |line: &&str| line.starts_with("fatal: ") || line.starts_with("error: ");
    let is_said = |line: &&str| !line.trim().is_empty() && !line.starts_with("hint: ");
    let own = said.lines().find(is_gits).or_else(|| said.lines().rfind(is_said));
    own.map_or("it failed", str::trim)
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

impl Failure {
    /// For a call that ended badly with this on its stderr.
    pub(crate) fn refused(command: &str, said: &str) -> Self {
        Self::Refused { command: command.to_owned(), reason: reason(said).to_owned() }
    }
}

impl<'a> Call<'a> {
    pub(crate) fn new(folder: &'a Path, args: &'a [&'a str]) -> Self {
        Self { folder, args, input: Input::Nothing, own: None, patience: None, is_offline: false }
    }

    /// Works on these paths, taken literally and to the byte. It may change the repository then.
    pub(crate) fn on(self, paths: &'a [&'a [u8]]) -> Self {
        Self { input: Input::Paths(paths), ..self }
    }

    /// Finds these bytes on stdin.
    pub(crate) fn fed(self, bytes: &'a [u8]) -> Self {
        Self { input: Input::Bytes(bytes), ..self }
    }

    /// Keeps a file open until it ends, also if this process ends before. So a lock outlives whoever took it.
    pub(crate) fn keeping(self, file: &'a File) -> Self {
        Self { input: Input::Kept(file), ..self }
    }

    /// Works with a repository of the engine's own, by no configuration but what that one holds.
    pub(crate) fn alone(self, own: Own<'a>) -> Self {
        Self { own: Some(own), ..self }
    }

    /// Is stopped when the time is over, and its hooks with it.
    pub(crate) fn within(self, patience: Duration) -> Self {
        Self { patience: Some(patience), ..self }
    }

    /// Brings no object that the repository lacks from elsewhere.
    pub(crate) fn offline(self) -> Self {
        Self { is_offline: true, ..self }
    }

    /// What git printed, if it ended well.
    pub(crate) fn text(&self) -> Result<String, Failure> {
        let done = self.run()?;
        if done.code == Some(0) {
            return Ok(done.stdout);
        }
        Err(Failure::refused(&self.command_name(), &done.stderr))
    }

    /// The same, where some codes are answers.
    pub(crate) fn raw(&self, answers: &[i32]) -> Result<Raw, Failure> {
        let raw = self.run_raw()?;
        if raw.code.is_some_and(|code| answers.contains(&code)) {
            return Ok(raw);
        }
        Err(Failure::refused(&self.command_name(), &raw.stderr))
    }

    fn run(&self) -> Result<Done, Failure> {
        self.run_raw().map(Raw::read)
    }

    fn run_raw(&self) -> Result<Raw, Failure> {
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
        Ok(Raw { code: status.code(), stdout, stderr: lossy(stderr) })
    }

    fn command(&self) -> Command {
        // What the content is must not hang on what is first on the path of an agent's shell.
        let installed = self.own.as_ref().and_then(|_| INSTALLED.iter().find(|git| Path::new(git).exists()));
        let mut command = Command::new(installed.unwrap_or(&"git"));
        command.env("GIT_TERMINAL_PROMPT", "0");
        for variable in OTHER_REPOSITORY {
            command.env_remove(variable);
        }
        let has_paths = matches!(self.input, Input::Paths(_));
        if has_paths {
            command.arg("--literal-pathspecs");
        } else {
            command.env("GIT_OPTIONAL_LOCKS", "0");
        }
        command.arg("-C").arg(self.folder);
        if let Some(Own { folder, files }) = self.own {
            for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_bytes().starts_with(OF_GIT)) {
                command.env_remove(name);
            }
            command
                .env("GIT_TERMINAL_PROMPT", "0")
                .envs(ALONE)
                .env("GIT_DIR", folder)
                .env("GIT_WORK_TREE", files);
        }
        command.args(self.args);
        if has_paths {
            command.args(["--pathspec-from-file=-", "--pathspec-file-nul"]);
        }
        if self.is_offline {
            command.env("GIT_NO_LAZY_FETCH", "1");
        }
        if self.patience.is_some() {
            command.process_group(0);
        }
        command
    }

    fn input(&self) -> io::Result<Stdio> {
        let written = |bytes: &[u8]| {
            let mut file = tempfile::tempfile()?;
            file.write_all(bytes)?;
            file.rewind()?;
            Ok(file.into())
        };
        match self.input {
            Input::Nothing => Ok(Stdio::null()),
            Input::Paths(paths) => written(&paths.join(&0)),
            Input::Bytes(bytes) => written(bytes),
            Input::Kept(file) => file.try_clone().map(Stdio::from),
        }
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
        self.args.iter().find(|arg| !arg.starts_with('-')).copied().unwrap_or_default().to_owned()
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

/// The folder of the repository that a folder is in.
pub(crate) fn top_of(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join(".git").exists())
}

/// Files of a folder that were changed of late, from there, the newest first: those that differ from the last commit, or, if
/// none does, those that it changed. Nothing where git does not answer in time.
pub fn recent_files(folder: &Path, patience: Duration) -> Vec<String> {
    let Some(top) = top_of(folder) else { return Vec::new() };
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

/// How long the history of a file may take.
const HISTORY: Duration = Duration::from_secs(5);

/// What a file said when git first had it, by the history of what is checked out. Nothing where git does not know the file, has not its
/// whole history, or does not answer in time.
pub fn first_version(file: &Path) -> Option<String> {
    let (folder, name) = (file.parent()?, file.file_name()?.to_str()?);
    let began = Instant::now();
    let ask = |args: &[&str]| {
        Call::new(folder, args).offline().within(HISTORY.saturating_sub(began.elapsed())).text().ok()
    };
    if ask(&["rev-parse", "--is-shallow-repository"])?.trim() != "false" {
        return None;
    }
    let literal = format!(":(literal){name}");
    let commits = ask(&["rev-list", "HEAD", "--", &literal])?;
    ask(&["cat-file", "blob", &format!("{}:./{name}", commits.lines().last()?)])
}

/// The commit that is checked out.
pub fn head(folder: &Path) -> Option<String> {
    text(folder, &["rev-parse", "--verify", "--quiet", "HEAD"]).map(|head| head.trim().to_owned())
}

/// The branch that is checked out, read off the files: a process of git would cost more than everything else in a hook.
pub fn branch(folder: &Path) -> Option<String> {
    let git = folder.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
    let git = match read_small(&git) {
        // A worktree names its folder.
        Ok(link) => git.parent()?.join(link.strip_prefix("gitdir:")?.trim()),
        Err(_) => git,
    };
    let head = read_small(&git.join("HEAD")).ok()?;
    head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
}

/// How long a question about a branch may take.
const PATIENCE: Duration = Duration::from_millis(1500);

/// Whether a repository has a branch of this name; nothing if git cannot be asked. No program of the repository is run for it.
pub fn has_branch(asked: &AskedBranch) -> Option<bool> {
    let name = format!("refs/heads/{}", asked.branch);
    let args = ["show-ref", "--verify", "--quiet", name.as_str()];
    let call = Call::new(Path::new(&asked.folder), &args).offline().within(PATIENCE);
    Some(call.raw(&[0, 1]).ok()?.code == Some(0))
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
    fn the_first_version_of_a_file_is_that_of_its_whole_history() {
        let folder = repository();
        let git = |args: &[&str]| Call::new(folder.path(), args).text().unwrap();
        let commit = |text: &str| {
            fs::create_dir_all(folder.path().join("a")).unwrap();
            fs::write(folder.path().join("a/f [x]"), text).unwrap();
            git(&["add", "a"]);
            git(&["-c", "user.name=dev", "-c", "user.email=dev@example.com", "commit", "-q", "-m", "x"]);
        };
        let file = folder.path().join("a/f [x]");
        assert_eq!(first_version(&file), None);
        commit("one\n");
        commit("two\n");
        assert_eq!(first_version(&file).as_deref(), Some("one\n"));
        assert_eq!(first_version(&folder.path().join("a/f x")), None, "a name is no pattern");
        let elsewhere = tempfile::tempdir().unwrap();
        let from = format!("file://{}", folder.path().display());
        Call::new(elsewhere.path(), &["clone", "-q", "--depth", "1", &from, "c"]).text().unwrap();
        assert_eq!(first_version(&elsewhere.path().join("c/a/f [x]")), None, "a shallow clone knows it not");
        assert_eq!(first_version(&elsewhere.path().join("nothing")), None);
    }

    #[test]
    fn a_branch_is_there_or_not_or_nobody_knows() {
        let folder = repository();
        let git = |args: &[&str]| Call::new(folder.path(), args).text().unwrap();
        let who = ["-c", "user.name=dev", "-c", "user.email=dev@example.com"];
        git(&[&who[..], &["commit", "-q", "--allow-empty", "-m", "start"]].concat());
        git(&["branch", "a/b"]);
        git(&["tag", "t"]);
        let has = |folder: &Path, branch: &str| {
            let folder = folder.display().to_string();
            has_branch(&AskedBranch { folder, branch: branch.to_owned() })
        };
        for (branch, expected) in [
            ("a/b", Some(true)),
            ("new", Some(false)),
            ("t", Some(false)),
            ("a", Some(false)),
            ("a b", Some(false)),
        ] {
            assert_eq!(has(folder.path(), branch), expected, "{branch}");
        }
        git(&["pack-refs", "--all"]);
        assert_eq!(has(folder.path(), "a/b"), Some(true));
        let outside = tempfile::tempdir().unwrap();
        assert_eq!(has(outside.path(), "a/b"), None);
        assert_eq!(has(Path::new("/nowhere/at/all"), "a/b"), None);
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
    fn a_repository_of_our_own_is_read_by_its_own_configuration() {
        let (folder, files) = (Path::new("/own"), Path::new("/p"));
        let command = Call::new(files, &["add"]).alone(Own { folder, files }).command();
        let expected = [
            ("GIT_ALTERNATE_OBJECT_DIRECTORIES", None),
            ("GIT_ATTR_NOSYSTEM", Some("1")),
            ("GIT_COMMON_DIR", None),
            ("GIT_CONFIG_GLOBAL", Some("/dev/null")),
            ("GIT_CONFIG_NOSYSTEM", Some("1")),
            ("GIT_DIR", Some("/own")),
            ("GIT_INDEX_FILE", None),
            ("GIT_NAMESPACE", None),
            ("GIT_NO_LAZY_FETCH", Some("1")),
            ("GIT_NO_REPLACE_OBJECTS", Some("1")),
            ("GIT_OBJECT_DIRECTORY", None),
            ("GIT_OPTIONAL_LOCKS", Some("0")),
            ("GIT_PREFIX", None),
            ("GIT_TERMINAL_PROMPT", Some("0")),
            ("GIT_WORK_TREE", Some("/p")),
            ("LC_ALL", Some("C")),
        ];
        let inherited = |name: &str| {
            std::env::var_os(name).is_some() && !expected.iter().any(|(known, _)| *known == name)
        };
        let text = |value: &std::ffi::OsStr| value.to_str().unwrap().to_owned();
        let found = command.get_envs().map(|(name, value)| (text(name), value.map(text)));
        let found: Vec<(String, Option<String>)> = found.filter(|(name, _)| !inherited(name)).collect();
        let expected = expected.map(|(name, value)| (name.to_owned(), value.map(str::to_owned)));
        assert_eq!(found, expected);
    }

    #[test]
    fn many_paths_are_taken_literally() {
        let folder = repository();
        let paths: Vec<String> = (0..3000).map(|number| format!("a*[{number}] {}", "x".repeat(40))).collect();
        for path in &paths {
            fs::write(folder.path().join(path), "").unwrap();
        }
        fs::write(folder.path().join("ab[1]"), "").unwrap();
        let names: Vec<&[u8]> = paths.iter().map(String::as_bytes).collect();
        Call::new(folder.path(), &["add"]).on(&names).within(Duration::from_mins(1)).text().unwrap();
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
        let paths = [&b"f"[..]];
        let began = Instant::now();
        let slow = Call::new(folder.path(), &["commit", "-q", "-m", "x"]).on(&paths);
        let stopped = slow.within(Duration::from_secs(2)).text().unwrap_err();
        assert_eq!(stopped.to_string(), "git commit took more than 2 seconds");
        assert!(began.elapsed() < Duration::from_secs(30));
        assert!(!folder.path().join(".git/index.lock").exists());
    }
}
