//! `engine session`: work sessions, their phases, proof and endings.

use clap::Subcommand;
use engine_app::error::Outcome;
use engine_app::session::{CommandContext, main_agent};
use engine_store::work_file::WorkFile;
use serde_json::json;

use crate::ui::Ui;

mod activate;
mod begun;
mod check;
mod close;
mod debrief;
mod dehydrate;
mod find;
mod finish;
mod init;
pub(super) mod list;
mod moves;
mod phase;
mod request_template;
mod restart;
mod resume;
mod show;
mod target;
mod update;

/// Work sessions: folders of work with skills, phases, proof and logs
#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    Init(init::SessionInitArgs),
    Activate(activate::ActivateArgs),
    Phase(phase::PhaseArgs),
    Continue(resume::ContinueArgs),
    /// Let the work rest: everything in order, nobody bound
    #[command(
        after_long_help = "Example:\n  engine session idle sessions/2026_02_07_AUTH --description 'The key login works' --keywords auth,login"
    )]
    Idle(close::CloseArgs),
    /// End the work: everything in order, completed
    #[command(
        after_long_help = "Example:\n  engine session deactivate sessions/2026_02_07_AUTH --description 'The key login works'"
    )]
    Deactivate(close::CloseArgs),
    Finish(finish::FinishArgs),
    Check(check::SessionCheckArgs),
    Debrief(debrief::DebriefArgs),
    Dehydrate(dehydrate::DehydrateArgs),
    Restart(restart::RestartArgs),
    Clear(restart::ClearArgs),
    Target(target::SessionTargetArgs),
    Update(update::SessionUpdateArgs),
    /// Show the work session that this agent session is bound to
    #[command(after_long_help = "Example:\n  engine session find")]
    Find,
    /// List work sessions, newest first
    #[command(
        after_long_help = "Examples:\n  engine session list --active\n  engine session list --since 7d --topic auth"
    )]
    List(list::SessionListArgs),
    Show(show::SessionShowArgs),
    RequestTemplate(request_template::RequestTemplateArgs),
}

pub(super) fn run(command: &SessionCommand, ui: &Ui) -> Outcome {
    let context = CommandContext::open()?;
    if let Some(verb) = command.moves() {
        main_agent::required(&context, &format!("session {verb}"))?;
    }
    match command {
        SessionCommand::Init(args) => init::run(args, &context, ui),
        SessionCommand::Activate(args) => activate::run(args, &context, ui),
        SessionCommand::Phase(args) => phase::run(args, &context, ui),
        SessionCommand::Continue(args) => resume::run(args, &context, ui),
        SessionCommand::Idle(args) => close::idle(args, &context, ui),
        SessionCommand::Deactivate(args) => close::deactivate(args, &context, ui),
        SessionCommand::Finish(args) => finish::run(args, &context, ui),
        SessionCommand::Check(args) => check::run(args, &context, ui),
        SessionCommand::Debrief(args) => debrief::run(args, &context, ui),
        SessionCommand::Dehydrate(args) => dehydrate::run(args, &context, ui),
        SessionCommand::Restart(args) => restart::run(args, &context, ui),
        SessionCommand::Clear(args) => restart::clear(args, &context, ui),
        SessionCommand::Target(args) => target::run(args, &context, ui),
        SessionCommand::Update(args) => update::run(args, &context, ui),
        SessionCommand::Find => find::run(&context, ui),
        SessionCommand::List(args) => list::run(args, &context, ui),
        SessionCommand::Show(args) => show::run(args, &context, ui),
        SessionCommand::RequestTemplate(args) => request_template::run(args, &context, ui),
    }
}

pub(super) fn find_sessions(args: &list::SessionListArgs, ui: &Ui) -> Outcome {
    list::run(args, &CommandContext::open()?, ui)
}

fn tell_saved(work: &WorkFile, ui: &Ui) {
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown()}));
    } else {
        ui.line(format!("{}: saved", work.shown()));
    }
}
