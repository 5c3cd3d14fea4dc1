//! One program as the client would start it: a cleared environment, the event in a pipe, spawn to exit.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tempfile::NamedTempFile;

use super::project::BenchProject;

#[derive(Debug, Clone)]
pub(crate) struct Process {
    program: PathBuf,
    args: Vec<OsString>,
    home: PathBuf,
    project: PathBuf,
    stdin: Vec<u8>,
    /// Files that it finds at every start, whatever it made of them the last time.
    found: Vec<(PathBuf, Vec<u8>)>,
    /// Measured in one of so many rounds.
    pub(crate) every: usize,
}

impl Process {
    /// `program` is an absolute path: looking it up would cost, and forbid the fast way of spawning.
    pub(crate) fn new(program: &Path, args: &[&str], project: &BenchProject) -> Self {
        Self {
            program: program.to_owned(),
            args: args.iter().map(OsString::from).collect(),
            home: project.home().to_owned(),
            project: project.root().to_owned(),
            stdin: Vec::new(),
            found: Vec::new(),
            every: 1,
        }
    }

    pub(crate) fn fed(self, stdin: Vec<u8>) -> Self {
        Self { stdin, ..self }
    }

    pub(crate) fn finding(mut self, path: PathBuf, content: Vec<u8>) -> Self {
        self.found.push((path, content));
        self
    }

    pub(crate) fn every(self, every: usize) -> Self {
        Self { every, ..self }
    }

    /// The same under a program that takes a program as its argument.
    pub(crate) fn under(&self, program: &Path, args: &[&str]) -> Self {
        let mut all: Vec<OsString> = args.iter().map(OsString::from).collect();
        all.push(self.program.clone().into());
        all.extend(self.args.iter().cloned());
        Self { program: program.to_owned(), args: all, ..self.clone() }
    }

    fn command(&self) -> Result<Command> {
        for (path, content) in &self.found {
            replace(path, content).with_context(|| format!("cannot write {}", path.display()))?;
        }
        let mut command = Command::new(&self.program);
        command
            .args(&self.args)
            .current_dir(&self.project)
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("HOME", &self.home)
            .env("CLAUDE_PROJECT_DIR", &self.project)
            .stdin(Stdio::piped());
        Ok(command)
    }

    /// From before the spawn to after the wait.
    pub(crate) fn time(&self) -> Result<Duration> {
        let mut command = self.command()?;
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let started = Instant::now();
        let mut child = command.spawn()?;
        self.feed(&mut child)?;
        child.wait()?;
        Ok(started.elapsed())
    }

    pub(crate) fn output(&self) -> Result<Output> {
        let mut command = self.command()?;
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        self.feed(&mut child)?;
        Ok(child.wait_with_output()?)
    }

    /// Runs it once and makes sure that it does its work: what fails early would look fast.
    pub(crate) fn prove(&self) -> Result<()> {
        self.prove_by(|said| !said.contains("systemMessage"))
    }

    /// The same, where what it says tells whether it did.
    pub(crate) fn prove_by(&self, is_right: impl Fn(&str) -> bool) -> Result<()> {
        let output = self.output().with_context(|| format!("cannot run {}", self.program.display()))?;
        let (said, complained) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        ensure!(
            output.status.success() && complained.is_empty() && is_right(&said),
            "{} is not well: {}, {complained}{said}",
            self.program.display(),
            output.status
        );
        Ok(())
    }

    /// The most memory that the process held at once, in bytes; nothing where the system does not tell.
    ///
    /// Sampled while it runs. The kernel keeps the mark, so all that can be missed is growth between the last
    /// sample and the end.
    pub(crate) fn peak_memory(&self) -> Result<Option<u64>> {
        let mut command = self.command()?;
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let status = PathBuf::from(format!("/proc/{}/status", child.id()));
        std::thread::scope(|scope| {
            // A process that is dead but not waited for has a status without a mark.
            let sampler = scope.spawn(|| std::iter::from_fn(|| high_water_mark(&status)).last());
            self.feed(&mut child)?;
            let peak = sampler.join().unwrap_or_default();
            child.wait()?;
            Ok(peak)
        })
    }

    fn feed(&self, child: &mut Child) -> Result<()> {
        let Some(mut stdin) = child.stdin.take() else { return Ok(()) };
        match stdin.write_all(&self.stdin) {
            // It did not want to read it all.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            written => written.context("cannot write to the process"),
        }
    }
}

/// By rename, as the hook itself leaves it: a file that was cut and written again is flushed when it is replaced next,
/// at the cost of the program that is measured.
fn replace(path: &Path, content: &[u8]) -> Result<()> {
    let mut temporary = NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    temporary.write_all(content)?;
    temporary.persist(path)?;
    Ok(())
}

fn high_water_mark(status: &Path) -> Option<u64> {
    let text = fs::read_to_string(status).ok()?;
    let mark = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = mark.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// The interpreter itself: `python3` on PATH is often a script that looks for it.
pub(crate) fn python() -> Option<PathBuf> {
    let mut ask = Command::new(on_path("python3")?);
    let output = ask.args(["-c", "import sys; print(sys.executable)"]).output().ok()?;
    let program = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    program.is_file().then_some(program)
}
