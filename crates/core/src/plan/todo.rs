//! The list that an agent keeps for itself with a tool of its client. It moves nothing in the plan; a person sees it beside the plan, with
//! what is in it and not in the plan.

use serde::{Deserialize, Serialize};

use crate::event::ToolCall;
use engine_text::line::one_line;

/// Entries that are remembered at most, and how much of each.
const MOST: usize = 50;
const LONGEST: usize = 120;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Todo {
    /// Where the client gives it one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    #[serde(alias = "content", alias = "subject")]
    pub text: String,
    /// `pending`, `in_progress`, `completed`.
    pub status: String,
}

/// What a call did to the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Noted {
    All(Vec<Todo>),
    Added(Todo),
    Moved { id: String, status: String },
}

/// What a call of a tool for such lists did; nothing for other tools.
pub fn noted(call: &ToolCall<'_>, response: Option<&str>) -> Option<Noted> {
    match &*call.tool {
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
            let task = serde_json::from_str::<Response>(response?).ok()?.task;
            Some(Noted::Added(Todo { status: "pending".to_owned(), ..task }))
        }
        "TaskUpdate" => {
            let (id, status) = (call.string("taskId")?, call.string("status")?);
            Some(Noted::Moved { id: id.into_owned(), status: status.into_owned() })
        }
        _ => None,
    }
}

/// Does to the list what a call did.
pub fn note(list: &mut Vec<Todo>, noted: &Noted) {
    let short = |todo: &Todo| Todo { text: one_line(&todo.text, LONGEST), ..todo.clone() };
    match noted {
        Noted::All(todos) => *list = todos.iter().take(MOST).map(short).collect(),
        Noted::Added(todo) if list.len() < MOST => list.push(short(todo)),
        Noted::Added(_) => {}
        Noted::Moved { id, status } if status == "deleted" => list.retain(|todo| todo.id != *id),
        Noted::Moved { id, status } => {
            for todo in list.iter_mut().filter(|todo| todo.id == *id) {
                todo.status.clone_from(status);
            }
        }
    }
}

/// Whether an entry names a step.
pub fn is_step(todo: &Todo, step: &str) -> bool {
    let bare = |text: &str| {
        let text = text.trim().to_lowercase();
        text.strip_prefix("checkpoint:").unwrap_or(&text).trim().to_owned()
    };
    bare(&todo.text) == bare(&one_line(step, LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(tool: &'static str, input: &'static str) -> ToolCall<'static> {
        ToolCall { tool: tool.into(), id: "".into(), input: input.into() }
    }

    #[test]
    fn the_list_follows_the_tools() {
        let mut list = Vec::new();
        let mut see = |call: &ToolCall<'_>, response: Option<&str>| {
            if let Some(noted) = noted(call, response) {
                note(&mut list, &noted);
            }
            list.iter()
                .map(|todo| format!("{}:{}:{} ", todo.id, todo.text, todo.status))
                .collect::<Vec<_>>()
                .concat()
        };
        let write =
            call("TodoWrite", r#"{"todos":[{"content":"a","status":"in_progress","activeForm":"x"}]}"#);
        assert_eq!(see(&write, None), ":a:in_progress ");
        let made = r#"{"task":{"id":"1","subject":"b","description":"x"}}"#;
        assert_eq!(see(&call("TaskCreate", "{}"), Some(made)), ":a:in_progress 1:b:pending ");
        let done = call("TaskUpdate", r#"{"taskId":"1","status":"completed"}"#);
        assert_eq!(see(&done, None), ":a:in_progress 1:b:completed ");
        assert_eq!(
            see(&call("TaskUpdate", r#"{"taskId":"1","subject":"c"}"#), None),
            ":a:in_progress 1:b:completed "
        );
        assert_eq!(see(&call("TaskUpdate", r#"{"taskId":"1","status":"deleted"}"#), None), ":a:in_progress ");
        assert_eq!(see(&call("TodoWrite", r#"{"todos":7}"#), None), ":a:in_progress ");
        assert_eq!(see(&call("Read", "{}"), None), ":a:in_progress ");
    }

    #[test]
    fn entries_that_name_steps() {
        let todo = |text: &str| Todo { text: text.to_owned(), ..Todo::default() };
        assert!(is_step(&todo("CHECKPOINT: The tests pass"), "the tests pass"));
        assert!(is_step(&todo("fix it "), "Fix it"));
        assert!(!is_step(&todo("fix"), "Fix it"));
    }
}
