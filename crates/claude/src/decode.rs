//! From the client's JSON to an [`Event`].
//!
//! Lenient: a field that is missing or of another type is empty, an event that is unknown is `Other`, a tool
//! input that comes as a JSON string is unwrapped. Only what is not a JSON object at all is refused. Every
//! field is captured raw in one pass and read when its event needs it, so a large event is not copied.

use std::borrow::Cow;

use engine_core::event::{Actor, Event, Kind, Source, Stop, ToolCall};
use engine_text::field;
use serde::Deserialize;

use crate::event_name::EventName;
use crate::raw_fields::{Raw, raw_fields};
use crate::tool;

/// The input was not a JSON object.
#[derive(Debug, thiserror::Error)]
#[error("not a JSON object: {0}")]
pub struct NotAnEvent(#[from] serde_json::Error);

raw_fields! {
    /// The fields that some event has.
    struct Wire {
        session_id, transcript_path, cwd, hook_event_name, prompt_id, permission_mode, agent_id, agent_type, source, model,
        reason, prompt, command_name, command_args, tool_name, tool_input, tool_response, tool_use_id, duration_ms, error,
        is_interrupt, stop_hook_active, last_assistant_message, background_tasks, trigger, custom_instructions, file_path,
        old_cwd, new_cwd, notification_type, message,
    }
}

/// Prompts that the client makes itself when background work ends. They continue the turn.
const MACHINE_PROMPT: &str = "<task-notification>";

/// Reads one event.
pub fn decode(text: &str) -> Result<Event<'_>, NotAnEvent> {
    let wire = Wire::read(text)?;
    let name = string(wire.hook_event_name);
    let actor = match maybe(wire.agent_id) {
        // With `--agent X` the main agent has a type, but no id.
        Some(id) => Actor::Subagent { id, agent_type: string(wire.agent_type) },
        None => Actor::Main,
    };
    Ok(Event {
        kind: kind(&name, &wire),
        name,
        actor,
        session: string(wire.session_id),
        cwd: string(wire.cwd),
        transcript: maybe(wire.transcript_path),
        prompt_id: maybe(wire.prompt_id),
        permission_mode: maybe(wire.permission_mode),
    })
}

fn kind<'a>(name: &str, wire: &Wire<'a>) -> Kind<'a> {
    let Some(name) = EventName::parse(name) else { return Kind::Other };
    match name {
        EventName::SessionStart => {
            Kind::SessionStart { source: Source::parse(&string(wire.source)), model: maybe(wire.model) }
        }
        EventName::SessionEnd => Kind::SessionEnd { reason: string(wire.reason) },
        EventName::UserPromptSubmit => {
            let text = string(wire.prompt);
            let by_person = !text.trim_start().starts_with(MACHINE_PROMPT);
            Kind::Prompt { text, by_person }
        }
        EventName::UserPromptExpansion => Kind::PromptExpansion {
            command: string(wire.command_name),
            arguments: string(wire.command_args),
            text: string(wire.prompt),
        },
        EventName::PreToolUse => Kind::PreTool(tool_call(wire)),
        EventName::PostToolUse => {
            let call = tool_call(wire);
            let result = tool::result(&call, wire.tool_response);
            Kind::PostTool { call, result, duration_ms: read(wire.duration_ms) }
        }
        EventName::PostToolUseFailure => {
            let error = string(wire.error);
            Kind::PostToolFailure {
                call: tool_call(wire),
                exit: tool::exit_code(&error),
                error,
                interrupted: read(wire.is_interrupt).unwrap_or(false),
                duration_ms: read(wire.duration_ms),
            }
        }
        EventName::Stop => Kind::Stop(stop(wire)),
        EventName::StopFailure => Kind::StopFailure { error: string(wire.error) },
        EventName::SubagentStart => Kind::SubagentStart,
        EventName::SubagentStop => Kind::SubagentStop(stop(wire)),
        EventName::PreCompact => {
            Kind::PreCompact { trigger: string(wire.trigger), instructions: string(wire.custom_instructions) }
        }
        EventName::ConfigChange => {
            Kind::ConfigChange { source: string(wire.source), path: string(wire.file_path) }
        }
        EventName::CwdChanged => Kind::CwdChanged { old: string(wire.old_cwd), new: string(wire.new_cwd) },
        EventName::Notification => {
            Kind::Notification { kind: string(wire.notification_type), message: string(wire.message) }
        }
        _ => Kind::Other,
    }
}

fn tool_call<'a>(wire: &Wire<'a>) -> ToolCall<'a> {
    let input = match wire.tool_input {
        None => Cow::Borrowed(""),
        Some(raw) if raw.get().starts_with('"') => string(Some(raw)),
        Some(raw) => Cow::Borrowed(raw.get()),
    };
    tool::call(string(wire.tool_name), string(wire.tool_use_id), input)
}

