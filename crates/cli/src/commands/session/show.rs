//! `engine session show`.

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::session::CommandContext;
use engine_app::session::phase::place;
use engine_app::time;
use engine_app::wording::presence;
use engine_core::file_link::Protocol;
use engine_store::config_file;
use serde_json::json;

use crate::ui::{Ui, linked};

/// Show a work session
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine session show sessions/2026_02_07_AUTH")]
pub(crate) struct SessionShowArgs {
    /// The folder of the work session
    pub(crate) path: String,
}

pub(super) fn run(args: &SessionShowArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    show(&args.path, context, ui)
}

pub(super) fn show(path: &str, context: &CommandContext, ui: &Ui) -> Outcome {
    let work = context.existing(path)?;
    let Some(state) = work.peek() else {
        return Err(CommandError::refused(format!("{}/state.json cannot be read", work.shown()))
            .hint("the next change sets it aside and begins anew"));
    };
    if ui.is_json() {
        let is_held = state.agent_session.as_ref().map(|holder| context.is_alive(&holder.id));
        let mut shown = json!(state);
        // The file has them in short.
        for (row, run) in shown["runs"].as_array_mut().into_iter().flatten().zip(&state.runs) {
            row["phases"] = json!(run.phases);
        }
        ui.object(&json!({"version": 1, "path": work.shown(), "state": shown, "holderAlive": is_held}));
        return Ok(());
    }
    let links = Protocol::of(&config_file::load(&context.project));
    ui.line(format!("{}: {}", linked(&work.shown(), work.folder(), links), state.shown()));
    if let Some(breach) = work.breach()? {
        ui.line(breach.told(&work.state_file()));
    }
    if let Some(holder) = &state.agent_session {
        let known = presence(context.presence(&holder.id).as_ref());
        ui.line(format!("held by {}{known}", holder.id));
    }
    for run in &state.runs {
        let ended = match (run.left_in(), &run.ended_at) {
            (Some(phase), _) => format!(", left in {phase}"),
            (None, Some(_)) => format!("{}, done", place(run)),
            (None, None) => place(run),
        };
        ui.line(format!("{}{ended}", run.skill));
        if let Some(goal) = &run.goal {
            ui.line(format!("  goal: {goal}"));
        }
        for passed in &run.history {
            let approved =
                passed.approved.as_ref().map(|why| format!(" (approved: {why})")).unwrap_or_default();
            let unproved = if passed.unproved { " (left unproved)" } else { "" };
            let at = time::shown(&passed.at);
            ui.line(format!("  {at}  {}{unproved}{approved}", passed.phase));
        }
    }
    if let Some(description) = &state.description {
        ui.line(format!("description: {description}"));
    }
    if !state.keywords.is_empty() {
        ui.line(format!("keywords: {}", state.keywords.join(", ")));
    }
    if state.overflow.payload.is_some() {
        ui.line("a payload waits for the next agent session");
    }
    Ok(())
}
