//! The client's records: the transcripts of sessions, and the file with everything that the person typed. The engine knows from
//! them what a person said, so an agent that could write one could say it for them.
//!
//! They are `projects/*/**.jsonl` and `history.jsonl` in the client's folder, and the transcript of the event wherever it is. Reading
//! is free. The memory folder beside the transcripts is the agent's. Example: `printf '{…}' >> ~/.client/projects/-p/1f0c.jsonl`
//! writes a record, `cp ~/.client/projects/-p/1f0c.jsonl /tmp/x` does not.
//!
//! So are the folders in the client's own that every shell of the agent reads first: a line there would decide what every later command
//! runs.

use std::path::Path;

use engine_core::verdict::Finding;
use engine_core::view::client_projects;
use engine_shell::Effect;
use engine_text::glob;

use super::View;

/// What a refusal says of a record, and of a folder that holds one.
pub(super) fn refused(what: &str) -> Finding {
    Finding::deny(format!(
        "{what} the client's record of a session. From it engine knows what the person said and what ran, so no agent changes it. \
         Reading and copying it stay free: change a copy. Deleting it is left to the person."
    ))
    .because("the path is a transcript of the client, or holds one")
}

/// The folder with the records, as command lines name it.
pub(super) fn folder_name(view: &(impl View + ?Sized)) -> String {
    let dialect = view.dialect();
    format!("{}/{}", name(dialect.home), dialect.projects)
}

/// Where a path is, seen from the folder with one folder per project.
enum Place<'p> {
    /// That folder, or one above.
    Above {
        is_projects: bool,
    },
    /// The folder of one project.
    Project(&'p str),
    /// Below the folder of one project: the parts behind it.
    Inside(Vec<&'p str>),
    History,
    /// What every shell of the agent reads first.
    Shell,
}

/// Whether a file is a record.
pub(super) fn is_record(path: &Path, transcript: Option<&str>, view: &(impl View + ?Sized)) -> bool {
    let path = path.to_string_lossy();
    if is_transcript(&path, transcript, view) {
        return true;
    }
    is_near(&path, view) && place(&path, false, view).is_some_and(|place| place.is_file(false, view))
}

/// Whether a file is a record, or a folder that holds them: another name for it would be one for them.
pub(super) fn is_or_holds(path: &Path, transcript: Option<&str>, view: &(impl View + ?Sized)) -> bool {
    let text = path.to_string_lossy();
    is_record(path, transcript, view)
        || is_near(&text, view) && place(&text, false, view).is_some_and(|place| place.is_folder())
}

/// Whether an effect changes a record. `path` is that of the effect with links followed.
pub(super) fn is_changed(
    effect: &Effect,
    path: &Path,
    transcript: Option<&str>,
    view: &(impl View + ?Sized),
) -> bool {
    let path = path.to_string_lossy();
    if let Some(tail) = effect.tail() {
        return is_tail(tail, effect.is_recursive(), transcript, view);
    }
    if is_transcript(&path, transcript, view) {
        return true;
    }
    if effect.is_recursive() || effect.is_pattern() {
        let meets = |file: &str| effect.meets(&view.resolve("/", file).to_string_lossy());
        if transcript.is_some_and(meets) {
            return true;
        }
    } else if !is_near(&path, view) {
        return false;
    }
    if let Some((start, name)) = path.split_once("/**/") {
        return is_found(start, name, view);
    }
    let is_pattern = effect.is_pattern();
    let Some(place) = place(&path, is_pattern, view) else { return false };
    place.is_file(is_pattern, view)
        || (matches!(effect, Effect::Write { .. }) && place.is_folder())
        || (effect.is_recursive() && place.goes(view))
}

/// The ends by which a record is known before anything is looked up: that costs system calls.
fn is_near(path: &str, view: &(impl View + ?Sized)) -> bool {
    let dialect = view.dialect();
    !dialect.projects.is_empty()
        && (path.ends_with(dialect.transcript_end)
            || path.contains(dialect.projects)
            || dialect.shells.iter().any(|folder| path.contains(folder)))
}

/// Whether a path is the transcript of the event.
fn is_transcript(path: &str, transcript: Option<&str>, view: &(impl View + ?Sized)) -> bool {
    let Some(transcript) = transcript.filter(|transcript| name(transcript) == name(path)) else {
        return false;
    };
    view.resolve("/", transcript).to_string_lossy() == path
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn place<'p>(path: &'p str, is_pattern: bool, view: &(impl View + ?Sized)) -> Option<Place<'p>> {
    if view.dialect().projects.is_empty() {
        return None;
    }
    let projects = client_projects(&view.root().to_string_lossy(), view);
    let projects = projects.to_string_lossy();
    let fits = |part: &str, name: &str| part == name || is_pattern && glob::expands_to(part, name);
    let parts: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    let names: Vec<&str> = projects.split('/').collect();
    let above = names.len() - 1;
    let is_home =
        parts.len() > above && parts[..above].iter().zip(&names).all(|(part, name)| fits(part, name));
    if is_home && view.dialect().shells.iter().any(|folder| fits(parts[above], folder)) {
        return Some(Place::Shell);
    }
    let all_fit = |parts: &[&str]| parts.iter().zip(&names).all(|(part, name)| fits(part, name));
    if parts.len() <= names.len() {
        let is_history = parts.len() == names.len()
            && all_fit(&parts[..parts.len() - 1])
            && fits(name(path), view.dialect().history);
        if all_fit(&parts) {
            return Some(Place::Above { is_projects: parts.len() == names.len() });
        }
        return is_history.then_some(Place::History);
    }
    let (above, below) = parts.split_at(names.len());
    all_fit(above).then(|| match below {
        [project] => Place::Project(project),
        below => Place::Inside(below[1..].to_vec()),
    })
}

