//! The words of `engine tag` and `engine glob`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use engine_core::tag::{is_pattern, is_tag};

#[derive(Debug, Subcommand)]
pub enum TagCommand {
    /// Add a tag to the Tags line of a file, which is made below the title if need be
    ///
    /// From an agent, #delegated-… and #next-… need a person's word.
    #[command(
        after_long_help = "Example:\n  engine tag add sessions/2026_11_15_AUTH/IMPLEMENT.md '#needs-review'"
    )]
    Add(TagAddArgs),
    /// Remove a tag from the Tags line of a file; one that is not there is no error
    #[command(
        after_long_help = "Examples:\n  engine tag remove REQUEST.md '#P1'\n  engine tag remove IMPLEMENT_LOG.md '#needs-fix' --line 12"
    )]
    Remove {
        file: PathBuf,
        #[arg(value_parser = tag)]
        tag: String,
        /// The bare tag in this line of the text instead
        #[arg(long, value_name = "N")]
        line: Option<usize>,
    },
    /// Put one tag in the place of another; of several who try at once, one wins
    ///
    /// In the Tags line; else where it stands bare in the text, if only once. Which tag may follow which: engine show SIGILS,
    /// and tags.transitions of the configuration. From an agent, #delegated-… and #next-… need a person's word.
    #[command(
        after_long_help = "Examples:\n  engine tag swap REQUEST.md '#needs-fix' '#done-fix'\n  engine tag swap IMPLEMENT_LOG.md '#needs-fix' '#done-fix' --line 12"
    )]
    Swap(TagSwapArgs),
    /// List where tags stand: in Tags lines and bare in the text, not in code
    ///
    /// In Markdown files (*.md) below the paths, and in files that are named. Links are followed. Files that git ignores, .git
    /// and `node_modules` are left out, unless a path names them. The default place, sessions/ of the project, is searched
    /// whether git ignores it or not.
    #[command(
        after_long_help = "Examples:\n  engine tag find '#needs-*'\n  engine tag find '#needs-review' sessions docs/notes.md --json"
    )]
    Find {
        /// A tag; stars stand for any letters
        #[arg(value_parser = pattern)]
        pattern: String,
        /// Folders and files; nothing: sessions/ of the project
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
    /// List all tags with how often they stand, and in how many files
    #[command(after_long_help = "Examples:\n  engine tag list\n  engine tag list sessions/2026_11_15_AUTH")]
    List {
        /// Folders and files; nothing: sessions/ of the project
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
    /// Put the stages of work in the text of a file into code spans, so that they are mentions
    ///
    /// Shows what would change. The Tags line stays as it is.
    #[command(
        after_long_help = "Examples:\n  engine tag escape IMPLEMENT.md\n  engine tag escape IMPLEMENT.md --write"
    )]
    Escape {
        file: PathBuf,
        /// Change the file
        #[arg(long)]
        write: bool,
    },
}

#[derive(Debug, Args)]
pub struct TagAddArgs {
    pub file: PathBuf,
    #[arg(value_parser = tag)]
    pub tag: String,
    /// For an agent: why a person wants this; counts after they have spoken
    #[arg(long, value_name = "REASON")]
    pub user_approved: Option<String>,
}

#[derive(Debug, Args)]
pub struct TagSwapArgs {
    pub file: PathBuf,
    #[arg(value_parser = tag)]
    pub old: String,
    #[arg(value_parser = tag)]
    pub new: String,
    /// The bare tag in this line of the text
    #[arg(long, value_name = "N")]
    pub line: Option<usize>,
    /// Also if the new tag may not follow the old one; written into the journal
    #[arg(long)]
    pub force: bool,
    /// For an agent: why a person wants this; counts after they have spoken
    #[arg(long, value_name = "REASON")]
    pub user_approved: Option<String>,
}

#[derive(Debug, Args)]
pub struct GlobArgs {
    pub pattern: String,
    /// The folder that the pattern is below; nothing: this one
    pub root: Option<PathBuf>,
    /// At most so many
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

pub(super) fn tag(word: &str) -> Result<String, String> {
    let word = hashed(word);
    if is_tag(&word) {
        Ok(word)
    } else {
        Err(format!("a tag is #, a letter, then letters, digits and -: {WAY}"))
    }
}

fn pattern(word: &str) -> Result<String, String> {
    let word = hashed(word);
    if is_pattern(&word) { Ok(word) } else { Err(format!("a tag, with stars for any letters: {WAY}")) }
}

/// A shell takes an unquoted # for a comment, so it may be left out.
fn hashed(word: &str) -> String {
    if word.starts_with('#') { word.to_owned() } else { format!("#{word}") }
}

const WAY: &str = "'#needs-fix', in quotes";
