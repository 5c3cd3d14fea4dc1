//! The tasks of session.md. The file is changed under a lock, line by line.

use std::path::PathBuf;

use engine_core::config::Config;
use engine_core::status::Holder;
use engine_core::task::{FoundTask, Meta, Place, State, Task, TaskFile, conflict, flat};
use engine_store::approve::Caller;
use engine_store::config_file;
use engine_store::project::Project;
use engine_store::task_file;
use engine_store::task_keep;
use engine_store::task_owners::Owners;
use engine_text::line::operand;
use engine_text::undecoded;

use crate::error::{CommandError, Outcome};
use crate::{here, trust};

pub mod context;
pub mod state;
pub mod validate;

/// What every task command works on.
pub struct CommandContext {
    pub project: Project,
    pub path: PathBuf,
    pub learnings: PathBuf,
    /// The agent session that asks; nothing for a person.
    pub session: Option<String>,
    caller: Caller,
}

impl CommandContext {
    pub fn open() -> Result<Self, CommandError> {
        Ok(Self::of(here::project()?, &here::caller()))
    }

    pub fn of(project: Project, caller: &Caller) -> Self {
        let config: Config = config_file::load(&project);
        let session = caller.session().map(str::to_owned);
        let (path, learnings) = (task_file::path(&project, &config), task_file::learnings(&project, &config));
        Self { project, path, learnings, session, caller: caller.clone() }
    }

    /// Refuses an agent the tasks of a project that is not trusted.
    fn may_tell(&self) -> Outcome {
        trust::may_tell(&self.name(), &self.project, &self.caller)
    }

    /// The text of the file, for whoever runs the command.
    pub fn text(&self) -> Result<String, CommandError> {
        self.may_tell()?;
        task_file::read(&self.project, &self.path).map_err(|error| CommandError::at(self.name(), error))
    }

    /// Who works on the tasks of the file.
    pub fn owners(&self) -> Owners<'_> {
        Owners::load(&self.project, &self.path)
    }

    /// Who works on a task, for whoever runs the command.
    pub fn holder(&self, owners: &Owners<'_>, task: &Task) -> Holder {
        match &self.session {
            Some(session) => owners.holder(task, Some(session)),
            None => owners.holder_for_a_person(task),
        }
    }

    pub fn name(&self) -> String {
        self.path.strip_prefix(self.project.root()).unwrap_or(&self.path).display().to_string()
    }

    /// Changes tasks of the file, which are named then; `change` gets it as it is under the lock.
    fn edit<T>(
        &self,
        change: impl FnOnce(&TaskFile<'_>, &mut Owners<'_>) -> Result<(Option<String>, T), CommandError>,
    ) -> Result<T, CommandError> {
        self.may_tell()?;
        self.edit_unnamed(change)
    }

    /// The same for a change that names no task but the caller's own.
    fn edit_unnamed<T>(
        &self,
        change: impl FnOnce(&TaskFile<'_>, &mut Owners<'_>) -> Result<(Option<String>, T), CommandError>,
    ) -> Result<T, CommandError> {
        task_file::edit(&self.project, &self.path, |text, owners| {
            self.is_whole(text)?;
            change(&TaskFile::parse(text), owners)
        })
    }

    /// Refuses to work on a file with conflict markers.
    pub(crate) fn is_whole(&self, text: &str) -> Outcome {
        let report = conflict::report(&self.name(), text);
        report.map_or(Ok(()), |report| Err(CommandError::refused(report).hint(conflict::REMEDY)))
    }
}

/// The one task that is meant.
pub fn one<'t>(file: &'t TaskFile<'_>, wanted: &str) -> Result<&'t Task, CommandError> {
    match file.find(wanted) {
        FoundTask::One(task) => Ok(task),
        FoundTask::Several(names) => {
            Err(CommandError::refused(format!("{wanted} could be: {}", names.join(", ")))
                .hint("give the whole name, or its id"))
        }
        FoundTask::None => {
            Err(CommandError::refused(format!("no task {wanted}")).hint("list them: engine task list --all"))
        }
    }
}

