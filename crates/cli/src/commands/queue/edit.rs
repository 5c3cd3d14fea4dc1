//! `engine q edit`: by options, or in a person's editor.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::queue::CommandContext;
use engine_app::queue::edit::{Edit, by_hand, edit};

use super::{read_stdin, tell};
use crate::ui::Ui;

/// Change an item: in your editor, or by options; what was typed first stays
///
/// Sections are Context, Goal, Approach and Relevant files. Without --section the text names those that it writes
/// anew by headings: ## Goal and so on. An agent uses the options.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine q edit 20261115-203441\n  engine q edit 20261115-203441 --section Goal --text 'A switch in the settings.'\n  engine q edit 20261115-203441 --text - < sections.md\n  engine q edit 20261115-203441 --after ''"
)]
pub(crate) struct QueueEditArgs {
    /// The id, or the beginning of it
    pub(crate) id: String,
    /// The section that --text is for
    #[arg(long, value_name = "NAME", requires = "text")]
    pub(crate) section: Option<String>,
    /// The new text; -: from stdin
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) text: Option<String>,
    /// Another title
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Items that must be done before it, with commas between them; empty: none
    #[arg(long, value_name = "ID")]
    pub(crate) after: Option<String>,
}

pub(super) fn run(args: &QueueEditArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    if args.text.is_none() && args.title.is_none() && args.after.is_none() {
        let (id, changed) = by_hand(context, &args.id)?;
        ui.line(if changed { format!("changed {id}") } else { format!("{id} is as it was") });
        return Ok(());
    }
    let given = match args.text.as_deref() {
        Some("-") => Some(read_stdin()?),
        text => text.map(str::to_owned),
    };
    let change = Edit {
        section: args.section.as_deref(),
        text: given.as_deref(),
        title: args.title.as_deref(),
        after: args.after.as_deref(),
    };
    let item = edit(context, &args.id, &change)?;
    tell(&item, &format!("changed {}", item.id), context, ui)
}
