//! `engine runbook abandon`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::plan::CommandContext;
use engine_app::plan::close;
use serde_json::json;

use super::{named, tell_notes};
use crate::ui::Ui;

/// End a run with what is open; an agent's call asks the user
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  engine runbook abandon greet --why \"another way was found\"")]
pub(crate) struct RunbookAbandonArgs {
    /// The runbook; none: the one that this session runs
    pub(crate) name: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "abandoned")]
    pub(crate) why: String,
}

pub(super) fn run(args: &RunbookAbandonArgs, context: &mut CommandContext, ui: &Ui) -> Outcome {
    named(context, args.name.as_deref())?;
    let closed = close::close(context, Some(&args.why))?;
    tell_notes(&closed.kept.notes, ui);
    if ui.is_json() {
        ui.object(&json!({"version": 1, "plan": closed.kept.plan}));
    } else {
        ui.line(format!("plan {} is closed: {}", closed.kept.plan.name, args.why));
    }
    Ok(())
}
