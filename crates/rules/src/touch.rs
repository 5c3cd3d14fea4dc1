//! What a call changes, as rules ask that refuse changes.
//!
//! A path in a place where changes are free (`target/`, temporary folders) counts by where it leads: `target/link/app.rs` may be
//! `src/app.rs`.

use std::path::{Path, PathBuf};

use engine_core::event::ToolCall;
use engine_core::evidence::{EditScope, Touch, touch};
use engine_core::view::{Files, Shell};
use engine_shell::{Analysis, Effect};
use engine_text::path::join;

use crate::link;

/// How far the changes of a call reach: those of a file tool, and those that the words of a command tell of.
pub(crate) fn touch_of(
    call: &ToolCall<'_>,
    cwd: &str,
    scope: &EditScope<'_>,
    view: &(impl Files + Shell + ?Sized),
) -> Touch {
    let written =
        call.writes().map(|path| led(&join(cwd, path), scope, |path| view.resolve("/", path), view));
    let deleted = call.deletes().map(|path| led(&join(cwd, path), scope, |path| parent(path, view), view));
    let by_command = call.commands().map(|command| of_command(&view.analysis(command, cwd), scope, view));
    written.chain(deleted).chain(by_command).max().unwrap_or(Touch::Nothing)
}

fn of_command(analysis: &Analysis, scope: &EditScope<'_>, view: &(impl Files + ?Sized)) -> Touch {
    let touch = touch::of_command(analysis, scope);
    if touch == Touch::Files {
        return touch;
    }
    let mut changes = analysis.effects.iter().filter(|effect| effect.changes_content());
    let is_led = changes.any(|effect| {
        let real = |path: &str| match effect {
            Effect::Delete { .. } => parent(path, view),
            _ => view.resolve("/", path),
        };
        led(effect.path(), scope, real, view) == Touch::Files
    });
    // Which of them a link leads to is not known for sure, so one that is not there is none.
    let is_work = |source: &PathBuf| {
        inside(source, scope, view).is_some_and(|path| free(&path, scope).is_none()) && view.exists(source)
    };
    let mut links = analysis.runs.iter().filter_map(|run| link::of_run(run, view));
    if is_led || links.any(|link| link.sources.iter().any(is_work)) { Touch::Files } else { touch }
}

/// How far a change of a path reaches; `real`: where it leads.
fn led(
    path: &str,
    scope: &EditScope<'_>,
    real: impl Fn(&str) -> PathBuf,
    view: &(impl Files + ?Sized),
) -> Touch {
    let Some(folder) = free(path, scope) else { return Touch::Files };
    if is_stream(path) {
        return Touch::Nothing;
    }
    let real = real(path);
    let is_free = match inside(&real, scope, view) {
        Some(path) => free(&path, scope).is_some(),
        None => real.starts_with(view.resolve("/", &folder)),
    };
    if is_free { Touch::Nothing } else { Touch::Files }
}

fn free(path: &str, scope: &EditScope<'_>) -> Option<String> {
    touch::free_folder(path, "/", scope)
}

/// What is deleted is a link itself, and what it leads to stays.
pub(crate) fn parent(path: &str, view: &(impl Files + ?Sized)) -> PathBuf {
    match path.rsplit_once('/') {
        Some((folder, name)) => view.resolve("/", if folder.is_empty() { "/" } else { folder }).join(name),
        None => view.resolve("/", path),
    }
}

/// A device, or what a process has open: it leads to what the hook has open, not to that of the command.
fn is_stream(path: &str) -> bool {
    let is_device = path.starts_with("/dev/") && !path.starts_with("/dev/shm/");
    is_device || (path.starts_with("/proc/") && path.contains("/fd/"))
}

/// A resolved path below the project's root, as it would be written.
fn inside(real: &Path, scope: &EditScope<'_>, view: &(impl Files + ?Sized)) -> Option<String> {
    let below = real.strip_prefix(view.resolve("/", scope.root)).ok()?;
    Some(join(scope.root, &below.to_string_lossy()))
}
