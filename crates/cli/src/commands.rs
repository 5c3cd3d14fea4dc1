//! One file per command. Each takes its arguments and the printer, and returns how it ended.

use std::process::ExitCode;

use clap::Parser;
use engine_app::error::{CommandError, Failure, Outcome};
use engine_app::hook;
use engine_rules::Rule;

use crate::args::{Cli, Command, StatuslineArgs};
use crate::overview;
use crate::ui::{Tone, Ui, toned};

mod chain;
mod check;
mod commit_check;
mod completions;
mod config;
mod coverage;
mod demo;
mod directives;
mod doctor;
mod evidence;
mod explain;
mod glob;
mod handoff;
mod help;
mod init;
mod journal;
mod learn;
mod log;
mod plan;
mod policy;
mod queue;
mod replay;
mod rules;
mod run;
mod session;
mod show;
mod sigil;
mod skill;
mod status;
mod statusline;
mod tag;
mod task;
mod uninstall;
mod why;

pub(crate) fn run(table: &'static [Rule]) -> ExitCode {
    let cli = Cli::parse();
    let ui = Ui::new(cli.json);
    let outcome = match cli.command {
        None => overview::run(&ui),
        Some(Command::Init(args)) => init::run(&args, table, &ui),
        Some(Command::Uninstall(args)) => uninstall::run(&args, &ui),
        Some(Command::Doctor) => doctor::run(table, &ui),
        Some(Command::Explain(args)) => explain::run(&args, table, &ui),
        Some(Command::Why(args)) => why::run(&args, &ui),
        Some(Command::Rules) => rules::run(table, &ui),
        Some(Command::Journal(args)) => journal::run(&args, &ui),
        Some(Command::Config(command)) => config::run(&command, table, &ui),
        Some(Command::Status) => status::run(&ui),
        Some(Command::Task(command)) => task::run(&command, &ui),
        Some(Command::Handoff(args)) => handoff::run(&args, &ui),
        Some(Command::CommitCheck) => commit_check::run(&ui),
        Some(Command::Check { command }) => return check::run(&command, &ui),
        Some(Command::Learn(command)) => learn::run(&command, &ui),
        Some(Command::Queue(command)) => queue::run(&command, &ui),
        Some(Command::Log(args)) => log::run(&args, &ui),
        Some(Command::Chain(command)) => chain::run(&command, &ui),
        Some(Command::Skill(command)) => skill::run(&command, &ui),
        Some(Command::Session(command)) => session::run(&command, &ui),
        Some(Command::FindSessions(args)) => session::find_sessions(&args, &ui),
        Some(Command::Plan(args)) => plan::run(&args, &ui),
        Some(Command::Evidence { since }) => evidence::run(since, &ui),
        Some(Command::Tag(command)) => tag::run(&command, &ui),
        Some(Command::Sigil(command)) => sigil::run(&command, &ui),
        Some(Command::Glob(args)) => glob::run(&args, &ui),
        Some(Command::Directives(command)) => directives::run(&command, &ui),
        Some(Command::DiscoverDirectives(args)) => directives::discover(&args, &ui),
        Some(Command::Policy(command)) => policy::run(&command, &ui),
        Some(Command::Replay(args)) => replay::run(&args, table, &ui),
        Some(Command::Coverage(args)) => coverage::run(&args, &ui),
        Some(Command::Show { name }) => show::run(name.as_deref(), &ui),
        Some(Command::Help { topic }) => help::run(topic, &ui),
        Some(Command::Demo) => demo::run(&ui),
        Some(Command::Completions { shell }) => completions::run(shell, &ui),
        // Its exit code is the client's.
        Some(Command::Run(args)) => match run::run(&args, &ui) {
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        Some(Command::Statusline(args)) => statusline::run(&args, &ui),
        // `engine --json hook` and the like; the plain form never comes here.
        Some(Command::Hook) => return hook::run(table, std::time::Instant::now()),
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
    end(&ui, statusline::run(&StatuslineArgs::default(), &ui))
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

/// STATUS, for `engine` alone.
pub(crate) fn show_status(ui: &Ui) -> Outcome {
    status::run(ui)
}
