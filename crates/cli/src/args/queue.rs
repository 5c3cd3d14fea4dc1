//! The words of `engine q`.

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub enum QueueCommand {
    /// Keep an idea for later: the text as it is, with branch, task and changed files of this moment
    ///
    /// Without text, or with -, it is read from stdin. Asks no model and no network.
    #[command(
        after_long_help = "Examples:\n  engine q add implement dark mode\n  engine q add -- '--verbose should say why'\n  engine q add 'document it' --after 20261115-203441\n  pbpaste | engine q add - --title 'Port the parser'"
    )]
    Add(QueueAddArgs),
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
    Edit(QueueEditArgs),
}

#[derive(Debug, Args)]
pub struct QueueAddArgs {
    /// The idea, in any words; -: from stdin
    pub text: Vec<String>,
    /// Items that must be done before it, with commas between them: ids, or the beginnings of ids
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub after: Vec<String>,
    /// A title; without it the first line
    #[arg(long)]
    pub title: Option<String>,
}

#[derive(Debug, Args)]
pub struct QueueEditArgs {
    /// The id, or the beginning of it
    pub id: String,
    /// The section that --text is for
    #[arg(long, value_name = "NAME", requires = "text")]
    pub section: Option<String>,
    /// The new text; -: from stdin
    #[arg(long, allow_hyphen_values = true)]
    pub text: Option<String>,
    /// Another title
    #[arg(long)]
    pub title: Option<String>,
    /// Items that must be done before it, with commas between them; empty: none
    #[arg(long, value_name = "ID")]
    pub after: Option<String>,
}
