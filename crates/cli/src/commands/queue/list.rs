//! `engine q list`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::queue::CommandContext;
use engine_app::time;
use engine_core::queue::{Entry, Item, Queue, State};
use serde_json::{Value, json};

use super::row_object;
use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

/// List what is open or pulled, the oldest first
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine q list\n  engine q list --all --json")]
pub(crate) struct QueueListArgs {
    /// Done and dropped ones too
    #[arg(long)]
    pub(crate) all: bool,
}

pub(super) fn run(args: &QueueListArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    context.may_tell()?;
    let queue = context.queue()?;
    let is_shown = |entry: &&Entry| args.all || entry.item.as_ref().map_or(true, |item| item.state.is_live());
    let shown: Vec<&Entry> = queue.entries().iter().filter(is_shown).collect();
    if ui.is_json() {
        let rows: Vec<Value> = shown.iter().map(|entry| row_object(entry, &queue, context)).collect();
        ui.object(&json!({"version": 1, "items": rows}));
        return Ok(());
    }
    if shown.is_empty() {
        ui.talk("the queue is empty");
    }
    let rows: Vec<Vec<String>> = shown.iter().map(|entry| row(entry, &queue)).collect();
    ui.text(&aligned(&rows, ""));
    Ok(())
}

fn row(entry: &Entry, queue: &Queue) -> Vec<String> {
    let cells = match &entry.item {
        Ok(item) => cells(item, queue),
        Err(why) => [toned(Tone::Bad, "damaged"), why.clone(), String::new()],
    };
    [vec![entry.id.clone()], cells.to_vec()].concat()
}

/// State, title, and what there is to say about it.
fn cells(item: &Item, queue: &Queue) -> [String; 3] {
    let word = item.state.as_str();
    let since = |at: &Option<String>| at.as_deref().map_or_else(String::new, time::shown);
    let (word, detail) = match item.state {
        State::Open => {
            let waits = queue.waits(item);
            let words: Vec<String> = waits.iter().map(ToString::to_string).collect();
            match (waits.is_empty(), waits.iter().any(|wait| wait.why.is_stuck())) {
                (true, _) => (toned(Tone::Good, word), String::new()),
                (false, false) => (toned(Tone::Quiet, "waiting"), words.join("; ")),
                (false, true) => (toned(Tone::Bad, "stuck"), words.join("; ")),
            }
        }
        State::Pulled => {
            let by = item.pulled_by.as_deref().unwrap_or("somebody");
            (toned(Tone::Careful, word), format!("by {by}, {}", since(&item.pulled)))
        }
        State::Done => (toned(Tone::Quiet, word), since(&item.closed)),
        State::Dropped => (toned(Tone::Quiet, word), item.why.clone().unwrap_or_else(|| since(&item.closed))),
    };
    [word, item.title.clone(), detail]
}
