//! `engine plan list`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::plan::CommandContext;
use engine_app::plan::list::{Listed, list};
use serde_json::{Value, json};

use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

/// List the open plans: what the engine runs
///
/// engine plans lists the folders of plans/, from the brief on, with what goes on with each.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine plan list\n  engine plan list --all")]
pub(crate) struct PlanListArgs {
    /// Closed ones too
    #[arg(long)]
    pub(crate) all: bool,
}

pub(super) fn run(args: &PlanListArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let plans = list(&context.project, args.all);
    if ui.is_json() {
        let row = |Listed { name, state, done, steps, page, owner }: &Listed| json!({"name": name, "state": state, "done": done, "steps": steps, "page": page, "owner": owner});
        let rows: Vec<Value> = plans.iter().map(row).collect();
        ui.object(&json!({"version": 1, "plans": rows}));
    } else if plans.is_empty() {
        ui.talk("no plan is open");
    } else {
        let row = |plan: &Listed| {
            let steps = format!("{} of {} steps", plan.done, plan.steps);
            vec![toned(Tone::Strong, &plan.name), plan.state.clone(), steps, plan.page.clone()]
        };
        ui.text(&aligned(&plans.iter().map(row).collect::<Vec<_>>(), ""));
    }
    Ok(())
}
