//! The words of `engine directives` and `engine discover-directives`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use engine_core::directive::{CHECKLIST, TYPES, Type};

#[derive(Debug, Subcommand)]
pub enum DirectivesCommand {
    /// Show the directives that count in a folder, and which of them an agent session was told
    #[command(
        after_long_help = "Examples:\n  engine directives status\n  engine directives status packages/api --json"
    )]
    Status(DirectivesStatusArgs),
    /// Make a directive file from its template; one that is there stays
    #[command(
        after_long_help = "Examples:\n  engine directives new AGENTS\n  engine directives new PITFALLS packages/api\n  engine directives new TESTING packages/api --text '- **Run all**: npm test'"
    )]
    New(DirectivesNewArgs),
    /// Propose what a work session leaves for the next agents: mentions, invariants, pitfalls
    ///
    /// Directive files that the AGENTS.md beside them does not mention; and what the session's logs mark: entries, and lines in them, that
    /// begin with `INV:` or `PTF:`. Each for the folder that the entry names, else for the root; at most five of each. Nothing is
    /// written: the user decides, then `engine directives add` and `mention` do it.
    #[command(
        after_long_help = "Examples:\n  engine directives review\n  engine directives review sessions/2026_02_07_AUTH --json"
    )]
    Review {
        /// The work session; nothing: the one that this agent session is bound to
        session: Option<String>,
    },
    /// Add one entry to the end of a directive file, which is made if need be; exit 3 if it is there
    #[command(
        after_long_help = "Examples:\n  engine directives add INVARIANTS --text 'Every write holds the lock. *Why*: two lost an entry.'\n  engine directives add PITFALLS packages/api --text -"
    )]
    Add(DirectivesAddArgs),
    /// Name the directives of a folder in the AGENTS.md beside them, where they are not; exit 3 if they are
    #[command(
        after_long_help = "Examples:\n  engine directives mention\n  engine directives mention packages/api"
    )]
    Mention {
        /// The folder; nothing: the project's root
        dir: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub struct DirectivesNewArgs {
    /// AGENTS, INVARIANTS, ARCHITECTURE, TESTING, PITFALLS, CONTRIBUTING, TEMPLATE or CHECKLIST
    #[arg(value_name = "TYPE", value_parser = kind)]
    pub kind: &'static Type,
    /// The folder; nothing: the project's root
    #[arg(conflicts_with = "user")]
    pub dir: Option<PathBuf>,
    /// What stands below the title instead of the template; -: stdin
    #[arg(long, allow_hyphen_values = true)]
    pub text: Option<String>,
    /// For you in every project
    #[arg(long)]
    pub user: bool,
    /// For an agent: why a person wants --user; counts after they have spoken
    #[arg(long, value_name = "REASON", requires = "user")]
    pub user_approved: Option<String>,
}

#[derive(Debug, Args)]
pub struct DirectivesAddArgs {
    /// Any type but CHECKLIST, whose items belong to categories
    #[arg(value_name = "TYPE", value_parser = list)]
    pub kind: &'static Type,
    /// The folder; nothing: the project's root
    pub dir: Option<PathBuf>,
    /// The entry, kept as one line; -: stdin
    #[arg(long, allow_hyphen_values = true)]
    pub text: String,
}

#[derive(Debug, Args)]
pub struct DirectivesStatusArgs {
    /// Nothing: this folder
    pub dir: Option<PathBuf>,
    /// The agent session (the beginning of its id is enough); nothing: this one, or the only one that was told any
    #[arg(long)]
    pub session: Option<String>,
}

#[derive(Debug, Args)]
pub struct DiscoverArgs {
    /// A folder, or a file in it
    pub dir: PathBuf,
    /// Only these types, separated by commas
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',', value_parser = directive_type)]
    pub types: Vec<String>,
    /// What this skill gets: the core types and those that it declares
    #[arg(long, value_name = "SKILL", conflicts_with = "types")]
    pub skill: Option<String>,
    /// Where the way up ends; nothing: the project
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
}

fn directive_type(word: &str) -> Result<String, String> {
    kind(word).map(|kind| kind.name.to_owned())
}

fn kind(word: &str) -> Result<&'static Type, String> {
    Type::find(word).ok_or_else(|| format!("there are {}", names(|_| true)))
}

fn list(word: &str) -> Result<&'static Type, String> {
    match kind(word)? {
        found if found.name == CHECKLIST => {
            Err(format!("edit the file; entries go into {}", names(|kind| kind.name != CHECKLIST)))
        }
        found => Ok(found),
    }
}

fn names(wanted: impl Fn(&Type) -> bool) -> String {
    let names: Vec<&str> = TYPES.iter().filter(|kind| wanted(kind)).map(|kind| kind.name).collect();
    names.join(", ")
}
