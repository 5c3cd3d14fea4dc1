//! What an agent is told of the work that it goes on with when its context is new: after a compaction, a clear or a restart.
//!
//! One text, put together at that moment from what the engine knows, at most [`MOST`] bytes long. Each part has a rank; where the room
//! does not suffice, parts of a higher rank number are cut first. What the agent saved for itself is one part of it, with its age and
//! with what happened since, so that it never stands in the place of newer facts.
//!
//! Words of people, logs and plans are quoted: one line each, redacted, and without anything that looks like a mark of the client.

use crate::evidence::ledger::Line;
use crate::plan::{Heir, Plan};
use crate::work::proof::Demand;
use crate::work::{BoundWork, Run, WorkState};
use engine_text::stamp::Stamp;

mod logged;
mod parts;
mod quote;
mod saved;
mod text;

pub use logged::Logged;
pub use quote::quoted;
pub use text::MOST;

/// How the prompt begins with which a new client goes on: it is the engine's, and no words of the person.
pub const GOES_ON: &str = "Go on with the work session ";

/// What the journal has of a piece of work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deeds {
    /// Edits and checks, the oldest first.
    pub lines: Vec<Line>,
    /// When the main agent called a tool, but for the engine's own commands that save and go on. RFC 3339.
    pub calls: Vec<String>,
}

impl Deeds {
    /// The calls after a moment, in RFC 3339.
    pub fn calls_since(&self, at: &str) -> usize {
        self.calls.iter().filter(|call| call.as_str() > at).count()
    }
}

/// How the state of a work session was found.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    Ours(Box<WorkState>),
    /// Another agent session holds it.
    Others(String),
    /// Why it cannot be used.
    Unusable(String),
}

/// A file that belongs to the work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct File {
    /// From the project's root.
    pub path: String,
    pub text: String,
    /// Only its end was read.
    pub partial: bool,
    /// Why it has no text, although it is there.
    pub unread: Option<String>,
}

/// What is known of the work at this moment.
#[derive(Debug, Default)]
pub struct Facts<'a> {
    pub now: Stamp,
    pub work: Option<&'a BoundWork>,
    pub state: Option<&'a WorkState>,
    /// Why the state cannot be used.
    pub damaged: Option<String>,
    /// The work session is bound to the agent session that is told.
    pub bound: bool,
    /// What leaving the current phase asks for.
    pub demand: Demand,
    /// The plan that the agent wrote, with its boxes.
    pub plan_file: Option<File>,
    pub log: Option<File>,
    /// Why the engine's plan cannot be told.
    pub plan_unread: Option<String>,
    /// The engine's plan.
    pub plan: Option<(&'a Plan, Heir)>,
    pub deeds: Deeds,
    /// What the person wrote last, the newest first.
    pub words: Vec<String>,
    /// What the person was asked and answered, the newest first.
    pub answers: Vec<String>,
    /// Changed files from the root, the newest first; without what is no file of the project.
    pub changed: Vec<String>,
    /// Those that were changed after the save.
    pub changed_since: Vec<String>,
    /// Files that the save names and that are gone.
    pub missing: Vec<String>,
    /// What requests that the work took lack of an answer.
    pub requests: Vec<String>,
    /// Requests for approval that nobody answered.
    pub approvals: Vec<String>,
    /// Entries of the chain that are left.
    pub chain: Vec<String>,
    /// The task in progress that belongs to the work.
    pub task: Option<String>,
}

impl Facts<'_> {
    fn run(&self) -> Option<&Run> {
        self.state.and_then(WorkState::run)
    }

    /// The whole text.
    pub fn text(&self) -> String {
        parts::all(self).render()
    }
}

#[cfg(test)]
mod tests;
