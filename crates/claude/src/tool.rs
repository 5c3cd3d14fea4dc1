//! The client's tools, and what a call of one does.

use std::borrow::Cow;

use engine_core::event::{Doings, Edit, JsonText, LineSpan, Tool, ToolCall, ToolResult, Written};
use engine_core::todo::{Noted, Todo};
use engine_text::field;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::question::questions;
use crate::raw_fields::{Raw, raw_fields};

mod foreign;

/// The tools that run command lines and those that change one file. The journal has their names.
pub(crate) const SHELL_TOOLS: &[&str] = &["Bash", "Monitor"];
pub(crate) const EDIT_TOOLS: &[&str] = &["Edit", "Write", "MultiEdit", "NotebookEdit"];

/// Tools of servers that the person connected begin with it.
pub(crate) const CONNECTED: &str = "mcp__";

/// Tools that neither run nor change anything. What a schedule, another agent or a plan leads to comes as an event of its own.
const HARMLESS_TOOLS: &[&str] = &[
    "CronCreate",
    "CronDelete",
    "CronList",
    "EnterPlanMode",
    // It makes a worktree and goes there.
    "EnterWorktree",
    "ExitPlanMode",
    "ListAgents",
    "ReportFindings",
    "ScheduleWakeup",
    "StructuredOutput",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
];

/// Tools whose input does not tell what they do: the one may remove a worktree with what is in it, the other runs a script in a
/// language of the client. What its agents do passes the hook.
const OPAQUE_TOOLS: &[&str] = &["ExitWorktree", "Workflow"];

raw_fields! {
    /// The fields that some tool's input has.
    struct Input {
        command, run_in_background, file_path, notebook_path, content, old_string, new_string, replace_all, path, pattern,
        skill, args, prompt, message, subagent_type, name, model, to, output_mode, glob, edits,
    }
}

raw_fields! {
    /// Which lines the tool that shows a file is to show. Read apart: most calls have none of them.
    struct Part { offset, limit }
}

/// The client shows so many lines of a file at most, unless it is asked for a number of them.
const MOST_LINES: u64 = 2000;

fn shown_lines(input: &str) -> LineSpan {
    let part = Part::read(input).unwrap_or_default();
    let number = |raw: Raw<'_>| raw?.get().trim_matches('"').parse::<u64>().ok();
    LineSpan {
        first: number(part.offset).unwrap_or(1).max(1),
        count: number(part.limit).unwrap_or(MOST_LINES),
    }
}

/// A call, with what it does.
pub(crate) fn call<'a>(name: Cow<'a, str>, id: Cow<'a, str>, input: Cow<'a, str>) -> ToolCall<'a> {
    let input = match field::mended_copy(&input) {
        Some(mended) => Cow::Owned(mended),
        None => input,
    };
    let tool = match &input {
        Cow::Borrowed(text) => tool(&name, text),
        // The input came as a string with JSON in it, or was mended.
        Cow::Owned(text) => owned(tool(&name, text)),
    };
    ToolCall { name, id, input, tool }
}

fn tool<'a>(name: &str, input: &'a str) -> Tool<'a> {
    if HARMLESS_TOOLS.contains(&name) {
        return Tool::Harmless;
    }
    if OPAQUE_TOOLS.contains(&name) {
        return Tool::Foreign { connected: false, background: false, does: Doings::default() };
    }
    let connected = name.starts_with(CONNECTED);
    let known = if connected { None } else { known(name, input) };
    known.unwrap_or_else(|| {
        let (does, background) = foreign::doings(name, input);
        Tool::Foreign { connected, background, does }
    })
}

