//! `engine tag add | remove | swap | find | list | escape`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use engine_app::error::{CommandError, Outcome};
use engine_app::here::project;
use engine_app::tag::{CommandContext, Swap};
use engine_core::tag::{is_pattern, is_tag};
use serde_json::json;

use crate::ui::Ui;

mod escape;
mod find;

#[derive(Debug, Subcommand)]
pub(crate) enum TagCommand {
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
pub(crate) struct TagAddArgs {
    pub(crate) file: PathBuf,
    #[arg(value_parser = tag)]
    pub(crate) tag: String,
    /// For an agent: why a person wants this; counts after they have spoken
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct TagSwapArgs {
    pub(crate) file: PathBuf,
    #[arg(value_parser = tag)]
    pub(crate) old: String,
    #[arg(value_parser = tag)]
    pub(crate) new: String,
    /// The bare tag in this line of the text
    #[arg(long, value_name = "N")]
    pub(crate) line: Option<usize>,
    /// Also if the new tag may not follow the old one; written into the journal
    #[arg(long)]
    pub(crate) force: bool,
    /// For an agent: why a person wants this; counts after they have spoken
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
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

pub(super) fn run(command: &TagCommand, ui: &Ui) -> Outcome {
    match command {
        TagCommand::Add(args) => add(args, ui),
        TagCommand::Remove { file, tag, line } => remove(file, tag, *line, ui),
        TagCommand::Swap(args) => swap(args, ui),
        TagCommand::Find { pattern, paths } => find::find(pattern, paths, ui),
        TagCommand::List { paths } => find::list(paths, ui),
        TagCommand::Escape { file, write } => escape::run(file, *write, ui),
    }
}

fn context(file: &Path) -> Result<CommandContext<'_>, CommandError> {
    CommandContext::of(file, project)
}

fn add(args: &TagAddArgs, ui: &Ui) -> Outcome {
    let (file, tag) = (&args.file, args.tag.as_str());
    let is_new = context(file)?.add(tag, args.user_approved.as_deref())?;
    let done = if is_new { "added" } else { "was there already:" };
    tell(ui, file, is_new, &format!("{done} {tag}"))
}

fn remove(file: &Path, tag: &str, line: Option<usize>, ui: &Ui) -> Outcome {
    let was_there = context(file)?.remove(tag, line)?;
    let done = if was_there { "removed" } else { "was not there:" };
    tell(ui, file, was_there, &format!("{done} {tag}"))
}

fn swap(args: &TagSwapArgs, ui: &Ui) -> Outcome {
    let approved = args.user_approved.as_deref();
    let wanted = Swap { old: &args.old, new: &args.new, line: args.line, force: args.force, approved };
    context(&args.file)?.swap(&wanted)?;
    tell(ui, &args.file, true, &format!("{} → {}", args.old, args.new))
}

fn tell(ui: &Ui, file: &Path, changed: bool, done: &str) -> Outcome {
    if ui.is_json() {
        ui.object(&json!({"version": 1, "file": file, "changed": changed}));
    } else {
        ui.line(format!("{}: {done}", file.display()));
    }
    Ok(())
}
