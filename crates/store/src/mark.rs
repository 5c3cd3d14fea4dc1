//! Marks beside the state of an agent session: empty files that say whether it is bound to a work session (`*.work`),
//! owns an open plan or must make one (`*.plan`), or waits for a person's word or is to be told something (`*.approval`).
//!
//! A hook asks for all three with every tool call, and looking for a file costs less than reading the state.
//!
//! Sessions with a chain of skills have an empty file in a folder of its own, `chains/` beside `sessions/`: whoever looks for chains
//! that were left need not look at thousands of sessions.

use std::io;
use std::path::{Path, PathBuf};

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
        self.beside(state_file).exists()
    }

    /// Its file. A hook makes two of these names, so the usual one is made without taking the path apart.
    fn beside(self, state_file: &Path) -> PathBuf {
        let stem = state_file.to_str().and_then(|path| path.strip_suffix("json"));
        match stem {
            Some(stem) => PathBuf::from([stem, self.extension()].concat()),
            None => state_file.with_extension(self.extension()),
        }
    }

    fn belongs_to(self, state: &SessionState) -> bool {
        match self {
            Self::Work => state.work.is_some(),
            Self::Plan => state.plan.is_some() || state.armed.is_some() || state.closing.is_some(),
            Self::Approval => {
                !(state.approvals.is_empty() && state.spent.is_empty() && state.lost.is_empty())
                    || state.directives.values().any(|told| !told.queued.is_empty())
            }
        }
    }
}

/// Makes and removes marks until they agree with the state. Called under the lock of the state.
pub(crate) fn follow(state_file: &Path, state: &SessionState) -> io::Result<()> {
    for mark in Mark::ALL {
        let path = mark.beside(state_file);
        match (mark.belongs_to(state), path.exists()) {
            (true, false) => regular::write(&path, b"")?,
            (false, true) => fs::remove_file(path)?,
            _ => {}
        }
    }
    let Some(chain) = chain_mark(state_file) else { return Ok(()) };
    match (state.chain.is_some(), chain.exists()) {
        (true, false) => {
            chain.parent().map_or(Ok(()), fs::create_dir_all)?;
            regular::write(&chain, b"")
        }
        (false, true) => fs::remove_file(chain),
        _ => Ok(()),
    }
}

const CHAINS: &str = "chains";

fn chain_mark(state_file: &Path) -> Option<PathBuf> {
    Some(state_file.parent()?.with_file_name(CHAINS).join(state_file.file_stem()?))
}

/// What the mark of a chain holds of which a session was told.
const TOLD: &[u8] = b"told\n";

/// Notes that a new session was told of a chain that was left; a chain that goes on has a new mark.
pub(crate) fn tell_chain(sessions_folder: &Path, session: &str) -> io::Result<()> {
    let mark = sessions_folder.with_file_name(CHAINS).join(session);
    if mark.exists() { regular::write(&mark, TOLD) } else { Ok(()) }
}

pub(crate) fn is_chain_told(sessions_folder: &Path, session: &str) -> bool {
    let mark = sessions_folder.with_file_name(CHAINS).join(session);
    fs::metadata(mark).is_ok_and(|data| data.len() > 0)
}

/// The sessions that have a chain, by the names of their state files.
pub(crate) fn chained(sessions_folder: &Path) -> Vec<String> {
    let files = fs::read_dir(sessions_folder.with_file_name(CHAINS)).into_iter().flatten().flatten();
    let mut all: Vec<String> = files.filter_map(|file| file.file_name().into_string().ok()).collect();
    all.sort();
    all
}
