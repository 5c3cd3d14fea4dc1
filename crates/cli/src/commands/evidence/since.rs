//! From when on the ledger is shown.

use engine_app::since::Since;

/// A point in the past, or that of the open plan's lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SinceOrPlan {
    Plan,
    Since(Since),
}

impl std::str::FromStr for SinceOrPlan {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        if word == "plan" {
            return Ok(Self::Plan);
        }
        word.parse().map(Self::Since).map_err(|why: String| format!("{why}, or plan"))
    }
}
