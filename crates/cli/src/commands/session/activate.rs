//! `engine session activate` and `continue`.

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::session::CommandContext;
use engine_app::session::activate::{self, Begun, Request};
use engine_app::session::phase::place;
use engine_app::stdin;
use engine_store::record::SetAside;
use serde_json::json;

use super::{delegate, phase};
use crate::ui::{Tone, Ui, toned};

#[derive(Debug, Args)]
pub(crate) struct ActivateArgs {
    /// The folder, as `sessions/2026_02_07_AUTH`
    pub(crate) path: String,
    pub(crate) skill: String,
    /// The skill's mode
    #[arg(long)]
    pub(crate) mode: Option<String>,
    /// A parameter, as NAME=VALUE
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) param: Vec<String>,
    /// Start a skill again that is done here
    #[arg(long)]
    pub(crate) fast_track: bool,
    /// For an agent: why a person wants this; counts after they have spoken
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ContinueArgs {
    /// Nothing: the one that this agent session is bound to
    pub(crate) path: Option<String>,
    /// For an agent: why a person wants it taken from another agent session; counts after they have spoken
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
}

pub(super) fn run(args: &ActivateArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let request = Request {
        path: &args.path,
        skill: &args.skill,
        mode: args.mode.as_deref(),
        params: &args.param,
        fast_track: args.fast_track,
        approved: args.user_approved.as_deref(),
    };
    let mut notes = Vec::new();
    let begun = activate::activate(context, &request, &stdin::piped, &mut notes);
    show(begun, &notes, context, ui)
}

pub(super) fn resume(args: &ContinueArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let mut notes = Vec::new();
    let begun = activate::resume(context, args.path.as_deref(), args.user_approved.as_deref(), &mut notes);
    show(begun, &notes, context, ui)
}

/// What the agent needs to begin, and no more.
fn show(begun: Result<Begun, CommandError>, notes: &[String], context: &CommandContext, ui: &Ui) -> Outcome {
    ui.talk_all(notes);
    let begun = begun?;
    if let Some(SetAside(text)) = &begun.set_aside {
        ui.talk(format!("{} {text}", toned(Tone::Careful, "set aside:")));
    }
    ui.talk_all(&begun.requests.unread);
    let Begun { work, state, outcome, payload, requests, .. } = &begun;
    let Some(run) = state.run() else { return Ok(()) };
    let log = begun.log(run);
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown(), "skill": run.skill, "outcome": outcome, "phase": run.current_phase,
            "phases": run.phases, "proof": begun.demand(run).names(), "log": log, "payload": payload,
            "requests": delegate::rows(requests), "moreRequests": requests.more}));
        return Ok(());
    }
    if let Some(payload) = payload {
        ui.text(&payload.told(|file| context.project.root().join(file).exists()));
    }
    ui.line(format!("{}: {} {outcome}{}", work.shown(), run.skill, place(run)));
    phase::tell_demand(run, &begun.demand(run), ui);
    ui.line(format!("log: engine log {log}"));
    let files = begun.files(run);
    if !files.is_empty() {
        ui.line(format!("files in it: {}", files.join(", ")));
    }
    delegate::tell(requests, run, ui);
    phase::tell_next(work, run, ui);
    Ok(())
}
