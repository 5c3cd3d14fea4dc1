//! `engine directives add`.

use std::path::PathBuf;

use clap::Args;
use engine_app::directives;
use engine_app::error::Outcome;
use engine_app::here::project;
use engine_core::directive::{CHECKLIST, Type};
use serde_json::json;

use super::given;
use crate::ui::Ui;

/// Add one entry to the end of a directive file, which is made if need be; exit 3 if it is there
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine directives add INVARIANTS --text 'Every write holds the lock. *Why*: two lost an entry.'\n  engine directives add PITFALLS packages/api --text -"
)]
pub(crate) struct DirectivesAddArgs {
    /// Any type but CHECKLIST, whose items belong to categories
    #[arg(value_name = "TYPE", value_parser = entry_type)]
    pub(crate) kind: &'static Type,
    /// The folder; nothing: the project's root
    pub(crate) dir: Option<PathBuf>,
    /// The entry, kept as one line; -: stdin
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) text: String,
}

fn entry_type(word: &str) -> Result<&'static Type, String> {
    match super::kind(word)? {
        found if found.name == CHECKLIST => {
            Err(format!("edit the file; entries go into {}", super::names(|kind| kind.name != CHECKLIST)))
        }
        found => Ok(found),
    }
}

pub(super) fn run(args: &DirectivesAddArgs, ui: &Ui) -> Outcome {
    let kind = args.kind;
    let (written, entry) = directives::add(project()?, kind, args.dir.as_deref(), || given(&args.text))?;
    let (shown, made) = (&written.file, written.made);
    if ui.is_json() {
        let names: Vec<String> = written.missing.iter().map(|kind| kind.file()).collect();
        ui.object(
            &json!({"version": 1, "type": kind.name, "file": shown, "made": made, "entry": entry, "unmentioned": names}),
        );
        return Ok(());
    }
    let done = if made { "made, with" } else { "added" };
    ui.line(format!("{shown}: {done} {entry}"));
    if let Some(line) = written.place.unmentioned_line(&written.missing) {
        ui.line(line);
    }
    Ok(())
}
