//! `engine directives add` and `mention`.

use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::here;
use engine_core::directive::CHECKLIST;
use engine_core::directive::Type;
use engine_core::directive::edit::{added, entry as one_entry, header, mentioned};
use engine_store::directive_file;
use serde_json::json;

use super::{AGENTS, Place, files, given};
use crate::ui::Ui;

#[derive(Debug, Args)]
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

pub(super) fn entry(args: &DirectivesAddArgs, ui: &Ui) -> Outcome {
    let kind = args.kind;
    let place = Place::of(here::project()?, args.dir.as_deref())?;
    let file = place.writable(kind)?;
    let entry = one_entry(&given(&args.text)?);
    let made = directive_file::edit(&place.project, &file, |text| {
        let before = text.map_or_else(|| header(kind, &place.name()), str::to_owned);
        let new = added(&before, &entry).map_err(|why| place.not_added(kind, why))?;
        Ok::<_, CommandError>((new, text.is_none()))
    })?;
    let mut missing = place.unmentioned()?;
    missing.retain(|other| made && *other == kind);
    let shown = place.shown_file(kind);
    if ui.is_json() {
        let names: Vec<String> = missing.iter().map(|kind| kind.file()).collect();
        ui.object(
            &json!({"version": 1, "type": kind.name, "file": shown, "made": made, "entry": entry, "unmentioned": names}),
        );
        return Ok(());
    }
    let done = if made { "made, with" } else { "added" };
    ui.line(format!("{shown}: {done} {entry}"));
    place.tell_unmentioned(&missing, ui);
    Ok(())
}

pub(super) fn mention(dir: Option<&Path>, ui: &Ui) -> Outcome {
    let place = Place::of(here::project()?, dir)?;
    let Some(agents) = Type::find(AGENTS) else { return Ok(()) };
    let file = place.writable(agents)?;
    let shown = place.shown_file(agents);
    let missing = directive_file::edit(&place.project, &file, |text| {
        // Under the lock, so that two who mention at once do it once.
        let missing = place.unmentioned()?;
        if missing.is_empty() {
            return Err(CommandError::nothing(format!("{shown} has nothing to mention")));
        }
        let before = text.map_or_else(|| header(agents, &place.name()), str::to_owned);
        let new = mentioned(&before, &missing).map_err(|why| place.not_added(agents, why))?;
        Ok((new, missing))
    })?;
    if ui.is_json() {
        let names: Vec<String> = missing.iter().map(|kind| kind.file()).collect();
        ui.object(&json!({"version": 1, "file": shown, "mentioned": names}));
    } else {
        ui.line(format!("{shown}: mentions {} now", files(&missing)));
    }
    Ok(())
}
