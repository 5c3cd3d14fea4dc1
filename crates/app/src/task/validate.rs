//! What is wrong with the tasks: the check before a commit.

use engine_core::learning;
use engine_core::task::{Flaw, Task, TaskFile, conflict};
use engine_store::{clock, git, task_file};

use super::CommandContext;
use crate::error::{CommandError, Outcome};

/// Replaces each `#PNDNG` by a token of its own.
pub fn give_tokens(context: &CommandContext) -> Outcome {
    let mut count = 0;
    context.edit(|file, _| {
        let text = file.with_tokens(|| {
            count += 1;
            new_token(count)
        });
        Ok((Some(text), ()))
    })
}

/// What is wrong with the tasks: in the file itself, against the learnings, against history.
pub fn flaws(context: &CommandContext) -> Result<Vec<Flaw>, CommandError> {
    let text = context.text()?;
    let file = TaskFile::parse(&text);
    let mut flaws = file.flaws();
    if !conflict::ranges(&text).is_empty() {
        return Ok(flaws);
    }
    let learnings =
        learning::parse(&task_file::read(&context.project, &context.learnings).unwrap_or_default());
    for task in file.tasks().filter(|task| task.is_open()) {
        let twin =
            learnings.iter().find(|learning| learning.title.to_lowercase() == task.meta.name.to_lowercase());
        if let Some(twin) = twin {
            let text = format!(
                "the name {} is the title of a learning, in line {} of its file",
                task.meta.name, twin.line
            );
            flaws.push(Flaw { line: task.line, text, serious: true });
        }
    }
    flaws.extend(names_used_before(context, &file));
    flaws.sort_by_key(|flaw| flaw.line);
    Ok(flaws)
}

/// Five characters that no other task of this moment has.
fn new_token(salt: u64) -> String {
    let now = clock::now();
    let id = engine_text::stamp::DecisionId::new(now, salt << 32 | u64::from(std::process::id()));
    // The end of an id differs most; a token begins with a letter.
    format!("t{}", &id.as_str()[id.as_str().len() - 5..])
}

/// The last commit that had a task of this name, if neither the last commit nor the file has it.
pub(super) fn used_before(context: &CommandContext, task: &str) -> Option<String> {
    let is_there = |text: &str| TaskFile::parse(text).tasks().any(|old| old.meta.name == task);
    let text = task_file::read(&context.project, &context.path).unwrap_or_default();
    if is_there(&text) || at_head(context).is_some_and(|text| is_there(&text)) {
        return None;
    }
    commit_of(context, task)
}

fn at_head(context: &CommandContext) -> Option<String> {
    git::text(context.project.root(), &["show", &format!("HEAD:./{}", context.name())])
}

/// The last commit that added or removed a task of this name.
fn commit_of(context: &CommandContext, task: &str) -> Option<String> {
    let (root, name) = (context.project.root(), context.name());
    Task::spellings(task).into_iter().find_map(|spelling| {
        let log = git::text(root, &["log", "-1", "--format=%h %cs", &format!("-S{spelling}"), "--", &name])?;
        Some(log.trim().to_owned()).filter(|log| !log.is_empty())
    })
}

/// The line of the learning that has a name for its title.
pub(super) fn learning_of(context: &CommandContext, name: &str) -> Option<usize> {
    let text = task_file::read(&context.project, &context.learnings).unwrap_or_default();
    let name = name.to_lowercase();
    learning::parse(&text)
        .iter()
        .find(|learning| learning.title.to_lowercase() == name)
        .map(|found| found.line)
}

/// New tasks whose name a task of an earlier commit had, which is gone since.
fn names_used_before(context: &CommandContext, file: &TaskFile<'_>) -> Vec<Flaw> {
    let Some(head) = at_head(context) else { return Vec::new() };
    let head = TaskFile::parse(&head);
    let mut flaws = Vec::new();
    for task in file.tasks().filter(|task| task.is_open()) {
        if head.tasks().any(|old| old.meta.name == task.meta.name) {
            continue;
        }
        if let Some(commit) = commit_of(context, &task.meta.name) {
            let text = format!("the name {} was used before, until commit {}", task.meta.name, commit);
            flaws.push(Flaw { line: task.line, text, serious: true });
        }
    }
    flaws
}
