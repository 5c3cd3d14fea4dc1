//! `engine q done | drop | release`.

use clap::Subcommand;
use engine_app::error::Outcome;
use engine_app::queue::{CommandContext, to};
use engine_core::queue::State;

use super::tell;
use crate::ui::Ui;

#[derive(Debug, Subcommand)]
pub(crate) enum QueueStateCommand {
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
}

pub(super) fn run(command: &QueueStateCommand, context: &CommandContext, ui: &Ui) -> Outcome {
    let item = match command {
        QueueStateCommand::Done { id } => to(context, id, State::Done, None)?,
        QueueStateCommand::Drop { id, why } => to(context, id, State::Dropped, why.as_deref())?,
        QueueStateCommand::Release { id } => to(context, id, State::Open, None)?,
    };
    tell(&item, &format!("{}: {}", item.id, item.state.as_str()), context, ui)
}
