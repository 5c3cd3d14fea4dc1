//! The words of `engine log`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use engine_app::since::Since;
use engine_core::log::Kind;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct LogArgs {
    #[command(subcommand)]
    pub command: Option<LogCommand>,
    /// The log: a file that ends in .md
    #[arg(required = true)]
    pub file: Option<PathBuf>,
    /// Replace the whole file; nothing is stamped
    #[arg(long)]
    pub overwrite: bool,
}

#[derive(Debug, Subcommand)]
pub enum LogCommand {
    /// Show entries of logs: all, or those of a type, a phase, a time
    ///
    /// A heading's leading mark or word tells the type: ▶️ Start, 🚧 Block, 😨 Stuck, 🐞 Debug, 💸 Debt, 👁️ Observation,
    /// 😟 Concern, 🔙 Revert, ✅ Success, 🅿️ Parked, ⚖️ Decision, INV (invariant), PTF (pitfall). A line `**Phase**: LABEL: NAME` tells
    /// the phase.
    #[command(
        after_long_help = "Examples:\n  engine log show --session 2026_11_15_AUTH --type decision\n  engine log show sessions/2026_11_15_AUTH/IMPLEMENT_LOG.md --since 2h"
    )]
    Show(LogShowArgs),
}

#[derive(Debug, Args)]
pub struct LogShowArgs {
    /// Logs
    #[arg(value_name = "FILE", required_unless_present = "session")]
    pub files: Vec<PathBuf>,
    /// All logs (*_LOG.md) of this work session: its folder, or its name below sessions/
    #[arg(long, value_name = "PATH", conflicts_with = "files")]
    pub session: Option<PathBuf>,
    /// Only this type: start, block, stuck, debug, debt, observation, concern, revert, success, parked, decision, invariant,
    /// pitfall
    #[arg(long = "type", value_name = "TYPE", value_parser = kind)]
    pub kind: Option<Kind>,
    /// Only this phase: its label, its name, or LABEL: NAME
    #[arg(long)]
    pub phase: Option<String>,
    /// From when on: 45s, 30m, 2h, 3d, 1w, a day or a moment
    #[arg(long)]
    pub since: Option<Since>,
}

fn kind(word: &str) -> Result<Kind, String> {
    let all: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    Kind::named(word).ok_or_else(|| format!("use {}", all.join(", ")))
}
