//! `engine q`: ideas for later.

use clap::Subcommand;
use engine_app::error::{CommandError, Failure, Outcome};
use engine_app::queue::CommandContext;
use engine_app::stdin::{self, NoInput};
use engine_core::queue::{Entry, Item, Queue, State};
use serde_json::{Value, json};

use crate::ui::Ui;

mod add;
mod edit;
mod list;
mod pull;
mod show;
mod state;

/// Keep ideas for later: a queue of prompts, one file each in .engine/queue/
#[derive(Debug, Subcommand)]
pub(crate) enum QueueCommand {
    Add(add::QueueAddArgs),
    List(list::QueueListArgs),
    Show(show::QueueShowArgs),
    Pull(pull::QueuePullArgs),
    #[command(flatten)]
    State(state::QueueStateCommand),
    Edit(edit::QueueEditArgs),
}

pub(super) fn run(command: &QueueCommand, ui: &Ui) -> Outcome {
    let context = CommandContext::open()?;
    match command {
        QueueCommand::Add(args) => add::run(args, &context, ui),
        QueueCommand::List(args) => list::run(args, &context, ui),
        QueueCommand::Show(args) => show::run(args, &context, ui),
        QueueCommand::Pull(args) => pull::run(args, &context, ui),
        QueueCommand::State(command) => state::run(command, &context, ui),
        QueueCommand::Edit(args) => edit::run(args, &context, ui),
    }
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

fn row_object(entry: &Entry, queue: &Queue, context: &CommandContext) -> Value {
    match &entry.item {
        Ok(item) => object(item, queue, context),
        Err(why) => json!({"id": entry.id, "damaged": why, "file": context.file(&entry.id)}),
    }
}

/// What is piped in, to the last byte.
fn read_stdin() -> Result<String, CommandError> {
    stdin::read(stdin::FOR_A_COMMAND).map_err(|error| match error {
        NoInput::Terminal => CommandError::from_error(error).of(Failure::Usage),
        _ => CommandError::from_error(error),
    })
}
