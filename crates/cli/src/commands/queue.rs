//! `engine q`: ideas for later. A capture waits for nobody; everything else is done under the queue's lock.

use clap::Subcommand;
use engine_app::error::{CommandError, Outcome};
use engine_app::here::project;
use engine_app::stdin::{self, NoInput};
use engine_core::queue::{Entry, Found, Item, Queue, State, with_fields};
use engine_store::approve::Caller;
use engine_store::project::Project;
use engine_store::session_file::SessionFile;
use engine_store::{clock, queue_file};
use serde_json::{Value, json};

use crate::ui::Ui;

mod add;
mod edit;
mod look;
mod pull;

#[derive(Debug, Subcommand)]
pub(crate) enum QueueCommand {
    /// Keep an idea for later: the text as it is, with branch, task and changed files of this moment
    ///
    /// Without text, or with -, it is read from stdin. Asks no model and no network.
    #[command(
        after_long_help = "Examples:\n  engine q add implement dark mode\n  engine q add -- '--verbose should say why'\n  engine q add 'document it' --after 20261115-203441\n  pbpaste | engine q add - --title 'Port the parser'"
    )]
    Add(add::QueueAddArgs),
    /// List what is open or pulled, the oldest first
    #[command(after_long_help = "Examples:\n  engine q list\n  engine q list --all --json")]
    List {
        /// Done and dropped ones too
        #[arg(long)]
        all: bool,
    },
    /// Print an item as it stands in its file
    #[command(after_long_help = "Example:\n  engine q show 20261115-203441")]
    Show {
        /// The id, or the beginning of it
        id: String,
    },
    /// Claim an item and print its prompt; without an id the oldest that waits for nothing
    ///
    /// Of several who pull at once each gets another item. Exits 3 if there is none.
    #[command(after_long_help = "Examples:\n  engine q pull\n  engine q pull 20261115-203441 --json")]
    Pull {
        /// The id, or the beginning of it
        id: Option<String>,
    },
    /// Mark an item as done; those that come after it are free then
    #[command(after_long_help = "Example:\n  engine q done 20261115-203441")]
    Done {
        /// The id, or the beginning of it
        id: String,
    },
    /// Mark an item as dropped: it will not be done
    #[command(after_long_help = "Example:\n  engine q drop 20261115-203441 --why 'the page is gone'")]
    Drop {
        /// The id, or the beginning of it
        id: String,
        /// The reason
        #[arg(long)]
        why: Option<String>,
    },
    /// Put an item back: pulled, done or dropped ones are open again
    #[command(after_long_help = "Example:\n  engine q release 20261115-203441")]
    Release {
        /// The id, or the beginning of it
        id: String,
    },
    /// Change an item: in your editor, or by options; what was typed first stays
    ///
    /// Sections are Context, Goal, Approach and Relevant files. Without --section the text names those that it writes
    /// anew by headings: ## Goal and so on. An agent uses the options.
    #[command(
        after_long_help = "Examples:\n  engine q edit 20261115-203441\n  engine q edit 20261115-203441 --section Goal --text 'A switch in the settings.'\n  engine q edit 20261115-203441 --text - < sections.md\n  engine q edit 20261115-203441 --after ''"
    )]
    Edit(edit::QueueEditArgs),
}

pub(super) fn run(command: &QueueCommand, ui: &Ui) -> Outcome {
    let desk = Desk { project: project()?, caller: Caller::from_environment() };
    match command {
        QueueCommand::Add(args) => add::run(args, &desk, ui),
        QueueCommand::List { all } => look::list(*all, &desk, ui),
        QueueCommand::Show { id } => look::show(id, &desk, ui),
        QueueCommand::Pull { id } => pull::run(id.as_deref(), &desk, ui),
        QueueCommand::Done { id } => to(id, State::Done, None, &desk, ui),
        QueueCommand::Drop { id, why } => to(id, State::Dropped, why.as_deref(), &desk, ui),
        QueueCommand::Release { id } => to(id, State::Open, None, &desk, ui),
        QueueCommand::Edit(args) => edit::run(args, &desk, ui),
    }
}

/// What every command of the queue works on.
struct Desk {
    project: Project,
    caller: Caller,
}

impl Desk {
    fn session(&self) -> Option<&str> {
        match &self.caller {
            Caller::Agent { session } => Some(session.as_str()).filter(|session| !session.is_empty()),
            Caller::Person => None,
        }
    }

    fn queue(&self) -> Result<Queue, CommandError> {
        queue_file::load(&self.project).map_err(|error| self.failed(&error))
    }

