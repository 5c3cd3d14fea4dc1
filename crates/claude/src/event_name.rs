//! The client's events, and what they are to the domain.

use engine_core::event;

macro_rules! event_names {
    ($($name:ident),* $(,)?) => {
        /// The events that Claude Code 2.1.325 has, all seen to fire.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum EventName { $($name),* }

        impl EventName {
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),* }
            }

            pub fn parse(name: &str) -> Option<Self> {
                match name { $(stringify!($name) => Some(Self::$name),)* _ => None }
            }
        }
    };
}

event_names! {
    SessionStart, SessionEnd, Setup, InstructionsLoaded, UserPromptSubmit, UserPromptExpansion, PreToolUse,
    PermissionRequest, PermissionDenied, PostToolUse, PostToolUseFailure, PostToolBatch, MessageDisplay, Stop,
    StopFailure, SubagentStart, SubagentStop, TaskCreated, TaskCompleted, TeammateIdle, PreCompact, PostCompact,
    PreModelSwitch, PostModelSwitch, ConfigChange, CwdChanged, FileChanged, DirectoryAdded, WorktreeCreate,
    WorktreeRemove, Elicitation, ElicitationResult, Notification,
}

impl From<event::EventName> for EventName {
    fn from(name: event::EventName) -> Self {
        use event::EventName as Event;
        match name {
            Event::SessionStart => Self::SessionStart,
            Event::SessionEnd => Self::SessionEnd,
            Event::Prompt => Self::UserPromptSubmit,
            Event::PromptExpansion => Self::UserPromptExpansion,
            Event::PreTool => Self::PreToolUse,
            Event::PostTool => Self::PostToolUse,
            Event::PostToolFailure => Self::PostToolUseFailure,
            Event::Stop => Self::Stop,
            Event::StopFailure => Self::StopFailure,
            Event::SubagentStart => Self::SubagentStart,
            Event::SubagentStop => Self::SubagentStop,
            Event::PreCompact => Self::PreCompact,
            Event::ConfigChange => Self::ConfigChange,
            Event::CwdChanged => Self::CwdChanged,
            Event::Notification => Self::Notification,
        }
    }
}

/// The client's names of events, in the client's order.
pub fn event_names(names: impl IntoIterator<Item = event::EventName>) -> Vec<EventName> {
    let mut names: Vec<EventName> = names.into_iter().map(EventName::from).collect();
    names.sort_unstable();
    names.dedup();
    names
}
