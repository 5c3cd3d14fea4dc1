//! The recorder of checks: what it adds to each shell that the client starts while a plan or a work session is open.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use engine_core::evidence::recorder::{names, script};

use super::process::Process;
use super::project::BenchProject;
use super::samples::{Samples, interleave};

const BASH: &str = "/bin/bash";

pub(super) struct RecorderTimes {
    pub(super) bash: Samples,
    /// With the recorder, for a command that names no check, and for one that names one.
    pub(super) unnamed: Samples,
    pub(super) named: Samples,
}

/// Nothing where there is no bash.
pub(super) fn measure(project: &BenchProject, rounds: usize) -> Result<Option<RecorderTimes>> {
    let bash = Path::new(BASH);
    if !bash.exists() {
        return Ok(None);
    }
    let log = project.root().join("recorder.ran");
    fs::write(project.root().join("recorder.sh"), script(&names(&[]), &log.to_string_lossy()))?;
    let asks = |what: &str| format!("{what}typeset -f __engine_run >/dev/null && echo some || echo none");
    let process = |line: &str| Process::new(bash, &["-c", line], project);
    let plain = process(&asks(""));
    let unnamed = process(&asks(". ./recorder.sh; "));
    let named = process(&asks(". ./recorder.sh; : cargo; "));
    unnamed.prove_by(|said| said == "none\n")?;
    named.prove_by(|said| said == "some\n")?;
    let mut samples = interleave(&[plain, unnamed, named], rounds)?.into_iter();
    let mut next = || samples.next().context("the recorder was not measured");
    Ok(Some(RecorderTimes { bash: next()?, unnamed: next()?, named: next()? }))
}
