//! `engine chain fail`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::here::{caller, project};

use super::{ChainSession, show};
use crate::ui::Ui;

/// Say that the current entry failed: the rest is kept, and nothing presses on
#[derive(Debug, Args)]
#[command(
    after_long_help = "Example:\n  engine chain fail 'the design contradicts itself: see plans/foo/design.md'"
)]
pub(crate) struct ChainFailArgs {
    /// Why it failed, in a sentence
    #[arg(required = true, allow_hyphen_values = true)]
    why: Vec<String>,
    #[command(flatten)]
    whose: ChainSession,
}

pub(super) fn run(args: &ChainFailArgs, ui: &Ui) -> Outcome {
    let caller = caller();
    let running = args.whose.find()?.of(&caller)?;
    let chain = running.fail(&project()?, &args.why.join(" "), &caller)?;
    show::after("failed", &running.session, &chain, ui);
    Ok(())
}
