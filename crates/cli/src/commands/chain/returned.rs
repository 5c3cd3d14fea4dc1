//! `engine chain return`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::here::{caller, project};

use super::{ChainSession, show};
use crate::ui::Ui;

/// Hand a value of the current entry to the entries after it that have no argument
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine chain return plan=plans/foo")]
pub(crate) struct ChainReturnArgs {
    /// A name that the skill's front matter declares (`returns: [plan]`), and its value
    #[arg(required = true, value_name = "NAME=VALUE")]
    values: Vec<String>,
    #[command(flatten)]
    whose: ChainSession,
}

pub(super) fn run(args: &ChainReturnArgs, ui: &Ui) -> Outcome {
    let running = args.whose.find()?.of(&caller())?;
    let chain = running.hand_on(&project()?, &args.values)?;
    show::after("returned", &running.session, &chain, ui);
    Ok(())
}
