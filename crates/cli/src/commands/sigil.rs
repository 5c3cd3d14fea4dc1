//! `engine sigil list | check | show`.

use std::path::PathBuf;

use clap::Subcommand;
use engine_app::error::{CommandError, Outcome};
use engine_app::sigil::{DocumentScope, Documents};
use engine_app::wording::counted;
use engine_core::sigil;
use engine_core::sigil::{Defined, Document, Duplicate, Index, Referred, kind};
use serde_json::{Value, json};

use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

#[derive(Debug, Subcommand)]
pub(crate) enum SigilCommand {
    /// List the definitions: where they stand, how many references mean them
    #[command(
        after_long_help = "Examples:\n  engine sigil list\n  engine sigil list --kind INV\n  engine sigil list --json"
    )]
    List {
        /// Only this kind: CMD, INV, FMT, FEED, TAG …
        #[arg(long, value_parser = typed_kind)]
        kind: Option<String>,
    },
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
    #[command(
        after_long_help = "Examples:\n  engine sigil check\n  engine sigil check packages/a/.directives\n  engine sigil check docs .claude/skills/deploy --json"
    )]
    Check {
        /// Only what stands at and below these paths, all Markdown files there; what others define counts all the same
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
    /// Print what a name stands for, and where that stands
    #[command(
        after_long_help = "Examples:\n  engine sigil show CMD_LOG\n  engine sigil show '§INV_LINKS' --json"
    )]
    Show {
        /// With or without its sigil
        #[arg(value_parser = typed_name)]
        name: String,
    },
}

fn typed_kind(word: &str) -> Result<String, String> {
    let kind = sigil::typed(word.trim_end_matches('_'));
    // What goes behind it does not matter.
    if sigil::is_name(&format!("{kind}_X")) {
        Ok(kind)
    } else {
        Err("a kind is capitals and digits: CMD, INV".to_owned())
    }
}

fn typed_name(word: &str) -> Result<String, String> {
    let name = sigil::typed(word);
    if sigil::is_name(&name) {
        Ok(name)
    } else {
        Err("a name is a kind, then words of capitals and digits: CMD_LOG".to_owned())
    }
}

pub(super) fn run(command: &SigilCommand, ui: &Ui) -> Outcome {
    let paths = if let SigilCommand::Check { paths } = command { paths.as_slice() } else { &[] };
    let Documents { documents, unread } = DocumentScope::here()?.documents(paths)?;
    ui.talk_all(&unread);
    let index = Index::new(&documents);
    match command {
        SigilCommand::List { kind } => list(&index, kind.as_deref(), ui),
        SigilCommand::Check { .. } => check(&documents, &index, ui),
        SigilCommand::Show { name } => show(&index, name, ui),
    }
}

fn list(index: &Index<'_>, wanted: Option<&str>, ui: &Ui) -> Outcome {
    let is_wanted = |defined: &&Defined<'_>| wanted.is_none_or(|wanted| kind(defined.name) == wanted);
    let found: Vec<&Defined<'_>> = index.definitions().filter(is_wanted).collect();
    if ui.is_json() {
        let row = |defined: &&Defined<'_>| {
            let mut row = place(defined.document, defined.line);
            row["name"] = json!(defined.name);
            row["references"] = json!(defined.references);
            row
        };
        ui.object(&json!({"version": 1, "definitions": found.iter().map(row).collect::<Vec<_>>()}));
        return Ok(());
    }
    let row = |defined: &&Defined<'_>| {
        let count = counted(defined.references as u64, "reference");
        vec![format!("¶{}", defined.name), defined.place(), count]
    };
    ui.text(&aligned(&found.iter().map(row).collect::<Vec<_>>(), ""));
    if let Some(kind) = wanted.filter(|_| found.is_empty()) {
        ui.talk(format!("no ¶{kind}_… is defined"));
    }
    Ok(())
}

fn check(documents: &[Document], index: &Index<'_>, ui: &Ui) -> Outcome {
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

fn show(index: &Index<'_>, name: &str, ui: &Ui) -> Outcome {
    let found = index.named(name);
    if found.is_empty() {
        let near = index.nearest(name);
        let error = CommandError::refused(format!("¶{name} is not defined"));
        return Err(if near.is_empty() {
            error.hint("what is: engine sigil list")
        } else {
            error.hint(format!("nearest: {}", marked(&near)))
        });
    }
    if ui.is_json() {
        let row = |defined: &Defined<'_>| {
            let mut row = place(defined.document, defined.line);
            row["references"] = json!(defined.references);
            row["text"] = json!(defined.body);
            row
        };
        let rows: Vec<Value> = found.iter().map(row).collect();
        ui.object(&json!({"version": 1, "name": name, "definitions": rows}));
        return Ok(());
    }
    let shown =
        |defined: &Defined<'_>| format!("{}\n{}\n", toned(Tone::Strong, &defined.place()), defined.body);
    ui.text(&found.iter().map(shown).collect::<Vec<_>>().join("\n"));
    Ok(())
}

fn places(found: &[Defined<'_>]) -> Vec<String> {
    found.iter().map(Defined::place).collect()
}

fn marked(names: &[&str]) -> String {
    names.iter().map(|name| format!("¶{name}")).collect::<Vec<_>>().join(", ")
}

fn place(document: &Document, line: usize) -> Value {
    json!({"file": document.path, "line": line})
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
