//! What a coding agent tells the engine: one [`Event`] per hook call, borrowed from the bytes on stdin.
//!
//! Events that rules use are typed, the others are [`Kind::Other`]. Nothing here fails: adapters in
//! `engine-agents` turn a missing or odd field into its empty value, because a rule that cannot see a field
//! must stay silent, not stop the agent.

use std::borrow::Cow;

use serde_json::value::RawValue;

use engine_text::field;

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
    SessionStart { source: Source, model: Option<Cow<'a, str>> },
    SessionEnd { reason: Cow<'a, str> },
    Prompt { text: Cow<'a, str> },
    PromptExpansion { command: Cow<'a, str>, arguments: Cow<'a, str>, text: Cow<'a, str> },
    PreTool(ToolCall<'a>),
    PostTool { call: ToolCall<'a>, response: Option<&'a RawValue>, duration_ms: Option<u64> },
    PostToolFailure { call: ToolCall<'a>, error: Cow<'a, str>, interrupted: bool, duration_ms: Option<u64> },
    Stop(Stop<'a>),
    StopFailure { error: Cow<'a, str> },
    SubagentStart,
    SubagentStop(Stop<'a>),
    PreCompact { trigger: Cow<'a, str>, instructions: Cow<'a, str> },
    ConfigChange { source: Cow<'a, str>, path: Cow<'a, str> },
    CwdChanged { old: Cow<'a, str>, new: Cow<'a, str> },
    Notification { kind: Cow<'a, str>, message: Cow<'a, str> },
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
    pub tool: Cow<'a, str>,
    pub id: Cow<'a, str>,
    /// The input object as JSON text; empty when there is none.
    pub input: Cow<'a, str>,
}

impl ToolCall<'_> {
    pub fn string(&self, key: &str) -> Option<Cow<'_, str>> {
        field::string(&self.input, key)
    }

    pub fn flag(&self, key: &str) -> bool {
        field::flag(&self.input, key).unwrap_or(false)
    }

    /// Whether it is a tool that changes one file.
    pub fn is_edit(&self) -> bool {
        matches!(&*self.tool, "Edit" | "Write" | "MultiEdit" | "NotebookEdit")
    }

    /// The file that a file tool names.
    pub fn path(&self) -> Option<Cow<'_, str>> {
        self.string("file_path").or_else(|| self.string("notebook_path"))
    }
}

/// The end of a turn, or of a subagent's work.
#[derive(Debug, Default)]
pub struct Stop<'a> {
    /// The turn goes on only because a hook made it.
    pub active: bool,
    pub last_message: Cow<'a, str>,
    /// A subagent is still at work in the background: its result will come as another prompt.
    pub subagent_running: bool,
}

/// Prompts that the client makes itself when background work ends. They continue the turn.
const MACHINE_PROMPT: &str = "<task-notification>";

impl<'a> Event<'a> {
    /// A prompt typed by a person: it starts a turn.
    pub fn real_prompt(&self) -> Option<&str> {
        match &self.kind {
            Kind::Prompt { text } if !text.trim_start().starts_with(MACHINE_PROMPT) => Some(text),
            _ => None,
        }
    }

    /// Events in which no one asks for an opinion: the client's own notifications dressed as prompts, and the
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

    /// The known name, if the client's is one of them.
    pub fn known_name(&self) -> Option<EventName> {
        EventName::parse(&self.name)
    }
}

macro_rules! event_names {
    ($($name:ident),* $(,)?) => {
        /// The events that Claude Code 2.1.325 has, all seen to fire.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum EventName { $($name),* }

        impl EventName {
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            pub fn as_str(self) -> &'static str {
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

/// Tools of the client that the engine knows. A tool outside this list is allowed like any other, and listed by
/// `engine doctor`, so that a renamed tool does not silently escape the rules. MCP tools are named by servers
/// and are never unclassified.
pub const KNOWN_TOOLS: &[&str] = &[
    "Agent",
    "AskUserQuestion",
    "Bash",
    "CronCreate",
    "CronDelete",
    "CronList",
    "Edit",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "Glob",
    "Grep",
    "ListAgents",
    "Monitor",
    "NotebookEdit",
    "Read",
    "ReportFindings",
    "ScheduleWakeup",
    "SendMessage",
    "Skill",
    "StructuredOutput",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Workflow",
    "Write",
];

pub fn is_known_tool(name: &str) -> bool {
    KNOWN_TOOLS.contains(&name) || name.starts_with("mcp__")
}
