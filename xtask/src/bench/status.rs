//! `engine status` with a long task file: what a person or a status line waits for.

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::process::Process;
use super::project::BenchProject;
use super::samples::{Samples, interleave};

const TASKS: usize = 1000;
const RUNS: usize = 100;

pub(super) struct StatusTimes {
    pub(super) empty: Samples,
    pub(super) status: Samples,
}

pub(super) fn measure(empty: &Path, engine: &Path) -> Result<StatusTimes> {
    let project = BenchProject::new(engine)?;
    let line =
        |n: usize| format!("- [ ] **Task number {n}** — `/plan-adhoc plans/task-{n}/design.md` | opus\n");
    let tasks: String = (0..TASKS).map(line).collect();
    fs::write(project.root().join("session.md"), format!("# Session\n\n## Pending Tasks\n\n{tasks}"))?;
    let processes = [Process::new(empty, &[], &project), Process::new(engine, &["status"], &project)];
    let mut samples = interleave(&processes, RUNS)?.into_iter();
    let (empty, status) = (samples.next(), samples.next());
    Ok(StatusTimes {
        empty: empty.ok_or_else(|| anyhow::anyhow!("no sample"))?,
        status: status.ok_or_else(|| anyhow::anyhow!("no sample"))?,
    })
}
