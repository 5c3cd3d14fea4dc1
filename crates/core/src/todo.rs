//! The list that an agent keeps for itself with a tool of its client. It moves nothing in the plan; a person sees it beside the plan, with
//! what is in it and not in the plan.

use serde::{Deserialize, Serialize};

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
