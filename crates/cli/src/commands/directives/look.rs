//! `engine directives status` and `engine discover-directives`.

use std::path::{Path, PathBuf};

use clap::Args;
use engine_app::directives::look::{self, Row, Status, Wanted, size};
use engine_app::error::{CommandError, Outcome};
use engine_app::here::project;
use engine_core::directive::FoundDirective;
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

pub(in crate::commands) fn discover(args: &DiscoverArgs, ui: &Ui) -> Outcome {
    let project = match &args.root {
        // Any folder may be looked through, whether or not it is a project.
        Some(_) => project().ok(),
        None => Some(project()?),
    };
    let wanted = args.skill.as_deref().map_or(Wanted::Types(&args.types), Wanted::Skill);
    let found = look::discover(project.as_ref(), &args.dir, args.root.as_deref(), wanted)?;
    if ui.is_json() {
        let row = |found: &FoundDirective| json!({"type": found.kind.name, "core": found.kind.core, "path": found.path, "bytes": size(&found.path)});
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

pub(super) fn status(args: &DirectivesStatusArgs, ui: &Ui) -> Outcome {
    let at = args.dir.as_deref().unwrap_or(Path::new("."));
    let Status { session, rows, subagents } = look::status(&project()?, at, args.session.as_deref())?;
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
    let cells = |row: &Row| vec![row.state.to_owned(), format!("{} bytes", row.bytes), row.path.clone()];
    ui.text(&aligned(&rows.iter().map(cells).collect::<Vec<_>>(), ""));
    for (agent, told) in &subagents {
        ui.line(format!("subagent {agent}: {} told, {} unread", told.delivered.len(), told.pending.len()));
    }
    match session {
        Some(id) => ui.talk(format!("of the agent session {id}")),
        None => ui.talk("no agent session is alive"),
    }
    Ok(())
}
