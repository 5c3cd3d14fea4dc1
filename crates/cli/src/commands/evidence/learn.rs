//! `engine evidence learn`.

use clap::Args;
use engine_app::approval::Consent;
use engine_app::error::Outcome;
use engine_app::evidence::learn::{self, Learned};
use engine_app::here;
use engine_rules::Rule;
use engine_store::project::Project;
use serde_json::json;

use crate::table::aligned;
use crate::ui::Ui;

/// List the checks that this project's own files name, and count those that do not count yet
///
/// Reads package.json, Makefile, justfile, Taskfile, tox.ini, pyproject.toml, Cargo.toml, build files, scripts and CI files. With
/// --set the commands go into evidence.checks of the project's configuration; an agent needs the person's approval for that.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine evidence learn\n  engine evidence learn --set\n  engine evidence learn --set \"make smoke\" ./dev/run.sh"
)]
pub(crate) struct EvidenceLearnArgs {
    /// Count these commands, or all that were found and do not count yet
    #[arg(long, value_name = "COMMAND", num_args = 0..)]
    pub(crate) set: Option<Vec<String>>,
    /// For an agent: its reason, kept beside the person's answer; it approves nothing
    #[arg(long, value_name = "REASON", requires = "set")]
    pub(crate) user_approved: Option<String>,
}

pub(super) fn run(args: &EvidenceLearnArgs, rules: &[Rule], ui: &Ui) -> Outcome {
    let project = here::project()?;
    match &args.set {
        Some(named) => set(args, named, &project, rules, ui),
        None => {
            show(&learn::found(&project), ui);
            Ok(())
        }
    }
}

fn show(found: &[Learned], ui: &Ui) {
    if ui.is_json() {
        ui.object(&json!({"version": 1, "checks": found}));
        return;
    }
    if found.is_empty() {
        ui.talk("no file of this project names a check; add one: engine evidence learn --set COMMAND");
        return;
    }
    let row = |one: &Learned| {
        let counts = if one.counts { "counts" } else { "does not count" };
        vec![one.command.clone(), one.from.clone(), counts.to_owned()]
    };
    ui.text(&aligned(&found.iter().map(row).collect::<Vec<_>>(), ""));
    if found.iter().any(|one| !one.counts) {
        ui.talk("count the others too: engine evidence learn --set");
    }
}

fn set(args: &EvidenceLearnArgs, named: &[String], project: &Project, rules: &[Rule], ui: &Ui) -> Outcome {
    let consent = Consent { reading: args.user_approved.as_deref(), yes: false };
    let set = learn::count(project, &here::caller(), rules, &here::program()?, named, consent)?;
    if ui.is_json() {
        let value = set.as_ref().map(|set| set.value.to_string());
        ui.object(&json!({"version": 1, "set": value, "file": set.map(|set| set.path)}));
        return Ok(());
    }
    match set {
        Some(set) => {
            ui.line(format!("evidence.checks = {} in {}", set.value, set.path.display()));
            ui.line("The agent may run them by engine check -- COMMAND without a dialog after: engine init");
        }
        None => ui.line("nothing to add: every check that was found counts already"),
    }
    Ok(())
}
