//! What a coding agent tells the engine: one [`Event`] per hook call, borrowed from the bytes on stdin.
//!
//! Events that rules use are typed, the others are [`Kind::Other`]. Nothing here fails: the adapters of clients turn a missing or odd field into its empty value, because a rule that cannot see a field
//! must stay silent, not stop the agent.

use std::borrow::Cow;

use engine_text::field;

use crate::dialogue::Question;
use crate::todo::Noted;

mod doings;

pub use doings::{Doings, Unread, Written};

/// One call of a hook.
#[derive(Debug)]
pub struct Event<'a> {
    /// The event's name as the client spells it, also when it is unknown.
    pub name: Cow<'a, str>,
    /// Identity of the agent session; never a process id.
    pub session: Cow<'a, str>,
    pub actor: Actor<'a>,
    /// Where the agent is now. It follows the agent's `cd`.
    pub cwd: Cow<'a, str>,
    pub transcript: Option<Cow<'a, str>>,
    pub prompt_id: Option<Cow<'a, str>>,
    pub permission_mode: Option<Cow<'a, str>>,
    pub kind: Kind<'a>,
}

/// Who acts: the main agent, or a subagent of the same session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor<'a> {
    Main,
    Subagent { id: Cow<'a, str>, agent_type: Cow<'a, str> },
}

impl Actor<'_> {
    /// The subagent's id; the main agent has none.
    pub fn id(&self) -> &str {
        match self {
            Self::Main => "",
            Self::Subagent { id, .. } => id,
        }
    }
}

/// What happened.
#[derive(Debug)]
pub enum Kind<'a> {
    SessionStart {
        source: Source,
        model: Option<Cow<'a, str>>,
    },
    SessionEnd {
        reason: Cow<'a, str>,
    },
    Prompt {
        text: Cow<'a, str>,
        /// The client itself makes prompts when work in the background ends. They continue the turn.
        by_person: bool,
    },
    PromptExpansion {
        command: Cow<'a, str>,
        arguments: Cow<'a, str>,
        text: Cow<'a, str>,
    },
    PreTool(ToolCall<'a>),
    PostTool {
        call: ToolCall<'a>,
        result: ToolResult<'a>,
        duration_ms: Option<u64>,
    },
    PostToolFailure {
        call: ToolCall<'a>,
        error: Cow<'a, str>,
        /// The exit status of a command that failed.
        exit: Option<i32>,
        interrupted: bool,
        duration_ms: Option<u64>,
    },
    Stop(Stop<'a>),
    StopFailure {
        error: Cow<'a, str>,
    },
    SubagentStart,
    SubagentStop(Stop<'a>),
    PreCompact {
        trigger: Cow<'a, str>,
        instructions: Cow<'a, str>,
    },
    ConfigChange {
        source: Cow<'a, str>,
        path: Cow<'a, str>,
    },
    CwdChanged {
        old: Cow<'a, str>,
        new: Cow<'a, str>,
    },
    Notification {
        kind: Cow<'a, str>,
        message: Cow<'a, str>,
    },
    Other,
}

/// Why a session starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Startup,
    Resume,
    Clear,
    Compact,
    Fork,
    Unknown,
}

impl Source {
    pub fn parse(word: &str) -> Self {
        match word {
            "startup" => Self::Startup,
            "resume" => Self::Resume,
            "clear" => Self::Clear,
            "compact" => Self::Compact,
            "fork" => Self::Fork,
            _ => Self::Unknown,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Startup => "startup",
            Self::Resume => "resume",
            Self::Clear => "clear",
            Self::Compact => "compact",
            Self::Fork => "fork",
            Self::Unknown => "unknown",
        }
    }

    /// Whether the model's context is empty, so that what was told before must be told again. After a resume
    /// or a fork the earlier text is still there.
    pub fn context_is_fresh(self) -> bool {
        matches!(self, Self::Startup | Self::Clear | Self::Compact)
    }
}

/// A tool that is about to run, or ran.
#[derive(Debug)]
pub struct ToolCall<'a> {
    /// The tool's name as the client spells it: for the journal and for rules of the project, never to decide by.
    pub name: Cow<'a, str>,
    pub id: Cow<'a, str>,
    /// The input object as JSON text; empty when there is none.
    pub input: Cow<'a, str>,
    /// What the call does, by the client's adapter.
    pub tool: Tool<'a>,
}

