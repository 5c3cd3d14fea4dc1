//! `engine uninstall`.

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::here::{self, project_to_leave};
use engine_app::install;
use serde_json::json;

use crate::ui::{Tone, Ui, toned};

/// Take engine out of this project
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine uninstall\n  engine uninstall --purge")]
pub(crate) struct UninstallArgs {
    /// Remove .engine/ too: configuration, state and journal
    #[arg(long)]
    pub(crate) purge: bool,
    /// For an agent: its reason, kept beside the person's answer; it approves nothing
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
}

pub(super) fn run(args: &UninstallArgs, ui: &Ui) -> Outcome {
    let project = project_to_leave()?;
    let (cwd, caller) = (here::folder()?, here::caller());
    let done = install::uninstall(&project, &cwd, &caller, args.purge, args.user_approved.as_deref())?;
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
