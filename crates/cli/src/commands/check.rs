//! `engine check -- CMD…`: runs a command and writes its own exit status into the journal, where it counts as evidence.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use engine_app::check::{self, Check};

use crate::ui::{Tone, Ui, toned};

/// The words were off, and nothing was run.
const USAGE: u8 = 2;

/// Run a command and write its exit status into the journal, where it counts as evidence
///
/// No shell is between: the words are the program and its arguments. Output and exit status are the command's own;
/// 128 and its number for a signal, 127 if the program cannot be started.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine check -- cargo test\n  engine check --tail 20 -- cargo test\n  engine check --in web -- npm test"
)]
pub(crate) struct CheckArgs {
    /// Print only the last N lines of what the command prints, and keep the whole output in a file
    ///
    /// Standard output and errors come together, in their order. Unlike a pipe it keeps the command's exit status.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) tail: Option<u16>,

    /// Run the command in this folder
    #[arg(long = "in", value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,

    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

pub(super) fn run(args: &CheckArgs, ui: &Ui) -> ExitCode {
    let complain = |text: &str| ui.talk(format!("{} {text}", toned(Tone::Bad, "engine:")));
    // The command's output stays as it is, and the policy looks for `engine check` without words between.
    if ui.is_json() {
        complain("check prints what its command prints; leave --json away");
        return ExitCode::from(USAGE);
    }
    let folder = match args.folder.as_deref().map(|folder| (folder, folder.canonicalize())) {
        None => None,
        Some((_, Ok(folder))) if folder.is_dir() => Some(folder),
        Some((folder, _)) => {
            complain(&format!("{} is no folder; nothing was run", folder.display()));
            return ExitCode::from(USAGE);
        }
    };
    let checked = check::run(&Check {
        words: &args.command,
        folder: folder.as_deref(),
        tail: args.tail.map(usize::from),
    });
    let head = match &checked.tail.cut {
        Some((lines, Some(file))) => format!("[lines before: {lines}; whole output: {}]\n", file.display()),
        Some((lines, None)) => format!("[lines before: {lines}]\n"),
        None => String::new(),
    };
    ui.passed_on(&[head.as_bytes(), &checked.tail.text].concat());
    for trouble in &checked.trouble {
        complain(trouble);
    }
    ExitCode::from(checked.exit)
}
