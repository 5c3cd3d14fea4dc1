//! Directives: what agents are told about the folders they work in.

use std::io::ErrorKind;
use std::path::Path;

use engine_core::approval::{Deed, Kind};
use engine_core::directive::Type;
use engine_core::directive::edit::{added, entry as one_entry, header, made, mentioned};
use engine_store::approve::Caller;
use engine_store::project::Project;
use engine_store::{directive_file, places};

use crate::approval::{self, Consent};
use crate::error::{CommandError, Outcome};

pub mod look;
mod place;
pub mod review;

pub use place::Place;

/// The type that names the others.
pub const AGENTS: &str = "AGENTS";

/// Names of files, with commas between.
pub fn files(kinds: &[&Type]) -> String {
    kinds.iter().map(|kind| kind.file()).collect::<Vec<_>>().join(", ")
}

/// A directive file that was written.
pub struct Written {
    pub place: Place,
    /// From the root.
    pub file: String,
    /// Whether it was not there before.
    pub made: bool,
    /// Files beside it that the AGENTS.md does not mention and that this concerns.
    pub missing: Vec<&'static Type>,
}

/// Makes a directive file, from its template or with a text.
pub fn new(
    project: Project,
    kind: &'static Type,
    dir: Option<&Path>,
    text: impl FnOnce() -> Result<Option<String>, CommandError>,
) -> Result<Written, CommandError> {
    let place = Place::of(project, dir)?;
    let path = place.writable(kind)?;
    let file = place.shown_file(kind);
    place.must_know_agents(kind)?;
    make(&path, &file, &made(kind, &place.name(), text()?.as_deref()))?;
    let mut missing = place.unmentioned()?;
    if kind.name != AGENTS {
        missing.retain(|other| *other == kind);
    }
    Ok(Written { place, file, made: true, missing })
}

/// Makes one of the person's own, which no project has a say in; so an agent needs a person's word. Its path comes back.
pub fn new_for_every_project(
    project: impl FnOnce() -> Result<Project, CommandError>,
    caller: &Caller,
    kind: &Type,
    text: impl FnOnce() -> Result<Option<String>, CommandError>,
    consent: Consent<'_>,
) -> Result<std::path::PathBuf, CommandError> {
    let Some(folder) = places::user_directives() else {
        return Err(CommandError::refused("no home folder: HOME is not set"));
    };
    let asks = match caller {
        Caller::Agent { .. } => Some(project()?),
        Caller::Person | Caller::Program => project().ok(),
    };
    // A person agrees to the very text.
    let text = made(kind, "every project", text()?.as_deref());
    let what = format!("a directive for every project: {}: {text}", kind.name);
    let deed = Deed::new(&what, &[kind.name, &text]).of(Kind::Directive).by_script(consent.yes);
    match asks {
        Some(project) => {
            approval::require(&project, caller, &deed, consent.reading)?;
        }
        None if *caller == Caller::Program => {
            approval::by_script(None, &deed)?;
        }
        None => {}
    }
    let file = folder.join(kind.file());
    make(&file, &file.display().to_string(), &text)?;
    Ok(file)
}

fn make(file: &Path, shown: &str, text: &str) -> Outcome {
    directive_file::make(file, text).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => CommandError::refused(format!("{shown} is there already")),
        _ => CommandError::at(shown, error),
    })
}

/// Adds one entry to the end of a directive file, which is made if need be. The entry comes back as it stands there.
pub fn add(
    project: Project,
    kind: &'static Type,
    dir: Option<&Path>,
    text: impl FnOnce() -> Result<String, CommandError>,
) -> Result<(Written, String), CommandError> {
    let place = Place::of(project, dir)?;
    let file = place.writable(kind)?;
    let entry = one_entry(&text()?);
    place.must_know_agents(kind)?;
    let made = directive_file::edit(&place.project, &file, |text| {
        let before = text.map_or_else(|| header(kind, &place.name()), str::to_owned);
        let new = added(&before, &entry).map_err(|why| place.not_added(kind, why))?;
        Ok::<_, CommandError>((new, text.is_none()))
    })?;
    let mut missing = place.unmentioned()?;
    missing.retain(|other| made && *other == kind);
    let file = place.shown_file(kind);
    Ok((Written { place, file, made, missing }, entry))
}

/// Names the directives of a folder in the AGENTS.md beside them, where they are not. The file comes back, and which were missing.
pub fn mention(project: Project, dir: Option<&Path>) -> Result<(String, Vec<&'static Type>), CommandError> {
    let place = Place::of(project, dir)?;
    let agents = Type::find(AGENTS)
        .ok_or_else(|| CommandError::refused("there is no such type").of(crate::error::Failure::Internal))?;
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
    Ok((shown, missing))
}

#[cfg(test)]
mod tests;
