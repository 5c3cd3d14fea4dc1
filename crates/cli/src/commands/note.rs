//! `engine note`: what is to be remembered, one fact in each file.

use clap::Subcommand;
use engine_app::enrich;
use engine_app::error::Outcome;
use engine_app::note::CommandContext;
use engine_core::note::{Entry, Kind, Notes, Place};
use engine_text::line::visible;
use serde_json::{Value, json};

use crate::ui::Ui;

pub(super) mod add;
mod drop;
mod edit;
mod list;
mod review;
mod show;

/// Remember facts, decisions, preferences and pitfalls: one Markdown file each in .engine/memory/
#[derive(Debug, Subcommand)]
pub(crate) enum NoteCommand {
    /// Keep a note: the same as remember
    #[command(after_long_help = add::EXAMPLES)]
    Add(add::RememberArgs),
    List(list::NoteListArgs),
    Show(show::NoteShowArgs),
    Edit(edit::NoteEditArgs),
    Drop(drop::NoteDropArgs),
    /// List notes that may be wrong: stale, contradicting, never read
    ///
    /// Stale: many commits changed files of the scope since the note was found true. Contradicting: two notes that are near each
    /// other and differ in a number, a name or a negation, or notes that supersede each other. Never read: told and shown to nobody in this
    /// checkout for a week. Nothing is changed; exit code 3 if there is nothing to look at.
    #[command(after_long_help = "Examples:\n  engine note review\n  engine note review --json")]
    Review,
}

pub(super) fn run(command: &NoteCommand, ui: &Ui) -> Outcome {
    let context = CommandContext::open()?;
    let done = match command {
        NoteCommand::Add(args) => add::run(args, &context, ui),
        NoteCommand::List(args) => return list::run(args, &context, ui),
        NoteCommand::Show(args) => return show::run(args, &context, ui),
        NoteCommand::Edit(args) => edit::run(args, &context, ui),
        NoteCommand::Drop(args) => drop::run(args, &context, ui),
        NoteCommand::Review => return review::run(&context, ui),
    };
    follow(done, &context)
}

pub(super) fn remember(args: &add::RememberArgs, ui: &Ui) -> Outcome {
    let context = CommandContext::open()?;
    follow(add::run(args, &context, ui), &context)
}

/// What was written down is to be found.
fn follow(done: Outcome, context: &CommandContext) -> Outcome {
    done?;
    enrich::follow(&context.project);
    Ok(())
}

/// What may be worth a note, at the end of work.
pub(super) fn offer(commands: &[String], ui: &Ui) {
    if !commands.is_empty() {
        ui.line("");
        ui.line("worth a note? nothing is kept by itself:");
    }
    for command in commands {
        ui.line(format!("  {command}"));
    }
}

fn kind(word: &str) -> Result<Kind, String> {
    Kind::parse(word).ok_or_else(|| format!("one of {}", Kind::names()))
}

fn object(entry: &Entry, notes: &Notes, context: &CommandContext) -> Value {
    let place = match entry.place {
        Place::Project => "project",
        Place::Person => "person",
    };
    let (id, file) = (entry.id(), context.file(entry));
    match &entry.note {
        Ok(note) => {
            json!({"id": id, "place": place, "kind": note.kind.as_str(), "scope": note.scope, "source": note.source,
            "created": note.created, "checked": note.checked, "supersedes": note.supersedes,
            "superseded_by": notes.successor(entry).map(Entry::id), "text": visible(&note.text), "file": file})
        }
        Err(why) => json!({"id": id, "place": place, "damaged": why, "file": file}),
    }
}
