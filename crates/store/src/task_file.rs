//! `session.md` on disk: where it is, and changes under a lock.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine_core::config::Config;
use engine_core::task::{FILE, State, Task, TaskFile};
use engine_text::undecoded;
use fs_err::File;

use crate::atomic::Durability;
use crate::lock;
use crate::project::Project;
use crate::task_keep;
use crate::task_owners::{self, Owners};
use crate::told;

/// Places that are looked at when the configuration names none; the first is made if there is none.
const USUAL: &[&str] = &["session.md", "agents/session.md"];

/// The task file of a project: that of the worktree at hand, if it has one.
pub fn path(project: &Project, config: &Config) -> PathBuf {
    let (tree, root) = (project.tree(), project.root());
    let own = (tree != root).then(|| path_in(tree, config)).filter(|path| path.is_file());
    own.unwrap_or_else(|| path_in(root, config))
}

/// The task file of a checkout.
pub(crate) fn path_in(root: &Path, config: &Config) -> PathBuf {
    if let Some(configured) = config.path(&FILE) {
        return root.join(configured);
    }
    let usual = USUAL.iter().map(|name| root.join(name));
    usual.clone().find(|path| path.is_file()).unwrap_or_else(|| root.join(USUAL[0]))
}

/// Its name in its own checkout.
pub fn name_in_checkout(project: &Project, config: &Config) -> String {
    let path = path(project, config);
    path.strip_prefix(project.checkout_of(&path)).unwrap_or(&path).display().to_string()
}

/// Its name, from the project's root.
pub fn name(project: &Project, config: &Config) -> String {
    let path = path(project, config);
    path.strip_prefix(project.root()).unwrap_or(&path).display().to_string()
}

/// Where the task file of a project may be, from its root; the first one that is there counts.
pub(crate) fn candidates(config: &Config) -> Vec<&str> {
    config.path(&FILE).map_or_else(|| USUAL.to_vec(), |configured| vec![configured])
}

/// The file with the learnings: beside the task file, so that both are found together.
pub fn learnings(project: &Project, config: &Config) -> PathBuf {
    path(project, config).with_file_name("learnings.md")
}

/// The text of a file; empty if there is none. Bytes that are not UTF-8 are kept in it, see [`undecoded`].
pub fn read(project: &Project, path: &Path) -> io::Result<String> {
    Ok(told::read_kept_if_there(project.root(), path)?.unwrap_or_default())
}

/// Marks the task that a session works on as blocked, if it works on one.
pub fn block_own(project: &Project, path: &Path, session: &str, reason: &str) -> io::Result<()> {
    // Most sessions have none, and need no lock.
    let owners = Owners::load(project, path);
    if !owners.has(session) {
        return Ok(());
    }
    edit(project, path, |text, owners| {
        let file = TaskFile::parse(text);
        let is_own =
            |task: &&Task| task.state == State::InProgress && owners.owner(&task.meta.name) == Some(session);
        let Some(task) = file.tasks().find(is_own) else { return Ok((None, ())) };
        owners.release(&task.meta.name);
        Ok((Some(file.with_state(task, State::Blocked, Some(reason))), ()))
    })
}

/// Marks a task that a session works on as done.
pub fn end_own(project: &Project, path: &Path, session: &str, name: &str) -> io::Result<()> {
    edit(project, path, |text, owners| {
        let file = TaskFile::parse(text);
        let is_own = |task: &&Task| {
            task.meta.name == name
                && task.state == State::InProgress
                && owners.owner(name).is_none_or(|owner| owner == session)
        };
        let Some(task) = file.tasks().find(is_own) else { return Ok((None, ())) };
        owners.end(name);
        Ok((Some(file.with_state(task, State::Done, None)), ()))
    })
}

/// Gives a task in progress that one session works on to another one.
pub fn hand_over(project: &Project, path: &Path, name: &str, from: &str, to: &str) -> io::Result<()> {
    edit(project, path, |_, owners| {
        if owners.owner(name) == Some(from) {
            owners.take(name, Some(to));
        }
        Ok((None, ()))
    })
}

/// The task that was blocked for this reason is at work again, by this session.
pub fn unblock(project: &Project, path: &Path, session: &str, reason: &str) -> io::Result<()> {
    let is_it = |task: &&Task| task.is_blocked_by(reason);
    // Most chains carry no task, and need no lock.
    if !TaskFile::parse(&read(project, path)?).tasks().any(|task| is_it(&task)) {
        return Ok(());
    }
    edit(project, path, |text, owners| {
        let file = TaskFile::parse(text);
        let Some(task) = file.tasks().find(is_it) else { return Ok((None, ())) };
        owners.take(&task.meta.name, Some(session));
        Ok((Some(file.with_state(task, State::InProgress, None)), ()))
    })
}

/// Takes the lock under which commands change the project's Markdown files: a task file may have tags, too.
pub(crate) fn hold(project: &Project, patience: Duration) -> io::Result<File> {
    lock::hold_local(&project.state_folder().join("tasks.lock"), patience)
}

/// Changes the task file under the project's task lock. `change` gets the text as it is then, and gives the new one,
/// if there is one.
pub fn edit<T, E: From<io::Error>>(
    project: &Project,
    path: &Path,
    change: impl FnOnce(&str, &mut Owners<'_>) -> Result<(Option<String>, T), E>,
) -> Result<T, E> {
    let record = task_owners::record(project);
    let held = record.hold()?;
    let text = read(project, path)?;
    let mut owners = Owners::of(project, path, held.read_or_new()?.0);
    let before = owners.book().clone();
    let (new, answer) = change(&text, &mut owners)?;
    let new = new.filter(|new| *new != text);
    // First: an owner of a task that is still pending holds nothing, but a task in progress that has no owner is anybody's.
    if *owners.book() != before {
        owners.prune(new.as_deref().unwrap_or(&text));
        held.replace(&owners.into_book())?;
    }
    if let Some(new) = new {
        told::replace(project.root(), path, &undecoded::encode(&new), Durability::Disk)?;
        // Only a copy.
        let _ = task_keep::edited(project, path, &text, &new);
    }
    Ok(answer)
}
