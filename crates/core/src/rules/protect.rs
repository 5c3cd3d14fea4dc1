//! Keeps the agent from switching its own rules off: engine's files, and what wires engine into the client's
//! settings files.
//!
//! A settings file is judged by what it would become: any edit passes that leaves our hook entries alone and
//! neither disables hooks nor sets `ENGINE_*`. `context/`, `queue/` and `notes/` inside `.engine/` are the
//! agent's to write. A change that came another way (an editor, a script) is met when the client reports it,
//! and the client keeps the old settings in force.

use std::path::Path;

use super::{Mode, Rule, always};
use crate::event::{Event, EventName, Kind, ToolCall};
use crate::settings;
use crate::verdict::{Broken, Finding, UserLine};
use crate::view::{Unread, View};

pub(super) const RULE: Rule = Rule {
    id: "protect",
    about: "Denies changes to engine's own files and to what wires engine into the client's settings.",
    events: &[EventName::PreToolUse, EventName::ConfigChange],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge,
};

/// Folders inside `.engine/` that the agent may write.
const FREE: &[&str] = &["context", "queue", "notes"];

fn judge(event: &Event<'_>, view: &dyn View) -> Result<Finding, Broken> {
    match &event.kind {
        Kind::PreTool(call) if matches!(&*call.tool, "Write" | "Edit" | "NotebookEdit") => {
            let Some(path) = call.path() else { return Ok(Finding::default()) };
            file_tool(call, &view.resolve(&event.cwd, &path), view)
        }
        Kind::ConfigChange { path, .. } => Ok(changed_settings(&view.resolve(&event.cwd, path), view)),
        _ => Ok(Finding::default()),
    }
}

fn file_tool(call: &ToolCall<'_>, path: &Path, view: &dyn View) -> Result<Finding, Broken> {
    if let Some(inside) = view.own_folders().iter().find_map(|own| path.strip_prefix(own).ok()) {
        let first = inside.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
        if first.is_some_and(|first| FREE.contains(&first.as_str())) {
            return Ok(Finding::default());
        }
        return Ok(Finding::deny(format!(
            "{} belongs to engine and is changed by its commands only (configuration: engine config set KEY VALUE, \
             which a person confirms). Free to write: .engine/{}/.",
            path.display(),
            FREE.join("/, .engine/"),
        ))
        .because("the path lies in .engine/"));
    }
    if !view.settings_files().iter().any(|file| file == path) {
        return Ok(Finding::default());
    }
    let before = match view.read(path) {
        Ok(text) => text,
        Err(Unread::Missing) => String::new(),
        Err(Unread::Unreadable(why)) => return Err(Broken(format!("{}: {why}", path.display()))),
    };
    let Some(after) = resulting(call, &before) else { return Ok(Finding::default()) };
    Ok(match settings::harm(&settings::snapshot(&before), &after) {
        None => Finding::default(),
        Some(harm) => Finding::deny(format!(
            "this change to {} is refused: {harm}. Other keys of the file may be changed. \
             engine uninstall, run by a person, removes engine.",
            path.display(),
        ))
        .because("judged by what the file would become"),
    })
}

/// What the file would hold after the call; nothing when the call would not change it.
fn resulting(call: &ToolCall<'_>, before: &str) -> Option<String> {
    if call.tool == "Write" {
        return call.string("content").map(std::borrow::Cow::into_owned);
    }
    let (old, new) = (call.string("old_string")?, call.string("new_string")?);
    if old.is_empty() {
        return Some(new.into_owned());
    }
    if call.flag("replace_all") {
        return Some(before.replace(&*old, &new));
    }
    before.contains(&*old).then(|| before.replacen(&*old, &new, 1))
}

fn changed_settings(path: &Path, view: &dyn View) -> Finding {
    if view.uninstalled() || !view.settings_files().iter().any(|file| file == path) {
        return Finding::default();
    }
    let name = path.to_string_lossy();
    let before = view.session().wiring.get(&*name).cloned().unwrap_or_default();
    // A deleted file wires nothing.
    let now = view.read(path).unwrap_or_else(|_| "{}".to_owned());
    match settings::harm_done(&before, &now) {
        None => Finding::default(),
        Some(harm) => {
            let text = format!("the change to {name} was not applied: {harm}");
            let mut finding =
                Finding::deny(text.clone()).because("judged against the settings at session start");
            finding.lines.push(UserLine {
                text: format!(
                    "engine: {text}. The file still holds it. To remove engine, run engine uninstall"
                ),
                cause: None,
            });
            finding
        }
    }
}
