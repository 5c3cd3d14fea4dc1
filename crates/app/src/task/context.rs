//! The task file as it was when a task came into it.

use engine_core::task::{Task, TaskFile};
use engine_store::git;
use engine_text::undecoded::longest_decoded;

use super::{CommandContext, one};
use crate::error::CommandError;

/// The task file as it was in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// The whole name of the task.
    pub name: String,
    pub commit: String,
    pub file: String,
    pub text: String,
}

/// The file as it was in the commit that brought a task.
pub fn context(context: &CommandContext, wanted: &str) -> Result<Context, CommandError> {
    let text = context.text()?;
    let file = TaskFile::parse(&text);
    // A task that is gone from the file can still be asked for by its whole name.
    let (name, token) = match one(&file, wanted) {
        Ok(task) => (task.meta.name.clone(), task.meta.token.clone()),
        Err(_) => (wanted.to_owned(), None),
    };
    let root = context.project.root();
    let path = context.name();
    let first = |needle: String| {
        let log = git::text(root, &["log", "--reverse", "--format=%H", &format!("-S{needle}"), "--", &path])?;
        log.lines().next().map(str::to_owned)
    };
    // Git takes no bytes that are not UTF-8 here: the rest of the name will do.
    let spellings = Task::spellings(&name).map(|spelling| longest_decoded(&spelling).to_owned());
    let needles = token.map(|token| format!("#{token}")).into_iter().chain(spellings);
    let commit = needles.into_iter().find_map(first);
    let commit = commit.ok_or_else(|| {
        CommandError::nothing(format!("no commit has brought {name} into {path}"))
            .hint("commit the file first")
    })?;
    let then = git::text(root, &["show", &format!("{commit}:./{path}")])
        .ok_or_else(|| CommandError::refused(format!("{path} cannot be read at {commit}")))?;
    Ok(Context { name, commit, file: path, text: then })
}