/// A call of a tool of the client that the engine knows; nothing if it lacks what it should have.
fn known<'a>(name: &str, whole: &'a str) -> Option<Tool<'a>> {
    let Ok(input) = Input::read(whole) else {
        let does = Doings { unread: foreign::no_object(whole), ..Doings::default() };
        return does.unread.map(|_| Tool::Foreign { connected: false, background: false, does });
    };
    let text = |raw: Raw<'a>| raw.and_then(field::text);
    let file = || text(input.file_path).or_else(|| text(input.notebook_path));
    let background = flag(input.run_in_background);
    Some(match name {
        "Bash" => Tool::Shell { command: text(input.command)?, background },
        // It runs a shell whose output comes later.
        "Monitor" => Tool::Shell { command: text(input.command)?, background: true },
        "Read" => Tool::Read { path: file()?, lines: shown_lines(whole) },
        "Grep" => {
            // It shows lines only if it is asked to.
            let shows = text(input.output_mode).is_some_and(|mode| mode == "content");
            let folder = text(input.path);
            let within = |glob: Cow<'a, str>| match &folder {
                Some(folder) => Cow::Owned(format!("{folder}/{glob}")),
                None => glob,
            };
            let reads = folder.clone().into_iter().chain(text(input.glob).map(within)).filter(|_| shows);
            Tool::Search { reads: reads.collect(), folder, pattern: None }
        }
        "Glob" => {
            let pattern = Some(text(input.pattern).unwrap_or_default());
            Tool::Search { folder: text(input.path), pattern, reads: Vec::new() }
        }
        "Skill" => Tool::Skill {
            name: skill_name(text(input.skill).unwrap_or_default()),
            args: text(input.args).unwrap_or_default(),
        },
        "Agent" | "Task" => Tool::Agent {
            agent_type: text(input.subagent_type).unwrap_or_default(),
            name: text(input.name),
            model: text(input.model),
            prompt: words(&input),
        },
        "SendMessage" => Tool::Message { to: text(input.to).unwrap_or_default(), text: words(&input) },
        "AskUserQuestion" => Tool::Ask,
        "ToolSearch" => Tool::FindTools,
        "TodoWrite" | "TaskCreate" | "TaskUpdate" => Tool::List,
        "WebFetch" | "WebSearch" => Tool::Web,
        name if EDIT_TOOLS.contains(&name) => Tool::Edit { path: file()?, edit: edit(name, &input) },
        _ => return None,
    })
}

/// The client takes `/fix` and ` fix` for `fix`.
fn skill_name(name: Cow<'_, str>) -> Cow<'_, str> {
    let bare = |name: &str| {
        let start = name.len() - name.trim_start().len();
        let start = start + usize::from(name[start..].starts_with('/'));
        (start, name.trim_end().len().max(start))
    };
    let (start, end) = bare(&name);
    match name {
        Cow::Borrowed(name) => Cow::Borrowed(&name[start..end]),
        Cow::Owned(name) => Cow::Owned(name[start..end].to_owned()),
    }
}

fn flag(raw: Raw<'_>) -> bool {
    raw.is_some_and(|raw| raw.get() == "true")
}

/// What another agent is told.
fn words<'a>(input: &Input<'a>) -> Cow<'a, str> {
    let text = |raw: Raw<'a>| raw.and_then(field::text);
    text(input.prompt).or_else(|| text(input.message)).unwrap_or_default()
}

/// The same call with another input.
pub fn with_input<'a>(call: &'a ToolCall<'_>, input: &'a str) -> ToolCall<'a> {
    self::call(Cow::Borrowed(&*call.name), Cow::Borrowed(&*call.id), Cow::Borrowed(input))
}

/// The input of `Agent` with another prompt. All other fields stay: what a hook gives replaces the whole input.
pub(crate) fn with_prompt(input: &str, prompt: &str) -> Option<String> {
    let mut fields: serde_json::Map<String, Value> = serde_json::from_str(input).ok()?;
    fields.insert("prompt".to_owned(), prompt.into());
    serde_json::to_string(&fields).ok()
}

fn edit<'a>(name: &str, input: &Input<'a>) -> Edit<'a> {
    let json = |raw: &'a RawValue| JsonText(Cow::Borrowed(raw.get()));
    match (name, input.content, input.old_string, input.new_string) {
        ("Write", Some(content), ..) => Edit::Whole { text: json(content) },
        ("Write", ..) => Edit::Unknown,
        (_, _, Some(old), Some(new)) => {
            Edit::Replace { old: json(old), new: json(new), all: flag(input.replace_all) }
        }
        _ => input.edits.map_or(Edit::Unknown, foreign::several),
    }
}

fn own<'a>(text: Cow<'_, str>) -> Cow<'a, str> {
    Cow::Owned(text.into_owned())
}

