//! `engine uninstall`.

use clap::{Args, ValueEnum};
use engine_app::error::{CommandError, Outcome};
use engine_app::here;
use engine_app::install::{self, Purge, Uninstall};

use crate::ui::Ui;

mod report;

/// How much of .engine/ goes
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PurgeWord {
    /// State, journal, an unchanged configuration, and what git has as it is
    Ours,
    /// Everything, also what only this folder has: context, queue, notes, policy
    All,
}

/// Take engine out of this project
///
/// Removes the hook entries, status line and permissions from the settings, and every file that this or an earlier version of engine
/// installed and nobody changed; also in a clone. What stays is named, with the reason. Your work stays: session.md, sessions/,
/// plans/, .directives/.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine uninstall --dry-run\n  engine uninstall\n  engine uninstall --purge\n  engine uninstall --purge=all"
)]
pub(crate) struct UninstallArgs {
    /// Remove .engine/ too: state, journal and configuration; what you wrote in it and git does not have stays, unless you say =all
    #[arg(long, value_enum, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "ours")]
    pub(crate) purge: Option<PurgeWord>,
    /// Show what would be removed, and remove nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Name every file instead of counting those of skills and agents
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// For an agent: its reason, kept beside the person's answer; it approves nothing
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
}

pub(super) fn run(args: &UninstallArgs, ui: &Ui) -> Outcome {
    let purge = match args.purge {
        None => Purge::No,
        Some(PurgeWord::Ours) => Purge::Ours,
        Some(PurgeWord::All) => Purge::All,
    };
    let wish = Uninstall { purge, dry_run: args.dry_run, approved: args.user_approved.as_deref() };
    let done = install::uninstall(&here::folder()?, &here::caller(), &wish)?;
    if done.is_nothing() && !ui.is_json() {
        report::left(&done, args, ui);
        let root = done.root.display();
        return Err(CommandError::nothing(format!("nothing of engine's is installed in {root}")));
    }
    if ui.is_json() {
        ui.object(&report::object(&done, args));
        return if done.is_nothing() { Err(CommandError::nothing("")) } else { Ok(()) };
    }
    report::tell(&done, args, ui);
    Ok(())
}