/// A task that was changed, as it stands in the file now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub name: String,
    /// Nothing if the text that was written does not show it.
    pub task: Option<Task>,
}

impl Changed {
    fn of(text: &str, name: String) -> Self {
        let file = TaskFile::parse(text);
        let task = file.tasks().filter(|task| task.meta.name == name).last().cloned();
        Self { name, task }
    }
}

/// Adds a task at the beginning or the end of a section.
pub fn add(
    context: &CommandContext,
    meta: Meta,
    section: Option<&str>,
    place: Place<'_>,
) -> Result<Changed, CommandError> {
    let meta = Meta { name: flat(&meta.name), ..meta };
    if meta.name.is_empty() {
        return Err(CommandError::usage("a task needs a name"));
    }
    // Before the lock: git takes its time.
    if let Some(commit) = validate::used_before(context, &meta.name) {
        let refused = format!("{} is the name of an earlier task, until commit {commit}", meta.name);
        let context = format!("take another name; what it was: engine task context {}", operand(&meta.name));
        return Err(CommandError::refused(refused).hint(context));
    }
    context.edit_unnamed(|file, _| {
        is_unused(context, file, &meta.name)?;
        let text = file.with_new(&meta, section, place);
        let added = Changed::of(&text, meta.name.clone());
        waits_not_for_itself(&text, &meta)?;
        if added.task.is_none() {
            return Err(CommandError::refused("the task would not be seen where it would stand")
                .hint("what hides it: engine task validate"));
        }
        Ok((Some(text), added))
    })
}

/// Refuses a name that `task validate` would find fault with: one of a task, or of a learning.
fn is_unused(context: &CommandContext, file: &TaskFile<'_>, name: &str) -> Outcome {
    let lower = name.to_lowercase();
    let twin = file.twin(name).or_else(|| file.tasks().find(|task| task.meta.name.to_lowercase() == lower));
    if let Some(twin) = twin {
        let refused = format!("{name} is there already, {}, in line {}", twin.state.as_str(), twin.line);
        let refused = CommandError::refused(refused);
        let again =
            format!("to do it again: engine task reopen {}; or take another name", operand(&twin.meta.name));
        return Err(if twin.is_open() { refused } else { refused.hint(again) });
    }
    if let Some(line) = validate::learning_of(context, name) {
        let refused = format!("{name} is the title of a learning, in line {line} of its file");
        return Err(CommandError::refused(refused).hint("take another name"));
    }
    Ok(())
}

/// Refuses needs by which a task would wait for itself.
fn waits_not_for_itself(text: &str, meta: &Meta) -> Outcome {
    let file = TaskFile::parse(text);
    let task = file.tasks().filter(|task| task.meta.name == meta.name && !task.meta.needs.is_empty()).last();
    let circle = task.and_then(|task| file.circle(task));
    circle.map_or(Ok(()), |circle| {
        Err(CommandError::refused(format!("{} would wait for itself: {circle}", meta.name)))
    })
}

/// What is to be different about a task's line.
#[derive(Debug, Clone, Copy, Default)]
pub struct Edit<'a> {
    pub rename: Option<&'a str>,
    /// Empty: none.
    pub command: Option<&'a str>,
    pub model: Option<&'a str>,
    pub restart: Option<bool>,
    /// Names with commas between them; empty: none.
    pub needs: Option<&'a str>,
}

impl Edit<'_> {
    fn of(&self, meta: &Meta) -> Meta {
        let mut meta = meta.clone();
        if let Some(name) = self.rename {
            meta.name = flat(name);
        }
        if let Some(command) = self.command {
            meta.command = Some(command.to_owned()).filter(|command| !command.is_empty());
        }
        if let Some(model) = self.model {
            meta.model = Some(model.to_lowercase());
        }
        if let Some(restart) = self.restart {
            meta.restart = restart;
        }
        if let Some(needs) = self.needs {
            meta.needs =
                needs.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
        }
        meta
    }
}

