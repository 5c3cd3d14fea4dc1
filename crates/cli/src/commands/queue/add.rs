//! `engine q add`.

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::queue::CommandContext;
use engine_app::queue::add::{Captured, Idea, add};
use engine_app::stdin;

use super::{read_stdin, tell};
use crate::ui::Ui;

/// Keep an idea for later: the text as it is, with branch, task and changed files of this moment
///
/// Without text, or with -, it is read from stdin. Asks no model and no network.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine q add implement dark mode\n  engine q add -- '--verbose should say why'\n  engine q add 'document it' --after 20261115-203441\n  pbpaste | engine q add - --title 'Port the parser'"
)]
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

pub(super) fn run(args: &QueueAddArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let fragment = fragment(&args.text)?;
    let idea = Idea { fragment: &fragment, title: args.title.as_deref(), after: &args.after };
    let Captured { item, warnings } = add(context, &idea)?;
    tell(&item, &format!("kept as {}", item.id), context, ui)?;
    ui.talk_all(&warnings);
    Ok(())
}

/// The words as they were given, or stdin to its last byte.
fn fragment(words: &[String]) -> Result<String, CommandError> {
    match words {
        [one] if one == "-" => read_stdin(),
        // Without a word: an agent's shell may hold its stdin open and say nothing.
        [] => Ok(stdin::piped().map_err(CommandError::from_error)?.unwrap_or_default()),
        words => Ok(words.join(" ")),
    }
}
