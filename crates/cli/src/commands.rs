//! One file per command. Each takes its arguments and the printer, and returns how it ended. The help of a command with arguments
//! is the documentation of its `Args`.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use engine_app::error::{CommandError, Failure, Outcome};
use engine_rules::Rule;

use crate::ui::{Tone, Ui, toned};
use crate::version::VERSION;

mod approval;
mod chain;
mod check;
mod commit_check;
mod completions;
mod config;
mod coverage;
mod demo;
mod directives;
mod doctor;
mod enrich;
mod evidence;
mod explain;
mod glob;
mod handoff;
mod help;
pub(crate) mod hook;
mod init;
mod journal;
mod learn;
mod log;
mod merge_driver;
mod note;
mod overview;
mod plan;
mod plans;
mod policy;
mod queue;
mod recall;
mod replay;
mod rules;
mod run;
mod runbook;
mod search;
mod session;
mod show;
mod sigil;
mod skill;
mod status;
mod statusline;
mod tag;
mod task;
mod trust;
mod uninstall;
mod why;

/// The workflow engine between you and your coding agent
///
/// Without a command: where you stand in this project.
#[derive(Debug, Parser)]
#[command(name = "engine", version = VERSION, propagate_version = false, disable_help_subcommand = true)]
#[command(
    after_help = "Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 nothing to do, 4 ask (policy check), 70 internal error.\n\
                        Start with: engine init"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Init(init::InitArgs),
    Uninstall(uninstall::UninstallArgs),
    /// Check that engine is wired, fires and has what it needs
    ///
    /// Starts each wired hook command with a made-up event and reports what it did. Exits 1 if something is
    /// broken.
    #[command(after_long_help = "Examples:\n  engine doctor\n  engine doctor --json")]
    Doctor,
    Explain(explain::ExplainArgs),
    Why(why::WhyArgs),
    /// List the rules: events, modes, how often they spoke
    #[command(after_long_help = "Examples:\n  engine rules\n  engine rules --json")]
    Rules,
    Journal(journal::JournalArgs),
    #[command(subcommand)]
    Approval(approval::ApprovalCommand),
    Trust(trust::TrustArgs),
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Show where the work stands: tasks in progress, next, pending, blocked
    #[command(after_long_help = "Examples:\n  engine status\n  engine status --json")]
    Status,
    #[command(subcommand)]
    Task(task::TaskCommand),
    Handoff(handoff::HandoffArgs),
    /// Validate the tasks and run the checks of commit.checks
    #[command(after_long_help = "Example:\n  engine commit-check")]
    CommitCheck,
    Check(check::CheckArgs),
    #[command(subcommand)]
    Learn(learn::LearnCommand),
    Remember(note::add::RememberArgs),
    #[command(subcommand)]
    Note(note::NoteCommand),
    #[command(subcommand, name = "q")]
    Queue(queue::QueueCommand),
    Log(log::LogArgs),
    #[command(subcommand)]
    Chain(chain::ChainCommand),
    #[command(subcommand)]
    Skill(skill::SkillCommand),
    #[command(subcommand)]
    Session(session::SessionCommand),
    /// List work sessions: the same as session list
    #[command(
        name = "find-sessions",
        after_long_help = "Examples:\n  engine find-sessions --today\n  engine find-sessions --topic auth"
    )]
    FindSessions(session::list::SessionListArgs),
    Plan(plan::PlanArgs),
    #[command(subcommand)]
    Runbook(runbook::RunbookCommand),
    Plans(plans::PlansArgs),
    Evidence(evidence::EvidenceArgs),
    #[command(subcommand)]
    Enrich(enrich::EnrichCommand),
    #[command(subcommand)]
    Tag(tag::TagCommand),
    #[command(subcommand)]
    Sigil(sigil::SigilCommand),
    Glob(glob::GlobArgs),
    Search(search::SearchArgs),
    #[command(subcommand)]
    SessionSearch(search::sessions::SessionSearchCommand),
    #[command(subcommand)]
    DocSearch(search::docs::DocSearchCommand),
    Recall(recall::RecallArgs),
    #[command(subcommand)]
    Directives(directives::DirectivesCommand),
    DiscoverDirectives(directives::discover::DiscoverArgs),
    #[command(subcommand)]
    Policy(policy::PolicyCommand),
    Replay(replay::ReplayArgs),
    Coverage(coverage::CoverageArgs),
    Show(show::ShowArgs),
    Help(help::HelpArgs),
    /// Play a session through the real hook in a throw-away project
    #[command(after_long_help = "Example:\n  engine demo")]
    Demo,
    Completions(completions::CompletionsArgs),
    Run(run::RunArgs),
    Statusline(statusline::StatuslineArgs),
    #[command(hide = true)]
    MergeDriver(merge_driver::MergeDriverArgs),
    /// Answer one event of a coding agent: JSON on stdin, JSON or nothing on stdout
    ///
    /// Called by the agent, not by people. With `ENGINE_OFF=1` it does nothing.
    #[command(after_long_help = "Example:\n  engine hook < event.json")]
    Hook,
}

