//! The command line of `engine`: arguments, printing, wiring. The use cases are in `engine-app`.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Instant;

use clap::CommandFactory;
use engine_app::error::Failure;
use engine_rules::Rule;

mod commands;
mod progress;
mod table;
mod ui;
mod version;

/// The command line: its words and their help.
pub fn command() -> clap::Command {
    commands::Cli::command()
}

/// Runs the program with a table of rules.
///
/// The hook is called thousands of times a day, so it is told apart before the argument parser is even built.
pub fn main_with(rules: &'static [Rule]) -> ExitCode {
    let started = Instant::now();
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let is_help = |word: &OsString| word == "--help" || word == "-h";
    match words.as_slice() {
        // A hook that ends with a usage error would block the agent, so other words behind it are passed over.
        [first, rest @ ..] if first == "hook" && !rest.iter().any(is_help) => {
            return commands::hook::run(rules, rest, started);
        }
        // A status line or a prompt of the shell may ask for it all the time.
        [only] if only == "status" => return commands::status_alone(),
        [only] if only == "statusline" => return commands::statusline_alone(),
        _ => {}
    }
    // What went wrong is on stderr by then.
    catch_unwind(AssertUnwindSafe(|| commands::run(rules)))
        .unwrap_or_else(|_| commands::exit_code(Failure::Internal))
}
