//! The words of the command line. Each command's doc comment is its help.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::since::Since;

/// The workflow engine between you and your coding agent
///
/// Without a command: where you stand in this project.
#[derive(Debug, Parser)]
#[command(name = "engine", version, propagate_version = false, disable_help_subcommand = true)]
#[command(
    after_help = "Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 nothing to do, 70 internal error.\n\
                        Start with: engine init"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Put engine into this project
    #[command(
        after_long_help = "Examples:\n  engine init\n  engine init --dry-run\n  engine init --scope local --with skills"
    )]
    Init(InitArgs),
    /// Take engine out of this project
    #[command(after_long_help = "Examples:\n  engine uninstall\n  engine uninstall --purge")]
    Uninstall(UninstallArgs),
    /// Check that engine is wired, fires and has what it needs
    ///
    /// Starts each wired hook command with a made-up event and reports what it did. Exits 1 if something is
    /// broken.
    #[command(after_long_help = "Examples:\n  engine doctor\n  engine doctor --json")]
    Doctor,
    /// Show what each rule says about an event, without any effect
    #[command(after_long_help = "Examples:\n  engine explain event.json\n  engine explain < event.json")]
    Explain(ExplainArgs),
    /// Tell why a decision was made
    #[command(after_long_help = "Examples:\n  engine why\n  engine why 01kb2q3m9xyz")]
    Why(WhyArgs),
    /// List the rules: events, modes, how often they spoke
    #[command(after_long_help = "Examples:\n  engine rules\n  engine rules --json")]
    Rules,
    /// Show what happened
    #[command(
        after_long_help = "Examples:\n  engine journal --since 2h\n  engine journal --denied --since 7d\n  engine journal --follow"
    )]
    Journal(JournalArgs),
    /// Show and set the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Play a session through the real hook in a throw-away project
    #[command(after_long_help = "Example:\n  engine demo")]
    Demo,
    /// Print a completion script for a shell
    #[command(
        after_long_help = "Example:\n  engine completions bash > ~/.local/share/bash-completion/completions/engine"
    )]
    Completions { shell: Shell },
    /// Answer one event of a coding agent: JSON on stdin, JSON or nothing on stdout
    ///
    /// Called by the agent, not by people. With `ENGINE_OFF=1` it does nothing.
    #[command(after_long_help = "Example:\n  engine hook < event.json")]
    Hook,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScopeWord {
    /// .claude/settings.json, committed: for the whole team
    Project,
    /// .claude/settings.local.json: for you, in this project
    Local,
    /// ~/.claude/settings.json: for you, in every project with an .engine/
    User,
}

/// Parts that are installed on request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Extra {
    /// The skills that come with engine
    Skills,
}

#[derive(Debug, Args)]
pub struct InitArgs {
    /// Which settings file gets the hook entries
    #[arg(long, value_enum, default_value = "project")]
    pub scope: ScopeWord,
    /// What else to install
    #[arg(long, value_enum, value_delimiter = ',')]
    pub with: Vec<Extra>,
    /// Add no permission entries for engine's own reading commands
    #[arg(long)]
    pub no_permissions: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Edit a settings file also if the client ignores it (comments, trailing commas)
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct UninstallArgs {
    /// Remove .engine/ too: configuration, state and journal
    #[arg(long)]
    pub purge: bool,
    /// For an agent: why a person wants this; counts after they have spoken
    #[arg(long, value_name = "REASON")]
    pub user_approved: Option<String>,
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A file with one event as JSON; - or nothing: stdin
    pub file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct WhyArgs {
    /// The decision's id, or the beginning of it; nothing: the last decision
    pub id: Option<String>,
}

#[derive(Debug, Args)]
pub struct JournalArgs {
    /// From when on: 45s, 30m, 2h, 3d, 1w, a day or a moment
    #[arg(long, default_value = "24h")]
    pub since: Since,
    /// Only this agent session (the beginning of its id is enough)
    #[arg(long)]
    pub session: Option<String>,
    /// Only this event
    #[arg(long)]
    pub event: Option<String>,
    /// Only what was denied
    #[arg(long)]
    pub denied: bool,
    /// Go on showing what comes
    #[arg(long)]
    pub follow: bool,
}

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Show every knob, its value and where that comes from
    #[command(after_long_help = "Examples:\n  engine config show\n  engine config show inject.budget")]
    Show { key: Option<String> },
    /// Print one value
    #[command(after_long_help = "Example:\n  engine config get inject.budget")]
    Get { key: String },
    /// Set one value; comments and layout of the file stay
    ///
    /// Wires an event that a rule now wants to hear.
    #[command(
        after_long_help = "Examples:\n  engine config set inject.budget 4000\n  engine config set rules.title on --user"
    )]
    Set {
        key: String,
        value: String,
        /// Set it for you in every project
        #[arg(long)]
        user: bool,
        /// For an agent: why a person wants this; counts after they have spoken
        #[arg(long, value_name = "REASON")]
        user_approved: Option<String>,
    },
}
