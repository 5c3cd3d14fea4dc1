//! Which directives count in a folder, and which of them an agent session was told.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use engine_core::config::Config;
use engine_core::directive::edit::is_form;
use engine_core::directive::{self, BARE, Disk, FoundDirective, Places, SKIP, Type};
use engine_core::session::{ContextDirectives, SessionState};
use engine_core::sigil::REFERS;
use engine_store::links::resolve;
use engine_store::project::Project;
use engine_store::read::read_string;
use engine_store::session_file::SessionFile;
use engine_store::{config_file, places};

use crate::agent_session;
use crate::error::{CommandError, Failure};
use crate::session::skill_directives;

struct OnDisk;

impl Disk for OnDisk {
    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn real(&self, path: &Path) -> PathBuf {
        resolve(path)
    }
}

fn found_at(at: &Path, root: &Path, config: &Config, wanted: &dyn Fn(&Type) -> bool) -> Vec<FoundDirective> {
    let own = places::user_directives();
    let skipped = config.names(&SKIP);
    let places = Places {
        root,
        user: own.as_deref(),
        skipped: &skipped,
        bare: config.flag(&BARE),
        worktrees: engine_claude::DIALECT.worktrees,
    };
    directive::discover(at, &places, wanted, &OnDisk)
}

/// Which are wanted.
#[derive(Debug, Clone, Copy)]
pub enum Wanted<'a> {
    /// Those of these types; without any, all.
    Types(&'a [String]),
    /// What this skill gets.
    Skill(&'a str),
}

/// The directives that count in a folder: from there up to the root, then the person's own.
pub fn discover(
    project: Option<&Project>,
    dir: &Path,
    root: Option<&Path>,
    wanted: Wanted<'_>,
) -> Result<Vec<FoundDirective>, CommandError> {
    let config = project.map(config_file::load).unwrap_or_default();
    let root = match root {
        Some(root) => real(root)?,
        None => project.map(|project| resolve(project.root())).unwrap_or_default(),
    };
    let at = real(dir)?;
    if !at.starts_with(&root) {
        return Err(CommandError::refused(format!("{} is not below {}", dir.display(), root.display()))
            .hint("--root DIR names where the way up ends"));
    }
    let declared = match (wanted, project) {
        (Wanted::Skill(skill), Some(project)) => Some(skill_directives(project, skill)?),
        (Wanted::Skill(_), None) => {
            return Err(CommandError::refused("skills are looked up in a project; there is none here"));
        }
        (Wanted::Types(_), _) => None,
    };
    let is_wanted = |kind: &Type| match (&declared, wanted) {
        (Some(declared), _) => kind.core || declared.contains(&kind.file()),
        (None, Wanted::Types(types)) => types.is_empty() || types.iter().any(|name| name == kind.name),
        (None, Wanted::Skill(_)) => false,
    };
    Ok(found_at(&at, &root, &config, &is_wanted))
}

fn real(path: &Path) -> Result<PathBuf, CommandError> {
    std::fs::canonicalize(path).map_err(|error| CommandError::at(path.display(), error))
}

pub fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |data| data.len())
}

/// One file and what an agent knows of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub path: String,
    pub bytes: u64,
    pub kind: Option<&'static Type>,
    pub state: &'static str,
}

/// What counts in a folder, and what an agent session was told.
pub struct Status {
    /// Nothing where none is alive.
    pub session: Option<String>,
    pub rows: Vec<Row>,
    /// By the subagent's id.
    pub subagents: BTreeMap<String, ContextDirectives>,
}

/// The directives that count in a folder, and which of them an agent session was told.
pub fn status(project: &Project, dir: &Path, session: Option<&str>) -> Result<Status, CommandError> {
    let root = resolve(project.root());
    let at = real(dir)?;
    let found = found_at(&at, &root, &config_file::load(project), &|_| true);
    let session = agent_session::find(project, session, |state| !state.directives.is_empty());
    // Without any agent session there still is something to see.
    let session = match session {
        Ok(id) => Some(id),
        Err(error) if error.failure == Failure::Nothing => None,
        Err(error) => return Err(error),
    };
    let state = session
        .as_ref()
        .map(|id| SessionFile::new(&project.sessions_folder(), id).peek())
        .unwrap_or_default();
    let rows = rows(&found, state.directives.get(""), &state, &root);
    let subagents = state.directives.into_iter().filter(|(agent, _)| !agent.is_empty()).collect();
    Ok(Status { session, rows, subagents })
}

/// What counts here, then what else the session was told.
fn rows(
    found: &[FoundDirective],
    told: Option<&ContextDirectives>,
    state: &SessionState,
    root: &Path,
) -> Vec<Row> {
    let declared = |kind: &Type| {
        kind.core || state.work.as_ref().is_some_and(|work| work.directives.contains(&kind.file()))
    };
    let of = |path: &String, kind: Option<&'static Type>| {
        let state = match told {
            Some(told) if told.delivered.contains(path) => "told",
            Some(told) if told.pending.contains(path) => "unread",
            Some(told) if told.queued.iter().any(|queued| queued.path == *path) => "comes next",
            _ if kind.is_some_and(|kind| is_unfilled(kind, &root.join(path))) => "empty form",
            _ if kind.is_none_or(declared) => "not met yet",
            _ => "for other skills",
        };
        Row { path: path.clone(), bytes: size(&root.join(path)), kind, state }
    };
    let mut rows: Vec<Row> =
        found.iter().map(|found| of(&directive::shown(&found.real, root), Some(found.kind))).collect();
    let elsewhere = told.into_iter().flat_map(|told| {
        let queued = told.queued.iter().map(|queued| &queued.path);
        told.delivered.iter().chain(&told.pending).chain(queued)
    });
    // What files refer to came with them.
    let elsewhere = elsewhere.filter(|path| !path.starts_with(REFERS));
    for path in elsewhere {
        if rows.iter().all(|row| row.path != *path) {
            rows.push(of(
                path,
                Path::new(path).file_name().and_then(|name| Type::find(&name.to_string_lossy())),
            ));
        }
    }
    rows
}

fn is_unfilled(kind: &Type, path: &Path) -> bool {
    read_string(path).is_ok_and(|text| is_form(kind, &text.replace("\r\n", "\n")))
}

#[cfg(test)]
mod tests;
