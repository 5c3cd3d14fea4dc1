//! `engine session finish`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::session::CommandContext;
use engine_app::session::finish::{Finished, Request, finish};

use super::close;
use crate::ui::Ui;

/// End a run in one call: leave the phases that are left, draft the debrief, and let the work rest
///
/// Proof that is not given is looked up: the last test run that passed, boxes, checklists. While anything is open it is named, and
/// nothing is written but the draft. A small run is completed, any other rests.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine session finish sessions/2026_02_07_AUTH\n  engine session finish sessions/2026_02_07_AUTH --description 'The key login works' --proof testsPass='pytest -q'"
)]
pub(crate) struct FinishArgs {
    /// The folder of the work session
    pub(crate) path: String,
    /// What was done; of a small run its goal, if nothing is said
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Words by which it is found, with commas between
    #[arg(long, value_delimiter = ',')]
    pub(crate) keywords: Vec<String>,
    /// Proof of a phase that is left on the way, as NAME=VALUE
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) proof: Vec<String>,
}

pub(super) fn run(args: &FinishArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let request = Request {
        path: &args.path,
        description: args.description.as_deref(),
        keywords: &args.keywords,
        proof: &args.proof,
    };
    let Finished { rested, drafted } = finish(context, &request)?;
    if let Some(file) = drafted.filter(|_| !ui.is_json()) {
        ui.line(format!("debrief: {file}, drafted by engine"));
    }
    close::show(Ok(rested), context, ui)
}
