//! `engine check -- CMD…`: runs a command and writes its own exit status into the journal, where it counts as evidence.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode, ExitStatus};
use std::time::Instant;

use clap::Args;
use engine_app::check::record;

use crate::ui::{Tone, Ui, toned};

/// What a shell says of a program that it cannot start.
const NOT_STARTED: u8 = 127;
/// The words were off, and nothing was run.
const USAGE: u8 = 2;

/// Run a command and write its exit status into the journal, where it counts as evidence
///
/// No shell is between: the words are the program and its arguments. Output and exit status are the command's own;
/// 128 and its number for a signal, 127 if the program cannot be started.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine check -- cargo test\n  engine check -- cargo test 2>&1 | tail"
)]
pub(crate) struct CheckArgs {
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

pub(super) fn run(args: &CheckArgs, ui: &Ui) -> ExitCode {
    let words = args.command.as_slice();
    let complain = |text: &str| ui.talk(format!("{} {text}", toned(Tone::Bad, "engine:")));
    // The command's output stays as it is, and the policy looks for `engine check` without words between.
    if ui.is_json() {
        complain("check prints what its command prints; leave --json away");
        return ExitCode::from(USAGE);
    }
    let [program, args @ ..] = words else { return ExitCode::from(USAGE) };
    let started = Instant::now();
    let exit = match Command::new(program).args(args).status() {
        Ok(status) => code(status),
        Err(error) => {
            complain(&format!("{} could not be started: {error}", program.display()));
            NOT_STARTED
        }
    };
    if let Err(error) = record(words, exit, started) {
        complain(&format!("the check was not written into the journal: {error}"));
    }
    ExitCode::from(exit)
}

/// As a shell tells it: 128 and the number of the signal.
fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| Some(128 + status.signal()?)).unwrap_or(1);
    u8::try_from(code).unwrap_or(u8::MAX)
}
