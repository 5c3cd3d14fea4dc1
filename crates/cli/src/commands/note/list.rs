//! `engine note list`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::note::CommandContext;
use engine_core::note::{Entry, Kind, Note, Notes, age, covers};
use serde_json::{Value, json};

use super::{kind, object};
use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

/// List the notes that are told and found
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine note list\n  engine note list --kind decision --json")]
pub(crate) struct NoteListArgs {
    /// Those too that others supersede
    #[arg(long)]
    pub(crate) all: bool,
    /// Only decision, fact, preference or pitfall
    #[arg(long, value_parser = kind)]
    pub(crate) kind: Option<Kind>,
    /// Only those that are about this file, from the root
    #[arg(long, value_name = "PATH")]
    pub(crate) scope: Option<String>,
}

pub(super) fn run(args: &NoteListArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    context.may_tell()?;
    let notes = context.notes()?;
    let is_about = |note: &Note| {
        let path = args.scope.as_deref();
        path.is_none_or(|path| note.scope.iter().any(|pattern| covers(pattern, path)))
    };
    let is_shown = |entry: &&Entry| match &entry.note {
        Ok(note) => {
            args.kind.is_none_or(|kind| kind == note.kind)
                && is_about(note)
                && (args.all || notes.successor(entry).is_none())
        }
        Err(_) => args.kind.is_none() && args.scope.is_none(),
    };
    let shown: Vec<&Entry> = notes.entries().iter().filter(is_shown).collect();
    let ages = context.ages(&notes);
    let commits = |entry: &Entry| ages.get(entry.note.as_ref().ok()?.checked.as_ref()?).copied();
    if ui.is_json() {
        let rows: Vec<Value> = shown
            .iter()
            .map(|entry| {
                let mut row = object(entry, &notes, context);
                row["commits"] = commits(entry).into();
                row
            })
            .collect();
        ui.object(&json!({"version": 1, "notes": rows}));
        return Ok(());
    }
    if shown.is_empty() {
        ui.talk(match (args.kind, &args.scope) {
            (None, None) => "no notes yet; keep one: engine remember TEXT",
            (Some(_), None) => "no notes of this kind",
            _ => "no notes about this file",
        });
    }
    let rows: Vec<Vec<String>> = shown.iter().map(|entry| row(entry, &notes, commits(entry))).collect();
    ui.text(&aligned(&rows, ""));
    Ok(())
}

fn row(entry: &Entry, notes: &Notes, commits: Option<u64>) -> Vec<String> {
    let cells = match &entry.note {
        Err(why) => [toned(Tone::Bad, "damaged"), why.clone(), String::new(), String::new()],
        Ok(note) => {
            let age = match notes.successor(entry) {
                Some(later) => format!("superseded by {}", later.id()),
                None if note.checked.is_none() => String::new(),
                None => age(commits),
            };
            [note.kind.as_str().to_owned(), note.title(), note.scope.join(" "), toned(Tone::Quiet, &age)]
        }
    };
    [vec![entry.id()], cells.to_vec()].concat()
}
