//! The words of `engine directives` and `engine discover-directives`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use engine_core::directive::{TYPES, Type};

#[derive(Debug, Subcommand)]
pub enum DirectivesCommand {
    /// Show the directives that count in a folder, and which of them an agent session was told
    #[command(
        after_long_help = "Examples:\n  engine directives status\n  engine directives status packages/api --json"
    )]
    Status(DirectivesStatusArgs),
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
    Type::find(word).map(|kind| kind.name.to_owned()).ok_or_else(|| {
        let names: Vec<&str> = TYPES.iter().map(|kind| kind.name).collect();
        format!("there are {}", names.join(", "))
    })
}