fn stop<'a>(wire: &Wire<'a>) -> Stop<'a> {
    #[derive(Deserialize)]
    #[serde(default)]
    #[derive(Default)]
    struct Task<'a> {
        r#type: Cow<'a, str>,
        status: Cow<'a, str>,
    }
    let tasks: Vec<Task<'_>> = read(wire.background_tasks).unwrap_or_default();
    Stop {
        active: read(wire.stop_hook_active).unwrap_or(false),
        last_message: string(wire.last_assistant_message),
        // A shell in the background may run for days; whatever else runs there is an agent of some kind.
        subagent_running: tasks.iter().any(|task| task.r#type != "shell" && task.status == "running"),
        background_running: tasks.iter().any(|task| task.status == "running"),
    }
}

fn maybe(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    field::text(raw?)
}

fn string(raw: Raw<'_>) -> Cow<'_, str> {
    maybe(raw).unwrap_or_default()
}

fn read<'a, T: Deserialize<'a>>(raw: Raw<'a>) -> Option<T> {
    serde_json::from_str(raw?.get()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recorded_event_decodes_to_its_kind() {
        let mut typed = 0;
        for (file, text) in engine_testkit::event_fixtures() {
            let event = decode(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
            if file.starts_with("statusLine") || file.starts_with("result") {
                assert!(matches!(event.kind, Kind::Other), "{file}");
                continue;
            }
            assert_eq!(Some(&*event.name), file.split('.').next(), "{file}");
            assert!(EventName::parse(&event.name).is_some(), "{file}");
            assert!(!event.session.is_empty() && event.cwd.starts_with("/home/dev"), "{file}: {}", event.cwd);
            typed += usize::from(!matches!(event.kind, Kind::Other));
        }
        assert!(typed >= 40, "only {typed} events were typed");
    }

    #[test]
    fn reads_what_rules_need() {
        let text = |name| engine_testkit::event(name).to_string();
        let shown = |name| {
            format!("{:?} {:?}", decode(&text(name)).unwrap().actor, decode(&text(name)).unwrap().kind)
        };
        insta::assert_snapshot!(shown("PreToolUse.in-subagent"), @r#"Subagent { id: "a28354e6a8a475f05", agent_type: "general-purpose" } PreTool(ToolCall { name: "Bash", id: "toolu_01bde0eb796c164447", input: "{\"command\":\"echo looked\"}", tool: Shell { command: "echo looked", background: false } })"#);
        insta::assert_snapshot!(shown("PostToolUseFailure"), @r#"Main PostToolFailure { call: ToolCall { name: "Bash", id: "toolu_01938c1cb00c514a4d", input: "{\"command\":\"echo boom >&2; exit 3\",\"description\":\"Fail on purpose\"}", tool: Shell { command: "echo boom >&2; exit 3", background: false } }, error: "Exit code 3\nboom", exit: Some(3), interrupted: false, duration_ms: Some(89) }"#);
        insta::assert_snapshot!(shown("Stop.background-task"), @r#"Main Stop(Stop { active: false, last_message: "The bug is fixed.", subagent_running: false, background_running: true })"#);
        assert!(decode(&text("UserPromptSubmit.task-notification")).unwrap().is_client_internal());
        assert!(decode(&text("SubagentStop.compaction")).unwrap().is_client_internal());
        assert!(!decode(&text("SubagentStop")).unwrap().is_client_internal());
    }

    #[test]
    fn odd_fields_are_empty_not_errors() {
        let odd = r#"{"hook_event_name":"PreToolUse","session_id":7,"cwd":null,"tool_name":["x"],"tool_input":"{\"command\":\"ls\"}","new":{}}"#;
        let event = decode(odd).unwrap();
        assert_eq!((&*event.session, &*event.cwd), ("", ""));
        assert_eq!(event.tool_call().unwrap().commands().collect::<Vec<_>>(), ["ls"]);
        assert!(decode(r#"{"hook_event_name":"PreToolUse"}"#).unwrap().tool_call().unwrap().input.is_empty());
        assert!(matches!(decode(r#"{"hook_event_name":"Brandnew"}"#).unwrap().kind, Kind::Other));
        assert!(matches!(decode("{}").unwrap().kind, Kind::Other));
        assert_eq!(decode(r#"{"session_id":"a","session_id":"b"}"#).unwrap().session, "b");
        for garbage in ["", "null", "[]", "3", "{\"a\":", "{} {}"] {
            assert!(decode(garbage).is_err(), "{garbage}");
        }
    }
}
