//! A claim. Under the lock each item is seen open once.

use engine_core::queue::{Item, Queue, State, body, with_fields};
use engine_store::approve::Caller;
use engine_store::{clock, queue_file};

use super::{CommandContext, not_edited, readable};
use crate::error::CommandError;

/// An item that the caller has now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pulled {
    pub item: Item,
    pub prompt: String,
}

/// Claims the named item, or the oldest that waits for nothing.
pub fn pull(context: &CommandContext, word: Option<&str>) -> Result<Pulled, CommandError> {
    context.may_tell()?;
    let now = clock::now().rfc3339();
    let who = match &context.caller {
        Caller::Person | Caller::Program => "person",
        Caller::Agent { .. } => context.session().unwrap_or("agent"),
    };
    let (item, text) = queue_file::change(&context.project, |queue| {
        let item = match word {
            Some(word) => free(readable(queue, word, context)?, queue)?,
            None => queue.next().ok_or_else(|| none(queue))?,
        };
        let new = item.claimed(who, &now);
        let text = with_fields(&context.text(&item.id)?, &new).map_err(|why| not_edited(&item.id, &why))?;
        Ok::<_, CommandError>((Some((new.id.clone(), text.clone())), (new, text)))
    })?;
    let prompt = format!("Queue item {}: {}\n\n{}", item.id, item.title, body(&text));
    Ok(Pulled { item, prompt })
}

/// The item that was asked for, if nothing stands against it.
fn free<'q>(item: &'q Item, queue: &Queue) -> Result<&'q Item, CommandError> {
    if item.state != State::Open {
        let by = item.pulled_by.as_deref().filter(|_| item.state == State::Pulled);
        let by = by.map_or_else(String::new, |by| format!(" by {by}"));
        let message = format!("{} is {}{by}", item.id, item.state.as_str());
        return Err(
            CommandError::refused(message).hint(format!("to open it again: engine q release {}", item.id))
        );
    }
    let waits: Vec<String> = queue.waits(item).iter().map(ToString::to_string).collect();
    if waits.is_empty() {
        return Ok(item);
    }
    Err(CommandError::refused(format!("{} is not free: {}", item.id, waits.join("; ")))
        .hint(format!("to pull it all the same: engine q edit {} --after ''", item.id)))
}

/// Why there is nothing.
fn none(queue: &Queue) -> CommandError {
    let waiting: Vec<&Item> = queue.items().filter(|item| item.state == State::Open).collect();
    if waiting.is_empty() {
        return CommandError::nothing("the queue is empty");
    }
    let head = CommandError::nothing(format!("nothing is free; open items: {}", waiting.len()));
    waiting.into_iter().fold(head, |error, item| {
        let waits: Vec<String> = queue.waits(item).iter().map(ToString::to_string).collect();
        error.hint(format!("{} waits: {}", item.id, waits.join("; ")))
    })
}
