//! What the worst of the shell's constructs costs, a thousand times in one command.

use std::time::Duration;

use anyhow::{Context, Result};
use engine_testkit::constructs;

use super::events::bash_call;
use super::project::BenchProject;

const TIMES: usize = 1000;
/// The quickest of them counts: another process may have had the processor.
const RUNS: usize = 3;

pub(super) struct Worst {
    pub(super) name: &'static str,
    pub(super) all: usize,
    pub(super) us: u64,
}

pub(super) fn measure(project: &BenchProject) -> Result<Worst> {
    let mut times = Vec::new();
    for construct in constructs() {
        let mut event = bash_call(project);
        event["tool_input"]["command"] = construct.line(TIMES).into();
        let process = project.hook(&event);
        process.prove()?;
        let runs = (0..RUNS).map(|_| process.time()).collect::<Result<Vec<Duration>>>()?;
        times.push((runs.into_iter().min().unwrap_or_default(), construct.name));
    }
    let (time, name) = times.iter().max().copied().context("there are no constructs")?;
    Ok(Worst { name, all: times.len(), us: u64::try_from(time.as_micros()).unwrap_or(u64::MAX) })
}