/// Changes what a task's line says.
pub fn edit(context: &CommandContext, wanted: &str, edit: &Edit<'_>) -> Result<Changed, CommandError> {
    context.edit(|file, owners| {
        let task = one(file, wanted)?;
        let old = task.meta.name.clone();
        let meta = edit.of(&task.meta);
        if meta == task.meta {
            return Err(CommandError::nothing(format!("{old} is like that already")));
        }
        if meta.name.is_empty() {
            return Err(CommandError::usage("a task needs a name"));
        }
        if file.twin(&meta.name).is_some_and(|twin| twin.line != task.line) {
            return Err(CommandError::refused(format!("{} is the name of another task", meta.name)));
        }
        if task.state == State::InProgress && context.session.is_some() {
            state::is_not_theirs(context, owners, task)?;
        }
        if edit.needs.is_some() {
            waits_not_for_itself(&file.with_meta(task, &meta), &meta)?;
        }
        if let Some(owner) = owners.owner(&old).map(str::to_owned).filter(|_| old != meta.name) {
            owners.release(&old);
            owners.take(&meta.name, Some(&owner));
        }
        let text = file.with_meta(task, &meta);
        let changed = Changed::of(&text, meta.name);
        Ok((Some(text), changed))
    })
}

/// Where a task is to go.
#[derive(Debug, Clone, Copy)]
pub enum Destination<'a> {
    Before(&'a str),
    After(&'a str),
    /// Of a section, or of its own.
    First(Option<&'a str>),
    Last(Option<&'a str>),
}

/// Puts a task somewhere else.
pub fn relocate(
    context: &CommandContext,
    wanted: &str,
    to: Destination<'_>,
) -> Result<Changed, CommandError> {
    context.edit(|file, _| {
        let task = one(file, wanted)?;
        let name = task.meta.name.clone();
        let (place, section) = match to {
            Destination::Before(other) => {
                one(file, other).map(|other| (Place::Before(other), Some(other.section.clone())))?
            }
            Destination::After(other) => {
                one(file, other).map(|other| (Place::After(other), Some(other.section.clone())))?
            }
            Destination::First(section) => (Place::First, section.map(str::to_owned)),
            Destination::Last(section) => (Place::Last, section.map(str::to_owned)),
        };
        if let Some(section) = section.as_ref().filter(|section| !file.has_section(section)) {
            return Err(CommandError::refused(format!("the file has no section {section}"))
                .hint(format!("make it first, with the heading: ## {section}")));
        }
        let text = file.with_moved(task, section.as_deref(), place);
        if text == file.text() {
            return Err(CommandError::nothing(format!("{name} stands there already")));
        }
        let changed = Changed::of(&text, name);
        Ok((Some(text), changed))
    })
}

/// Adds a line below a task.
pub fn note(context: &CommandContext, wanted: &str, note: &str) -> Result<Changed, CommandError> {
    context.edit(|file, _| {
        let task = one(file, wanted)?;
        let text = file.with_note(task, note);
        let changed = Changed::of(&text, task.meta.name.clone());
        Ok((Some(text), changed))
    })
}

/// Brings back the tasks that the file has lost; their names.
pub fn recover(context: &CommandContext) -> Result<Vec<String>, CommandError> {
    let failed = |error| CommandError::at(context.name(), error);
    let lost = task_keep::lost(&context.project, &context.path).map_err(failed)?;
    context.edit(|file, _| {
        let lost: Vec<_> =
            lost.iter().filter(|task| !file.tasks().any(|one| one.meta.name == task.name)).collect();
        if lost.is_empty() {
            return Err(CommandError::nothing(format!("{} has lost no task", context.name())));
        }
        let lines: Vec<String> = lost.iter().flat_map(|task| task.lines.clone()).collect();
        let names = lost.iter().map(|task| undecoded::shown(&task.name).into_owned()).collect();
        Ok((Some(file.with_lines(&lines)), names))
    })
}

#[cfg(test)]
mod tests;
