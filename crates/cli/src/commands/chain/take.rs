//! `engine chain take`.

use clap::Args;
use engine_app::chain::Running;
use engine_app::error::Outcome;
use engine_app::here::{caller, project};
use engine_text::line::operand;

use super::{ChainSession, show};
use crate::ui::Ui;

/// Take over the chain of an agent session whose client is gone
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine chain take 3f2a91c0")]
pub(crate) struct ChainTakeArgs {
    /// The agent session that had it (the beginning of its id is enough)
    #[arg(value_name = "SESSION")]
    from: String,
    #[command(flatten)]
    whose: ChainSession,
}

pub(super) fn run(args: &ChainTakeArgs, ui: &Ui) -> Outcome {
    let (from, chain) = Running::take(&project()?, &args.from, args.whose.session.as_deref(), &caller())?;
    show::after(&format!("taken from {from}"), &from, &chain, ui);
    if let Some(task) = chain.carried_task().filter(|_| !chain.is_task_shown() && !ui.is_json()) {
        ui.line(format!("task     {task}; when it is done: engine task done {}", operand(task)));
    }
    Ok(())
}