fn owned<'a>(tool: Tool<'_>) -> Tool<'a> {
    match tool {
        Tool::Shell { command, background } => Tool::Shell { command: own(command), background },
        Tool::Edit { path, edit } => Tool::Edit { path: own(path), edit: owned_edit(edit) },
        Tool::Read { path, lines } => Tool::Read { path: own(path), lines },
        Tool::Search { folder, pattern, reads } => Tool::Search {
            folder: folder.map(own),
            pattern: pattern.map(own),
            reads: reads.into_iter().map(own).collect(),
        },
        Tool::Skill { name, args } => Tool::Skill { name: own(name), args: own(args) },
        Tool::Agent { agent_type, name, model, prompt } => Tool::Agent {
            agent_type: own(agent_type),
            name: name.map(own),
            model: model.map(own),
            prompt: own(prompt),
        },
        Tool::Message { to, text } => Tool::Message { to: own(to), text: own(text) },
        Tool::Ask => Tool::Ask,
        Tool::FindTools => Tool::FindTools,
        Tool::List => Tool::List,
        Tool::Web => Tool::Web,
        Tool::Harmless => Tool::Harmless,
        Tool::Foreign { connected, background, does } => {
            Tool::Foreign { connected, background, does: owned_doings(does) }
        }
    }
}

fn owned_edit<'a>(edit: Edit<'_>) -> Edit<'a> {
    let json = |text: JsonText<'_>| JsonText(own(text.0));
    match edit {
        Edit::Whole { text } => Edit::Whole { text: json(text) },
        Edit::Replace { old, new, all } => Edit::Replace { old: json(old), new: json(new), all },
        Edit::Several(edits) => Edit::Several(edits.into_iter().map(owned_edit).collect()),
        Edit::Unknown => Edit::Unknown,
    }
}

fn owned_doings<'a>(does: Doings<'_>) -> Doings<'a> {
    let all = |texts: Vec<Cow<'_, str>>| texts.into_iter().map(own).collect();
    let written = |file: Written<'_>| Written { path: own(file.path), edit: owned_edit(file.edit) };
    Doings {
        commands: all(does.commands),
        reads: all(does.reads),
        writes: does.writes.into_iter().map(written).collect(),
        deletes: all(does.deletes),
        unread: does.unread,
    }
}

/// What a call came to, by its response.
pub(crate) fn result<'a>(call: &ToolCall<'_>, response: Raw<'a>) -> ToolResult<'a> {
    let json = response.map_or("", RawValue::get);
    let mut result = ToolResult { listed: listed(call, json), response: json, ..ToolResult::default() };
    if json.is_empty() {
        return result;
    }
    // A shell's call without a readable command, and whatever a connected tool runs, may be in the background too.
    if matches!(call.tool, Tool::Shell { .. } | Tool::Foreign { .. }) {
        result.background = field::raw(json, "backgroundTaskId").is_some();
        result.ended = field::flag(json, "interrupted") == Some(false);
    }
    match call.tool {
        Tool::Skill { .. } if field::flag(json, "success") == Some(true) => {
            result.skill = Some(field::string(json, "commandName").unwrap_or_default());
        }
        Tool::Agent { .. } => {
            result.agent = field::string(json, "agentId");
            result.model = field::string(json, "resolvedModel");
            result.tokens = field::raw(json, "totalTokens").and_then(|raw| raw.get().parse().ok());
        }
        Tool::Ask => {
            result.answers = field::raw(json, "answers").map(RawValue::get);
            result.questions = questions(json);
        }
        _ => {}
    }
    result
}

/// What a call of a tool for the agent's own list did; nothing for other tools.
fn listed(call: &ToolCall<'_>, response: &str) -> Option<Noted> {
    match &*call.name {
        "TodoWrite" => {
            #[derive(Deserialize)]
            struct Input {
                todos: Vec<Todo>,
            }
            serde_json::from_str::<Input>(&call.input).ok().map(|input| Noted::All(input.todos))
        }
        "TaskCreate" => {
            #[derive(Deserialize)]
            struct Response {
                task: Todo,
            }
            let task = serde_json::from_str::<Response>(response).ok()?.task;
            Some(Noted::Added(Todo { status: "pending".to_owned(), ..task }))
        }
        "TaskUpdate" => {
            let (id, status) = (field::string(&call.input, "taskId")?, field::string(&call.input, "status")?);
            Some(Noted::Moved { id: id.into_owned(), status: status.into_owned() })
        }
        _ => None,
    }
}

