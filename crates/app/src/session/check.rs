//! Handing in checklists, and whether any tag is left bare.

use std::path::{Path, PathBuf};

use engine_core::directive::CHECKLIST;
use engine_core::work::checklist::{Mismatch, capped, hash, mismatch, undecided};
use engine_core::work::debrief::Loose;
use engine_core::work::gate::{self, Closed};
use engine_core::work::{Checklist, WorkState};
use engine_store::binding::work as binding;
use engine_store::links::resolve;
use engine_store::places;
use engine_store::work_file::WorkFile;
use fs_err as fs;
use serde_json::{Map, Value, json};

use super::{CommandContext, close, debrief, may_change};
use crate::error::{CommandError, Outcome};
use crate::stdin::Piped;

/// What came of handing in checklists.
pub struct Checked {
    pub work: WorkFile,
    /// How many passed.
    pub passed: usize,
    /// Everything that is wrong with the others.
    pub wrong: Vec<String>,
    /// Tags in the text that nobody has decided, by file.
    pub tags: Vec<(String, Loose)>,
    /// How checklists are handed in.
    call: String,
}

impl Checked {
    pub fn is_open(&self) -> bool {
        !self.wrong.is_empty() || !self.tags.is_empty()
    }

    /// Everything that is open, as one refusal.
    pub fn refusal(&self) -> Option<CommandError> {
        let of_checklist =
            |text: &String| Closed { rule: "checklist", text: text.clone(), fix: self.call.clone() };
        let mut closed: Vec<Closed> = self.wrong.iter().map(of_checklist).collect();
        let shown = self.work.shown();
        closed.extend(self.tags.iter().map(|(file, loose)| gate::undecided(&shown, file, loose)));
        self.is_open().then(|| close::refusal(&format!("{shown} is not in order"), &closed))
    }
}

/// Takes the checklists that are piped in, and records those that pass.
pub fn check(context: &CommandContext, path: &str, piped: Piped<'_>) -> Result<Checked, CommandError> {
    let work = context.changeable(path)?;
    let state = work.peek().unwrap_or_default();
    let (passed, wrong) = checklists(&state, piped)?;
    let count = passed.len();
    record(&work, passed, context)?;
    let (tags, call) = (debrief::bare_tags(&work), right_call(&work, &state));
    Ok(Checked { work, passed: count, wrong, tags, call })
}

/// Those that passed, and everything that is wrong with the others.
fn checklists(state: &WorkState, piped: Piped<'_>) -> Result<(Vec<Checklist>, Vec<String>), CommandError> {
    let piped = piped().map_err(CommandError::from_error)?;
    let submitted = match piped.as_deref().map_or_else(|| Ok(Map::new()), read) {
        Ok(submitted) => submitted,
        Err(mistake) => return Ok((Vec::new(), vec![mistake])),
    };
    let (mut passed, mut wrong, mut seen) = (Vec::new(), Vec::new(), Vec::new());
    for (file, text) in &submitted {
        let real = real(file);
        // The same file by another way is the one that is armed.
        let armed = state.checklists.iter().find(|list| resolve(Path::new(&list.path)) == real);
        let path = armed.map_or_else(|| real.display().to_string(), |list| list.path.clone());
        let is_checklist = armed.is_some() || real.ends_with(format!("{CHECKLIST}.md"));
        match judged(file, &real, is_checklist, text) {
            Ok(hash) => passed.push(Checklist { path, passed_hash: Some(hash) }),
            Err(problems) => wrong.extend(problems.into_iter().map(|problem| format!("{file}: {problem}"))),
        }
        seen.push(real);
    }
    let missing = open(state).filter(|list| !seen.contains(&resolve(Path::new(&list.path))));
    wrong.extend(missing.map(|list| format!("{} is missing", list.path)));
    Ok((passed, wrong))
}

