//! `engine runbook`: plans on disk that agents carry out, a step each.

use clap::Subcommand;
use engine_app::error::Outcome;
use engine_app::plan::CommandContext;

use crate::ui::{Tone, Ui, toned};

mod abandon;
mod check;
pub(super) mod done;
pub(super) mod fail;
mod list;
mod new;
pub(super) mod next;
mod prepare;
mod resume;
mod run;
mod skip;
mod status;

/// Runbooks: write one, check it, cut it into steps, have agents carry them out
///
/// A runbook is plans/NAME/runbook.md. Prepared it is a plan: engine plan show, halt, report and close work on it, too.
#[derive(Debug, Subcommand)]
#[command(
    after_long_help = "Examples:\n  engine runbook new greet\n  engine runbook check greet\n  engine runbook prepare greet\n  engine runbook next greet\n  engine runbook done 1.1"
)]
pub(crate) enum RunbookCommand {
    New(new::RunbookNewArgs),
    Check(check::RunbookCheckArgs),
    Prepare(prepare::RunbookPrepareArgs),
    List(list::RunbookListArgs),
    Start(next::RunbookStartArgs),
    Next(next::RunbookNextArgs),
    Done(done::RunbookDoneArgs),
    Fail(fail::RunbookFailArgs),
    Escalate(fail::RunbookEscalateArgs),
    Skip(skip::RunbookSkipArgs),
    Resume(resume::RunbookResumeArgs),
    Status(status::RunbookStatusArgs),
    Abandon(abandon::RunbookAbandonArgs),
    Run(run::RunbookRunArgs),
}

pub(super) fn run(command: &RunbookCommand, ui: &Ui) -> Outcome {
    let mut context = CommandContext::open(None)?;
    match command {
        RunbookCommand::New(args) => new::run(args, &context, ui),
        RunbookCommand::Check(args) => check::run(args, &context, ui),
        RunbookCommand::Prepare(args) => prepare::run(args, &context, ui),
        RunbookCommand::List(args) => list::run(args, &context, ui),
        RunbookCommand::Start(args) => next::run(Some(&args.name), false, &mut context, ui),
        RunbookCommand::Next(args) => next::run(args.name.as_deref(), args.copy, &mut context, ui),
        RunbookCommand::Done(args) => done::run(args, &mut context, ui),
        RunbookCommand::Fail(args) => fail::run(args, &mut context, ui),
        RunbookCommand::Escalate(args) => fail::escalate(args, &mut context, ui),
        RunbookCommand::Skip(args) => skip::run(args, &mut context, ui),
        RunbookCommand::Resume(args) => resume::run(args, &mut context, ui),
        RunbookCommand::Status(args) => status::run(args, &mut context, ui),
        RunbookCommand::Abandon(args) => abandon::run(args, &mut context, ui),
        RunbookCommand::Run(args) => run::run(args, &mut context, ui),
    }
}

fn tell_notes(notes: &[String], ui: &Ui) {
    for note in notes {
        ui.talk(format!("{} {note}", toned(Tone::Careful, "note:")));
    }
}

/// The plan that is meant: by its name, where one is given.
fn named(context: &mut CommandContext, plan: Option<&str>) -> Outcome {
    if let Some(plan) = plan {
        context.named = Some(engine_app::runbook::name_of(plan)?);
    }
    Ok(())
}
