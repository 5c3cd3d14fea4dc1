//! `engine session phase`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::session::CommandContext;
use engine_app::session::phase::{Entered, Request, enter, next_call, place};
use engine_app::stdin;
use engine_core::work::Run;
use engine_core::work::proof::Demand;
use engine_store::work_file::WorkFile;
use serde_json::json;

use crate::ui::Ui;

/// Go on to the next phase, with proof of the one that is left
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine session phase sessions/2026_02_07_AUTH '2: Plan'\n  engine session phase sessions/2026_02_07_AUTH '4: Verify' --proof testsPass='cargo test'"
)]
pub(crate) struct PhaseArgs {
    /// The folder of the work session
    pub(crate) path: String,
    /// LABEL: NAME
    pub(crate) phase: String,
    /// Proof of the phase that is left, as NAME=VALUE; or a JSON object on stdin
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) proof: Vec<String>,
    /// For an agent: asks the person for it, with this reason; the reason approves nothing
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
}

pub(super) fn run(args: &PhaseArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let approved = args.user_approved.as_deref();
    let request = Request { path: &args.path, phase: &args.phase, proof: &args.proof, approved };
    let Entered { work, run, demand, steps } = enter(context, &request, &stdin::piped)?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown(), "phase": run.current_phase,
            "proof": demand.names(), "steps": run.declared().map(|phase| &phase.steps)}));
        return Ok(());
    }
    ui.line(format!("{}: {}{}", work.shown(), run.skill, place(&run)));
    tell_steps(&steps, ui);
    tell_demand(&run, &demand, ui);
    tell_next(&work, &run, ui);
    Ok(())
}

/// What the steps of the phase mean.
pub(super) fn tell_steps(steps: &[String], ui: &Ui) {
    for step in steps {
        ui.line(step);
    }
}

pub(super) fn tell_demand(run: &Run, demand: &Demand, ui: &Ui) {
    let names = demand.names();
    if !names.is_empty() {
        ui.line(format!("proof to leave it: {}", names.join(", ")));
    }
    if run.declared().is_some_and(|phase| phase.gate) {
        ui.line("gate: a person decides whether it goes on; the call below asks them");
    }
}

/// The call that comes next.
pub(super) fn tell_next(work: &WorkFile, run: &Run, ui: &Ui) {
    if let Some(call) = next_call(work, run) {
        ui.line(format!("then: {call}"));
    }
}
