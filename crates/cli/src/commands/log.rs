//! `engine log` and `engine log show`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use engine_app::error::{CommandError, Outcome};
use engine_app::log::{self, Logged};
use engine_app::stdin;
use serde_json::json;

use crate::ui::Ui;

mod show;

/// Append an entry to a log: text on stdin, its first `## ` heading gets the time
///
/// The file is a Markdown file in a folder that is there. Entries of many agents at once stay whole. In an active work session
/// the entry gets a line with the phase.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine log sessions/2026_11_15_AUTH/IMPLEMENT_LOG.md <<'EOF'\n  ## Decision: JSON\n  Because every tool reads it.\n  EOF\n  engine log --overwrite sessions/2026_11_15_AUTH/IMPLEMENT_PLAN.md < plan.md"
)]
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

pub(super) fn run(args: &LogArgs, ui: &Ui) -> Outcome {
    match (&args.command, &args.file) {
        (Some(LogCommand::Show(args)), _) => show::run(args, ui),
        (None, Some(file)) => write(file, args.overwrite, ui),
        (None, None) => Err(CommandError::usage("which log?")),
    }
}

fn write(file: &Path, overwrite: bool, ui: &Ui) -> Outcome {
    let Logged { file, at } =
        log::write(&log::CommandContext::here(), file, overwrite, || stdin::read(stdin::FOR_A_CLIENT))?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "file": file, "at": at, "overwritten": overwrite}));
    } else {
        let done = if overwrite { "wrote" } else { "logged in" };
        ui.line(format!("{done} {}", file.display()));
    }
    Ok(())
}
