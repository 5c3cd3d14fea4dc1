//! What a rule wants done. Rules never write: they return these, and the store carries them out.

use crate::chain::Stored;
use crate::session::Snapshot;
use crate::task::{Meta, State};

/// One thing to write down or to do after all rules have spoken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The agent session began, or went on after a resume or compaction.
    SessionStarted {
        source: &'static str,
        client_pid: Option<u32>,
        wiring: Vec<(String, Snapshot)>,
    },
    /// A person typed a prompt: a new turn. Only the beginning of it is kept.
    TurnStarted {
        prompt: String,
    },
    /// A person answered a question that the agent asked.
    UserAnswered {
        answer: String,
    },
    SessionEnded {
        reason: String,
    },
    /// The rule has spoken in this turn and stays silent until the next.
    SpokeThisTurn {
        rule: &'static str,
    },
    /// STATUS is to be shown at the end of this turn.
    TailDue,
    /// It was.
    TailShown,
    /// A chain begins, in place of an earlier one.
    ChainStarted {
        chain: Box<Stored>,
    },
    /// Its next entry was called.
    ChainCalled {
        skill: String,
        args: String,
    },
    /// The end of a turn named its next entry.
    ChainNamed,
    ChainDropped,
    /// The model was told that the user dropped it.
    ChainDropTold,
    /// Record a task, and what was typed for it, which must not be lost if that fails.
    AddTask {
        task: Meta,
        typed: String,
    },
    /// Mark a task as in progress, for this session.
    StartTask {
        name: String,
        /// The state that the rule saw, which tells apart tasks of one name.
        from: State,
    },
    /// Variables for the agent's shell, through the file that the client names for them.
    Export {
        variables: Vec<(&'static str, String)>,
    },
}
