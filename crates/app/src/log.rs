//! Logs of the work: appending entries, and finding them again.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use engine_core::log::{self, Kind};
use engine_core::work::Lifecycle;
use engine_store::approve::Caller;
use engine_store::links::resolve;
use engine_store::project::Project;
use engine_store::read::read_string;
use engine_store::session_file::SessionFile;
use engine_store::work_file::{self, WorkFile};
use engine_store::{clock, log_file};

use crate::error::{CommandError, Outcome};
use crate::stdin::NoInput;
use crate::{here, time};

/// An entry is written by hand; more is a file in the wrong place.
const LARGEST: usize = 1 << 20;

/// What was written, where and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged {
    pub file: PathBuf,
    /// In the person's own zone.
    pub at: String,
}

/// Who logs, and in which project; outside of any there is none.
pub struct CommandContext {
    pub project: Option<Project>,
    pub caller: Caller,
}

impl CommandContext {
    pub fn here() -> Self {
        Self { project: here::project().ok(), caller: here::caller() }
    }
}

/// Appends an entry to a log, or replaces the whole file.
pub fn write(
    context: &CommandContext,
    file: &Path,
    overwrite: bool,
    text: impl FnOnce() -> Result<String, NoInput>,
) -> Result<Logged, CommandError> {
    let file = from_root(context, file);
    here::must_be_markdown(&file, "log")?;
    may_write(context, &file)?;
    let text = text().map_err(CommandError::from_error)?;
    if text.trim().is_empty() {
        return Err(CommandError::refused("the text on stdin is empty"));
    }
    if text.len() > LARGEST {
        return Err(CommandError::refused(format!("the text is larger than {} MB", LARGEST >> 20)));
    }
    let at = time::local(clock::now());
    let written = if overwrite {
        log_file::overwrite(&file, &text)
    } else {
        let phase = phase(context, &file);
        let entry = log::entry(&text, &at, phase.as_deref()).ok_or_else(|| {
            CommandError::refused("the text has no heading: a log entry begins with a line ## TITLE")
        })?;
        log_file::append(&file, &entry)
    };
    written.map_err(|error| failed(&file, error))?;
    count(context, &file);
    Ok(Logged { file, at })
}

/// The commands that an agent is told name a log from the project's root; its shell may be elsewhere by now.
fn from_root(context: &CommandContext, file: &Path) -> PathBuf {
    let is_there =
        |file: &Path| file.parent().is_some_and(|folder| folder.as_os_str().is_empty() || folder.is_dir());
    match context.project.as_ref().map(|project| project.root().join(file)) {
        Some(rooted) if !is_there(file) && is_there(&rooted) => rooted,
        _ => file.to_owned(),
    }
}

/// An agent may log without asking, so it writes about its work and nowhere else.
fn may_write(context: &CommandContext, file: &Path) -> Outcome {
    let (Some(project), Caller::Agent { .. }) = (&context.project, &context.caller) else {
        return Ok(());
    };
    if resolve(&std::path::absolute(file)?).starts_with(resolve(&work_file::folder(project))) {
        return Ok(());
    }
    Err(CommandError::refused(format!("{} is in no work session; an agent logs only there", file.display()))
        .hint("the Write tool writes other files"))
}

/// The phase of the work session in whose folder a log is, while somebody works there.
fn phase(context: &CommandContext, file: &Path) -> Option<String> {
    let project = context.project.as_ref()?;
    let file = resolve(&std::path::absolute(file).ok()?);
    let inner = file.strip_prefix(resolve(&work_file::folder(project))).ok()?;
    let name = inner.components().next()?.as_os_str().to_str()?;
    let state = WorkFile::new(project, name).peek().filter(|state| state.lifecycle == Lifecycle::Active)?;
    state.run()?.current_phase.as_ref().map(ToString::to_string)
}

/// An agent that has logged may go on: the rule heartbeat asks for it. Counted is what belongs to the work at hand.
fn count(context: &CommandContext, file: &Path) {
    let (Some(project), Caller::Agent { session }) = (&context.project, &context.caller) else {
        return;
    };
    let agent = SessionFile::new(&project.sessions_folder(), session);
    let Some(bound) = agent.peek().work else { return };
    let folder = resolve(WorkFile::new(project, &bound.name).folder());
    if std::path::absolute(file).is_ok_and(|file| resolve(&file).starts_with(folder)) {
        let _ = agent.update(|state| state.logs += 1);
    }
}

fn failed(file: &Path, error: std::io::Error) -> CommandError {
    let folder = file.parent().unwrap_or(Path::new("")).display();
    match error.kind() {
        ErrorKind::NotFound => CommandError::refused(format!("the folder {folder} is not there"))
            .hint(format!("make it: mkdir -p {folder}")),
        _ => CommandError::at(file.display(), error),
    }
}

/// Which entries are wanted; nothing said: all.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter<'a> {
    pub kind: Option<Kind>,
    /// A label, a name, or both.
    pub phase: Option<&'a str>,
    /// From when on, in the person's own zone.
    pub since: Option<&'a str>,
}

impl Filter<'_> {
    pub fn fits(&self, entry: &log::Entry<'_>) -> bool {
        self.kind.is_none_or(|kind| entry.kind == Some(kind))
            && self.phase.is_none_or(|phase| entry.is_of_phase(phase))
            && self.since.is_none_or(|since| entry.at.is_some_and(|at| at >= since))
    }
}

/// The text of a log.
pub fn read(file: &Path) -> Result<String, CommandError> {
    read_string(file).map_err(|error| CommandError::at(file.display(), error))
}

/// The logs of a work session, by name. `sessions/X`, `X` and an absolute path are the same.
pub fn logs_of(session: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let cwd = here::folder()?;
    let root = Project::open(None, &cwd).map_or_else(|| cwd.clone(), |project| project.root().to_owned());
    let places = [session.to_owned(), root.join(session), root.join("sessions").join(session)];
    let Some(folder) = places.iter().find(|place| place.is_dir()) else {
        return Err(CommandError::refused(format!("there is no session {}", session.display())));
    };
    let mut logs = log_file::all(folder)?;
    // As a reader here would name them.
    for log in &mut logs {
        *log = log.strip_prefix(&cwd).unwrap_or(log).to_owned();
    }
    Ok(logs)
}

#[cfg(test)]
mod tests;
