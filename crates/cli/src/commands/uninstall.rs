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

/// From where engine is taken out
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeWord {
    /// Your own settings, ~/.claude: hooks, skills and agents for all your projects; this project stays
    User,
}

/// Take engine out of this project
///
/// Removes the hook entries, status line and permissions from the settings, and every file that this or an earlier version of engine
/// installed and nobody changed; also in a clone. What stays is named, with the reason. Your work stays: session.md, sessions/,
/// plans/, .directives/. Hooks in your own settings serve all your projects and stay, unless you say --scope user. Exit codes: 0 taken out,
/// 1 something could not be taken out, 3 nothing of engine's is installed.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine uninstall --dry-run\n  engine uninstall\n  engine uninstall --purge\n  engine uninstall --purge=all\n  engine uninstall --scope user"
)]
pub(crate) struct UninstallArgs {
    /// Take out your own settings instead of this project
    #[arg(long, value_enum, conflicts_with = "purge")]
    pub(crate) scope: Option<ScopeWord>,
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
    let of_user = args.scope == Some(ScopeWord::User);
    let wish = Uninstall { of_user, purge, dry_run: args.dry_run, approved: args.user_approved.as_deref() };
    let done = install::uninstall(&here::folder()?, &here::caller(), &wish)?;
    if done.is_nothing() && !ui.is_json() {
        report::left(&done, args, ui);
        let place = if of_user { "your own settings".to_owned() } else { done.root.display().to_string() };
        return Err(CommandError::nothing(format!("nothing of engine's is installed in {place}")));
    }
    if !ui.is_json() {
        report::tell(&done, args, ui);
        return done.unfinished().map_or(Ok(()), Err);
    }
    ui.object(&report::object(&done, args));
    match done.unfinished() {
        Some(error) => Err(error),
        None if done.is_nothing() => Err(CommandError::nothing("")),
        None => Ok(()),
    }
}
