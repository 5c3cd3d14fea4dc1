//! What each event of the client can carry back. One table; the encoder and `docs/` are made from it.
//!
//! Every cell was observed with the real client. `lines` was checked on the interactive screen.

use crate::event_name::EventName;

/// How a text for the model is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Context {
    No,
    /// `hookSpecificOutput.additionalContext`.
    Json,
    /// Plain output, added to the instructions for a summary.
    Plain,
}

/// How a refusal is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    No,
    /// `permissionDecision`: deny or ask, with a reason that does not show our command line.
    Permission,
    /// Top-level `decision: "block"`, where there is no other way. It cannot ask.
    Block,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capability {
    pub context: Context,
    pub refusal: Refusal,
    /// Whether `sessionTitle` is honoured.
    pub title: bool,
    /// Whether the person sees `systemMessage`.
    pub lines: bool,
    /// Whether `continue: false` answers the person without a model turn.
    pub stop: bool,
}

const NOTHING: Capability =
    Capability { context: Context::No, refusal: Refusal::No, title: false, lines: false, stop: false };

pub fn of(event: EventName) -> Capability {
    use Context::{Json, No, Plain};
    use EventName as E;
    let (context, refusal, title, lines) = match event {
        E::SessionStart => (Json, Refusal::No, true, true),
        E::UserPromptSubmit => (Json, Refusal::Block, true, true),
        E::UserPromptExpansion => (Json, Refusal::Block, false, true),
        E::PreToolUse => (Json, Refusal::Permission, false, true),
        E::PostToolUse | E::PostToolUseFailure | E::PostToolBatch | E::Stop => {
            (Json, Refusal::No, false, true)
        }
        E::SubagentStart | E::SubagentStop | E::PostModelSwitch => (Json, Refusal::No, false, false),
        E::TaskCreated | E::TaskCompleted | E::ConfigChange => (No, Refusal::Block, false, false),
        E::PreCompact => (Plain, Refusal::Block, false, false),
        E::CwdChanged => (No, Refusal::No, false, true),
        E::SessionEnd
        | E::Setup
        | E::InstructionsLoaded
        | E::PermissionRequest
        | E::PermissionDenied
        | E::MessageDisplay
        | E::StopFailure
        | E::TeammateIdle
        | E::PostCompact
        | E::PreModelSwitch
        | E::FileChanged
        | E::DirectoryAdded
        | E::WorktreeCreate
        | E::WorktreeRemove
        | E::Elicitation
        | E::ElicitationResult
        | E::Notification => return NOTHING,
    };
    Capability { context, refusal, title, lines, stop: event == E::UserPromptSubmit }
}

/// What an event can carry; nothing if the table does not know it.
pub fn of_name(event: &str) -> Capability {
    EventName::parse(event).map_or(NOTHING, of)
}

/// Events that must never be wired: a hook on the first replaces git's own worktrees, one on the second holds
/// up every piece of text on the screen.
pub const NEVER_WIRED: &[EventName] = &[EventName::WorktreeCreate, EventName::MessageDisplay];

#[cfg(test)]
mod tests {
    use engine_rules::RULES;

    use super::*;

    #[test]
    fn no_rule_listens_to_an_event_that_must_not_be_wired() {
        for rule in RULES {
            assert!(
                rule.events.iter().all(|event| !NEVER_WIRED.contains(&EventName::from(*event))),
                "{}",
                rule.id
            );
        }
    }
}