impl Place<'_> {
    /// A record itself.
    fn is_file(&self, is_pattern: bool, view: &(impl View + ?Sized)) -> bool {
        match self {
            Self::History | Self::Shell => true,
            Self::Inside(parts) => {
                !is_memory(parts, view) && is_record_name(parts[parts.len() - 1], is_pattern, view)
            }
            Self::Above { .. } | Self::Project(_) => false,
        }
    }

    /// A folder in which nothing but records is: what is copied there may be one. A file beside it has an ending.
    fn is_folder(&self) -> bool {
        match self {
            Self::Above { is_projects } => *is_projects,
            Self::Project(name) => !name.contains('.'),
            Self::Inside(_) | Self::History => false,
            Self::Shell => true,
        }
    }

    /// Records go with it if everything below goes.
    fn goes(&self, view: &(impl View + ?Sized)) -> bool {
        match self {
            Self::Above { .. } | Self::Project(_) | Self::History | Self::Shell => true,
            Self::Inside(parts) => {
                !is_memory(parts, view) && !behind_stars(parts[parts.len() - 1]).contains('.')
            }
        }
    }
}

/// Whether the parts below the folder of a project lead into its memory, or a pattern that begins like its name.
fn is_memory(parts: &[&str], view: &(impl View + ?Sized)) -> bool {
    let first = parts[0];
    let sure = first.find(['*', '?', '[']).map_or(first, |star| &first[..star]);
    let memory = view.dialect().memory;
    first == memory || (sure.len() < first.len() && !sure.is_empty() && memory.starts_with(sure))
}

/// Whether a name is that of a record, or a pattern can become one.
fn is_record_name(name: &str, is_pattern: bool, view: &(impl View + ?Sized)) -> bool {
    let end = view.dialect().transcript_end;
    name.ends_with(end) || is_pattern && has_stars(name) && end.ends_with(behind_stars(name))
}

fn has_stars(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

/// What is sure at the end of a pattern.
fn behind_stars(name: &str) -> &str {
    name.rfind(['*', '?', ']']).map_or(name, |star| &name[star + 1..])
}

/// What `find` reaches from a folder: a name that any record can have counts from above, too.
fn is_found(start: &str, name: &str, view: &(impl View + ?Sized)) -> bool {
    if !is_record_name(name, true, view) {
        return false;
    }
    match place(start, false, view) {
        Some(Place::Above { is_projects }) => {
            is_projects || has_stars(name) || name == view.dialect().history
        }
        Some(Place::Project(_)) => true,
        Some(Place::Inside(parts)) => !is_memory(&parts, view),
        Some(Place::History | Place::Shell) | None => false,
    }
}

/// A path of which only the end is known: the name of the transcript, or the client's own folders.
fn is_tail(tail: &str, is_recursive: bool, transcript: Option<&str>, view: &(impl View + ?Sized)) -> bool {
    let dialect = view.dialect();
    if transcript.is_some_and(|transcript| name(transcript) == name(tail)) {
        return true;
    }
    let home = name(dialect.home);
    let parts: Vec<&str> = tail.split('/').collect();
    let Some(at) = parts.iter().position(|part| *part == dialect.projects && !part.is_empty()) else {
        return parts.ends_with(&[home, dialect.history]);
    };
    let is_home = at > 0 && parts[at - 1] == home;
    // The client names the folder of a project by its path, in which each slash becomes a dash.
    let below = match &parts[at + 1..] {
        [] => return is_home && is_recursive,
        [project, below @ ..] if is_home || project.starts_with('-') => below,
        _ => return false,
    };
    let place = if below.is_empty() { Place::Project("") } else { Place::Inside(below.to_vec()) };
    place.is_file(true, view) || (is_recursive && place.goes(view))
}