/// Lines of a file: the first, from 1, and how many at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineSpan {
    pub first: u64,
    pub count: u64,
}

impl LineSpan {
    pub const ALL: Self = Self { first: 1, count: u64::MAX };
    /// A part of which nobody knows how much it is.
    pub const UNKNOWN: Self = Self { first: 1, count: 0 };
}

/// What a call of a tool does, whatever the client calls the tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tool<'a> {
    /// Runs a command line.
    Shell { command: Cow<'a, str>, background: bool },
    /// Changes one file.
    Edit { path: Cow<'a, str>, edit: Edit<'a> },
    /// Shows one file, or some of its lines.
    Read { path: Cow<'a, str>, lines: LineSpan },
    /// Looks for text or for files: in a folder, or by a pattern of paths from there.
    /// `reads`: files or patterns of them whose lines it shows.
    Search { folder: Option<Cow<'a, str>>, pattern: Option<Cow<'a, str>>, reads: Vec<Cow<'a, str>> },
    /// Runs a skill.
    Skill { name: Cow<'a, str>, args: Cow<'a, str> },
    /// Starts another agent. `name`: by which messages reach it.
    Agent {
        agent_type: Cow<'a, str>,
        name: Option<Cow<'a, str>>,
        model: Option<Cow<'a, str>>,
        prompt: Cow<'a, str>,
    },
    /// Gives an agent something more to do, by its name or id.
    Message { to: Cow<'a, str>, text: Cow<'a, str> },
    /// Asks the person.
    Ask,
    /// Looks up tools that the client has not loaded yet.
    FindTools,
    /// Changes the list that the agent keeps for itself.
    List,
    /// Looks something up in the web.
    Web,
    /// Neither runs nor changes anything: it looks, waits, or plans what comes back as another event.
    Harmless,
    /// Any other tool: what it does is told by its input alone. `connected`: a tool of a server that the person connected.
    Foreign { connected: bool, background: bool, does: Doings<'a> },
}

/// How an edit changes its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit<'a> {
    /// The file gets this text.
    Whole { text: JsonText<'a> },
    /// One text in it, or every occurrence, is replaced by another.
    Replace { old: JsonText<'a>, new: JsonText<'a>, all: bool },
    /// One after the other.
    Several(Vec<Edit<'a>>),
    /// In a way that the input does not tell.
    Unknown,
}

impl Edit<'_> {
    /// What the file would hold after the edit; nothing when that cannot be told.
    pub fn result(&self, before: &str) -> Option<String> {
        match self {
            Self::Whole { text } => text.get().map(Cow::into_owned),
            Self::Replace { old, new, all } => {
                let (old, new) = (old.get()?, new.get()?);
                if old.is_empty() {
                    return Some(new.into_owned());
                }
                let times = if *all { usize::MAX } else { 1 };
                before.contains(&*old).then(|| before.replacen(&*old, &new, times))
            }
            Self::Several(edits) => edits.iter().try_fold(before.to_owned(), |text, edit| edit.result(&text)),
            Self::Unknown => None,
        }
    }
}

/// A text as it stands in JSON, decoded when it is asked for: a file may be megabytes, and most rules do not look into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonText<'a>(pub Cow<'a, str>);

impl JsonText<'_> {
    /// The text; nothing if the JSON is not a string.
    pub fn get(&self) -> Option<Cow<'_, str>> {
        field::text_of(&self.0)
    }
}

/// What a tool that ran came to, as far as rules ask.
#[derive(Debug, Default)]
pub struct ToolResult<'a> {
    /// A command ended well, by the client's word.
    pub ended: bool,
    /// A command went on in the background.
    pub background: bool,
    /// A skill ran, and the name that it has for the client.
    pub skill: Option<Cow<'a, str>>,
    /// The id of an agent that was started.
    pub agent: Option<Cow<'a, str>>,
    /// The model that it runs on, and what it has spent, if the client says.
    pub model: Option<Cow<'a, str>>,
    pub tokens: Option<u64>,
    /// What a person answered, as JSON.
    pub answers: Option<&'a str>,
    /// What was asked and answered.
    pub questions: Vec<Question>,
    /// What happened to the agent's own list.
    pub listed: Option<Noted>,
    /// The client's whole answer as JSON, read only where somebody wants more: [`crate::dialect::Dialect::outputs`].
    pub response: &'a str,
}

