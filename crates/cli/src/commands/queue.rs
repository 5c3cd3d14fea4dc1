//! `engine q`: ideas for later.

use clap::Subcommand;
use engine_app::error::{CommandError, Failure, Outcome};
use engine_app::queue::{CommandContext, to};
use engine_app::stdin::{self, NoInput};
use engine_core::queue::{Item, Queue, State};
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
    let context = CommandContext::open()?;
    match command {
        QueueCommand::Add(args) => add::run(args, &context, ui),
        QueueCommand::List { all } => look::list(*all, &context, ui),
        QueueCommand::Show { id } => look::show(id, &context, ui),
        QueueCommand::Pull { id } => pull::run(id.as_deref(), &context, ui),
        QueueCommand::Done { id } => tell_state(&to(&context, id, State::Done, None)?, &context, ui),
        QueueCommand::Drop { id, why } => {
            tell_state(&to(&context, id, State::Dropped, why.as_deref())?, &context, ui)
        }
        QueueCommand::Release { id } => tell_state(&to(&context, id, State::Open, None)?, &context, ui),
        QueueCommand::Edit(args) => edit::run(args, &context, ui),
    }
}

fn tell_state(item: &Item, context: &CommandContext, ui: &Ui) -> Outcome {
    tell(item, &format!("{}: {}", item.id, item.state.as_str()), context, ui)
}

/// What a change of one item ends with.
fn tell(item: &Item, line: &str, context: &CommandContext, ui: &Ui) -> Outcome {
    if ui.is_json() {
        ui.object(&json!({"version": 1, "item": object(item, &context.queue()?, context)}));
    } else {
        ui.line(line);
    }
    Ok(())
}

fn object(item: &Item, queue: &Queue, context: &CommandContext) -> Value {
    let waits: Vec<Value> = if item.state == State::Open {
        queue.waits(item).iter().map(|wait| json!({"id": wait.id, "why": wait.why.as_str()})).collect()
    } else {
        Vec::new()
    };
    json!({"id": item.id, "title": item.title, "state": item.state.as_str(), "created": item.created,
        "after": item.after, "waits": waits, "branch": item.branch, "session": item.session,
        "pulled": item.pulled, "pulledBy": item.pulled_by, "closed": item.closed, "why": item.why,
        "file": context.file(&item.id)})
}

/// What is piped in, to the last byte.
fn read_stdin() -> Result<String, CommandError> {
    stdin::read(stdin::FOR_A_COMMAND).map_err(|error| match error {
        NoInput::Terminal => CommandError::from_error(error).of(Failure::Usage),
        _ => CommandError::from_error(error),
    })
}
