//! `engine directives status` and `engine discover-directives`.

use std::path::{Path, PathBuf};

use clap::Args;
use engine_app::agent_session;
use engine_app::error::{CommandError, Failure, Outcome};
use engine_app::here::project;
use engine_app::session::skill_directives;
use engine_core::config::Config;
use engine_core::directive::{self, BARE, Disk, Found, Places, SKIP, Type};
use engine_core::session::{SessionState, Told};
use engine_core::sigil::REFERS;
use engine_store::links::resolve;
use engine_store::session_file::SessionFile;
use engine_store::{config_file, places};
use serde_json::{Value, json};

use crate::table::aligned;
use crate::ui::Ui;

#[derive(Debug, Args)]
pub(crate) struct DirectivesStatusArgs {
    /// Nothing: this folder
    pub(crate) dir: Option<PathBuf>,
    /// The agent session (the beginning of its id is enough); nothing: this one, or the only one that was told any
    #[arg(long)]
    pub(crate) session: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DiscoverArgs {
    /// A folder, or a file in it
    pub(crate) dir: PathBuf,
    /// Only these types, separated by commas
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',', value_parser = directive_type)]
    pub(crate) types: Vec<String>,
    /// What this skill gets: the core types and those that it declares
    #[arg(long, value_name = "SKILL", conflicts_with = "types")]
    pub(crate) skill: Option<String>,
    /// Where the way up ends; nothing: the project
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
}

fn directive_type(word: &str) -> Result<String, String> {
    super::kind(word).map(|kind| kind.name.to_owned())
}

struct OnDisk;

impl Disk for OnDisk {
    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn real(&self, path: &Path) -> PathBuf {
        resolve(path)
    }
}

fn found_at(at: &Path, root: &Path, config: &Config, wanted: &dyn Fn(&Type) -> bool) -> Vec<Found> {
    let own = places::user_directives();
    let skipped = config.names(&SKIP);
    let places = Places { root, user: own.as_deref(), skipped: &skipped, bare: config.flag(&BARE) };
    directive::discover(at, &places, wanted, &OnDisk)
}

pub(in crate::commands) fn discover(args: &DiscoverArgs, ui: &Ui) -> Outcome {
    let project = match &args.root {
        // Any folder may be looked through, whether or not it is a project.
        Some(_) => project().ok(),
        None => Some(project()?),
    };
    let config = project.as_ref().map(config_file::load).unwrap_or_default();
    let root = match &args.root {
        Some(root) => std::fs::canonicalize(root).map_err(|error| not_there(root, &error))?,
        None => project.as_ref().map(|project| resolve(project.root())).unwrap_or_default(),
    };
    let at = std::fs::canonicalize(&args.dir).map_err(|error| not_there(&args.dir, &error))?;
    if !at.starts_with(&root) {
        return Err(CommandError::refused(format!("{} is not below {}", args.dir.display(), root.display()))
            .hint("--root DIR names where the way up ends"));
    }
    let declared = match (&args.skill, &project) {
        (Some(skill), Some(project)) => Some(skill_directives(project, skill)?),
        (Some(_), None) => {
            return Err(CommandError::refused("skills are looked up in a project; there is none here"));
        }
        (None, _) => None,
    };
    let wanted = |kind: &Type| match &declared {
        Some(declared) => kind.core || declared.contains(&kind.file()),
        None => args.types.is_empty() || args.types.iter().any(|name| name == kind.name),
    };
    let found = found_at(&at, &root, &config, &wanted);
    if ui.is_json() {
        let row = |found: &Found| json!({"type": found.kind.name, "core": found.kind.core, "path": found.path, "bytes": size(&found.path)});
        let rows: Vec<Value> = found.iter().map(row).collect();
        ui.object(&json!({"version": 1, "directives": rows}));
    } else {
        for file in &found {
            ui.line(file.path.display().to_string());
        }
    }
    if found.is_empty() {
        let none = format!("no directives count in {}", args.dir.display());
        return Err(if ui.is_json() { CommandError::already_told() } else { CommandError::refused(none) });
    }
    Ok(())
}

fn not_there(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::refused(format!("{}: {error}", path.display()))
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |data| data.len())
}

/// One file and what an agent knows of it.
struct Row {
    path: String,
    bytes: u64,
    kind: Option<&'static Type>,
    state: &'static str,
}

pub(super) fn status(args: &DirectivesStatusArgs, ui: &Ui) -> Outcome {
    let project = project()?;
    let root = resolve(project.root());
    let at = args.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let at = std::fs::canonicalize(&at).map_err(|error| not_there(&at, &error))?;
    let found = found_at(&at, &root, &config_file::load(&project), &|_| true);
    let session =
        agent_session::find(&project, args.session.as_deref(), |state| !state.directives.is_empty());
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
    let subagents: Vec<(&String, &Told)> =
        state.directives.iter().filter(|(agent, _)| !agent.is_empty()).collect();
    if ui.is_json() {
        let row = |row: &Row| json!({"path": row.path, "type": row.kind.map(|kind| kind.name), "bytes": row.bytes, "state": row.state});
        let subagents: Vec<Value> = subagents
            .iter()
            .map(|(agent, told)| json!({"agent": agent, "told": told.delivered, "unread": told.pending}))
            .collect();
        let rows: Vec<Value> = rows.iter().map(row).collect();
        ui.object(&json!({"version": 1, "session": session, "directives": rows, "subagents": subagents}));
        return Ok(());
    }
    if rows.is_empty() {
        ui.talk("no directives count here; engine directives new AGENTS makes one");
        return Ok(());
    }
    let lines: Vec<Vec<String>> = rows
        .iter()
        .map(|row| vec![row.state.to_owned(), format!("{} bytes", row.bytes), row.path.clone()])
        .collect();
    ui.text(&aligned(&lines, ""));
    for (agent, told) in subagents {
        ui.line(format!("subagent {agent}: {} told, {} unread", told.delivered.len(), told.pending.len()));
    }
    match session {
        Some(id) => ui.talk(format!("of the agent session {id}")),
        None => ui.talk("no agent session is alive"),
    }
    Ok(())
}

/// What counts here, then what else the session was told.
fn rows(found: &[Found], told: Option<&Told>, state: &SessionState, root: &Path) -> Vec<Row> {
    let declared = |kind: &Type| {
        kind.core || state.work.as_ref().is_some_and(|work| work.directives.contains(&kind.file()))
    };
    let of = |path: &String, kind: Option<&'static Type>| {
        let state = match told {
            Some(told) if told.delivered.contains(path) => "told",
            Some(told) if told.pending.contains(path) => "unread",
            _ if kind.is_none_or(declared) => "not met yet",
            _ => "for other skills",
        };
        Row { path: path.clone(), bytes: size(&root.join(path)), kind, state }
    };
    let mut rows: Vec<Row> =
        found.iter().map(|found| of(&directive::shown(&found.real, root), Some(found.kind))).collect();
    let elsewhere = told.into_iter().flat_map(|told| told.delivered.iter().chain(&told.pending));
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
