//! What `engine session activate` and `continue` end with.

use engine_app::error::{CommandError, Outcome};
use engine_app::session::activate::Begun;
use engine_app::session::phase::place;
use engine_store::record::SetAside;
use serde_json::json;

use super::{phase, request_template};
use crate::ui::{Tone, Ui, toned};

/// What the agent needs to begin, and no more.
pub(super) fn show(begun: Result<Begun, CommandError>, notes: &[String], ui: &Ui) -> Outcome {
    ui.talk_all(notes);
    let mut begun = begun?;
    let stays = begun.stays.take();
    if let Some(SetAside(text)) = &begun.set_aside {
        ui.talk(format!("{} {text}", toned(Tone::Careful, "set aside:")));
    }
    ui.talk_all(&begun.requests.unread);
    let Begun { work, state, outcome, recall, requests, .. } = &begun;
    let Some(run) = state.run() else { return Ok(()) };
    let log = begun.log(run);
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown(), "skill": run.skill, "outcome": outcome, "phase": run.current_phase,
            "phases": run.phases, "proof": begun.demand(run).names(), "mode": run.mode, "goal": run.goal, "log": log, "recall": recall,
            "requests": request_template::rows(requests), "moreRequests": requests.more, "related": begun.related}));
        return stays.map_or(Ok(()), Err);
    }
    match recall {
        // It tells the rest, too.
        Some(recall) => {
            ui.line(recall);
            phase::tell_steps(&begun.steps(run), ui);
        }
        None => {
            ui.line(format!("{}: {} {outcome}{}", work.shown(), run.skill, place(run)));
            if let Some(goal) = &run.goal {
                ui.line(format!("goal: {goal}"));
            }
            phase::tell_steps(&begun.steps(run), ui);
            if let Some(mode) = &begun.mode {
                ui.line(mode);
            }
            phase::tell_demand(run, &begun.demand(run), ui);
            ui.line(format!("log: engine log {log}"));
        }
    }
    let files = begun.files(run);
    if !files.is_empty() {
        ui.line(format!("files in it: {}", files.join(", ")));
    }
    request_template::tell(requests, run, ui);
    for line in begun.related.lines() {
        ui.line(line);
    }
    if recall.is_none() {
        phase::tell_next(work, run, ui);
    }
    stays.map_or(Ok(()), Err)
}