/// The client writes `Exit code 3` on the first line of a failed command's error.
pub(crate) fn exit_code(error: &str) -> Option<i32> {
    error.lines().next()?.strip_prefix("Exit code ")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use engine_core::todo::note;

    use super::*;

    fn made(name: &'static str, input: &'static str) -> ToolCall<'static> {
        call(name.into(), "".into(), input.into())
    }

    #[test]
    fn a_run_in_the_background_is_told_by_its_response() {
        let response = RawValue::from_string(r#"{"backgroundTaskId":"b1"}"#.to_owned()).unwrap();
        for (name, input, expected) in [
            ("Bash", r#"{"command":"ls"}"#, true),
            ("Bash", "{}", true),
            ("Bash", r#"{"command":7}"#, true),
            ("mcp__x__run", r#"{"code":"ls"}"#, true),
            ("Read", r#"{"file_path":"/p/a"}"#, false),
        ] {
            assert_eq!(result(&made(name, input), Some(&response)).background, expected, "{name} {input}");
        }
    }

    #[test]
    fn a_call_is_what_it_does() {
        let json = |text: &'static str| JsonText(text.into());
        let foreign = |connected| Tool::Foreign { connected, background: false, does: Doings::default() };
        let cases = [
            (
                "Bash",
                r#"{"command":"ls","run_in_background":true}"#,
                Tool::Shell { command: "ls".into(), background: true },
            ),
            ("Bash", r#"{"command":7}"#, foreign(false)),
            (
                "Read",
                r#"{"file_path":"/p/a"}"#,
                Tool::Read { path: "/p/a".into(), lines: LineSpan { first: 1, count: MOST_LINES } },
            ),
            (
                "Read",
                r#"{"file_path":"/p/a","offset":40,"limit":3}"#,
                Tool::Read { path: "/p/a".into(), lines: LineSpan { first: 40, count: 3 } },
            ),
            (
                "Read",
                r#"{"file_path":"/p/a","offset":"0","limit":"x"}"#,
                Tool::Read { path: "/p/a".into(), lines: LineSpan { first: 1, count: MOST_LINES } },
            ),
            ("Read", "{}", foreign(false)),
            (
                "Grep",
                r#"{"pattern":"x","path":"a"}"#,
                Tool::Search { folder: Some("a".into()), pattern: None, reads: Vec::new() },
            ),
            (
                "Grep",
                r#"{"pattern":"x","path":"a","glob":".env","output_mode":"content"}"#,
                Tool::Search {
                    folder: Some("a".into()),
                    pattern: None,
                    reads: vec!["a".into(), "a/.env".into()],
                },
            ),
            (
                "Glob",
                r#"{"pattern":"*.rs","path":"a"}"#,
                Tool::Search { folder: Some("a".into()), pattern: Some("*.rs".into()), reads: Vec::new() },
            ),
            (
                "Write",
                r#"{"file_path":"a","content":"x"}"#,
                Tool::Edit { path: "a".into(), edit: Edit::Whole { text: json("\"x\"") } },
            ),
            (
                "Edit",
                r#"{"file_path":"a","old_string":"x","new_string":"y","replace_all":true}"#,
                Tool::Edit {
                    path: "a".into(),
                    edit: Edit::Replace { old: json("\"x\""), new: json("\"y\""), all: true },
                },
            ),
            (
                "MultiEdit",
                r#"{"file_path":"a","edits":[]}"#,
                Tool::Edit { path: "a".into(), edit: Edit::Unknown },
            ),
            (
                "NotebookEdit",
                r#"{"notebook_path":"n"}"#,
                Tool::Edit { path: "n".into(), edit: Edit::Unknown },
            ),
            ("Skill", r#"{"skill":"fix"}"#, Tool::Skill { name: "fix".into(), args: "".into() }),
            ("Skill", r#"{"skill":" /fix\n"}"#, Tool::Skill { name: "fix".into(), args: "".into() }),
            ("Skill", r#"{"skill":"/ "}"#, Tool::Skill { name: "".into(), args: "".into() }),
            (
                "Agent",
                r#"{"prompt":"go"}"#,
                Tool::Agent { agent_type: "".into(), name: None, model: None, prompt: "go".into() },
            ),
            (
                "Agent",
                r#"{"prompt":"go","subagent_type":"qa","name":"judge","model":"opus"}"#,
                Tool::Agent {
                    agent_type: "qa".into(),
                    name: Some("judge".into()),
                    model: Some("opus".into()),
                    prompt: "go".into(),
                },
            ),
            (
                "SendMessage",
                r#"{"to":"judge","message":"go"}"#,
                Tool::Message { to: "judge".into(), text: "go".into() },
            ),
            ("AskUserQuestion", "{}", Tool::Ask),
            ("Monitor", r#"{"command":"x"}"#, Tool::Shell { command: "x".into(), background: true }),
            ("mcp__s__t", r#"{"sql":"x"}"#, foreign(true)),
            ("Workflow", r#"{"script":"rm -rf /"}"#, foreign(false)),
            ("CronCreate", r#"{"prompt":"go","cron":"* * * * *"}"#, Tool::Harmless),
            (
                "mcp__s__run",
                r#"{"command":"ls","run_in_background":true}"#,
                Tool::Foreign {
                    connected: true,
                    background: true,
                    does: Doings { commands: vec!["ls".into()], ..Doings::default() },
                },
            ),
        ];
        for (name, input, expected) in cases {
            assert_eq!(made(name, input).tool, expected, "{name} {input}");
            let owned = call(name.into(), "".into(), Cow::Owned(input.to_owned()));
            assert_eq!(owned.tool, expected, "{name} {input}, as a string");
        }
    }

    #[test]
    fn an_edit_tells_what_the_file_would_hold() {
        let result = |name, input, before: &str| match made(name, input).tool {
            Tool::Edit { edit, .. } => edit.result(before),
            _ => None,
        };
        let edit = r#"{"file_path":"a","old_string":"x","new_string":"y"}"#;
        let everywhere = r#"{"file_path":"a","old_string":"x","new_string":"y","replace_all":true}"#;
        assert_eq!(result("Write", r#"{"file_path":"a","content":"\u0078"}"#, "b"), Some("x".into()));
        assert_eq!(result("Edit", edit, "x x"), Some("y x".into()));
        assert_eq!(result("Edit", everywhere, "x x"), Some("y y".into()));
        assert_eq!(result("Edit", edit, "b"), None, "what is to be replaced is not there");
        assert_eq!(result("MultiEdit", r#"{"file_path":"a"}"#, "b"), None);
    }

    #[test]
    fn the_agents_list_follows_the_tools() {
        let mut list = Vec::new();
        let mut see = |name, input, response: &str| {
            if let Some(noted) = listed(&made(name, input), response) {
                note(&mut list, &noted);
            }
            list.iter()
                .map(|todo: &Todo| format!("{}:{}:{} ", todo.id, todo.text, todo.status))
                .collect::<Vec<_>>()
                .concat()
        };
        let write = r#"{"todos":[{"content":"a","status":"in_progress","activeForm":"x"}]}"#;
        assert_eq!(see("TodoWrite", write, ""), ":a:in_progress ");
        let new = r#"{"task":{"id":"1","subject":"b","description":"x"}}"#;
        assert_eq!(see("TaskCreate", "{}", new), ":a:in_progress 1:b:pending ");
        let done = r#"{"taskId":"1","status":"completed"}"#;
        assert_eq!(see("TaskUpdate", done, ""), ":a:in_progress 1:b:completed ");
        let named = r#"{"taskId":"1","subject":"c"}"#;
        assert_eq!(see("TaskUpdate", named, ""), ":a:in_progress 1:b:completed ");
        let deleted = r#"{"taskId":"1","status":"deleted"}"#;
        assert_eq!(see("TaskUpdate", deleted, ""), ":a:in_progress ");
        assert_eq!(see("TodoWrite", r#"{"todos":7}"#, ""), ":a:in_progress ");
        assert_eq!(see("Read", "{}", ""), ":a:in_progress ");
    }

    #[test]
    fn reads_the_exit_code() {
        assert_eq!(exit_code("Exit code 3\nboom"), Some(3));
        assert_eq!(exit_code("Command timed out"), None);
    }
}
