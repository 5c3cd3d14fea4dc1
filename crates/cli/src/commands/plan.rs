//! `engine plan`: one piece of work with steps, locked criteria and verdicts.

use clap::{Args, Subcommand};
use engine_app::error::Outcome;
use engine_app::plan::CommandContext;
use engine_app::wording::counted;
use engine_core::plan::Plan;
use engine_store::plan_file::Kept;
use serde_json::json;

use crate::ui::{Tone, Ui, toned};

mod add;
mod close;
mod criteria;
mod following;
mod halt;
mod list;
mod lock;
mod new;
mod presets;
mod proof;
mod quick;
mod report;
mod resume;
mod show;
mod step;
mod take;
mod verify;

/// Plans: steps, locked acceptance criteria, guardrails, verdicts with evidence
///
/// An agent session has one open plan. A person names one with --plan where several are open.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(subcommand)]
    pub(crate) command: PlanCommand,
    /// The plan; nothing: that of this agent session, or the only open one
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) plan: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PlanCommand {
    New(new::PlanNewArgs),
    Quick(quick::PlanQuickArgs),
    Presets(presets::PlanPresetsArgs),
    Show(show::PlanShowArgs),
    List(list::PlanListArgs),
    Take(take::PlanTakeArgs),
    Lock(lock::PlanLockArgs),
    /// Begin and end steps: one at a time
    #[command(subcommand)]
    Step(step::StepCommand),
    Add(add::PlanAddArgs),
    /// Change the acceptance criteria: freely before the lock, by a person's word after it
    #[command(subcommand)]
    Criteria(criteria::CriteriaCommand),
    Verify(verify::PlanVerifyArgs),
    Halt(halt::PlanHaltArgs),
    Resume(resume::PlanResumeArgs),
    /// Report what was done: steps, commits since the lock, the verdict of each criterion
    #[command(after_long_help = "Examples:\n  engine plan report\n  engine plan report --json")]
    Report,
    Close(close::PlanCloseArgs),
}

pub(super) fn run(args: &PlanArgs, ui: &Ui) -> Outcome {
    let mut context = CommandContext::open(args.plan.clone())?;
    match &args.command {
        PlanCommand::New(args) => new::run(args, &context, ui),
        PlanCommand::Quick(args) => quick::run(args, &mut context, ui),
        PlanCommand::Presets(args) => presets::run(args, &context, ui),
        PlanCommand::Show(args) => show::run(args, &context, ui),
        PlanCommand::List(args) => list::run(args, &context, ui),
        PlanCommand::Take(args) => take::run(args, &context, ui),
        PlanCommand::Lock(args) => lock::run(args, &context, ui),
        PlanCommand::Step(command) => step::run(command, &mut context, ui),
        PlanCommand::Add(args) => add::run(args, &context, ui),
        PlanCommand::Criteria(command) => criteria::run(command, &context, ui),
        PlanCommand::Verify(args) => verify::run(args, &context, ui),
        PlanCommand::Halt(args) => halt::run(args, &context, ui),
        PlanCommand::Resume(args) => resume::run(args, &context, ui),
        PlanCommand::Report => report::run(&context, ui),
        PlanCommand::Close(args) => close::run(args, &context, ui),
    }
}

fn tell_notes(notes: &[String], ui: &Ui) {
    for note in notes {
        ui.talk(format!("{} {note}", toned(Tone::Careful, "note:")));
    }
}

/// What a change ends with: what a person should hear besides, and the plan as an object, or a line.
fn tell<T>(kept: &Kept<T>, line: &str, ui: &Ui) {
    tell_notes(&kept.notes, ui);
    if ui.is_json() {
        ui.object(&json!({"version": 1, "plan": kept.plan}));
    } else {
        ui.line(line);
    }
}

fn counts(plan: &Plan) -> String {
    let criteria = plan.criteria.len();
    let word = if criteria == 1 { "criterion" } else { "criteria" };
    format!("{}, {criteria} {word}", counted(plan.steps.len() as u64, "step"))
}