fn record(work: &WorkFile, passed: Vec<Checklist>, context: &CommandContext) -> Outcome {
    if passed.is_empty() {
        return Ok(());
    }
    let paths: Vec<String> = passed.iter().map(|list| list.path.clone()).collect();
    let holder = work.update(|state| {
        may_change(work, state, context)?;
        for list in passed {
            state.checklists.retain(|known| known.path != list.path);
            state.checklists.push(list);
        }
        Ok::<_, CommandError>(state.agent_session.clone())
    })?;
    Ok(binding::disarm(&context.project, &work.name, holder.as_ref(), &paths)?)
}

/// How it is done, with a checklist that waits.
fn right_call(work: &WorkFile, state: &WorkState) -> String {
    let path = open(state).next().map_or("/absolute/path/CHECKLIST.md", |list| list.path.as_str());
    let object = json!({path: "the whole file, with only its boxes ticked"});
    format!("engine session check {} < FILE, which holds {object}", work.shown())
}

/// The files that were handed in; the usual mistakes each have their own answer.
fn read(text: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) if object.is_empty() => Err("the object is empty".to_owned()),
        Ok(Value::Object(object)) => Ok(object),
        Ok(Value::Array(_)) => Err("stdin holds a list; an object with paths as keys is wanted".to_owned()),
        Ok(_) => Err("stdin holds no object".to_owned()),
        Err(_) if is_markdown(text) => {
            Err("stdin holds Markdown; it goes into a JSON object, behind its path".to_owned())
        }
        Err(error) if error.is_eof() => {
            Err(format!("the JSON on stdin ends too early, in line {}: it was cut off", error.line()))
        }
        Err(error) => Err(format!("stdin is not JSON: {error}")),
    }
}

fn is_markdown(text: &str) -> bool {
    let text = text.trim_start();
    let has_box = || ["- [ ]", "- [x]", "- [X]"].iter().any(|tick| text.contains(tick));
    text.starts_with(['#', '-', '*']) || (!text.starts_with(['{', '[', '"']) && has_box())
}

/// The path that is meant, without links, `..` and `~`.
fn real(file: &str) -> PathBuf {
    let home = file.strip_prefix("~/").and_then(|rest| Some(places::home()?.join(rest)));
    let here = || std::env::current_dir().unwrap_or_default().join(file);
    resolve(&home.unwrap_or_else(here))
}

/// The name of the file as it passed, or everything that is wrong with it.
fn judged(file: &str, real: &Path, is_checklist: bool, text: &Value) -> Result<String, Vec<String>> {
    if file.starts_with('~') {
        return Err(vec![format!("a path is written out, without ~: {}", real.display())]);
    }
    if !file.starts_with('/') {
        return Err(vec![format!("the path is absolute: {}", real.display())]);
    }
    // The difference shows what is in the file, and this command asks nobody for permission.
    if !is_checklist {
        return Err(vec!["it is no checklist of this session".to_owned()]);
    }
    let original = text_of(real).ok_or_else(|| vec!["there is no such file".to_owned()])?;
    let Some(text) = text.as_str() else {
        return Err(vec!["its text is wanted, as a string".to_owned()]);
    };
    if let Some(Mismatch { why, lines }) = mismatch(&original, text) {
        return Err(vec![format!("{why}:\n  {}", lines.join("\n  "))]);
    }
    let open = undecided(text);
    if open.is_empty() { Ok(hash(&original)) } else { Err(capped(open)) }
}

fn open(state: &WorkState) -> impl Iterator<Item = &Checklist> {
    state.checklists.iter().filter(|list| is_open(list))
}

/// Whether a checklist has yet to pass, as its file is now. One that is gone asks for nothing.
pub(super) fn is_open(list: &Checklist) -> bool {
    text_of(Path::new(&list.path)).is_some_and(|text| list.passed_hash.as_deref() != Some(&hash(&text)))
}

/// The text of a file, also if a few of its bytes are none: they must not make a checklist go away.
fn text_of(path: &Path) -> Option<String> {
    let is_file = fs::metadata(path).is_ok_and(|data| data.is_file());
    let bytes = is_file.then(|| fs::read(path).ok()).flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests;
