//! `engine tag add | remove | swap | find | list | escape`.

use std::path::Path;

use engine_app::approval;
use engine_app::error::{CommandError, Outcome};
use engine_app::here;
use engine_app::here::must_be_markdown;
use engine_core::config::Config;
use engine_core::journal::{Entry, FindingLine};
use engine_core::tag::{self, Feeds, NotSwapped};
use engine_store::approve::Caller;
use engine_store::project::Project;
use engine_store::{clock, config_file, journal_file, tag_file};
use serde_json::json;

use crate::args::{TagAddArgs, TagCommand, TagSwapArgs};
use crate::ui::Ui;

mod escape;
mod find;

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
