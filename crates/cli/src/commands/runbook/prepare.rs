//! `engine runbook prepare`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::plan::CommandContext;
use engine_app::runbook::name_of;
use engine_app::runbook::prepare::{Prepared, Wanted, prepare};
use engine_app::wording::counted;
use serde_json::json;

use super::tell_notes;
use crate::ui::Ui;

/// Cut a runbook into step files, agents and a plan, and record the task that runs it
///
/// Writes nothing where check finds an error. Run again it writes only what has changed, and deletes no step.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine runbook prepare greet\n  engine runbook prepare greet --dry-run\n  engine runbook prepare greet --diff"
)]
pub(crate) struct RunbookPrepareArgs {
    /// The runbook: NAME or plans/NAME
    pub(crate) name: String,
    /// List what would be written, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Show what would change line by line, and write nothing
    #[arg(long)]
    pub(crate) diff: bool,
    /// Change the steps of a run that has begun; an agent's call asks the user
    #[arg(long)]
    pub(crate) replan: bool,
    /// Why, kept beside the user's answer; it approves nothing
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
}

pub(super) fn run(args: &RunbookPrepareArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let name = name_of(&args.name)?;
    let wanted = Wanted {
        dry_run: args.dry_run,
        diff: args.diff,
        replan: args.replan,
        approved: args.user_approved.as_deref(),
    };
    let prepared = prepare(context, &name, &wanted)?;
    tell_notes(&prepared.notes, ui);
    if ui.is_json() {
        ui.object(&json!({"version": 1, "prepared": prepared}));
        return Ok(());
    }
    if args.diff {
        ui.text(&prepared.diff);
        return Ok(());
    }
    show(&prepared, args.dry_run, ui);
    Ok(())
}

fn show(prepared: &Prepared, is_dry: bool, ui: &Ui) {
    let Prepared { name, steps, files, agents, warnings, replanned, task, .. } = prepared;
    for warning in warnings {
        ui.line(warning);
    }
    for (path, what) in files.iter().filter(|(_, what)| *what != "unchanged") {
        ui.line(format!("{what:<9} {path}"));
    }
    for line in replanned {
        ui.line(line);
    }
    let steps = counted(*steps as u64, "step");
    if is_dry {
        let replan = if replanned.is_empty() { "" } else { "; prepare takes --replan for this" };
        ui.line(format!("plans/{name}: {steps}; nothing was written{replan}"));
        return;
    }
    if !prepared.changes() && replanned.is_empty() {
        ui.line(format!("plans/{name}: {steps}; nothing has changed"));
    } else {
        let agents =
            if agents.is_empty() { String::new() } else { format!(", agents {}", agents.join(", ")) };
        ui.line(format!("plans/{name} is prepared: {steps}{agents}"));
    }
    if let Some(task) = task {
        ui.line(format!("recorded the task: {task}"));
    }
    ui.line(format!("then: /orchestrate plans/{name} in a new session, or engine runbook next {name} here"));
}
