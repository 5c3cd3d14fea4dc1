//! One line of the journal: what happened, what each rule found, what was answered.
//!
//! Shell commands are kept whole (redacted) with their exit status, because later rules use them as evidence;
//! everything else is a summary. Silent findings are left out: most lines have none.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::event::{Actor, Event, Kind, ToolCall};
use crate::ran;
use engine_text::line::one_line;
use engine_text::redact::redact;
use engine_text::stamp::{DecisionId, Stamp};

/// A command longer than this is cut: it is a file in a heredoc, not a command.
const COMMAND_LIMIT: usize = 64 * 1024;
/// Names that a client gives, in bytes.
const NAME_LIMIT: usize = 200;
/// Input and texts of findings, in characters.
const SUMMARY_LIMIT: usize = 300;
const TEXT_LIMIT: usize = 2000;
/// A call where it is named in a message, in characters.
const SHOWN_LIMIT: usize = 200;

/// The verdict of a line about which no rule spoke.
pub const NO_VERDICT: &str = "none";

/// The event of a line that `engine check` writes: a command with its own exit status.
pub const CHECK: &str = "Check";

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a field of the line")]
pub struct Entry {
    pub id: String,
    /// RFC 3339, UTC.
    pub at: String,
    pub session: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    pub event: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_use: Option<String>,
    /// Nobody knows what the call does: it was judged by its name alone.
    #[serde(skip_serializing_if = "is_false")]
    pub opaque: bool,
    /// The shell command, whole and redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What else there is to say of the input, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The exit status of a command that ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    #[serde(skip_serializing_if = "is_false")]
    pub background: bool,
    /// The folder of the shell that ran the command, absolute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// What the recorder noted by then: commands with their own exit status, whatever the line made of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ran: Vec<Ran>,
    /// What the output of a check says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<Said>,
    /// The content of the project when a check had passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Why a check may be another than its words say: something else than a line of the agent called it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// Before a call that runs or changes something: the sum of its input, see [`crate::ran`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged: Option<String>,
    /// After a call whose input another hook changed: what was judged, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewritten: Option<String>,
    /// Something else than the session's client sent the event: it is no evidence.
    #[serde(skip_serializing_if = "is_false")]
    pub forged: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingLine>,
    /// `deny`, `ask`, `note` or `none`.
    pub verdict: String,
    /// Bytes of context given to the model.
    #[serde(skip_serializing_if = "is_zero")]
    pub bytes: u64,
    /// The text was longer than the client takes; the whole is in a file of this id.
    #[serde(skip_serializing_if = "is_false")]
    pub cut: bool,
    /// What the engine itself could not do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trouble: Vec<String>,
    /// Time in this process, in microseconds.
    pub us: u64,
}

/// One run of a program, as its shell saw it end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    pub exit: i32,
    /// The process id of the shell that the line ran in, also for its subshells.
    pub shell: u32,
    pub folder: String,
    /// The program as it was called, and its arguments. Where they are too many, the last word is `…`.
    pub words: Vec<String>,
}

