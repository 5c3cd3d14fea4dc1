//! `engine sigil check`.

use std::path::PathBuf;

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::wording::counted;
use engine_core::sigil::{Defined, Document, Duplicate, Index, Referred};
use serde_json::{Value, json};

use super::{marked, place};
use crate::ui::{Tone, Ui, toned};

/// Check that every reference has one definition: exit 1 if not
///
/// A reference in a directive sees what its folder and those above it define up to the root (with .engine/context), then what you
/// define for every project, then the standards. In a skill it sees the skill's folder, then the root, you and the standards; in
/// any other file that is named, the files beside it, then the same from its folder up. What you define for every project sees
/// itself and the standards; the standards see themselves.
///
/// Told are references that see no definition, and names that are defined twice in one of these places or within sight of one
/// reference: the same name in two branches is no trouble. Definitions that nothing refers to are listed, which is no failure; those
/// of the standards are not.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine sigil check\n  engine sigil check packages/a/.directives\n  engine sigil check docs .claude/skills/deploy --json"
)]
pub(crate) struct SigilCheckArgs {
    /// Only what stands at and below these paths, all Markdown files there; what others define counts all the same
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
}

pub(super) fn run(documents: &[Document], index: &Index<'_>, ui: &Ui) -> Outcome {
    let unresolved: Vec<&Referred<'_>> = index.unresolved().collect();
    let duplicates = index.duplicates();
    let orphans: Vec<&Defined<'_>> = index.orphans().collect();
    if ui.is_json() {
        let open: Vec<Value> = unresolved.iter().map(|open| open_row(index, open)).collect();
        let twice: Vec<Value> = duplicates.iter().map(duplicate_row).collect();
        let orphans: Vec<Value> = orphans.iter().map(|orphan| named_row(orphan)).collect();
        ui.object(&json!({"version": 1, "unresolved": open, "duplicates": twice, "orphans": orphans}));
    } else {
        let error = toned(Tone::Bad, "error");
        for open in &unresolved {
            let Referred { name, document, line } = open;
            ui.line(format!("{}:{line}: {error}: §{name} is not defined{}", document.path, way(index, name)));
        }
        for duplicate in &duplicates {
            let places: Vec<String> = duplicate.definitions.iter().map(|defined| defined.place()).collect();
            let (first, others) = (&places[0], places[1..].join(", "));
            ui.line(format!("{first}: {error}: ¶{} is defined again in {others}", duplicate.name));
        }
        for orphan in &orphans {
            let note = toned(Tone::Quiet, "note");
            ui.line(format!("{}: {note}: nothing refers to ¶{}", orphan.place(), orphan.name));
        }
        let checked = documents.iter().filter(|document| document.asked).count();
        ui.talk(format!(
            "{} checked: {}, {}, {}",
            counted(checked as u64, "text"),
            counted(unresolved.len() as u64, "unresolved reference"),
            counted(duplicates.len() as u64, "duplicate"),
            counted(orphans.len() as u64, "orphan")
        ));
    }
    if unresolved.is_empty() && duplicates.is_empty() { Ok(()) } else { Err(CommandError::already_told()) }
}

/// How to go on with a name that is not defined in sight.
fn way(index: &Index<'_>, name: &str) -> String {
    let elsewhere = places(index.named(name));
    let near = index.nearest(name);
    match (elsewhere.is_empty(), near.is_empty()) {
        (false, _) => format!(" in sight of it; out of sight: {}", elsewhere.join(", ")),
        (true, false) => format!("; nearest: {}", marked(&near)),
        (true, true) => String::new(),
    }
}

fn places(found: &[Defined<'_>]) -> Vec<String> {
    found.iter().map(Defined::place).collect()
}

fn named_row(defined: &Defined<'_>) -> Value {
    let mut row = place(defined.document, defined.line);
    row["name"] = json!(defined.name);
    row
}

fn open_row(index: &Index<'_>, open: &Referred<'_>) -> Value {
    let mut row = place(open.document, open.line);
    row["name"] = json!(open.name);
    row["outOfSight"] = json!(places(index.named(open.name)));
    row["nearest"] = json!(index.nearest(open.name));
    row
}

fn duplicate_row(duplicate: &Duplicate<'_, '_>) -> Value {
    let of_definition = |defined: &&Defined<'_>| place(defined.document, defined.line);
    let places: Vec<Value> = duplicate.definitions.iter().map(of_definition).collect();
    json!({"name": duplicate.name, "places": places})
}
