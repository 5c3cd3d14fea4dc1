//! `engine log` and `engine log show`.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use engine_app::error::{CommandError, Outcome};
use engine_app::here;
use engine_app::{stdin, time};
use engine_core::log;
use engine_store::approve::Caller;
use engine_store::links::resolve;
use engine_store::session_file::SessionFile;
use engine_store::work_file::{self, WorkFile};
use engine_store::{clock, log_file};
use serde_json::json;

use crate::ui::Ui;

mod show;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct LogArgs {
    #[command(subcommand)]
    pub(crate) command: Option<LogCommand>,
    /// The log: a file that ends in .md
    #[arg(required = true)]
    pub(crate) file: Option<PathBuf>,
    /// Replace the whole file; nothing is stamped
    #[arg(long)]
    pub(crate) overwrite: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LogCommand {
    /// Show entries of logs: all, or those of a type, a phase, a time
    ///
    /// A heading's leading mark or word tells the type: ▶️ Start, 🚧 Block, 😨 Stuck, 🐞 Debug, 💸 Debt, 👁️ Observation,
    /// 😟 Concern, 🔙 Revert, ✅ Success, 🅿️ Parked, ⚖️ Decision, INV (invariant), PTF (pitfall). A line `**Phase**: LABEL: NAME` tells
    /// the phase.
    #[command(
        after_long_help = "Examples:\n  engine log show --session 2026_11_15_AUTH --type decision\n  engine log show sessions/2026_11_15_AUTH/IMPLEMENT_LOG.md --since 2h"
    )]
    Show(show::LogShowArgs),
}

/// An entry is written by hand; more is a file in the wrong place.
const LARGEST: usize = 1 << 20;

pub(super) fn run(args: &LogArgs, ui: &Ui) -> Outcome {
    match (&args.command, &args.file) {
        (Some(LogCommand::Show(args)), _) => show::run(args, ui),
        (None, Some(file)) => write(file, args.overwrite, ui),
        (None, None) => Err(CommandError::usage("which log?")),
    }
}

fn write(file: &Path, overwrite: bool, ui: &Ui) -> Outcome {
    let file = &from_root(file);
    here::must_be_markdown(file, "log")?;
    may_write(file)?;
    let text = stdin::read(stdin::FOR_A_CLIENT).map_err(|error| CommandError::refused(error.to_string()))?;
    if text.trim().is_empty() {
        return Err(CommandError::refused("the text on stdin is empty"));
    }
    if text.len() > LARGEST {
        return Err(CommandError::refused(format!("the text is larger than {} MB", LARGEST >> 20)));
    }
    let now = time::local(clock::now());
    let written = if overwrite {
        log_file::overwrite(file, &text)
    } else {
        let entry = log::entry(&text, &now).ok_or_else(|| {
            CommandError::refused("the text has no heading: a log entry begins with a line ## TITLE")
        })?;
        log_file::append(file, &entry)
    };
    written.map_err(|error| failed(file, &error))?;
    count(file);
    if ui.is_json() {
        ui.object(&json!({"version": 1, "file": file, "at": now, "overwritten": overwrite}));
    } else {
        let done = if overwrite { "wrote" } else { "logged in" };
        ui.line(format!("{done} {}", file.display()));
    }
    Ok(())
}

/// The commands that an agent is told name a log from the project's root; its shell may be elsewhere by now.
fn from_root(file: &Path) -> PathBuf {
    let is_there =
        |file: &Path| file.parent().is_some_and(|folder| folder.as_os_str().is_empty() || folder.is_dir());
    match here::project().map(|project| project.root().join(file)) {
        Ok(rooted) if !is_there(file) && is_there(&rooted) => rooted,
        _ => file.to_owned(),
    }
}

/// An agent may log without asking, so it writes about its work and nowhere else.
fn may_write(file: &Path) -> Outcome {
    let (Ok(project), Caller::Agent { .. }) = (here::project(), Caller::from_environment()) else {
        return Ok(());
    };
    if resolve(&std::path::absolute(file)?).starts_with(resolve(&work_file::folder(&project))) {
        return Ok(());
    }
    Err(CommandError::refused(format!("{} is in no work session; an agent logs only there", file.display()))
        .hint("the Write tool writes other files"))
}

/// An agent that has logged may go on: the rule heartbeat asks for it. Counted is what belongs to the work at hand.
fn count(file: &Path) {
    let (Ok(project), Caller::Agent { session }) = (here::project(), Caller::from_environment()) else {
        return;
    };
    let agent = SessionFile::new(&project.sessions_folder(), &session);
    let Some(bound) = agent.peek().work else { return };
    let folder = resolve(WorkFile::new(&project, &bound.name).folder());
    if std::path::absolute(file).is_ok_and(|file| resolve(&file).starts_with(folder)) {
        let _ = agent.update(|state| state.logs += 1);
    }
}

fn failed(file: &Path, error: &std::io::Error) -> CommandError {
    let folder = file.parent().unwrap_or(Path::new("")).display();
    match error.kind() {
        ErrorKind::NotFound => CommandError::refused(format!("the folder {folder} is not there"))
            .hint(format!("make it: mkdir -p {folder}")),
        _ => CommandError::refused(format!("{}: {error}", file.display())),
    }
}