/// What an output says, with the line that says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Said {
    Failed(String),
    /// No test ran.
    NoTests(String),
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FindingLine {
    pub rule: String,
    #[serde(skip_serializing_if = "is_false")]
    pub shadow: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// The rule failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Entry {
    /// What happened, without what was said about it.
    pub fn of_event(event: &Event<'_>) -> Self {
        let mut entry = Self {
            session: bounded(&event.session, NAME_LIMIT).to_owned(),
            event: bounded(&event.name, NAME_LIMIT).to_owned(),
            ..Self::default()
        };
        if let Actor::Subagent { id, agent_type } = &event.actor {
            entry.agent = Some(bounded(id, NAME_LIMIT).to_owned());
            entry.agent_type = Some(bounded(agent_type, NAME_LIMIT).to_owned());
        }
        entry.describe(event);
        if entry.command.is_some() && !event.cwd.is_empty() {
            entry.cwd = Some(bounded(&event.cwd, COMMAND_LIMIT).to_owned());
        }
        entry
    }

    /// A command that `engine check` ran for an agent session; a person has none.
    pub fn check(id: &DecisionId, at: Stamp, session: &str, command: &str, cwd: &str, exit: i32) -> Self {
        Self {
            cwd: Some(bounded(cwd, COMMAND_LIMIT).to_owned()),
            id: id.as_str().to_owned(),
            at: at.rfc3339(),
            session: bounded(session, NAME_LIMIT).to_owned(),
            event: CHECK.to_owned(),
            command: Some(whole_command(command).into_owned()),
            exit: Some(exit),
            verdict: NO_VERDICT.to_owned(),
            ..Self::default()
        }
    }

    /// What a call does, in one line.
    pub fn shown_call(&self) -> String {
        one_line(self.command.as_deref().or(self.input.as_deref()).unwrap_or_default(), SHOWN_LIMIT)
    }

    fn describe(&mut self, event: &Event<'_>) {
        self.input = match &event.kind {
            Kind::SessionStart { source, .. } => Some(source.as_str().to_owned()),
            Kind::SessionEnd { reason } => Some(reason.as_ref().to_owned()),
            Kind::Prompt { text, .. } | Kind::PromptExpansion { text, .. } => Some(summary(text)),
            Kind::PreTool(call) => {
                self.judged = ran::sum(call);
                self.describe_call(call)
            }
            Kind::PostTool { call, result, .. } => {
                let input = self.describe_call(call);
                self.background |= result.background;
                if self.command.is_some() && !self.background && result.ended {
                    self.exit = Some(0);
                }
                input
            }
            Kind::PostToolFailure { call, error, exit, .. } => {
                let input = self.describe_call(call);
                self.exit = *exit;
                Some(input.unwrap_or_else(|| summary(error)))
            }
            Kind::Stop(stop) | Kind::SubagentStop(stop) => Some(summary(&stop.last_message)),
            Kind::StopFailure { error } => Some(summary(error)),
            Kind::PreCompact { trigger, .. } => Some(trigger.as_ref().to_owned()),
            Kind::ConfigChange { path, .. } => Some(path.as_ref().to_owned()),
            Kind::CwdChanged { new, .. } => Some(new.as_ref().to_owned()),
            Kind::Notification { kind, message } => Some(summary(&format!("{kind}: {message}"))),
            Kind::SubagentStart | Kind::Other => None,
        };
    }

    fn describe_call(&mut self, call: &ToolCall<'_>) -> Option<String> {
        self.tool = Some(bounded(&call.name, NAME_LIMIT).to_owned());
        self.opaque = !call.is_understood();
        self.tool_use = (!call.id.is_empty()).then(|| bounded(&call.id, NAME_LIMIT).to_owned());
        if let Some(command) = joined(call.commands()) {
            self.command = Some(whole_command(&command).into_owned());
            self.background = call.is_background();
            return None;
        }
        let mut files = call.reads().chain(call.writes()).chain(call.deletes());
        if let (Some(path), None) = (files.next(), files.next()) {
            return Some(bounded(path, COMMAND_LIMIT).to_owned());
        }
        (!call.input.is_empty()).then(|| summary(&call.input))
    }
}

/// All command lines of a call as one text; nothing if there are none.
fn joined<'c>(mut commands: impl Iterator<Item = &'c str>) -> Option<Cow<'c, str>> {
    let first = Cow::Borrowed(commands.next()?);
    Some(commands.fold(first, |all, next| Cow::Owned(format!("{all}\n{next}"))))
}

/// Redacted first, then cut: half a secret is not recognised.
fn summary(text: &str) -> String {
    one_line(&redact(bounded(text, COMMAND_LIMIT)), SUMMARY_LIMIT)
}

pub(crate) fn shortened(text: &str) -> String {
    let text = redact(bounded(text, COMMAND_LIMIT));
    match text.char_indices().nth(TEXT_LIMIT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}

fn whole_command(command: &str) -> Cow<'_, str> {
    let kept = bounded(command, COMMAND_LIMIT);
    if kept.len() == command.len() {
        return redact(command);
    }
    // The cut may halve a secret, so the last word goes too.
    let words = kept.rfind(char::is_whitespace).map_or("", |end| &kept[..end]);
    Cow::Owned(format!("{}… ({} bytes)", redact(words), command.len()))
}

fn bounded(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_shown_in_one_line() {
        let command = Some("cat <<E\nx\nE".to_owned());
        let entry = Entry { command, input: Some("not this".into()), ..Entry::default() };
        assert_eq!(entry.shown_call(), "cat <<E x E");
        assert_eq!(Entry { input: Some("/p/a".into()), ..Entry::default() }.shown_call(), "/p/a");
        assert_eq!(Entry::default().shown_call(), "");
    }

    #[test]
    fn a_cut_command_shows_no_half_secret() {
        let command = format!("{} password=hunter2", "x".repeat(COMMAND_LIMIT - 14));
        let kept = whole_command(&command);
        assert!(!kept.contains("hunt"), "{}", &kept[kept.len() - 40..]);
        assert!(kept.ends_with(&format!("… ({} bytes)", command.len())));
    }
}
