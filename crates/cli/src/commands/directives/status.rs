//! `engine directives status`.

use std::path::{Path, PathBuf};

use clap::Args;
use engine_app::directives::look::{Row, Status, status};
use engine_app::error::Outcome;
use engine_app::here::project;
use serde_json::{Value, json};

use crate::table::aligned;
use crate::ui::Ui;

/// Show the directives that count in a folder, and which of them an agent session was told
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine directives status\n  engine directives status packages/api --json"
)]
pub(crate) struct DirectivesStatusArgs {
    /// Nothing: this folder
    pub(crate) dir: Option<PathBuf>,
    /// The agent session (the beginning of its id is enough); nothing: this one, or the only one that was told any
    #[arg(long)]
    pub(crate) session: Option<String>,
}

pub(super) fn run(args: &DirectivesStatusArgs, ui: &Ui) -> Outcome {
    let at = args.dir.as_deref().unwrap_or(Path::new("."));
    let Status { session, rows, subagents } = status(&project()?, at, args.session.as_deref())?;
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
