//! `engine session idle` and `deactivate`.

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::note::offer;
use engine_app::session::CommandContext;
use engine_app::session::close::{self, Request, Rested};
use engine_app::stdin;
use engine_core::work::Lifecycle;
use serde_json::json;

use crate::commands::note;
use crate::ui::Ui;

#[derive(Debug, Args)]
pub(crate) struct CloseArgs {
    /// The folder of the work session
    pub(crate) path: String,
    /// What was done; or on stdin
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Words by which it is found, with commas between
    #[arg(long, value_delimiter = ',')]
    pub(crate) keywords: Vec<String>,
    /// Proof of the last phase, as NAME=VALUE
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) proof: Vec<String>,
    /// For an agent: asks the person to close in spite of open gates, with this reason
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
}

impl CloseArgs {
    fn request(&self) -> Request<'_> {
        Request {
            path: &self.path,
            description: self.description.as_deref(),
            keywords: &self.keywords,
            proof: &self.proof,
            approved: self.user_approved.as_deref(),
        }
    }
}

pub(super) fn idle(args: &CloseArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    show(close::idle(context, &args.request(), &stdin::piped), context, ui)
}

pub(super) fn deactivate(args: &CloseArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    show(close::deactivate(context, &args.request(), &stdin::piped), context, ui)
}

pub(super) fn show(rested: Result<Rested, CommandError>, context: &CommandContext, ui: &Ui) -> Outcome {
    let Rested { work, state, next, left, related } = rested?;
    let offers = offer::of_session(&context.project, &context.caller);
    if ui.is_json() {
        let left = left.map(
            |left| json!({"phase": left.phase, "openSteps": left.open_steps, "lastCheck": left.last_check}),
        );
        ui.object(&json!({"version": 1, "path": work.shown(), "lifecycle": state.lifecycle, "nextSkills": next, "left": left, "related": related, "remember": offers}));
        return Ok(());
    }
    match left.filter(|_| state.lifecycle == Lifecycle::Idle) {
        Some(left) => ui.line(format!("{} rests in {}", work.shown(), left.shown())),
        None => ui.line(format!("{} is {}", work.shown(), state.shown())),
    }
    for line in related.lines() {
        ui.line(line);
    }
    if !next.is_empty() {
        ui.line(format!("next: {}", next.join(", ")));
    }
    note::offer(&offers, ui);
    Ok(())
}
