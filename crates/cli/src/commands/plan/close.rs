//! `engine plan close`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::note::offer;
use engine_app::plan::CommandContext;
use engine_app::plan::close::{self, Closed};
use engine_app::plan::list;
use serde_json::json;

use super::{report, tell_notes};
use crate::commands::note;
use crate::ui::Ui;

/// Close the plan: all steps done, all criteria met; the task in progress is done with it
///
/// What the checks that ran show is looked up first, so neither verify nor the end of a proved step is needed before. The report follows.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine plan close\n  engine plan close --user-approved \"the docs come later\""
)]
pub(crate) struct PlanCloseArgs {
    /// Why it is closed with open ends; from an agent it asks the person, and approves nothing
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
}

pub(super) fn run(args: &PlanCloseArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let (Closed { kept, task }, report) = close::close_and_report(context, args.user_approved.as_deref())?;
    tell_notes(&kept.notes, ui);
    let offers = offer::of_plan(&context.project, &kept.plan);
    if ui.is_json() {
        ui.object(&json!({"version": 1, "plan": kept.plan, "task": task, "remember": offers}));
        return Ok(());
    }
    let page = list::page(&kept.plan, &context.project).map(|page| format!("; {page}")).unwrap_or_default();
    ui.line(format!("plan {} is closed{page}", kept.plan.name));
    if let Some(task) = task {
        ui.line(format!("{task}: done"));
    }
    ui.line("");
    report::tell(&report, ui);
    note::offer(&offers, ui);
    Ok(())
}
