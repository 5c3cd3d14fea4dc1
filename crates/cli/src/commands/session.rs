//! `engine session`: work sessions, their phases, proof and endings.

use clap::Subcommand;
use engine_app::error::{CommandError, Outcome};
use engine_app::session::{self, CommandContext};
use engine_store::work_file::WorkFile;
use serde_json::json;

use crate::ui::Ui;

mod activate;
mod check;
mod close;
mod debrief;
mod delegate;
pub(super) mod look;
mod overflow;
mod phase;

#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// Make the folder of a work session
    #[command(after_long_help = "Example:\n  engine session init sessions/2026_02_07_AUTH")]
    Init { path: String },
    /// Start a skill in a work session, and bind this agent session to it
    ///
    /// Made if need be. Parameters come from options, or as a JSON object on stdin with taskSummary, scope, directoriesOfInterest,
    /// contextPaths, requestFiles and extraInfo.
    #[command(
        after_long_help = "Examples:\n  engine session activate sessions/2026_02_07_AUTH implement\n  engine session activate sessions/2026_02_07_AUTH implement --param taskSummary='Log in with a key'"
    )]
    Activate(activate::ActivateArgs),
    /// Go on to the next phase, with proof of the one that is left
    #[command(
        after_long_help = "Examples:\n  engine session phase sessions/2026_02_07_AUTH '2: Plan'\n  engine session phase sessions/2026_02_07_AUTH '4: Verify' --proof testsPass='cargo test'"
    )]
    Phase(phase::PhaseArgs),
    /// Go on with a work session after a restart, clear or compaction
    #[command(after_long_help = "Example:\n  engine session continue sessions/2026_02_07_AUTH")]
    Continue(activate::ContinueArgs),
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
    /// Hand in checklists and look for bare tags
    ///
    /// Checklists come as a JSON object on stdin: the absolute path of each, and its whole text with only boxes ticked. Those that pass
    /// are recorded. Then every tag in the text of the session's files that nobody has decided is named.
    #[command(
        after_long_help = "Examples:\n  engine session check sessions/2026_02_07_AUTH < sessions/2026_02_07_AUTH/checklists.json\n  engine session check sessions/2026_02_07_AUTH < /dev/null"
    )]
    Check { path: String },
    /// List what a debrief must not forget: open tags, blocks, unticked plan items, debt, side discoveries
    #[command(after_long_help = "Example:\n  engine session debrief sessions/2026_02_07_AUTH")]
    Debrief { path: String },
    /// Save what the next agent session must know, before the context runs out
    ///
    /// From options, or as JSON on stdin.
    #[command(
        after_long_help = "Example:\n  engine session dehydrate sessions/2026_02_07_AUTH --summary 'Parser done' --last-action 'cargo test passed' --next 'write the docs' --file src/parser.rs"
    )]
    Dehydrate(overflow::DehydrateArgs),
    /// Save, and print the prompt with which a new client goes on; engine run starts it
    #[command(after_long_help = "Example:\n  engine session restart")]
    Restart { path: Option<String> },
    /// Save, and print the prompt with which to go on after /clear
    #[command(after_long_help = "Example:\n  engine session clear")]
    Clear { path: Option<String> },
    /// Name the file that the work is about
    #[command(after_long_help = "Example:\n  engine session target sessions/2026_02_07_AUTH src/auth.rs")]
    Target { path: String, file: String },
    /// Set a parameter: JSON if it reads as JSON, else text
    #[command(
        after_long_help = "Example:\n  engine session update sessions/2026_02_07_AUTH scope '\"small\"'"
    )]
    Update { path: String, key: String, value: String },
    /// Show the work session that this agent session is bound to
    #[command(after_long_help = "Example:\n  engine session find")]
    Find,
    /// List work sessions, newest first
    #[command(
        after_long_help = "Examples:\n  engine session list --active\n  engine session list --since 7d --topic auth"
    )]
    List(look::SessionListArgs),
    /// Show a work session
    #[command(after_long_help = "Example:\n  engine session show sessions/2026_02_07_AUTH")]
    Show { path: String },
    /// Print the template of a request for work: that of the skill which answers a tag
    ///
    /// A skill can be asked if it has both templates, of request and response; the Tags line of the first tells its tags. The request
    /// is written as `SKILL_REQUEST_TOPIC.md` into the session that asks; `session activate` of that skill lists those that are open.
    #[command(
        after_long_help = "Examples:\n  engine session request-template '#needs-fix'\n  engine session request-template needs-research --json"
    )]
    RequestTemplate {
        #[arg(value_parser = super::tag::tag)]
        tag: String,
        /// Which skill, where several answer the tag
        #[arg(long)]
        skill: Option<String>,
    },
}

pub(super) fn run(command: &SessionCommand, ui: &Ui) -> Outcome {
    let context = CommandContext::open()?;
    match command {
        SessionCommand::Init { path } => told(&session::init(&context, path)?, "made", ui),
        SessionCommand::Activate(args) => activate::run(args, &context, ui),
        SessionCommand::Phase(args) => phase::run(args, &context, ui),
        SessionCommand::Continue(args) => activate::resume(args, &context, ui),
        SessionCommand::Idle(args) => close::idle(args, &context, ui),
        SessionCommand::Deactivate(args) => close::deactivate(args, &context, ui),
        SessionCommand::Check { path } => check::run(path, &context, ui),
        SessionCommand::Debrief { path } => debrief::run(path, &context, ui),
        SessionCommand::Dehydrate(args) => overflow::dehydrate(args, &context, ui),
        SessionCommand::Restart { path } => overflow::restart(path.as_deref(), &context, ui),
        SessionCommand::Clear { path } => overflow::clear(path.as_deref(), &context, ui),
        SessionCommand::Target { path, file } => saved(session::target(&context, path, file), ui),
        SessionCommand::Update { path, key, value } => saved(session::update(&context, path, key, value), ui),
        SessionCommand::Find => look::find(&context, ui),
        SessionCommand::List(args) => look::list(args, &context, ui),
        SessionCommand::Show { path } => look::show(path, &context, ui),
        SessionCommand::RequestTemplate { tag, skill } => delegate::run(tag, skill.as_deref(), &context, ui),
    }
}

pub(super) fn find_sessions(args: &look::SessionListArgs, ui: &Ui) -> Outcome {
    look::list(args, &CommandContext::open()?, ui)
}

fn told(work: &WorkFile, done: &str, ui: &Ui) -> Outcome {
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown()}));
    } else {
        ui.line(format!("{done} {}", work.shown()));
    }
    Ok(())
}

fn saved(changed: Result<WorkFile, CommandError>, ui: &Ui) -> Outcome {
    let work = changed?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown()}));
    } else {
        ui.line(format!("{}: saved", work.shown()));
    }
    Ok(())
}
