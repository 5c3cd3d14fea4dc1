//! `engine uninstall`.

use std::fs;

use clap::Args;
use engine_app::approval;
use engine_app::error::{CommandError, Outcome};
use engine_app::here::project;
use engine_claude::install;
use engine_store::approve::Caller;
use serde_json::json;

use crate::ui::{Tone, Ui, toned};

#[derive(Debug, Args)]
pub(crate) struct UninstallArgs {
    /// Remove .engine/ too: configuration, state and journal
    #[arg(long)]
    pub(crate) purge: bool,
    /// For an agent: why a person wants this; counts after they have spoken
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
}

pub(super) fn run(args: &UninstallArgs, ui: &Ui) -> Outcome {
    let project = project()?;
    let cwd = std::env::current_dir()?;
    if !cwd.starts_with(project.root()) {
        let root = project.root().display();
        return Err(CommandError::refused(format!(
            "this worktree has no .engine/ of its own; it uses that of {root}"
        ))
        .hint(format!("to take engine out there: cd {root} && engine uninstall")));
    }
    let what = if args.purge { "engine uninstall --purge" } else { "engine uninstall" };
    approval::require(&project, &Caller::from_environment(), what, args.user_approved.as_deref())?;
    let held = install::lock(&project)?;
    let done = install::uninstall(&project).map_err(|error| CommandError::refused(error.to_string()))?;
    drop(held);
    if args.purge {
        fs::remove_dir_all(project.folder())?;
    }
    if ui.is_json() {
        let files: Vec<_> = done
            .changes
            .iter()
            .map(|change| json!({"path": change.path, "removed": change.after.is_none()}))
            .collect();
        ui.object(&json!({"version": 1, "files": files, "notes": done.notes, "purged": args.purge}));
        return Ok(());
    }
    for change in &done.changes {
        let path = change.path.strip_prefix(project.root()).unwrap_or(&change.path);
        let word = if change.after.is_none() { "removed" } else { "restored" };
        ui.line(format!("{} {}", toned(Tone::Good, word), path.display()));
    }
    for note in &done.notes {
        ui.line(format!("{} {note}", toned(Tone::Careful, "note:")));
    }
    if args.purge {
        ui.line(format!("{} .engine/", toned(Tone::Good, "removed")));
    } else if project.folder().exists() {
        ui.line("Kept: .engine/ with the journal. To remove it too: engine uninstall --purge");
    }
    if done.changes.is_empty() && !args.purge {
        return Err(CommandError::nothing("engine was not wired here"));
    }
    Ok(())
}
