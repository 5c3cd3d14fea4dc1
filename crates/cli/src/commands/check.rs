//! `engine check -- CMD…`: runs a command and writes its own exit status into the journal, where it counts as evidence.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus};
use std::time::Instant;

use engine_app::hook::writes_journal;
use engine_core::evidence::ledger;
use engine_core::evidence::{Ground, known};
use engine_core::journal::Entry;
use engine_core::plan::Sight;
use engine_store::approve::Caller;
use engine_store::project::Project;
use engine_store::{clock, config_file, journal_file, plan_file};
use engine_text::line::shell_line;

use crate::ui::{Tone, Ui, toned};

/// What a shell says of a program that it cannot start.
const NOT_STARTED: u8 = 127;
/// The words were off, and nothing was run.
const USAGE: u8 = 2;

pub(super) fn run(words: &[OsString], ui: &Ui) -> ExitCode {
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

/// Outside of a project there is nobody who would ask. An agent's check belongs to the project of its session, wherever its shell has
/// wandered.
fn record(words: &[OsString], exit: u8, started: Instant) -> std::io::Result<()> {
    let (session, home) = match Caller::from_environment() {
        Caller::Agent { session } => (session, std::env::var_os("ENGINE_PROJECT").map(PathBuf::from)),
        Caller::Person => (String::new(), None),
    };
    let project = Project::open(home.as_deref(), &std::env::current_dir()?);
    let Some(project) = project.filter(writes_journal) else { return Ok(()) };
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let now = clock::now();
    let mut entry =
        Entry::check(&clock::decision_id(now), now, &session, &shell_line(&words), i32::from(exit));
    entry.us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    journal_file::append(&project.journal_folder(), now, &entry)?;
    let config = config_file::load(&project);
    let root = project.root().to_string_lossy();
    let ground = Ground { root: &root, ..Ground::default() };
    let lines = ledger::read_one(&entry, &ground, &config.commands(&known::CHECKS));
    let sights: Vec<Sight> = lines.into_iter().filter_map(Sight::of).collect();
    plan_file::saw(&project, &session, &sights)
}
