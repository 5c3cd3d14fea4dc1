//! `engine plans`: how far the work in plans/ is.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::plans::{Listed, Plans, list};
use engine_app::task::CommandContext;
use engine_text::line::one_line;
use serde_json::{Value, json};

use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

/// List the folders of plans/ with their stages and what goes on with each
///
/// The stage follows from the files (brief.md, design.md, its review, runbook.md, steps/) and from the plan that was made of them.
/// engine plan list names the plans that the engine runs, those of /do too, whatever lies in plans/.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine plans\n  engine plans --all --json")]
pub(crate) struct PlansArgs {
    /// Those that are delivered or abandoned, too
    #[arg(long)]
    pub(crate) all: bool,
}

pub(super) fn run(args: &PlansArgs, ui: &Ui) -> Outcome {
    let Plans { listed, misnamed, left_out } = list(&CommandContext::open()?, args.all)?;
    if ui.is_json() {
        let rows: Vec<Value> = listed.iter().map(object).collect();
        ui.object(&json!({"version": 1, "plans": rows, "misnamed": misnamed, "leftOut": left_out}));
        return Ok(());
    }
    if listed.is_empty() {
        ui.talk("no plan is at work in plans/");
    } else {
        ui.text(&aligned(&listed.iter().map(row).collect::<Vec<_>>(), ""));
    }
    if !misnamed.is_empty() {
        let names = one_line(&misnamed.join(", "), NAMES);
        ui.talk(format!("not plans, by their names: {names}; {NAMING}"));
    }
    if left_out > 0 {
        ui.talk(format!("{left_out} more folders of plans/ were not looked at"));
    }
    Ok(())
}

/// How much is shown of the names of folders that are no plans, and how they would have to be called.
const NAMES: usize = 200;
const NAMING: &str = "the name of a plan has small letters, digits and - between them, at most 60 bytes";

/// How much of a stage is shown, which can hold a question.
const STAGE: usize = 60;

fn row(listed: &Listed) -> Vec<String> {
    let standing = &listed.standing;
    let mark = listed.is_without_task().then(|| toned(Tone::Careful, "no task"));
    let stage = one_line(&standing.stage.to_string(), STAGE);
    let row = [toned(Tone::Strong, &standing.plan), stage, standing.next_shown()];
    row.into_iter().chain(mark).collect()
}

fn object(listed: &Listed) -> Value {
    let Listed { standing, task } = listed;
    let next = standing.next.as_ref();
    json!({"name": standing.plan, "stage": standing.stage.to_string(), "next": next.map(|_| standing.next_shown()),
        "model": next.map(|next| &next.model), "restart": next.map(|next| next.restart), "task": task, "withoutTask": listed.is_without_task()})
}