/// The end of a turn, or of a subagent's work.
#[derive(Debug, Default)]
pub struct Stop<'a> {
    /// The turn goes on only because a hook made it.
    pub active: bool,
    pub last_message: Cow<'a, str>,
    /// A subagent is still at work in the background: its result will come as another prompt.
    pub subagent_running: bool,
    /// Something runs in the background, a subagent or a command: the turn may go on by itself.
    pub background_running: bool,
}

impl<'a> Event<'a> {
    /// A prompt typed by a person: it starts a turn.
    pub fn real_prompt(&self) -> Option<&str> {
        match &self.kind {
            Kind::Prompt { text, by_person: true } => Some(text),
            _ => None,
        }
    }

    /// Somebody else than the person sent this prompt: it is no word of theirs and begins no turn.
    pub fn disown_prompt(&mut self) {
        if let Kind::Prompt { by_person, .. } = &mut self.kind {
            *by_person = false;
        }
    }

    /// Events in which no one asks for an opinion: notifications and other agents' messages dressed as prompts, and the
    /// nameless subagent that compaction runs as. They are written down, nothing more.
    pub fn is_client_internal(&self) -> bool {
        match &self.kind {
            Kind::Prompt { .. } => self.real_prompt().is_none(),
            Kind::SubagentStop(_) => {
                matches!(&self.actor, Actor::Subagent { agent_type, .. } if agent_type.is_empty())
            }
            _ => false,
        }
    }

    pub fn tool_call(&self) -> Option<&ToolCall<'a>> {
        match &self.kind {
            Kind::PreTool(call) | Kind::PostTool { call, .. } | Kind::PostToolFailure { call, .. } => {
                Some(call)
            }
            _ => None,
        }
    }
}

/// What happened, without the facts: the rules' events are listed by it. Each is a [`Kind`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventName {
    SessionStart,
    SessionEnd,
    Prompt,
    PromptExpansion,
    PreTool,
    PostTool,
    PostToolFailure,
    Stop,
    StopFailure,
    SubagentStart,
    SubagentStop,
    PreCompact,
    ConfigChange,
    CwdChanged,
    Notification,
}

impl Kind<'_> {
    /// The name; nothing for what no rule knows.
    pub fn name(&self) -> Option<EventName> {
        Some(match self {
            Self::SessionStart { .. } => EventName::SessionStart,
            Self::SessionEnd { .. } => EventName::SessionEnd,
            Self::Prompt { .. } => EventName::Prompt,
            Self::PromptExpansion { .. } => EventName::PromptExpansion,
            Self::PreTool(_) => EventName::PreTool,
            Self::PostTool { .. } => EventName::PostTool,
            Self::PostToolFailure { .. } => EventName::PostToolFailure,
            Self::Stop(_) => EventName::Stop,
            Self::StopFailure { .. } => EventName::StopFailure,
            Self::SubagentStart => EventName::SubagentStart,
            Self::SubagentStop(_) => EventName::SubagentStop,
            Self::PreCompact { .. } => EventName::PreCompact,
            Self::ConfigChange { .. } => EventName::ConfigChange,
            Self::CwdChanged { .. } => EventName::CwdChanged,
            Self::Notification { .. } => EventName::Notification,
            Self::Other => return None,
        })
    }
}