pub(crate) fn run(table: &'static [Rule]) -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => error.exit(),
        // Help and version are data, and printed like all other.
        Err(error) => {
            Ui::new(false).text(&error.render().ansi().to_string());
            return ExitCode::SUCCESS;
        }
    };
    let ui = Ui::new(cli.json);
    // The client waits for these two.
    if !matches!(cli.command, Some(Command::Hook | Command::Statusline(_))) {
        engine_store::lock::wait_at_least(engine_store::lock::FOR_A_COMMAND);
    }
    let outcome = match cli.command {
        None => overview::run(&ui),
        Some(Command::Init(args)) => init::run(&args, table, &ui),
        Some(Command::Uninstall(args)) => uninstall::run(&args, &ui),
        Some(Command::Doctor) => doctor::run(table, &ui),
        Some(Command::Explain(args)) => explain::run(&args, table, &ui),
        Some(Command::Why(args)) => why::run(&args, &ui),
        Some(Command::Rules) => rules::run(table, &ui),
        Some(Command::Journal(args)) => journal::run(&args, &ui),
        Some(Command::Trust(args)) => trust::run(&args, &ui),
        Some(Command::Config(command)) => config::run(&command, table, &ui),
        Some(Command::Status) => status::run(&ui),
        Some(Command::Task(command)) => task::run(&command, &ui),
        Some(Command::Handoff(args)) => handoff::run(&args, &ui),
        Some(Command::CommitCheck) => commit_check::run(&ui),
        Some(Command::Check(args)) => return check::run(&args, &ui),
        Some(Command::Learn(command)) => learn::run(&command, &ui),
        Some(Command::Remember(args)) => note::remember(&args, &ui),
        Some(Command::Note(command)) => note::run(&command, &ui),
        Some(Command::Queue(command)) => queue::run(&command, &ui),
        Some(Command::Log(args)) => log::run(&args, &ui),
        Some(Command::Chain(command)) => chain::run(&command, &ui),
        Some(Command::Skill(command)) => skill::run(&command, &ui),
        Some(Command::Session(command)) => session::run(&command, &ui),
        Some(Command::FindSessions(args)) => session::find_sessions(&args, &ui),
        Some(Command::Plan(args)) => plan::run(&args, &ui),
        Some(Command::Runbook(command)) => runbook::run(&command, &ui),
        Some(Command::Plans(args)) => plans::run(&args, &ui),
        Some(Command::Evidence(args)) => evidence::run(&args, table, &ui),
        Some(Command::Approval(command)) => approval::run(&command, &ui),
        Some(Command::Enrich(command)) => enrich::run(&command, &ui),
        Some(Command::Tag(command)) => tag::run(&command, &ui),
        Some(Command::Sigil(command)) => sigil::run(&command, &ui),
        Some(Command::Glob(args)) => glob::run(&args, &ui),
        Some(Command::Search(args)) => search::run(&args, &ui),
        Some(Command::SessionSearch(command)) => search::sessions::run(&command, &ui),
        Some(Command::DocSearch(command)) => search::docs::run(&command, &ui),
        Some(Command::Recall(args)) => recall::run(&args, &ui),
        Some(Command::Directives(command)) => directives::run(&command, &ui),
        Some(Command::DiscoverDirectives(args)) => directives::discover::run(&args, &ui),
        Some(Command::Policy(command)) => policy::run(&command, &ui),
        Some(Command::Replay(args)) => replay::run(&args, table, &ui),
        Some(Command::Coverage(args)) => coverage::run(&args, &ui),
        Some(Command::Show(args)) => show::run(&args, &ui),
        Some(Command::Help(args)) => help::run(&args, &ui),
        Some(Command::Demo) => demo::run(&ui),
        Some(Command::Completions(args)) => completions::run(&args, &ui),
        // Its exit code is the client's.
        Some(Command::Run(args)) => match run::run(&args, &ui) {
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        Some(Command::Statusline(args)) => statusline::run(&args, &ui),
        // Git reads its exit code.
        Some(Command::MergeDriver(args)) => return merge_driver::run(&args, &ui),
        // `engine --json hook` and the like; the plain form never comes here.
        Some(Command::Hook) => return hook::run(table, &[], std::time::Instant::now()),
    };
    end(&ui, outcome)
}

/// `engine status` without options, without building the argument parser.
pub(crate) fn status_alone() -> ExitCode {
    let ui = Ui::new(false);
    end(&ui, status::run(&ui))
}

/// `engine statusline` without options, as the client calls it after each message.
pub(crate) fn statusline_alone() -> ExitCode {
    let ui = Ui::new(false);
    end(&ui, statusline::run(&statusline::StatuslineArgs::default(), &ui))
}

fn end(ui: &Ui, outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report(ui, &error);
            exit_code(error.failure)
        }
    }
}

/// The documented exit code of each kind of failure.
pub(crate) fn exit_code(failure: Failure) -> ExitCode {
    ExitCode::from(match failure {
        Failure::Refused => 1,
        Failure::Usage => 2,
        Failure::Nothing => 3,
        Failure::Ask => 4,
        Failure::Internal => 70,
    })
}

fn report(ui: &Ui, error: &CommandError) {
    if error.message.is_empty() {
        return;
    }
    if ui.is_json() {
        ui.object(&serde_json::json!({"version": 1, "error": error.message, "hints": error.hints}));
        return;
    }
    ui.talk(format!("{} {}", toned(Tone::Bad, "engine:"), error.message));
    for hint in &error.hints {
        ui.talk(format!("  {hint}"));
    }
}
