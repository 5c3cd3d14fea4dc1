//! Chains of skills: what a prompt reads as, and what a session has left of one.

use engine_core::chain::{Entry, Exits, Reading, Stored, marker, split};
use engine_core::session::SessionState;
use engine_store::project::Project;
use engine_store::session_file::SessionFile;

use crate::agent_session;
use crate::error::CommandError;
use crate::registry::Skills;

pub mod labels;
pub mod validate;

/// A prompt as it was read, with the exits that follow it.
pub struct Parsed {
    pub entries: Vec<Entry>,
    /// How many of them are exits.
    pub exits: usize,
    /// Exits that the prompt forbids, each with the words that do so.
    pub left_out: Vec<(Entry, String)>,
    /// Exits that are offered when the chain is done.
    pub offered: Vec<Entry>,
    pub unknown: Vec<String>,
}

pub fn with_exits(reading: &Reading, skills: &Skills) -> Option<Parsed> {
    let typed = reading.chain.as_ref()?;
    let Exits { follow, left_out, offered } = skills.exits_of(typed);
    let exits = follow.len();
    let entries = typed.entries.iter().cloned().chain(follow).collect();
    Some(Parsed { entries, exits, left_out, offered, unknown: typed.unknown.clone() })
}

/// Line and column of a byte of a prompt, both from 1.
pub fn place(prompt: &str, at: usize) -> (usize, usize) {
    let before = &prompt[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

/// Arguments without the first entry of their continuation.
#[derive(Debug, PartialEq, Eq)]
pub struct Peeled {
    pub args: String,
    pub next: Option<Entry>,
    /// The suffix that remains.
    pub rest: Option<String>,
}

/// Takes the first entry off the suffix of arguments.
pub fn peel(text: &str) -> Peeled {
    let Some((args, entries)) = split(text) else {
        return Peeled { args: text.to_owned(), next: None, rest: None };
    };
    let mut entries = entries.into_iter();
    let next = entries.next();
    let rest: Vec<Entry> = entries.collect();
    Peeled { args, next, rest: (!rest.is_empty()).then(|| marker(&rest)) }
}

/// The chain of an agent session.
pub struct Running {
    pub session: String,
    pub chain: Option<Stored>,
    file: SessionFile,
}

impl Running {
    /// Of the session that is meant.
    pub fn find(project: &Project, session: Option<&str>) -> Result<Self, CommandError> {
        let session = agent_session::find(project, session, |state| state.chain().is_some())?;
        let file = SessionFile::new(&project.sessions_folder(), &session);
        let chain = file.peek().chain().cloned();
        Ok(Self { session, chain, file })
    }

    /// Ends it. What was left comes back.
    pub fn end(&self) -> Result<Vec<Entry>, CommandError> {
        let Some(chain) = &self.chain else { return Err(CommandError::nothing("no chain to drop")) };
        self.file.update(SessionState::drop_chain)?;
        Ok(chain.entries())
    }
}

#[cfg(test)]
mod tests;
