//! Instructions as callgrind counts them: unlike time, they repeat exactly.

use anyhow::{Context, Result};

use super::process::{Process, on_path};

pub(super) struct Instructions {
    pub(super) empty: u64,
    pub(super) hook: u64,
}

impl Instructions {
    pub(super) fn more(&self) -> u64 {
        self.hook.saturating_sub(self.empty)
    }
}

/// Nothing where valgrind is not installed.
pub(super) fn measure(empty: &Process, hook: &Process) -> Result<Option<Instructions>> {
    let Some(valgrind) = on_path("valgrind") else { return Ok(None) };
    let count = |process: &Process| -> Result<u64> {
        let counted = process.under(&valgrind, &["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
        let said = counted.output()?.stderr;
        let said = String::from_utf8_lossy(&said);
        collected(&said).with_context(|| format!("valgrind counted nothing: {said}"))
    };
    Ok(Some(Instructions { empty: count(empty)?, hook: count(hook)? }))
}

/// The number in callgrind's `==123== Collected : 45678`.
fn collected(said: &str) -> Option<u64> {
    said.lines().find_map(|line| line.split("Collected : ").nth(1))?.trim().parse().ok()
}
