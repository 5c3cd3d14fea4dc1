//! Marks beside the state of an agent session: empty files that say whether it is bound to a work session (`*.work`),
//! owns an open plan or must make one (`*.plan`), or waits for a person's word or is to be told something (`*.approval`).
//!
//! A hook asks for all three with every tool call, and looking for a file costs less than reading the state.

use std::io;
use std::path::Path;

use engine_core::session::SessionState;
use fs_err as fs;

use crate::regular;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Work,
    Plan,
    Approval,
}

impl Mark {
    pub(crate) const ALL: [Self; 3] = [Self::Work, Self::Plan, Self::Approval];

    /// How its name ends; the rest is that of the state file.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Work => "work",
            Self::Plan => "plan",
            Self::Approval => "approval",
        }
    }

    pub(crate) fn is_beside(self, state_file: &Path) -> bool {
        state_file.with_extension(self.extension()).exists()
    }

    fn belongs_to(self, state: &SessionState) -> bool {
        match self {
            Self::Work => state.work.is_some(),
            Self::Plan => state.plan.is_some() || state.armed.is_some(),
            Self::Approval => {
                !(state.approvals.is_empty() && state.spent.is_empty() && state.lost.is_empty())
            }
        }
    }
}

/// Makes and removes marks until they agree with the state. Called under the lock of the state.
pub(crate) fn follow(state_file: &Path, state: &SessionState) -> io::Result<()> {
    for mark in Mark::ALL {
        let path = state_file.with_extension(mark.extension());
        match (mark.belongs_to(state), path.exists()) {
            (true, false) => regular::write(&path, b"")?,
            (false, true) => fs::remove_file(path)?,
            _ => {}
        }
    }
    Ok(())
}
