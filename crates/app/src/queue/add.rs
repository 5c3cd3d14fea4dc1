//! A capture. What was typed is kept, whatever else may be wrong; that is told beside it.

use engine_core::queue::{FoundItem, Item, Queue};
use engine_store::queue_file::{self, Words};
use engine_store::{clock, config_file};

use super::CommandContext;
use crate::error::CommandError;

/// What is to be kept.
#[derive(Debug, Clone, Copy)]
pub struct Idea<'a> {
    pub fragment: &'a str,
    pub title: Option<&'a str>,
    /// Items that must be done before it: ids, or the beginnings of ids.
    pub after: &'a [String],
}

/// An idea that is kept, and what is odd about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    pub item: Item,
    /// What it waits for in vain, a sentence each.
    pub warnings: Vec<String>,
}

/// Keeps an idea.
pub fn add(context: &CommandContext, idea: &Idea<'_>) -> Result<Captured, CommandError> {
    if idea.fragment.trim().is_empty() {
        return Err(CommandError::usage("there is nothing to keep: the text is empty"));
    }
    let queue = if idea.after.is_empty() { Queue::default() } else { context.queue().unwrap_or_default() };
    let whole = |word: &String| match queue.find(word) {
        FoundItem::One(entry) => entry.id.clone(),
        FoundItem::Several(_) | FoundItem::None => word.clone(),
    };
    let after: Vec<String> = idea.after.iter().filter(|word| !word.is_empty()).map(whole).collect();
    let words =
        Words { fragment: idea.fragment, title: idea.title, after: &after, session: context.session() };
    let config = config_file::load(&context.project);
    let id = queue_file::capture(&context.project, &config, &words, clock::now()).map_err(|error| {
        CommandError::refused(format!("it was not kept: {error}"))
            .hint(format!("the queue is {}", context.project.queue_folder().display()))
            .caused_by(error)
    })?;
    let item = Item::read(&id, &context.text(&id)?).map_err(CommandError::refused)?;
    let warnings = warnings(&item, &queue);
    Ok(Captured { item, warnings })
}

/// What it waits for in vain.
fn warnings(item: &Item, queue: &Queue) -> Vec<String> {
    let stuck = queue.waits(item).into_iter().filter(|wait| wait.why.is_stuck());
    let mut warnings: Vec<String> = stuck
        .map(|wait| match queue.find(&wait.id) {
            FoundItem::Several(ids) => format!("{} could be: {}", wait.id, ids.join(", ")),
            _ => format!("it is {wait}, and will not be pulled"),
        })
        .collect();
    if !warnings.is_empty() {
        warnings.push(format!("  set it right: engine q edit {} --after ID", item.id));
    }
    warnings
}
