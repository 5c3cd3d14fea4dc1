//! `engine q show`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::queue::{CommandContext, one};
use engine_core::queue::{FRAGMENT, SECTIONS, fragment, section};
use serde_json::{Map, Value, json};

use super::row_object;
use crate::ui::Ui;

/// Print an item as it stands in its file
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine q show 20261115-203441")]
pub(crate) struct QueueShowArgs {
    /// The id, or the beginning of it
    pub(crate) id: String,
}

/// The file as it is, also of a damaged item.
pub(super) fn run(args: &QueueShowArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    context.may_tell()?;
    let queue = context.queue()?;
    let entry = one(&queue, &args.id)?;
    let text = context.text(&entry.id)?;
    if !ui.is_json() {
        ui.text(&text);
        return Ok(());
    }
    let sections: Map<String, Value> = SECTIONS
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), section(&text, name)?.into())))
        .chain(fragment(&text).map(|typed| (FRAGMENT.to_owned(), typed.into())))
        .collect();
    let item = row_object(entry, &queue, context);
    ui.object(&json!({"version": 1, "item": item, "sections": sections, "text": text}));
    Ok(())
}
