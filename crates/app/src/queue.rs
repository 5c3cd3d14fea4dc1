//! Ideas for later. A capture waits for nobody; everything else is done under the queue's lock.

use engine_core::queue::{Entry, FoundItem, Item, Queue, State, with_fields};
use engine_store::approve::Caller;
use engine_store::project::Project;
use engine_store::session_file::SessionFile;
use engine_store::{clock, queue_file};

use crate::error::{CommandError, Outcome};
use crate::{here, trust};

pub mod add;
pub mod edit;
pub mod pull;

/// What every command of the queue works on.
pub struct CommandContext {
    pub project: Project,
    pub caller: Caller,
}

impl CommandContext {
    pub fn open() -> Result<Self, CommandError> {
        Ok(Self { project: here::project()?, caller: here::caller() })
    }

    fn session(&self) -> Option<&str> {
        self.caller.session()
    }

    /// Refuses an agent the items of a project that is not trusted.
    pub fn may_tell(&self) -> Outcome {
        trust::may_tell("the queue", &self.project, &self.caller)
    }

    pub fn queue(&self) -> Result<Queue, CommandError> {
        let folder = self.project.queue_folder();
        queue_file::load(&self.project).map_err(|error| CommandError::at(folder.display(), error))
    }

    pub fn text(&self, id: &str) -> Result<String, CommandError> {
        queue_file::text(&self.project, id).map_err(|error| CommandError::at(id, error))
    }

    /// The path as a person would type it.
    pub fn file(&self, id: &str) -> String {
        let path = queue_file::path(&self.project, id);
        path.strip_prefix(self.project.root()).unwrap_or(&path).display().to_string()
    }

    /// Changes one item under the lock: `new` gets the queue, and gives the item and its new text.
    fn change(
        &self,
        new: impl FnOnce(&Queue) -> Result<(Item, String), CommandError>,
    ) -> Result<Item, CommandError> {
        self.may_tell()?;
        queue_file::change(&self.project, |queue| {
            let (item, text) = new(queue)?;
            Ok((Some((item.id.clone(), text)), item))
        })
    }
}

/// The one entry that is meant.
pub fn one<'q>(queue: &'q Queue, word: &str) -> Result<&'q Entry, CommandError> {
    match queue.find(word) {
        FoundItem::One(entry) => Ok(entry),
        FoundItem::Several(ids) => {
            Err(CommandError::refused(format!("{word} could be: {}", ids.join(", ")))
                .hint("give more of the id"))
        }
        FoundItem::None => {
            Err(CommandError::refused(format!("no item {word}")).hint("list them: engine q list --all"))
        }
    }
}

/// The one item that is meant, if its file can be read.
fn readable<'q>(queue: &'q Queue, word: &str, context: &CommandContext) -> Result<&'q Item, CommandError> {
    let entry = one(queue, word)?;
    entry.item.as_ref().map_err(|why| {
        CommandError::refused(format!("{} is damaged: {why}", entry.id))
            .hint(format!("mend it: {}", context.file(&entry.id)))
    })
}

/// Puts an item into another state.
pub fn to(
    context: &CommandContext,
    word: &str,
    state: State,
    why: Option<&str>,
) -> Result<Item, CommandError> {
    let now = clock::now().rfc3339();
    context.change(|queue| {
        let item = readable(queue, word, context)?;
        if item.state == state {
            return Err(CommandError::nothing(format!("{} is {} already", item.id, state.as_str())));
        }
        not_anothers(item, context)?;
        let new = match state {
            State::Open => item.opened(),
            _ => item.over(state, &now, why),
        };
        let text = with_fields(&context.text(&item.id)?, &new).map_err(|why| not_edited(&item.id, &why))?;
        Ok((new, text))
    })
}

/// What a living agent session works on, no other one ends or hands out again. A person may.
fn not_anothers(item: &Item, context: &CommandContext) -> Outcome {
    let holder = item.pulled_by.as_deref().filter(|_| item.state == State::Pulled);
    let (Some(holder), Some(own)) = (holder, context.session()) else { return Ok(()) };
    let is_free = holder == own || !SessionFile::new(&context.project.sessions_folder(), holder).is_alive();
    if is_free {
        return Ok(());
    }
    Err(CommandError::refused(format!("the agent session {holder} works on {}", item.id))
        .hint("it is free when that session ends, or by a person's word in a terminal of their own"))
}

fn not_edited(id: &str, why: &impl std::fmt::Display) -> CommandError {
    CommandError::refused(format!("{id} was not changed: {why}"))
}

#[cfg(test)]
mod tests;
