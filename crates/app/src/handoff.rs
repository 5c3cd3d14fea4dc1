//! The handoff for the next session: status, done and notes of session.md.

use engine_core::handoff::{self, Handoff, Refused, Writer, Written};
use engine_store::session_file::SessionFile;
use engine_store::task_owners::short;
use engine_store::{clock, task_file};
use serde_json::Value;

use crate::error::CommandError;
use crate::task::CommandContext;

pub const SHAPE: &str = r#"it reads: {"status": "...", "done": ["..."], "notes": ["..."]}"#;

/// Writes it into the task file.
pub fn write(context: &CommandContext, handoff: &Handoff) -> Result<Written, CommandError> {
    if handoff.status.as_ref().is_some_and(|status| status.trim().is_empty()) {
        return Err(CommandError::usage("status takes a text that is not empty"));
    }
    let now = clock::now();
    let session = context.session.as_deref();
    let began = |session| SessionFile::new(&context.project.sessions_folder(), session).peek().started;
    // Of a session without hooks nobody knows what it was told.
    let since = session.map_or(now, |session| began(session).unwrap_or_default());
    let id = session.map(short);
    let writer = Writer { session: id.as_deref(), now, since };
    task_file::edit(&context.project, &context.path, |text, _| {
        context.is_whole(text)?;
        match handoff::with(text, handoff, &writer) {
            Ok(written) => Ok((Some(written.text.clone()), written)),
            Err(Refused::Opens(line)) => Err(CommandError::usage(format!(
                "a line of the status begins a heading, fence or comment: {line}"
            ))),
            Err(Refused::Loses(line)) => {
                Err(CommandError::refused(format!("{}: this line would be lost: {line}", context.name()))
                    .hint("move it into the section Pending Tasks first"))
            }
        }
    })
}

/// All that is wrong with the input, at once.
pub fn read(text: &str) -> Result<Handoff, CommandError> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| CommandError::usage(format!("not JSON: {error}")).hint(SHAPE))?;
    let Some(object) = value.as_object() else {
        return Err(CommandError::usage("not a JSON object").hint(SHAPE));
    };
    let texts = |value: &Value| value.as_array().is_some_and(|items| items.iter().all(Value::is_string));
    let mut wrong: Vec<String> = object
        .iter()
        .filter_map(|(key, value)| match key.as_str() {
            "status" if value.as_str().is_some_and(|status| !status.trim().is_empty()) => None,
            "status" => Some("status takes a text that is not empty".to_owned()),
            "done" | "notes" if texts(value) => None,
            "done" | "notes" => Some(format!("{key} takes a list of texts")),
            _ => Some(format!("unknown key {key}")),
        })
        .collect();
    if object.is_empty() {
        wrong.push("status, done or notes must be there".to_owned());
    }
    if !wrong.is_empty() {
        return Err(CommandError::usage(wrong.join("; ")).hint(SHAPE));
    }
    serde_json::from_value(value).map_err(|error| CommandError::usage(error.to_string()).hint(SHAPE))
}