    fn text(&self, id: &str) -> Result<String, CommandError> {
        queue_file::text(&self.project, id).map_err(|error| CommandError::refused(format!("{id}: {error}")))
    }

    /// The path as a person would type it.
    fn file(&self, id: &str) -> String {
        let path = queue_file::path(&self.project, id);
        path.strip_prefix(self.project.root()).unwrap_or(&path).display().to_string()
    }

    fn failed(&self, error: &std::io::Error) -> CommandError {
        CommandError::refused(format!("{}: {error}", self.project.queue_folder().display()))
    }

    /// Changes one item under the lock: `new` gets the queue, and gives the item and its new text.
    fn change(
        &self,
        new: impl FnOnce(&Queue) -> Result<(Item, String), CommandError>,
    ) -> Result<Item, CommandError> {
        queue_file::change(&self.project, |queue| {
            let (item, text) = new(queue)?;
            Ok((Some((item.id.clone(), text)), item))
        })
    }
}

/// The one entry that is meant.
fn one<'q>(queue: &'q Queue, word: &str) -> Result<&'q Entry, CommandError> {
    match queue.find(word) {
        Found::One(entry) => Ok(entry),
        Found::Several(ids) => {
            Err(CommandError::refused(format!("{word} could be: {}", ids.join(", ")))
                .hint("give more of the id"))
        }
        Found::None => {
            Err(CommandError::refused(format!("no item {word}")).hint("list them: engine q list --all"))
        }
    }
}

/// The one item that is meant, if its file can be read.
fn readable<'q>(queue: &'q Queue, word: &str, desk: &Desk) -> Result<&'q Item, CommandError> {
    let entry = one(queue, word)?;
    entry.item.as_ref().map_err(|why| {
        CommandError::refused(format!("{} is damaged: {why}", entry.id))
            .hint(format!("mend it: {}", desk.file(&entry.id)))
    })
}

/// Puts an item into another state.
fn to(word: &str, state: State, why: Option<&str>, desk: &Desk, ui: &Ui) -> Outcome {
    let now = clock::now().rfc3339();
    let item = desk.change(|queue| {
        let item = readable(queue, word, desk)?;
        if item.state == state {
            return Err(CommandError::nothing(format!("{} is {} already", item.id, state.as_str())));
        }
        not_anothers(item, desk)?;
        let new = match state {
            State::Open => item.opened(),
            _ => item.over(state, &now, why),
        };
        let text = with_fields(&desk.text(&item.id)?, &new).map_err(|why| not_edited(&item.id, &why))?;
        Ok((new, text))
    })?;
    tell(&item, &format!("{}: {}", item.id, item.state.as_str()), desk, ui)
}

/// What a living agent session works on, no other one ends or hands out again. A person may.
fn not_anothers(item: &Item, desk: &Desk) -> Outcome {
    let holder = item.pulled_by.as_deref().filter(|_| item.state == State::Pulled);
    let (Some(holder), Some(own)) = (holder, desk.session()) else { return Ok(()) };
    let is_free = holder == own || !SessionFile::new(&desk.project.sessions_folder(), holder).is_alive();
    if is_free {
        return Ok(());
    }
    Err(CommandError::refused(format!("the agent session {holder} works on {}", item.id))
        .hint("it is free when that session ends, or by a person's word in a terminal of their own"))
}

fn not_edited(id: &str, why: &impl std::fmt::Display) -> CommandError {
    CommandError::refused(format!("{id} was not changed: {why}"))
}

/// What a change of one item ends with.
fn tell(item: &Item, line: &str, desk: &Desk, ui: &Ui) -> Outcome {
    if ui.is_json() {
        ui.object(&json!({"version": 1, "item": object(item, &desk.queue()?, desk)}));
    } else {
        ui.line(line);
    }
    Ok(())
}

fn object(item: &Item, queue: &Queue, desk: &Desk) -> Value {
    let waits: Vec<Value> = if item.state == State::Open {
        queue.waits(item).iter().map(|wait| json!({"id": wait.id, "why": wait.why.as_str()})).collect()
    } else {
        Vec::new()
    };
    json!({"id": item.id, "title": item.title, "state": item.state.as_str(), "created": item.created,
        "after": item.after, "waits": waits, "branch": item.branch, "session": item.session,
        "pulled": item.pulled, "pulledBy": item.pulled_by, "closed": item.closed, "why": item.why,
        "file": desk.file(&item.id)})
}

/// What is piped in, to the last byte.
fn read_stdin() -> Result<String, CommandError> {
    stdin::read(stdin::FOR_A_COMMAND).map_err(|error| match error {
        NoInput::Terminal => CommandError::usage(error.to_string()),
        _ => CommandError::refused(error.to_string()),
    })
}
