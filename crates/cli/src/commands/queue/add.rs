//! `engine q add`. What was typed is kept, whatever else may be wrong; that is told beside it.

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::stdin;
use engine_core::queue::{Found, Item, Queue};
use engine_store::queue_file::{self, Words};
use engine_store::{clock, config_file};

use super::{Desk, read_stdin, tell};
use crate::ui::Ui;

#[derive(Debug, Args)]
pub(crate) struct QueueAddArgs {
    /// The idea, in any words; -: from stdin
    pub(crate) text: Vec<String>,
    /// Items that must be done before it, with commas between them: ids, or the beginnings of ids
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) after: Vec<String>,
    /// A title; without it the first line
    #[arg(long)]
    pub(crate) title: Option<String>,
}

pub(super) fn run(args: &QueueAddArgs, desk: &Desk, ui: &Ui) -> Outcome {
    let fragment = fragment(&args.text)?;
    if fragment.trim().is_empty() {
        return Err(CommandError::usage("there is nothing to keep: the text is empty"));
    }
    let queue = if args.after.is_empty() { Queue::default() } else { desk.queue().unwrap_or_default() };
    let whole = |word: &String| match queue.find(word) {
        Found::One(entry) => entry.id.clone(),
        Found::Several(_) | Found::None => word.clone(),
    };
    let after: Vec<String> = args.after.iter().filter(|word| !word.is_empty()).map(whole).collect();
    let words =
        Words { fragment: &fragment, title: args.title.as_deref(), after: &after, session: desk.session() };
    let config = config_file::load(&desk.project);
    let id = queue_file::capture(&desk.project, &config, &words, clock::now())
        .map_err(|error| CommandError::refused(format!("it was not kept: {error}")).hint(place(desk)))?;
    let item = Item::read(&id, &desk.text(&id)?).map_err(CommandError::refused)?;
    tell(&item, &format!("kept as {id}"), desk, ui)?;
    warn(&item, &queue, ui);
    Ok(())
}

fn place(desk: &Desk) -> String {
    format!("the queue is {}", desk.project.queue_folder().display())
}

/// The words as they were given, or stdin to its last byte.
fn fragment(words: &[String]) -> Result<String, CommandError> {
    match words {
        [one] if one == "-" => read_stdin(),
        // Without a word: an agent's shell may hold its stdin open and say nothing.
        [] => match stdin::piped() {
            Ok(text) => Ok(text.unwrap_or_default()),
            Err(error) => Err(CommandError::refused(error.to_string())),
        },
        words => Ok(words.join(" ")),
    }
}

/// What it waits for in vain.
fn warn(item: &Item, queue: &Queue, ui: &Ui) {
    let stuck: Vec<_> = queue.waits(item).into_iter().filter(|wait| wait.why.is_stuck()).collect();
    for wait in &stuck {
        match queue.find(&wait.id) {
            Found::Several(ids) => ui.talk(format!("{} could be: {}", wait.id, ids.join(", "))),
            _ => ui.talk(format!("it is {wait}, and will not be pulled")),
        }
    }
    if !stuck.is_empty() {
        ui.talk(format!("  set it right: engine q edit {} --after ID", item.id));
    }
}
