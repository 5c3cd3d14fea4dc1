//! The content of a project as one id, beside `git status`, which looks at the same files: in a repository where nothing changed, and
//! where a few files did since the last time.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use super::process::{Process, on_path};
use super::project::BenchProject;
use super::samples::{Samples, interleave};
use crate::{cargo, shipped};

const SIZES: [usize; 2] = [10_000, 100_000];
const FILES_A_FOLDER: usize = 100;
const CHANGED: usize = 10;
const RUNS: usize = 15;
/// Git compares the content of files that are as young as its index, second by second.
const SETTLED: Duration = Duration::from_secs(3);

pub(super) struct ContentTimes {
    pub(super) name: String,
    pub(super) take: Samples,
    pub(super) status: Samples,
    /// Whether there is something new to keep.
    pub(super) writes: bool,
}

pub(super) fn measure(engine: &Path, folder: &Path) -> Result<Vec<ContentTimes>> {
    let git = on_path("git").context("git is not installed")?;
    let program = super::copied(&build()?, folder)?;
    let mut all = Vec::new();
    for files in SIZES {
        let project = BenchProject::new(engine)?;
        fill(&project, files)?;
        let root = project.root().display().to_string();
        let status = Process::new(&git, &["status"], &project);
        let take = Process::new(&program, &[&root], &project);
        // The first time everything is looked at.
        take.prove_by(|said| said.starts_with("git:"))?;
        status.prove_by(|said| said.contains("nothing to commit"))?;
        let mut samples = interleave(&[status.clone(), take.clone()], RUNS)?.into_iter();
        let mut next = || samples.next().context("the content was not measured");
        let (clean_status, clean_take) = (next()?, next()?);
        all.push(ContentTimes {
            name: format!("content of {files} files, clean"),
            take: clean_take,
            status: clean_status,
            writes: false,
        });
        let [status, take] = changing(&project, [&status, &take])?;
        let name = format!("content of {files} files, {CHANGED} changed");
        all.push(ContentTimes { name, take, status, writes: true });
    }
    Ok(all)
}

/// It is no command of the shipped binary. With the package of that one it takes the libraries that were built for it.
fn build() -> Result<PathBuf> {
    let packages = ["-p", "engine-cli", "-p", "engine-store", "--example", "content"];
    cargo::executable(shipped::Linkage::of_host()?.cargo_build().args(packages))
        .context("the example `content`")
}

fn fill(project: &BenchProject, files: usize) -> Result<()> {
    for folder in 0..files / FILES_A_FOLDER {
        fs::create_dir_all(project.root().join(name(folder, 0)).parent().context("a file is in a folder")?)?;
        for number in 0..FILES_A_FOLDER {
            fs::write(project.root().join(name(folder, number)), format!("fn f_{folder}_{number}() {{}}\n"))?;
        }
    }
    let author = ["-c", "user.name=bench", "-c", "user.email=bench@example.com"];
    project.git(&["add", "-A"])?;
    project.git(&[&author[..], &["commit", "-q", "-m", "files"]].concat())?;
    thread::sleep(SETTLED);
    Ok(())
}

fn name(folder: usize, number: usize) -> String {
    format!("src/part_{}/module_{folder}/file_{number}.rs", folder / 50)
}

/// Times each process after some files were changed for it.
fn changing(project: &BenchProject, processes: [&Process; 2]) -> Result<[Samples; 2]> {
    let mut taken = [Vec::new(), Vec::new()];
    for run in 0..RUNS {
        for (which, process) in processes.iter().enumerate() {
            for file in 0..CHANGED {
                fs::write(project.root().join(name(file, file)), format!("// {run} {which}\n"))?;
            }
            taken[which].push(u64::try_from(process.time()?.as_micros())?);
        }
    }
    Ok(taken.map(Samples::new))
}
