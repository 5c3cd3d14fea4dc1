//! `engine plan quick`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::plan::CommandContext;
use engine_app::plan::new::check_name;
use engine_app::plan::quick::{Delegate, Wanted, make};
use engine_app::runbook::drive;
use engine_core::plan::{QUICK_FILES, QUICK_LINES};

use super::{tell, tell_notes};
use crate::commands::runbook;
use crate::ui::Ui;

/// Make a plan for small work and lock it: one step, one known check that proves it
///
/// The first change starts its step and the check that passes ends it. At the end of a turn in which the check passed after the last
/// change, the plan closes itself, and the task in progress is done with it. More than 3 changed files or 60 changed lines halt it.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine plan quick \"fix add\" --proof \"pytest -q\"\n  engine plan quick \"mend the button\" --proof \"npm test\" --in packages/web\n  engine plan quick \"rename add to plus\" --proof \"pytest -q\" --delegate --model haiku --files add.py"
)]
pub(crate) struct PlanQuickArgs {
    /// What will be done, in a few words
    pub(crate) text: String,
    /// A known check, or one of `evidence.checks`; it must pass after the last change
    #[arg(long, value_name = "CMD")]
    pub(crate) proof: String,
    /// The folder in which it runs, from the project's root
    #[arg(long = "in", value_name = "DIR", default_value = "")]
    pub(crate) folder: String,
    /// Small letters, digits and hyphens; nothing: the first words of the text
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// An agent does it; the call that starts it is printed, and engine runbook done ends it
    #[arg(long)]
    pub(crate) delegate: bool,
    /// The tier of models of that agent
    #[arg(long, value_name = "TIER", requires = "delegate", default_value = "haiku")]
    pub(crate) model: String,
    /// What that agent may change, with commas between; none: any file
    #[arg(long, value_name = "FILES", requires = "delegate", value_delimiter = ',')]
    pub(crate) files: Vec<String>,
    /// What that agent must know besides: decisions, names, conventions
    #[arg(long, value_name = "TEXT", requires = "delegate", default_value = "")]
    pub(crate) details: String,
}

pub(super) fn run(args: &PlanQuickArgs, context: &mut CommandContext, ui: &Ui) -> Outcome {
    args.name.as_deref().map_or(Ok(()), check_name)?;
    let delegate = Delegate { model: &args.model, files: &args.files, details: &args.details };
    let wanted = Wanted {
        text: &args.text,
        command: &args.proof,
        folder: &args.folder,
        name: args.name.as_deref(),
        delegate: args.delegate.then_some(delegate),
    };
    let mut notes = Vec::new();
    let made = make(context, &wanted, &mut notes);
    tell_notes(&notes, ui);
    let kept = made?;
    let plan = &kept.plan;
    let proof = plan.criteria.first().and_then(|criterion| criterion.proof.as_ref());
    let proof = proof.map(engine_core::evidence::proof::Proof::shown).unwrap_or_default();
    tell(&kept, &format!("plan {} is locked: it is done when {proof}", plan.name), ui);
    if ui.is_json() {
        return Ok(());
    }
    for red in plan.lock.iter().flat_map(|lock| &lock.start.red) {
        ui.line(format!("red before the work: {}", red.shown()));
    }
    if args.delegate {
        context.named = Some(plan.name.clone());
        runbook::next::show(&drive::next(context, None)?, ui);
        return Ok(());
    }
    ui.line(match plan.owner {
        Some(_) => format!(
            "it closes itself at the end of the turn if that passed after the last change; {QUICK_FILES} files and {QUICK_LINES} lines may change"
        ),
        None => "then: the change, the check, engine plan close".to_owned(),
    });
    Ok(())
}
