//! `engine task context`: the task file as it was when a task came into it.

use engine_app::error::{CommandError, Outcome};
use engine_core::task::{Task, TaskFile};
use engine_store::git;
use serde_json::json;

use super::{Desk, one};
use crate::ui::{Tone, Ui, toned};

pub(super) fn run(wanted: &str, desk: &Desk, ui: &Ui) -> Outcome {
    let text = desk.text()?;
    let file = TaskFile::parse(&text);
    // A task that is gone from the file can still be asked for by its whole name.
    let (name, token) = match one(&file, wanted) {
        Ok(task) => (task.meta.name.clone(), task.meta.token.clone()),
        Err(_) => (wanted.to_owned(), None),
    };
    let root = desk.project.root();
    let path = desk.name();
    let first = |needle: String| {
        let log = git::text(root, &["log", "--reverse", "--format=%H", &format!("-S{needle}"), "--", &path])?;
        log.lines().next().map(str::to_owned)
    };
    let needles = token.map(|token| format!("#{token}")).into_iter().chain(Task::spellings(&name));
    let commit = needles.into_iter().find_map(first);
    let commit = commit.ok_or_else(|| {
        CommandError::nothing(format!("no commit has brought {name} into {path}"))
            .hint("commit the file first")
    })?;
    let then = git::text(root, &["show", &format!("{commit}:./{path}")])
        .ok_or_else(|| CommandError::refused(format!("{path} cannot be read at {commit}")))?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "task": name, "commit": commit, "file": path, "text": then}));
        return Ok(());
    }
    ui.talk(toned(Tone::Quiet, &format!("{path} at {}", &commit[..12.min(commit.len())])));
    ui.text(&then);
    Ok(())
}
