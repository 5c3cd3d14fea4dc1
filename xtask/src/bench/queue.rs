//! `engine q add`: what a person waits for who wants to go on with something else.

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::process::Process;
use super::project::BenchProject;
use super::samples::{Samples, interleave};

const RUNS: usize = 100;
const FILES: usize = 200;

pub(super) struct QueueTimes {
    pub(super) empty: Samples,
    pub(super) add: Samples,
}

/// In a repository with files that git has to look at: they are part of what is kept.
pub(super) fn measure(empty: &Path, engine: &Path) -> Result<QueueTimes> {
    let project = BenchProject::new(engine)?;
    for number in 0..FILES {
        fs::write(project.root().join(format!("file-{number}.rs")), "fn main() {}\n")?;
    }
    let add = Process::new(engine, &["q", "add", "implement dark mode"], &project);
    let mut samples = interleave(&[Process::new(empty, &[], &project), add], RUNS)?.into_iter();
    let (empty, add) = (samples.next(), samples.next());
    Ok(QueueTimes {
        empty: empty.ok_or_else(|| anyhow::anyhow!("no sample"))?,
        add: add.ok_or_else(|| anyhow::anyhow!("no sample"))?,
    })
}
