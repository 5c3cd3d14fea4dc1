//! `engine q pull`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::queue::CommandContext;
use engine_app::queue::pull::{Pulled, pull};
use serde_json::json;

use super::object;
use crate::ui::Ui;

/// Claim an item and print its prompt; without an id the oldest that waits for nothing
///
/// Of several who pull at once each gets another item. Exits 3 if there is none.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine q pull\n  engine q pull 20261115-203441 --json")]
pub(crate) struct QueuePullArgs {
    /// The id, or the beginning of it
    pub(crate) id: Option<String>,
}

pub(super) fn run(args: &QueuePullArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let Pulled { item, prompt } = pull(context, args.id.as_deref())?;
    if ui.is_json() {
        let object = object(&item, &context.queue()?, context);
        ui.object(&json!({"version": 1, "item": object, "prompt": prompt}));
        return Ok(());
    }
    ui.text(&prompt);
    ui.talk(format!(
        "pulled {0}; when it is done: engine q done {0}; to put it back: engine q release {0}",
        item.id
    ));
    Ok(())
}
