//! The reason why an event is wired even if no rule has an opinion on it: it is written down.
//!
//! The line itself is made by the store for every event that arrives. Switched off, nothing is written and
//! events that nobody else wants are not wired.

use crate::{Judge, Mode, Rule, always};
use engine_core::event::EventName;
use engine_core::verdict::Finding;

pub(crate) const RULE: Rule = Rule {
    id: ID,
    about: "Writes each event and what was decided into .engine/journal/.",
    events: &[
        EventName::SessionStart,
        EventName::Prompt,
        EventName::PreTool,
        EventName::PostTool,
        EventName::PostToolFailure,
        EventName::Stop,
        EventName::StopFailure,
        EventName::SubagentStop,
        EventName::Notification,
        EventName::SessionEnd,
    ],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|_, _| Ok(Finding::default())),
};

/// The id by which the store asks whether to write.
pub const ID: &str = "journal";
