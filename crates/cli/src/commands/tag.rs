//! `engine tag add | remove | swap | find | list | escape`.

use std::path::Path;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use engine_app::approval;
use engine_app::error::{CommandError, Outcome};
use engine_app::here;
use engine_app::here::must_be_markdown;
use engine_core::config::Config;
use engine_core::journal::{Entry, FindingLine};
use engine_core::tag::{self, Feeds, NotSwapped};
use engine_core::tag::{is_pattern, is_tag};
use engine_store::approve::Caller;
use engine_store::project::Project;
use engine_store::{clock, config_file, journal_file, tag_file};
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
    /// In Markdown files (*.md) below the paths, and in files that are named. Links are followed, .gitignore is not asked; .git
    /// and `node_modules` are left out.
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

/// The project around the current folder and its configuration, for a file that can have tags.
fn desk(file: &Path) -> Result<(Project, Config), CommandError> {
    must_be_markdown(file, "Markdown file")?;
    let project = here::project()?;
    let config = config_file::load(&project);
    Ok((project, config))
}

/// Changes the file; what the disk says is said with the file's name.
fn edit<T>(
    project: &Project,
    file: &Path,
    change: impl FnOnce(&str) -> Result<(Option<String>, T), CommandError>,
) -> Result<T, CommandError> {
    read(file)?;
    tag_file::edit(project, file, change)
}

fn read(file: &Path) -> Result<String, CommandError> {
    tag_file::read(file).map_err(|error| CommandError::refused(format!("{}: {error}", file.display())))
}

fn add(args: &TagAddArgs, ui: &Ui) -> Outcome {
    let (file, tag) = (&args.file, args.tag.as_str());
    let (project, _) = desk(file)?;
    if tag::is_persons(tag) && tag::add(&read(file)?, tag).is_some() {
        let what = format!("engine tag add {} '{tag}'", file.display());
        approval::require(&project, &Caller::from_environment(), &what, args.user_approved.as_deref())?;
    }
    let is_new = edit(&project, file, |text| {
        let new = tag::add(text, tag);
        let is_new = new.is_some();
        Ok((new, is_new))
    })?;
    let done = if is_new { "added" } else { "was there already:" };
    tell(ui, file, is_new, &format!("{done} {tag}"))
}

fn remove(file: &Path, tag: &str, line: Option<usize>, ui: &Ui) -> Outcome {
    let (project, _) = desk(file)?;
    let was_there = edit(&project, file, |text| {
        let new = tag::remove(text, tag, line);
        let was_there = new.is_some();
        Ok((new, was_there))
    })?;
    let done = if was_there { "removed" } else { "was not there:" };
    tell(ui, file, was_there, &format!("{done} {tag}"))
}

fn swap(args: &TagSwapArgs, ui: &Ui) -> Outcome {
    let (project, config) = desk(&args.file)?;
    let feeds = Feeds::new(&config);
    let is_legal = feeds.is_legal(&args.old, &args.new);
    if !is_legal && !args.force {
        return Err(illegal(args, &feeds));
    }
    let swapped =
        |text: &str| tag::swap(text, &args.old, &args.new, args.line).map_err(|why| not_swapped(args, &why));
    if tag::is_persons(&args.new) {
        // A person is not asked about what cannot be done.
        swapped(&read(&args.file)?)?;
        let what = format!("engine tag swap {} '{}' '{}'", args.file.display(), args.old, args.new);
        approval::require(&project, &Caller::from_environment(), &what, args.user_approved.as_deref())?;
    }
    edit(&project, &args.file, |text| {
        let new = swapped(text)?;
        if !is_legal {
            note_force(&project, args, &feeds)?;
        }
        Ok((Some(new), ()))
    })?;
    tell(ui, &args.file, true, &format!("{} → {}", args.old, args.new))
}

fn illegal(args: &TagSwapArgs, feeds: &Feeds<'_>) -> CommandError {
    CommandError::refused(format!(
        "{} cannot follow {}; legal: {}",
        args.new,
        args.old,
        legal(&args.old, feeds)
    ))
    .hint("engine show SIGILS tells the feeds; --force swaps all the same and is written into the journal")
}

fn legal(tag: &str, feeds: &Feeds<'_>) -> String {
    let legal = feeds.legal_from(tag);
    if legal.is_empty() { "nothing".to_owned() } else { legal.join(", ") }
}

fn not_swapped(args: &TagSwapArgs, why: &NotSwapped) -> CommandError {
    let (file, tag) = (args.file.display(), &args.old);
    match why {
        NotSwapped::Absent => {
            let place = args.line.map(|line| format!(":{line}")).unwrap_or_default();
            CommandError::refused(format!("{file}{place} has no {tag}"))
                .hint("it may have been swapped by somebody else; a tag in code is a mention")
        }
        NotSwapped::Several(lines) => {
            let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
            CommandError::refused(format!(
                "{file} has {tag} several times in its text, in lines {}",
                lines.join(", ")
            ))
            .hint("say which: --line N")
        }
    }
}

/// What was done against the table is written down before it is done.
fn note_force(project: &Project, args: &TagSwapArgs, feeds: &Feeds<'_>) -> Outcome {
    let session = match Caller::from_environment() {
        Caller::Agent { session } => session,
        Caller::Person => String::new(),
    };
    let now = clock::now();
    let forced = FindingLine {
        rule: "tags".to_owned(),
        because: Some(format!("forced; legal: {}", legal(&args.old, feeds))),
        ..FindingLine::default()
    };
    let entry = Entry {
        id: clock::decision_id(now).as_str().to_owned(),
        at: now.rfc3339(),
        session,
        event: "TagSwap".to_owned(),
        input: Some(format!("{}: {} → {}", args.file.display(), args.old, args.new)),
        findings: vec![forced],
        verdict: "none".to_owned(),
        ..Entry::default()
    };
    Ok(journal_file::append(&project.journal_folder(), now, &entry)?)
}

fn tell(ui: &Ui, file: &Path, changed: bool, done: &str) -> Outcome {
    if ui.is_json() {
        ui.object(&json!({"version": 1, "file": file, "changed": changed}));
    } else {
        ui.line(format!("{}: {done}", file.display()));
    }
    Ok(())
}
