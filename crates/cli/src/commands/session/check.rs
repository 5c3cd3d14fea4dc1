//! `engine session check`: handing in checklists.

use std::path::Path;

use engine_core::work::checklist::{differences, hash, undecided};
use engine_core::work::{Checklist, WorkState};
use serde_json::{Map, Value, json};

use super::{Desk, may_change};
use crate::error::{CommandError, Outcome};
use crate::stdin;
use crate::ui::{Ui, counted};

const SHAPE: &str = r#"{"/absolute/path/CHECKLIST.md": "the whole file, with only its boxes ticked"}"#;

pub(super) fn run(path: &str, desk: &Desk, ui: &Ui) -> Outcome {
    let work = desk.existing(path)?;
    let state = work.peek().unwrap_or_default();
    let submitted = submitted()?;
    let mut wrong = Vec::new();
    let mut passed = Vec::new();
    for (file, text) in &submitted {
        match judged(file, text) {
            Ok(hash) => passed.push(Checklist { path: file.clone(), passed_hash: Some(hash) }),
            Err(problems) => wrong.extend(problems),
        }
    }
    wrong.extend(missing(&state, &submitted));
    if !wrong.is_empty() {
        let call = format!("engine session check {} < FILE, which holds {SHAPE}", work.shown());
        return Err(CommandError::refused(wrong.join("\n")).hint(call));
    }
    let count = passed.len() as u64;
    let paths: Vec<String> = passed.iter().map(|list| list.path.clone()).collect();
    let holder = work.update(|state| {
        may_change(&work, state, desk)?;
        for list in passed {
            state.checklists.retain(|known| known.path != list.path);
            state.checklists.push(list);
        }
        Ok::<_, CommandError>(state.agent_session.clone())
    })?;
    desk.disarm(&work.name, holder.as_ref(), &paths)?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown(), "passed": count}));
    } else {
        ui.line(format!("{}: {} passed", work.shown(), counted(count, "checklist")));
    }
    Ok(())
}

/// The files that were handed in; the usual mistakes each have their own answer.
fn submitted() -> Result<Map<String, Value>, CommandError> {
    let refused = |text: &str| CommandError::refused(format!("checklist: {text}")).hint(SHAPE);
    let text = stdin::piped().map_err(|error| CommandError::refused(error.to_string()))?;
    let Some(text) = text else { return Err(refused("nothing came on stdin")) };
    match serde_json::from_str(&text) {
        Ok(Value::Object(object)) if object.is_empty() => Err(refused("the object is empty")),
        Ok(Value::Object(object)) => Ok(object),
        Ok(Value::Array(_)) => Err(refused("stdin holds a list; an object with paths as keys is wanted")),
        Ok(_) => Err(refused("stdin holds no object")),
        Err(_) if text.trim_start().starts_with(['#', '-', '*']) => {
            Err(refused("stdin holds Markdown; it goes into a JSON object, behind its path"))
        }
        Err(error) => Err(refused(&format!("stdin is not JSON: {error}"))),
    }
}

/// The name of the file as it passed, or everything that is wrong with it.
fn judged(file: &str, text: &Value) -> Result<String, Vec<String>> {
    let one = |problem: String| vec![format!("checklist: {problem}")];
    if file.starts_with('~') {
        return Err(one(format!("{file}: a path is written out, without ~")));
    }
    if !file.starts_with('/') {
        return Err(one(format!("{file}: the path is absolute")));
    }
    let Ok(original) = std::fs::read_to_string(Path::new(file)) else {
        return Err(one(format!("{file}: there is no such file")));
    };
    let Some(text) = text.as_str() else {
        return Err(one(format!("{file}: its text is wanted, as a string")));
    };
    let changed = differences(&original, text);
    if !changed.is_empty() {
        let lines = changed.join("\n  ");
        return Err(one(format!(
            "{file}: only boxes may change, and the whole file is handed in:\n  {lines}"
        )));
    }
    let open = undecided(text);
    if open.is_empty() {
        return Ok(hash(&original));
    }
    Err(open.iter().map(|problem| format!("checklist: {file}: {problem}")).collect())
}

/// Checklists that are armed and were not handed in.
fn missing(state: &WorkState, submitted: &Map<String, Value>) -> Vec<String> {
    let open = state.checklists.iter().filter(|list| is_open(list) && !submitted.contains_key(&list.path));
    open.map(|list| format!("checklist: {} is missing", list.path)).collect()
}

/// Whether a checklist has yet to pass, as its file is now. One that is gone asks for nothing.
pub(super) fn is_open(list: &Checklist) -> bool {
    std::fs::read_to_string(&list.path).is_ok_and(|text| list.passed_hash.as_deref() != Some(&hash(&text)))
}
