//! A throw-away project with one clean commit, in which engine is asked about each command.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use tempfile::TempDir;

use super::row::Row;

/// What is deleted below them is no loss, so that a rule about deletes is silent there.
const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// What engine does about a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Block,
    Ask,
    Warn,
    Silent,
}

impl Answer {
    pub(super) const ALL: [Self; 4] = [Self::Block, Self::Ask, Self::Warn, Self::Silent];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Ask => "ask",
            Self::Warn => "warn",
            Self::Silent => "silent",
        }
    }

    /// Whether the command does not simply run.
    pub(super) fn is_refusal(self) -> bool {
        matches!(self, Self::Block | Self::Ask)
    }
}

#[derive(Debug, Clone)]
pub(super) struct Judged {
    pub(super) row: Row,
    pub(super) answer: Answer,
    /// The ids of the rules that match, strictest first.
    pub(super) rules: Vec<String>,
}

pub(super) struct CorpusProject {
    /// Removes everything when dropped.
    _folder: TempDir,
    home: PathBuf,
    root: PathBuf,
    engine: PathBuf,
}

impl CorpusProject {
    /// Below this folder, which is not a temporary one.
    pub(super) fn new(engine: &Path, parent: &Path) -> Result<Self> {
        let parent = parent.canonicalize()?;
        if let Some(temporary) = TEMPORARY.iter().find(|temporary| parent.starts_with(temporary)) {
            bail!("{} is below {temporary}: set CARGO_TARGET_DIR to another folder", parent.display());
        }
        Self::anywhere(engine, &parent)
    }

    /// As [`Self::new`], for a test that asks a fake.
    pub(super) fn anywhere(engine: &Path, parent: &Path) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("corpora-").tempdir_in(parent)?;
        let home = folder.path().join("home");
        let root = home.join("project");
        fs::create_dir_all(root.join("src"))?;
        fs::write(root.join("README.md"), "# A project\n")?;
        fs::write(root.join("src/main.rs"), "fn main() {}\n")?;
        let project = Self { _folder: folder, home, root, engine: engine.to_owned() };
        project.git(&["init", "-q", "-b", "main"])?;
        project.done(engine, &["init"])?;
        project.git(&["add", "-A"])?;
        project.git(&[
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.com",
            "commit",
            "-q",
            "-m",
            "begin",
        ])?;
        Ok(project)
    }

    /// Judges the rows on all cores, and returns them in their order.
    pub(super) fn judge(&self, rows: Vec<Row>) -> Result<Vec<Judged>> {
        let next = AtomicUsize::new(0);
        let answers = Mutex::new(BTreeMap::new());
        let work = || {
            while let Some((at, row)) = next_of(&rows, &next) {
                let answer = self.ask(&row.command);
                answers.lock().unwrap_or_else(PoisonError::into_inner).insert(at, answer);
            }
        };
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(work);
            }
        });
        let mut answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
        let judged = rows.into_iter().enumerate().map(|(at, row)| {
            let answer = answers.remove(&at).context("it was not judged").flatten();
            let (answer, rules) = answer.with_context(|| format!("{}: {:?}", row.corpus, row.command))?;
            Ok(Judged { row, answer, rules })
        });
        judged.collect()
    }

    fn ask(&self, command: &str) -> Result<(Answer, Vec<String>)> {
        let output = self.run(&self.engine, &["policy", "check", "--json", "--", command])?;
        let said = String::from_utf8_lossy(&output.stderr);
        let object: Value = serde_json::from_slice(&output.stdout)
            .with_context(|| format!("engine gave no answer, {}: {}", output.status, said.trim()))?;
        let answer = match object["verdict"].as_str() {
            Some("block") => Answer::Block,
            Some("ask") => Answer::Ask,
            Some("warn") => Answer::Warn,
            Some("none" | "shadow" | "off") => Answer::Silent,
            other => bail!("engine gave no verdict but {other:?}"),
        };
        let matches = object["matches"].as_array().map(Vec::as_slice).unwrap_or_default();
        let rules = matches.iter().filter_map(|found| found["rule"].as_str().map(str::to_owned));
        Ok((answer, rules.collect()))
    }

    fn git(&self, args: &[&str]) -> Result<()> {
        self.done(Path::new("git"), args)
    }

    fn done(&self, program: &Path, args: &[&str]) -> Result<()> {
        let output = self.run(program, args)?;
        let complained = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{} {}: {}", program.display(), args.join(" "), complained.trim());
        Ok(())
    }

    fn run(&self, program: &Path, args: &[&str]) -> Result<Output> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.root).env_clear().env("PATH", path).env("HOME", &self.home);
        command.output().with_context(|| format!("cannot run {}", program.display()))
    }
}

/// The next row that no thread has taken, with its place.
fn next_of<'a>(rows: &'a [Row], next: &AtomicUsize) -> Option<(usize, &'a Row)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, rows.get(at)?))
}
